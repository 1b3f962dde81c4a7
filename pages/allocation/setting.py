"""Instances of the Allocation page: jobs and slots that show one thing each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instance:
    """Where the controls start.

    Attributes
    ----------
    title : str
        What it shows.
    jobs : str
        As `pages.allocation.jobs_table.read_rows` reads them.
    S, beta, epsilon, printed
        Values of the other controls.
    pour : str
        The rule that is drawn as water.
    """

    title: str
    jobs: str
    S: int = 100
    beta: float = 1.5
    epsilon: float = 0.5
    printed: bool = False
    pour: str = "Algorithm 2"


INSTANCES = {
    "spare": Instance("Slots to spare", "5,20,50", S=120),
    "short": Instance("Slots are short", "10,20,40", S=60),
    "many": Instance("Twelve jobs, one of them huge", "1,1,2,2,3,4,6,9,15,30,60,120", S=220, epsilon=0.8),
    "dag": Instance("Pipelines: jobs with weights", "12:4,60:1,96:0.25", S=200, pour="Exact optimum"),
    "greedy": Instance("Pipelines: a small job of tiny weight", "12:0.01,60:1", S=16, pour="Algorithm 3"),
    "drop": Instance(
        "Pipelines: one slot more, and a job loses all", "12:0.25,60:1", S=17, pour="Algorithm 3"
    ),
    "count": Instance("As printed: fairness counts the wrong jobs", "30,52.5", printed=True),
    "few": Instance("As printed: fewer slots than jobs", "0.075,0.6375", S=1, printed=True),
    "pass": Instance(
        "As printed: one projection is not enough",
        "36,36,36",
        beta=1.6,
        epsilon=0.1,
        printed=True,
        pour="Projection",
    ),
    "gap": Instance(
        "As printed: no case applies", "12:4,60:1,96:0.25", S=140, printed=True, pour="Algorithm 3"
    ),
    "both": Instance(
        "As printed: two cases apply", "12:4,60:1,96:0.25", S=300, printed=True, pour="Algorithm 3"
    ),
    "early": Instance(
        "As printed: a new least weight comes too early",
        "12:4,60:1,96:0.9",
        S=130,
        printed=True,
        pour="Algorithm 3",
    ),
}
DEFAULT = "spare"
