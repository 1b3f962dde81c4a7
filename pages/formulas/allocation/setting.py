"""Instances of the Allocation page: jobs and slots that show one thing each."""

from __future__ import annotations

from typing import Any

from pages.formulas.allocation.question.jobs import read_rows
from pages.shared.controls.panel import Start

PIPELINES = "12:4,60:1,96:0.25"


def instance(title: str, jobs: str, **values: Any) -> Start:
    """Return an instance with jobs as a link writes them, and other values of the page's controls."""
    return Start(title, {"jobs": read_rows(jobs), **values})


def as_printed(title: str, jobs: str, **values: Any) -> Start:
    """Return an instance that shows what the papers' printed rules do."""
    return instance(f"As printed: {title}", jobs, printed=True, **values)


INSTANCES = {
    "spare": instance("Slots to spare", "5,20,50", S=120),
    "short": instance("Slots are short", "10,20,40", S=60),
    "many": instance("Twelve jobs, one of them huge", "1,1,2,2,3,4,6,9,15,30,60,120", S=220, epsilon=0.8),
    "dag": instance("Pipelines: jobs with weights", PIPELINES, S=200, pour="Exact optimum"),
    "greedy": instance("Pipelines: a tiny weight", "12:0.01,60:1", S=16, pour="Algorithm 3"),
    "drop": instance("Pipelines: a job loses all", "12:0.25,60:1", S=17, pour="Algorithm 3"),
    "count": as_printed("the wrong jobs", "30,52.5"),
    "few": as_printed("fewer slots than jobs", "0.075,0.6375", S=1),
    "pass": as_printed("one projection", "36,36,36", beta=1.6, epsilon=0.1, pour="Projection"),
    "gap": as_printed("no case applies", PIPELINES, S=140, pour="Algorithm 3"),
    "both": as_printed("two cases apply", PIPELINES, S=300, pour="Algorithm 3"),
    "early": as_printed("a weight too early", "12:4,60:1,96:0.9", S=130, pour="Algorithm 3"),
}
