"""Compile, or load from the cache, everything the slot engine needs."""

from __future__ import annotations

from itertools import zip_longest

from sim.experiment import Experiment
from sim.policy import SHARING, SPECULATION
from sim.scenario import Scenario


def warm_up() -> None:
    """Run every rule once on a few jobs, so that nobody waits for a compiler later."""
    sharing, speculation = list(SHARING()), list(SPECULATION())
    pairs = zip_longest(sharing, speculation, fillvalue="fifo" if len(sharing) < len(speculation) else "none")
    policies = tuple(f"{share}+{copy}" for share, copy in pairs)
    Experiment(Scenario(slots=4, jobs=5, tasks_max=3), policies).replicate(0)
