"""The worlds of the sample of a fleet (`sim.logs.samples.FLEET`): a plain one, and one change of it each.

The files of the package are ``as_parquet(recorded(name))``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.source import Upload
from tests.zoo.causes import build, shown
from tests.zoo.eventlog import event_log
from tests.zoo.simulator import play
from tests.zoo.worlds import Stage, World, stream

SEED = 3
#: By what the tasks of the zoo are made longer, so that jobs take minutes and hours.
LONGER = 120
#: Host that is slow, and how slow.
SLOW, SLOWNESS = 1, 1.9
#: Share of tasks with bad luck, and by what they take longer.
UNLUCKY, BY = 0.05, (3.0, 8.0)
#: Spread of the logarithm of the sizes; and of luck where there is next to none.
SIZES, NOISE = 0.7, 0.01


def worlds() -> dict[str, World]:
    """Return the world of each log."""
    random = np.random.default_rng(SEED)
    who = {"number": 0, "seed": SEED, "size": "small", "setting": None}
    found = build("light", (), stream(SEED, 0, "fleet"), **who)
    found = replace(
        found,
        nature=replace(found.nature, law=_noise),
        jobs=tuple(replace(job, submit=LONGER * job.submit) for job in found.jobs),
    )
    plain = _changed(found, lambda stage: replace(stage, base=LONGER * stage.base))
    cluster = plain.cluster
    hosts = tuple(SLOWNESS if host == SLOW else 1.0 for host in range(cluster.hosts))
    return {
        "nightly-billing": replace(plain, cluster=replace(cluster, host_factors=hosts)),
        "click-sessions": _changed(
            plain,
            lambda stage: shown(stage, np.exp(random.normal(-(SIZES**2) / 2, SIZES, stage.tasks))),
        ),
        "fraud-scores": replace(plain, nature=replace(plain.nature, law=_unlucky)),
        "stock-levels": plain,
    }


def recorded(name: str) -> History:
    """Return the log of a world."""
    world = worlds()[name]
    return read_history(Upload(f"{name}.json", event_log(world, play(world, None, 0)).encode()))


def _changed(world: World, change: Callable[[Stage], Stage]) -> World:
    jobs = (replace(job, stages=tuple(map(change, job.stages))) for job in world.jobs)
    return replace(world, jobs=tuple(jobs))


def _noise(random: np.random.Generator, size: int) -> np.ndarray:
    return np.exp(random.normal(0, NOISE, size))


def _unlucky(random: np.random.Generator, size: int) -> np.ndarray:
    slow = random.random(size) < UNLUCKY
    return np.where(slow, random.uniform(*BY, size), 1.0) * _noise(random, size)
