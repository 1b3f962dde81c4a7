"""What needs every compiled function of the slot engine."""

from __future__ import annotations

from itertools import zip_longest

from sim.experiment import Experiment
from sim.slots.policy import sharing_rules, speculation_rules
from sim.slots.scenario import SlotScenario


def experiment() -> Experiment:
    """Return a few jobs under policies that have every rule once."""
    sharing, speculation = list(sharing_rules()), list(speculation_rules())
    pairs = zip_longest(sharing, speculation, fillvalue="fifo" if len(sharing) < len(speculation) else "none")
    texts = [f"{share}+{copy}" for share, copy in pairs]
    return Experiment.of_texts(SlotScenario(slots=4, jobs=5, tasks_max=3), texts)
