"""The record of the measurements of growth: `docs/explanation/growth.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "explanation"


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a run of so many slots and jobs has cost."""

    slots: int
    jobs: int
    policy: str
    nanoseconds: float  # of a processor, a task
    megabytes: float  # most memory of the process


@dataclass(frozen=True, slots=True)
class VisitCost:
    """What so many visitors have cost who move a slider at once."""

    processes: int
    visitors: int
    milliseconds: float  # of a processor, a visitor's move
    wait: float  # in ms, 95 % of the visitors wait at most
    megabytes: float  # memory of the larger process


@dataclass(frozen=True, slots=True)
class Growth:
    """All that was measured, and on what."""

    cores: int
    caches: dict[str, int]
    slots: list[RunCost]
    jobs: list[RunCost]
    visitors: list[VisitCost]


def recorded() -> Growth:
    """Return what is kept."""
    held = json.loads((DOCS / "growth.json").read_text())
    runs = {name: [RunCost(**one) for one in held[name]] for name in ("slots", "jobs")}
    return Growth(
        held["cores"], held["caches"], **runs, visitors=[VisitCost(**one) for one in held["visitors"]]
    )


def alone_of(found: Growth) -> VisitCost:
    """Return what the fewest visitors have cost."""
    return min(found.visitors, key=lambda one: (one.visitors, one.processes))


def crowd_of(found: Growth) -> VisitCost:
    """Return what the most visitors have cost, on the most processes."""
    return max(found.visitors, key=lambda one: (one.visitors, one.processes))
