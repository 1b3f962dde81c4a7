"""Counts of the log."""

from __future__ import annotations

from dataclasses import dataclass

from sim.logs.history import FATES, History


@dataclass(frozen=True)
class Counts:
    """How much of what the log holds.

    `jobs` are those started, `tasks` the distinct (stage, index) started, `copies` the attempts started,
    of which `speculative` were second copies; `hosts` those that ran one; `slots` the most at once.
    """

    jobs: int
    stages: int
    tasks: int
    copies: int
    speculative: int
    finished: int
    killed: int
    failed: int
    unfinished: int
    hosts: int
    slots: int


def counts(history: History) -> Counts:
    """Count what a history holds."""
    copies = history.frame("copies")
    fates = copies["fate"].value_counts()
    return Counts(
        jobs=history.jobs.num_rows,
        stages=history.stages.num_rows,
        tasks=len(copies.drop_duplicates(["stage", "task"])),
        copies=len(copies),
        speculative=int(copies["speculative"].sum()),
        **{fate: int(fates.get(fate, 0)) for fate in FATES},
        hosts=int((copies["host"].astype(str).unique() != "").sum()),
        slots=max(history.slots["slots"].to_pylist(), default=0),
    )
