"""Worlds with one cause, and the true cost of it: the world played again without it, on the same luck.

No code is shared with what is judged. A cause that the zoo does not have is made here: a scheduler that waits
for slots near the input while others are free, and copies that wait for blocks of a shuffle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.source import Upload
from tests.zoo.causes import PATIENCE, build
from tests.zoo.eventlog import event_log
from tests.zoo.luck import draw
from tests.zoo.simulator import Play, play
from tests.zoo.worlds import Stage, World, stream


@dataclass(frozen=True, eq=False)
class Costly:
    """A history, and what a cause cost its jobs in truth, in seconds."""

    history: History
    cost: float


def world_of(cause: str, law: str, number: int, jobs: int = 30) -> World:
    """Return a world of one cause of the zoo; few of its machines are slow."""
    causes = (cause,) if cause else ()
    world = build(law, causes, stream(5, number, "world"), number=number, seed=5, size="small", setting=None)
    return few(world, jobs)


def few(world: World, jobs: int) -> World:
    """Return a world with its first jobs, in which few machines are slow."""
    count = len(world.cluster.executors)
    if "slow_executors" in world.causes:  # one of two on the first two hosts
        factors = (1.9, 1.0, 1.0, 1.6, *[1.0] * (count - 4))
        world = replace(world, cluster=replace(world.cluster, executor_factors=factors))
    if "gc" in world.causes:
        shares = tuple(0.35 if place < max(1, (count - 1) // 3) else 0.03 for place in range(count))
        world = replace(world, nature=replace(world.nature, collector=shares))
    return replace(world, jobs=world.jobs[:jobs])


def without(world: World, cause: str) -> World:
    """Return the world without a cause."""
    cluster, nature = world.cluster, world.nature
    count = len(cluster.executors)
    if CALLED[cause] == "work":
        return replace(
            world, jobs=tuple(replace(job, stages=tuple(map(_even, job.stages))) for job in world.jobs)
        )
    return {
        "slow_hosts": replace(world, cluster=replace(cluster, host_factors=(1.0,) * cluster.hosts)),
        "slow_executors": replace(world, cluster=replace(cluster, executor_factors=(1.0,) * count)),
        "gc": replace(world, nature=replace(nature, collector=(min(nature.collector or (0,)),) * count)),
        "locality": replace(world, nature=replace(nature, far=1.0)),
        "cold": replace(world, nature=replace(nature, cold=0.0, frozen=1.0)),
        "idle": replace(world, nature=replace(nature, patience=0.0)),
        "waits": replace(world, nature=replace(nature, waits={})),
        "starts": replace(world, nature=replace(nature, starts={})),
        "failed": replace(world, nature=replace(nature, again={})),
        "lost": replace(world, nature=replace(nature, again={})),
        "late": replace(world, nature=replace(nature, ready=0.0)),
    }[cause]


def _even(stage: Stage) -> Stage:
    """Return a stage no task of which has more work than the median: none is made longer."""
    return replace(stage, work=np.minimum(stage.work, np.median(stage.work)))


def costly(cause: str, law: str, number: int, jobs: int = 30) -> Costly:
    """Return the history of a world and what its cause cost."""
    world = world_of(
        "locality" if cause == "idle" else "" if cause in ("luck", "fetch_wait") else cause, law, number, jobs
    )
    if cause == "idle":
        world = without(world, "locality")  # a slot away from the input is as good
        patient = replace(world, nature=replace(world.nature, patience=PATIENCE))
        return _cost(world, play(patient, None, 0))
    if cause == "luck":
        return _lucky(replace(world, setting=(1.5, 0.75)))
    if cause == "fetch_wait":
        return _waiting(world)
    return _cost(world, play(world, None, 0), play(without(world, cause), None, 0))


def _cost(world: World, as_it_was: Play, other: Play | None = None) -> Costly:
    other = other or play(world, None, 0)
    history = history_of(world, as_it_was)
    return Costly(history, sum(as_it_was.job_times) - sum(other.job_times))


def history_of(world: World, as_it_was: Play) -> History:
    """Return what the product reads of a play."""
    return read_history(Upload("zoo.eventlog", event_log(world, as_it_was).encode()))


def _waiting(world: World) -> Costly:
    """Let one copy in five of stages with parents wait for blocks, for up to three times its usual time."""
    random = stream(5, world.number, "waits")
    waits = {
        (job, stage, task): float(random.uniform(0.5, 3) * one.base) if one.parents else 0.0
        for job, own in enumerate(world.jobs)
        for stage, one in enumerate(own.stages)
        for task in range(one.tasks)
        if random.random() < 0.2
    }
    waiting = replace(world, nature=replace(world.nature, waits=waits))
    return _cost(waiting, play(waiting, None, 0), play(world, None, 0))


def _lucky(world: World) -> Costly:
    """Let every attempt have the median luck of the originals of its stage, where second copies had run."""
    luck = draw(world, 0)
    flat = [
        [[[float(np.median(stage[0]))] * len(row) for row in stage] for stage in job] for job in luck.luck
    ]
    other = play(world, world.setting, 0, luck=replace(luck, luck=flat))
    return _cost(world, play(world, world.setting, 0), other)


#: Causes of the diagnosis by those of worlds.
CALLED: dict[str, str] = {
    "slow_hosts": "machine",
    "slow_executors": "executor",
    "gc": "gc",
    "locality": "locality",
    "cold": "first_wave",
    "idle": "idle",
    "fetch_wait": "fetch_wait",
    "luck": "luck",
    "waits": "fetch_wait",
    "starts": "start",
    "failed": "failures",
    "lost": "again",
    "late": "no executor",
    "skew_five": "work",
    "skew_sizes": "work",
    "skew_records": "work",
    "skew_written": "work",
    "hidden_recurring": "work",
}
#: Those of the worlds of `test_costs`.
ALONE = ("slow_hosts", "slow_executors", "gc", "locality", "cold", "idle", "fetch_wait", "luck")
