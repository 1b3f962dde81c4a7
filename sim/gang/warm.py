"""Compile, or load from the cache, everything the gang engine needs."""

from __future__ import annotations

from sim.experiment import Experiment
from sim.gang.policy import redundancy_rules
from sim.gang.scenario import GangScenario


def warm_up() -> None:
    """Run every rule once on a few jobs, so that nobody waits for a compiler later."""
    Experiment.of_texts(GangScenario(jobs=5), list(redundancy_rules())).replicate(0)
