"""A small experiment that compiles every function of the slot engine."""

from __future__ import annotations

from itertools import zip_longest

from sim.engines.slots.scenario import SlotScenario, sharing_rules, speculation_rules
from sim.running.experiment import Experiment

#: Rules that pages ask for first, which need not wait until the others are compiled.
FIRST = {"fair", "srpt", "hopper"}, {"none", "late", "budget"}


def experiment() -> Experiment:
    """Return a few jobs under policies that have every rule once."""
    kinds = zip((sharing_rules(), speculation_rules()), FIRST, strict=True)
    sharing, speculation = (sorted(rules, key=lambda rule: rule not in first) for rules, first in kinds)
    pairs = zip_longest(sharing, speculation, fillvalue="fifo" if len(sharing) < len(speculation) else "none")
    texts = [f"{share}+{copy}" for share, copy in pairs]
    return Experiment.of_texts(SlotScenario(slots=4, jobs=5, tasks_max=3), texts)
