"""The true effect of a setting: many plays of a world, each setting with the same luck as today's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tests.zoo.simulator import Play, play
from tests.zoo.worlds import Setting, World

FIGURES = ("mean", "p50", "p95", "slot_time")


def figures(play: Play) -> dict[str, float]:
    """Return the figures of a play."""
    times = np.sort(play.job_times)

    def quantile(share: float) -> float:
        return float(times[math.ceil(share * times.size - 1e-9) - 1])

    return {
        "mean": float(times.mean()),
        "p50": quantile(0.5),
        "p95": quantile(0.95),
        "slot_time": play.slot_time,
    }


@dataclass(frozen=True)
class Change:
    """The expected change against today as a share of today's, and its standard error."""

    value: float
    error: float


def truth(world: World, settings: Iterable[Setting], draws: int) -> dict[Setting, dict[str, Change]]:
    """Return what each setting changes against the one of the world's history, on fresh luck."""
    numbers = range(1, draws + 1)
    now = [figures(play(world, world.setting, number)) for number in numbers]
    found: dict[Setting, dict[str, Change]] = {}
    for setting in settings:
        if setting == world.setting:
            found[setting] = dict.fromkeys(FIGURES, Change(0.0, 0.0))
            continue
        then = [figures(play(world, setting, number)) for number in numbers]
        found[setting] = {name: change(then, now, name) for name in FIGURES}
    return found


def change(then: list[dict[str, float]], now: list[dict[str, float]], name: str) -> Change:
    """Return the change of a mean, and its error to the first order."""
    ours, theirs = (np.array([one[name] for one in side]) for side in (then, now))
    ratio = ours.mean() / theirs.mean()
    error = (ours - ratio * theirs).std(ddof=1) / theirs.mean() / math.sqrt(len(now))
    return Change(float(ratio - 1), float(error))
