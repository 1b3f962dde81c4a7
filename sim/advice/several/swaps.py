r"""By what factor a figure of the jobs changed between two runs: a test that swaps the two, and its interval.

If nothing but a factor *c* lies between the runs, before and after / *c* could be swapped in any block of
jobs, and nobody would notice. So the factor is refused if what is seen would be rare among all swaps (Fisher;
Ernst, *Statistical Science* 19, 2004). That holds for any law of job times, however heavy its tail, and for
any dependence inside a block. The interval holds the factors that are not refused.

Of a mean what is seen is the difference of the sums. Of a quantile it is by how many more of the later times
than of the earlier ones lie above the quantile of both together, which no swap changes.

Jobs of a run share a cluster: jobs that ran at the same time, in either run, are one block. Blocks of so many
jobs in a row were tried where all jobs overlap, also with a length by how their changes go together. On
queues that never empty they spoke of a change that was not there in up to a third of the pairs of runs. So
there nothing is told here, but in a closed loop (`loops`), and `reruns` are looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sim.advice.several.matching import PairedJobs
from sim.model.statistics import Estimate

#: Blocks from which anything can be told: of so many, all must agree.
FEWEST = 8
#: Blocks up to which all swaps are tried, and swaps that are drawn of more.
_ALL, _DRAWN = 11, 1_999
#: Largest factor that is looked at, up and down, and how near its logarithm is found.
_MOST, _NEAR = 20.0, 1e-3


@dataclass(frozen=True, eq=False)
class Swaps:
    """The times of jobs before and after, in blocks.

    Parameters
    ----------
    before, after : ndarray
        A number of each job, above 0.
    block : ndarray of int
        Block of each job, from 0.
    quantile : float, optional
        Which quantile is asked; the mean if 0.
    """

    before: np.ndarray
    after: np.ndarray
    block: np.ndarray
    quantile: float = 0.0

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return int(self.block.max(initial=-1)) + 1

    @property
    def change(self) -> float:
        """By what share the figure is larger after."""
        return _figure(self.after, self.quantile) / _figure(self.before, self.quantile) - 1

    def larger(self, factors: np.ndarray) -> np.ndarray:
        """Return how likely swaps show as large a change, for each factor that might be true."""
        return self._chance(factors, 1.0)

    def smaller(self, factors: np.ndarray) -> np.ndarray:
        """Return the same for as small a change."""
        return self._chance(factors, -1.0)

    def _chance(self, factors: np.ndarray, sign: float) -> np.ndarray:
        seen = sign * np.column_stack([self._differences(float(factor)) for factor in factors])
        whole = seen.sum(axis=0)
        return np.asarray((_signs(self.blocks) @ seen >= whole - 1e-9 * (1 + np.abs(whole))).mean(axis=0))

    def _differences(self, factor: float) -> np.ndarray:
        """Return what each block adds to the statistic."""
        after, before = self.after / factor, self.before
        if self.quantile:
            level = _figure(np.concatenate([after, before]), self.quantile)
            values = (after > level).astype(float) - (before > level)
        else:
            values = after - before
        return np.bincount(self.block, values, self.blocks)

    def interval(self, level: float = 0.95) -> Estimate:
        """Return the change with its interval; without one where the blocks are too few to refuse anything.

        Parameters
        ----------
        level : float, optional
            Each end is missed with probability (1 - level) / 2 at most.
        """
        if self.blocks < FEWEST:
            return Estimate(self.change)
        least = (1 - level) / 2
        low = self._edge(least, 1.0)
        high = self._edge(least, -1.0)
        return Estimate(self.change, *(None if one is None else one - 1 for one in (low, high)))

    def _edge(self, least: float, sign: float) -> float | None:
        """Return the last factor that is refused, from below (sign 1) or above (-1); None if none is."""

        def refused(log: float) -> bool:
            return float(self._chance(np.array([math.exp(sign * log)]), sign)[0]) <= least

        outside, inside = -math.log(_MOST), math.log(_MOST)
        if not refused(outside) or refused(inside):
            return None
        while inside - outside > _NEAR:
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if refused(middle) else (outside, middle)
        return math.exp(sign * outside)


def _figure(values: np.ndarray, quantile: float) -> float:
    if not quantile:
        return float(values.mean())
    return float(np.quantile(values, quantile, method="inverted_cdf"))


@lru_cache(maxsize=8)
def _signs(blocks: int) -> np.ndarray:
    """Return swaps of blocks as signs: all of them, or none and some that are drawn.

    Examples
    --------
    >>> _signs(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    if blocks <= _ALL:
        return np.where((np.arange(2**blocks)[:, None] >> np.arange(blocks)) & 1, -1.0, 1.0)
    drawn = np.random.default_rng([blocks, 83]).integers(0, 2, (_DRAWN, blocks)) * 2.0 - 1.0
    return np.vstack([np.ones(blocks), drawn])


def blocks_of(jobs: PairedJobs) -> np.ndarray:
    """Return the block of each job, from 0: jobs that ran at the same time.

    Jobs are in the order in which the first run submitted them.
    """
    count = len(jobs.submit)
    if not count:
        return np.empty(0, int)
    together = np.zeros(count, bool)  # whether a job is in the block of the one before it
    for run in range(jobs.submit.shape[1]):
        reached = np.maximum.accumulate(jobs.end[:, run])[:-1]
        first = np.minimum.accumulate(jobs.submit[::-1, run])[::-1][1:]
        together[1:] |= first < reached
    return np.asarray(np.cumsum(~together) - 1)
