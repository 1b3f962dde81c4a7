"""Luck and circumstances of one play, addressed by task and copy: settings are compared on the same luck."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.zoo.worlds import Stage, World

#: Attempts of a task: the original and one copy.
ATTEMPTS = 2


@dataclass(frozen=True, eq=False)
class Draw:
    """What is drawn for a play.

    Parameters
    ----------
    luck : list
        Job -> stage -> attempt -> task.
    collected : list
        The same of the share of time that the garbage collector takes, where it is usual; empty if never.
    spells : list of list of (float, float)
        For each host when it is slow, in order.
    phase : float
        When the timer first checks, in units of its interval.
    order : Generator
        Of the choice among executors.
    """

    luck: list[list[list[list[float]]]]
    collected: list[list[list[list[float]]]]
    spells: list[list[tuple[float, float]]]
    phase: float
    order: np.random.Generator


def draw(world: World, number: int) -> Draw:
    """Draw a play; 0 is the one whose history is recorded."""
    nature = world.nature
    luck, collector = world.stream("luck", number), world.stream("collector", number)
    collected = []
    if nature.collector:
        collected = [[_around_one(collector, stage.tasks) for stage in job.stages] for job in world.jobs]
    return Draw(
        [[_luck(world, luck, stage) for stage in job.stages] for job in world.jobs],
        collected,
        _spells(world, world.stream("spells", number)),
        float(world.stream("phase", number).random()),
        world.stream("order", number),
    )


def _luck(world: World, random: np.random.Generator, stage: Stage) -> list[list[float]]:
    nature = world.nature
    law = nature.noise if stage.noisy and nature.noise else nature.law
    values = law(random, ATTEMPTS * stage.tasks).reshape(ATTEMPTS, stage.tasks)
    if stage.sigma:
        values = values * np.exp(random.normal(0, stage.sigma, values.shape))
    if nature.shared:
        same = random.random(stage.tasks) < nature.shared
        values[1, same] = values[0, same]
    return values.tolist()


def _around_one(random: np.random.Generator, tasks: int) -> list[list[float]]:
    """Draw by what the collector is above or below its usual share."""
    return random.uniform(0.3, 1.7, (ATTEMPTS, tasks)).tolist()


def _spells(world: World, random: np.random.Generator) -> list[list[tuple[float, float]]]:
    """Draw when each host is slow, for longer than any play lasts."""
    share, length, _ = world.nature.spells
    if (one := world.nature.one_spell) is not None:
        last = max(job.submit for job in world.jobs)
        once = [(one[1] * last, one[2] * last)]
        return [once if host == one[0] else [] for host in range(world.cluster.hosts)]
    if not share:
        return [[] for _ in range(world.cluster.hosts)]
    horizon = 20 * max(job.submit for job in world.jobs) + 10_000
    found = []
    for _ in range(world.cluster.hosts):
        count = int(horizon / (length / share)) + 50
        rests = random.exponential(length * (1 - share) / share, count)
        lengths = random.exponential(length, count)
        ends = np.cumsum(rests + lengths)
        if random.random() < share:  # it begins in a spell
            ends -= rests[0]
        found.append(list(zip((ends - lengths).tolist(), ends.tolist(), strict=True)))
    return found
