"""The true effect of remedies: a world played again with its cause mended, under the same luck.

A world is mended in its own terms: a host has no executors any more, or is as fast as others; a task that
reads much is several that share its reading; slots are never cold. No code is shared with what is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from tests.zoo.luck import Draw, draw
from tests.zoo.simulator import Play, lasting
from tests.zoo.simulator import play as played
from tests.zoo.truth import FIGURES, Change, change, figures
from tests.zoo.worlds import Job, Stage, World

#: A task that reads more than so many medians of its stage is cut into as many pieces as medians it holds.
FACTOR = 2.0


@dataclass(frozen=True, eq=False)
class Mended:
    """A world, and how the luck of the world as it was is that of this one.

    Parameters
    ----------
    world : World
    pieces : list
        Job -> stage -> pieces of each task of the world as it was.
    """

    world: World
    pieces: list[list[np.ndarray]]

    def draw(self, number: int, before: World) -> Draw:
        """Return the luck of a play: that of the world as it was, and more of it for further pieces."""
        known, more = draw(before, number), self.world.stream("pieces", number)
        law = self.world.nature.law

        def cut(values: list[list[list[list[float]]]], fresh: Callable[[int], np.ndarray]) -> list:
            return [
                [
                    [_spread(row, pieces, fresh) for row in stage]
                    for stage, pieces in zip(job, parts, strict=True)
                ]
                for job, parts in zip(values, self.pieces, strict=True)
            ]

        luck = cut(known.luck, lambda size: law(more, size))
        collected = known.collected and cut(known.collected, lambda size: more.uniform(0.3, 1.7, size))
        return replace(known, luck=luck, collected=collected)


def _spread(row: list[float], pieces: np.ndarray, fresh: Callable[[int], np.ndarray]) -> list[float]:
    """Give the first piece of each task what the task had, and the others their own."""
    found = np.repeat(row, pieces)
    own = np.ones(found.size, bool)
    own[np.cumsum(pieces) - pieces] = False
    found[own] = fresh(int(own.sum()))
    return found.tolist()


def _whole(world: World) -> Mended:
    return Mended(world, [[np.ones(stage.tasks, int) for stage in job.stages] for job in world.jobs])


def without_hosts(world: World, hosts: Iterable[int]) -> Mended:
    """Leave out hosts with their slots."""
    out, cluster = set(hosts), world.cluster
    executors = tuple((host, 0 if host in out else slots) for host, slots in cluster.executors)
    return _whole(replace(world, cluster=replace(cluster, executors=executors)))


def with_healthy(world: World, hosts: Iterable[int]) -> Mended:
    """Replace hosts by some as fast as the usual one."""
    out, cluster = set(hosts), world.cluster
    factors = tuple(1.0 if host in out else factor for host, factor in enumerate(cluster.host_factors))
    executors = tuple(
        1.0 if host in out else factor
        for (host, _), factor in zip(cluster.executors, cluster.executor_factors, strict=True)
    )
    return _whole(replace(world, cluster=replace(cluster, host_factors=factors, executor_factors=executors)))


def never_cold(world: World) -> Mended:
    """Let no task be slower because it is the first of all on its executor."""
    return _whole(replace(world, nature=replace(world.nature, frozen=1.0)))


def split(world: World) -> Mended:
    """Cut what reads much into pieces that read about as much as the usual task."""
    jobs, pieces = [], []
    for job in world.jobs:
        cuts = [_pieces(stage) for stage in job.stages]
        stages = tuple(_cut(stage, cut) for stage, cut in zip(job.stages, cuts, strict=True))
        jobs.append(Job(job.name, stages, job.submit, job.think))
        pieces.append(cuts)
    return Mended(replace(world, jobs=tuple(jobs)), pieces)


def _pieces(stage: Stage) -> np.ndarray:
    shown = stage.read if np.ptp(np.log(np.maximum(stage.read, 1))) > 0.2 else stage.records
    usual = float(np.median(shown))
    times = shown / usual if usual > 0 else np.ones(stage.tasks)
    return np.where(times > FACTOR, np.ceil(times), 1).astype(int)


def _cut(stage: Stage, pieces: np.ndarray) -> Stage:
    """Return a stage with tasks cut; work grows by a power of what is read."""
    homes = tuple(home for home, count in zip(stage.homes, pieces, strict=False) for _ in range(count))
    return replace(
        stage,
        work=np.repeat(stage.work / pieces**stage.grows, pieces),
        read=np.repeat(stage.read // pieces, pieces),
        records=np.repeat(stage.records // pieces, pieces),
        homes=homes,
    )


def cuts(world: World) -> int:
    """Count the tasks that are cut."""
    return sum(int((_pieces(stage) > 1).sum()) for job in world.jobs for stage in job.stages)


def play_mended(mended: Mended, before: World, number: int) -> Play:
    """Play a mended world with the luck of a number."""
    luck = mended.draw(number, before)
    return played(mended.world, before.setting, number, lasting(mended.world, luck), luck)


def truth_of(world: World, mended: dict[str, Mended], draws: int) -> dict[str, dict[str, Change]]:
    """Return what each remedy changes against the world as it is, on fresh luck."""
    numbers = range(1, draws + 1)
    now = [figures(played(world, world.setting, number)) for number in numbers]
    found = {}
    for name, one in mended.items():
        then = [figures(play_mended(one, world, number)) for number in numbers]
        found[name] = {figure: change(then, now, figure) for figure in FIGURES}
    return found
