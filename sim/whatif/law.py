"""The law of luck for the engine: quantiles of what was seen, and a Pareto tail for the slowest.

The body is the Kaplan-Meier estimate of the diagnosis. For the slowest twentieth (at least `FEWEST` copies) a
Pareto tail takes its place, with the index that fits them best, killed copies counting as lower bounds. It
ends at twice the largest value that was seen: a tail without an end would let the mean rest on copies slower
than any in the history, and where real durations have a limit it promises gains that are not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.laws import StraggleLaw
from sim.traces.diagnosis.luck import Luck

#: Steps of the table.
STEPS = 2000
#: Fewest finished copies that a tail is fitted to, and how much longer than all of them it goes on.
FEWEST, MOST = 10, 2.0
#: Draws by which the median of few tasks is known, and tasks from which it is that of the law.
_DRAWS, _MOST_TASKS = 4000, 30


@dataclass(frozen=True)
class Law:
    """Fields of a scenario that has this law of luck.

    Parameters
    ----------
    samples : tuple of float
        Quantiles for equal steps of probability.
    """

    samples: tuple[float, ...]

    @property
    def fields(self) -> dict[str, object]:
        """What a scenario is told."""
        return {"straggle": "table", "samples": self.samples}


def law_of(luck: Luck) -> Law:
    """Turn the estimate of a diagnosis into a law that can be drawn from."""
    x, survival = luck.x, luck.survival
    wanted = np.linspace(0, 1, STEPS + 1)
    table = np.interp(wanted, np.concatenate([[0.0], 1 - survival]), np.concatenate([x[:1], x]))
    cut, index = _tail(luck)
    share = float(np.interp(cut, x, survival))
    if index is not None and share > 0:
        longest = MOST * float(luck.points["ratio"].max())
        beyond = wanted > 1 - share
        kept = (cut / longest) ** index  # of the tail, beyond its end
        left = (1 - wanted[beyond]) / share * (1 - kept) + kept
        table[beyond] = cut * left ** (-1 / index)
    return Law(tuple(np.maximum.accumulate(table).tolist()))


def _tail(luck: Luck) -> tuple[float, float | None]:
    """Return where the slowest copies begin, and the index of their tail."""
    complete = np.sort(luck.points["ratio"][luck.points["complete"]].to_numpy(float))
    some = max(FEWEST, complete.size // 20)
    if complete.size < 2 * some:
        return float(luck.x[-1]), None
    cut = float(complete[-some])
    logs = np.log(luck.points["ratio"][luck.points["ratio"] > cut] / cut).sum()
    return cut, (some - 1) / float(logs) if logs > 0 else None


def median_of(law: Law) -> Callable[[int], float]:
    """Return a function of the number of tasks: the mean of the median of so many draws of luck.

    A stage of few tasks has on average a larger median than the law, as luck is skewed: for six tasks of
    a Pareto law of index 1.5 by about 8 %.
    """
    draws = np.random.default_rng(18).random((_DRAWS, _MOST_TASKS))
    values = StraggleLaw("table", (2.0, 0.0, *law.samples)).quantile(draws)
    means = {n: float(np.median(values[:, :n], axis=1).mean()) for n in range(1, _MOST_TASKS + 1)}
    return lambda tasks: means[min(tasks, _MOST_TASKS)]

