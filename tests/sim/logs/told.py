"""Samples of the product, and logs of generated worlds whose causes are known, by name."""

from __future__ import annotations

from functools import cache

from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.samples import nightly, slurm, spark
from tests.zoo.causes_judged import world_of
from tests.zoo.costs import history_of
from tests.zoo.simulator import play

SAMPLES = {
    "spark": lambda: read_history(spark(speculation=False)),
    "slurm": lambda: read_history(slurm(arrays=4)),
    "nightly": lambda: read_history(nightly(1, arrays=4)),
}
#: Worlds of `tests.zoo.causes_judged` by their causes.
WORLDS = {
    "null": 0,
    "slow executors": 1,
    "slow executors and hidden skew": 2,
    "lost outputs": 3,
    "luck": 6,
    "skew by output": 8,
    "waits": 11,
    "slow hosts": 13,
    "hidden skew": 14,
    "failed": 16,
    "collector": 18,
    "skew by records": 23,
    "idle and waits": 27,
    "late": 31,
    "skew": 33,
    "starts": 36,
    "cold": 38,
}
EVERY = (*SAMPLES, *WORLDS)


@cache
def history(name: str) -> History:
    """Return a sample, or the log of a world in which no second copy ran."""
    if name in SAMPLES:
        return SAMPLES[name]()
    world = world_of(1, WORLDS[name])
    return history_of(world, play(world, None, 0))
