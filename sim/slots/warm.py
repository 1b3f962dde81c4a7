"""Compile, or load from the cache, everything the slot engine needs."""

from __future__ import annotations

from itertools import zip_longest

from sim.experiment import Experiment
from sim.slots.policy import sharing_rules, speculation_rules
from sim.slots.scenario import SlotScenario


def warm_up() -> None:
    """Run every rule once on a few jobs, so that nobody waits for a compiler later."""
    sharing, speculation = list(sharing_rules()), list(speculation_rules())
    pairs = zip_longest(sharing, speculation, fillvalue="fifo" if len(sharing) < len(speculation) else "none")
    texts = [f"{share}+{copy}" for share, copy in pairs]
    Experiment.of_texts(SlotScenario(slots=4, jobs=5, tasks_max=3), texts).replicate(0)
