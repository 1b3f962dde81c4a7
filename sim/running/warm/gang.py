"""A small experiment that compiles every function of the gang engine."""

from __future__ import annotations

from sim.engines.gang.run import redundancy_rules
from sim.engines.gang.scenario import GangScenario
from sim.running.experiment import Experiment


def experiment() -> Experiment:
    """Return a few jobs under every rule."""
    return Experiment.of_texts(GangScenario(jobs=5), list(redundancy_rules()))
