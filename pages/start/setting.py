"""The three moves of the Start page as runs: a few jobs to watch, and as many as give a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.effort import Effort
from sim.experiment import Experiment
from sim.slots.policy import SlotPolicy
from sim.slots.scenario import SlotScenario

#: What the runs are called.
ONE, TWO = "One copy each", "Two copies each"
#: Tail index of the straggle factors: above 2, so that a mean has an interval (`sim.interval_reliability`).
TAIL = 2.5
#: Slots of each cluster, jobs of a replication.
SLOTS, JOBS = 10, 4000
EFFORT = Effort(replications=20)


@dataclass(frozen=True, slots=True)
class Move:
    """A cluster.

    Attributes
    ----------
    watched : mapping of str to Experiment
        What a run is called -> the few jobs of it, under one policy.
    measured : Experiment
        Many such jobs, without extra copies and, where those are the matter, with them.
    """

    watched: Mapping[str, Experiment]
    measured: Experiment


def moves() -> tuple[Move, ...]:
    """Return the three moves: one task holds a job, a copy helps, the same copy hurts."""
    one = {ONE: SlotPolicy.of("fifo", "none")}
    two = one | {TWO: SlotPolicy.of("fifo", "clone")}
    return (
        _move(one, load=0.02, tasks=10, few={"jobs": 1, "load": 0.9, "seed": 45}),  # which arrives at once
        _move(two, load=0.2, tasks=5, few={"jobs": 6, "seed": 1}),
        _move(two, load=0.6, tasks=5, few={"jobs": 24, "seed": 12}),
    )


def _move(policies: Mapping[str, SlotPolicy], *, load: float, tasks: int, few: Mapping[str, Any]) -> Move:
    """Return a move; what is watched differs in `few`: a seed whose jobs look like the mean over many."""
    cluster = SlotScenario(
        slots=SLOTS,
        load=load,
        jobs=JOBS,
        tasks="constant",
        tasks_max=tasks,
        straggle_tail=TAIL,
        time_unit="min",
    )
    watched = cluster.replace(warm_up=0, **few)
    return Move(
        {name: Experiment(watched, (policy,)) for name, policy in policies.items()},
        Experiment(cluster, tuple(policies.values())),
    )
