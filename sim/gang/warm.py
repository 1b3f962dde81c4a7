"""Compile, or load from the cache, everything the gang engine needs."""

from __future__ import annotations

from sim.experiment import Experiment
from sim.gang.policy import REDUNDANCY
from sim.gang.scenario import GangScenario


def warm_up() -> None:
    """Run every rule once on a few jobs, so that nobody waits for a compiler later."""
    Experiment(GangScenario(jobs=5), tuple(REDUNDANCY())).replicate(0)
