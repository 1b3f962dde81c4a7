"""By what the figures of the same jobs changed between runs before and runs after.

With one run each, the interval is that of `swaps`, where enough of the jobs ran apart from each other or few
drivers submit them in a closed loop (`loops`), else that of `reruns`. All hold the luck of jobs, and not that
a whole run is slower by itself, which one run cannot show. With four runs or more in all, it is Student's
over the logarithms of the figure of each run, which holds both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce

import numpy as np
import pandas as pd
from scipy import special

from sim.advice.several.matching import PairedJobs, paired_jobs
from sim.advice.several.reruns import FIGURES, Reruns
from sim.logs.history import History
from sim.logs.loops import closed_loop
from sim.model.statistics import LEVEL, Estimate
from sim.telling.words import counted

# How many more runs tell a change, looked at after every run: a sequential test of pairs of runs.
#
# Every pair of runs, one before and one after, gives the logarithm *z* of a figure after over before. The
# test may be looked at after each pair, and stopped at any time: the chance that it ever speaks of a change
# where there is none is at most `FALSE_ALARM` (Ville). What it looks at is the mixture sequential ratio of
# the t test
#
# .. math:: E_n = \frac1{\sqrt{1 + n g}} \left(\frac{1 + t^2 / (n - 1)} {1 + t^2 / ((1 + n g)(n -
# 1))}\right)^{n / 2}, \qquad t = \sqrt n\, \bar z / s,
#
# for a normal law of *z* of unknown spread, with changes of a size of :math:`\sqrt g` spreads in mind
# (Robbins, 1970; Pérez-Ortiz, Lardy, De Heide and Grünwald, 2024, section 4). Which size a change has is
# not known, so the mean over the sizes of `_SIZES` is taken, which keeps the promise. A change is told at
# :math:`E_n \ge 1 / \mathrm{false\ alarm}`, with three pairs at the earliest.

#: Chance that a change is told at any look, where there is none.
FALSE_ALARM = 0.05
#: Squared sizes of the changes that are looked for, in spreads of a pair of runs.
_SIZES = np.array([1.0, 10.0, 100.0])
#: Pairs of runs up to which it is said how many are needed.
MOST = 1_000


@dataclass(frozen=True)
class SequentialTest:
    """What pairs of runs tell so far.

    Parameters
    ----------
    pairs : int
        Pairs of runs.
    evidence : float
        The ratio; 1 / false alarm and more tells a change.
    told : bool
    more : int or None
        About how many more pairs tell the change if it is as large as it looks; None beyond `MOST`, or
        where nothing is known of the spread. 0 where it is told.
    false_alarm : float
    """

    pairs: int
    evidence: float
    told: bool
    more: int | None
    false_alarm: float = FALSE_ALARM


def evidence(values: Sequence[float]) -> float:
    """Return the ratio for these pairs; 1 for a single one, which knows no spread.

    Examples
    --------
    >>> evidence([0.2]), round(evidence([0.2, 0.22, 0.18, 0.21]))
    (1.0, 338)
    """
    z = np.asarray(values, float)
    if z.size < 2:
        return 1.0
    spread = float(z.std(ddof=1))
    if spread <= 1e-12 * max(abs(float(z.mean())), 1.0):
        return math.inf if abs(float(z.mean())) > 1e-12 else 1.0
    return _ratio(z.size, math.sqrt(z.size) * float(z.mean()) / spread)


def _ratio(count: int, t: float) -> float:
    wide, free = 1 + count * _SIZES, count - 1
    log = count / 2 * (np.log1p(t * t / free) - np.log1p(t * t / (wide * free))) - np.log(wide) / 2
    return float(np.exp(np.minimum(log, 700.0)).mean())


def told(
    values: Sequence[float], spread: float | None = None, false_alarm: float = FALSE_ALARM
) -> SequentialTest:
    """Say whether pairs of runs tell a change, and how many more would.

    Parameters
    ----------
    values : sequence of float
        The logarithm of the ratio of each pair, less that of what is asked.
    spread : float, optional
        Of a pair, as far as it is known from elsewhere: used where there is one pair.
    false_alarm : float, optional

    Examples
    --------
    >>> told([0.3], 0.3).more, told([0.3], 0.05).more, told([0.0], 0.1).more
    (14, 3, None)
    """
    z = np.asarray(values, float)
    found = evidence(values)
    if found >= 1 / false_alarm:
        return SequentialTest(z.size, found, True, 0, false_alarm)
    wide = float(z.std(ddof=1)) if z.size > 1 else spread
    more = None
    if z.size and wide is not None and z.mean() != 0:
        size = abs(float(z.mean())) / max(wide, 1e-12)
        counts = range(max(z.size + 1, 2), MOST + z.size)
        needed = next((n for n in counts if _ratio(n, math.sqrt(n) * size) >= 1 / false_alarm), None)
        more = None if needed is None else needed - z.size
    return SequentialTest(z.size, found, False, more, false_alarm)


# By what factor a figure of the jobs changed between two runs: a test that swaps the two, and its interval.
#
# If nothing but a factor *c* lies between the runs, before and after / *c* could be swapped in any block of
# jobs, and nobody would notice. So the factor is refused if what is seen would be rare among all swaps
# (Fisher; Ernst, *Statistical Science* 19, 2004). That holds for any law of job times, however heavy its
# tail, and for any dependence inside a block. The interval holds the factors that are not refused.
#
# Of a mean what is seen is the difference of the sums. Of a quantile it is by how many more of the later
# times than of the earlier ones lie above the quantile of both together, which no swap changes.
#
# Jobs of a run share a cluster: jobs that ran at the same time, in either run, are one block. Blocks of so
# many jobs in a row were tried where all jobs overlap, also with a length by how their changes go together.
# On queues that never empty they spoke of a change that was not there in up to a third of the pairs of
# runs. So there nothing is told here, but in a closed loop (`loops`), and `reruns` are looked at.

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


# Jobs that overlap in a closed loop: their blocks, the times of their stages, and the makespan.
#
# A driver of a closed loop submits its next job when the last one has ended, so a queue of few drivers does
# not last: a job depends on those beside it, and little on those before. There blocks of jobs, or stages,
# in a row may be swapped. On open arrivals, whose queues last, they may not (`swaps`). With one run a side
# the makespan has no interval: which driver ends last decides it, and intervals by blocks of jobs held its
# change in 90 % of the pairs of runs only.

#: Blocks, about; share of the jobs of each run that wait for another one, at least; and drivers, at most.
#: With 16 drivers queues last, and swaps spoke of a change that was not there in 9 of 60 pairs of runs.
BLOCKS, LINKED, MOST_DRIVERS = 20, 0.7, 8


@dataclass(frozen=True, eq=False)
class Loop:
    """A closed loop, in all runs.

    Parameters
    ----------
    drivers : int
        Most chains of jobs at once.
    stage_time : ndarray, shape (stages, runs)
        Seconds from submission to end of the stages that are in all runs, as the first run submitted them.
    makespan : ndarray, shape (1, runs)
        Seconds from the first submission to the last end of the jobs that are in all runs.
    """

    drivers: int
    stage_time: np.ndarray
    makespan: np.ndarray

    def blocks(self, count: int) -> np.ndarray:
        """Return the block of each of so many jobs or stages in a row, from 0.

        Examples
        --------
        >>> loop = Loop(4, np.empty((0, 2)), np.empty((1, 2)))
        >>> loop.blocks(5).tolist(), int(loop.blocks(120).max()) + 1
        ([0, 0, 1, 1, 1], 20)
        """
        length = max(math.ceil(count / BLOCKS), math.ceil(self.drivers / 2))
        return np.minimum(np.arange(count) // length, max(count // length - 1, 0))


def overlapping(histories: Sequence[History], jobs: PairedJobs) -> Loop | None:
    """Return the closed loop in which paired jobs overlap; None where they run apart, or in no loop.

    Parameters
    ----------
    histories : sequence of History
    jobs : PairedJobs
        Of these.
    """
    if len(jobs.names) < FEWEST or blocks_of(jobs).max() + 1 >= FEWEST:
        return None
    loops = [closed_loop(one) for one in histories]
    drivers = max(one.drivers for one in loops)
    if drivers > MOST_DRIVERS or any((one.after >= 0).mean() < LINKED for one in loops):
        return None
    return Loop(
        drivers,
        _stage_times(histories, jobs),
        (jobs.end.max(axis=0) - jobs.submit.min(axis=0))[None],
    )


def _stage_times(histories: Sequence[History], jobs: PairedJobs) -> np.ndarray:
    """Return the times of the stages that paired jobs have in all runs."""
    tables = [_stages(one, rows) for one, rows in zip(histories, jobs.rows.T, strict=True)]
    common = reduce(pd.Index.intersection, (table.index for table in tables))
    order = tables[0].loc[common, "submit"].sort_values(kind="stable").index
    return np.column_stack([table.loc[order, "time"].to_numpy(float) for table in tables])


def _stages(history: History, rows: np.ndarray) -> pd.DataFrame:
    """Return when stages were submitted and their times, by their job, name, tasks, and turn among such."""
    stages = history.frame("stages")
    stages = stages[stages["job"].isin(rows) & (stages["end"] > stages["submit"])]
    stages = stages.sort_values("submit", kind="stable")
    known_by = pd.DataFrame({"job": stages["job"].map(pd.Series(np.arange(len(rows)), index=rows))})
    known_by = known_by.join(stages[["name", "tasks"]])
    known_by["turn"] = known_by.groupby(list(known_by)).cumcount()
    times = pd.DataFrame({"submit": stages["submit"], "time": stages["end"] - stages["submit"]})
    return times.set_index(pd.MultiIndex.from_frame(known_by))


#: How figures are called; the last two are told where jobs overlap in a closed loop.
TITLES = {
    "mean": "mean job time",
    "p50": "median job time",
    "p95": "p95 of job times",
    "p99": "p99 of job times",
    "slot-time": "slot-time",
    "stage": "mean stage time",
    "makespan": "makespan",
}
#: Runs in all from which runs themselves tell how they vary.
RUNS = 4
#: How far apart, as a factor, the ends of an interval are that is too wide to be of use where it holds no
#: change, too: as from half to twice as long, it tells neither the direction nor the order of magnitude.
WIDE = 4.0
#: What an interval is over.
BY_RUNS, BY_SWAPS, BY_RERUNS, BY_NOTHING = "runs", "jobs that ran apart", "reruns as What-if plays them", ""
BY_LOOP = "jobs in a row of a closed loop"
#: What one run each cannot show.
ASSUMED = (
    "One run each: that a whole run was slower by itself (another day, another cluster) cannot be told from "
    "the change."
)


@dataclass(frozen=True, eq=False)
class Change:
    """How a figure of the same jobs changed.

    Parameters
    ----------
    figure : str
        Of `FIGURES`.
    before, after : float
        Seconds: means over runs.
    share : Estimate
        The change as a share, with a 95 % interval; without one where that cannot be told.
    reason : str
        Why there is no interval.
    over : str
        What the interval is over.
    sequence : Told
        Whether pairs of runs tell a change, and how many more would.
    """

    figure: str
    before: float
    after: float
    share: Estimate
    reason: str
    over: str
    sequence: SequentialTest
    _swaps: Swaps = field(repr=False)
    _runs: tuple[np.ndarray, np.ndarray] = field(repr=False)

    @property
    def untold(self) -> str:
        """Why these runs cannot tell by what the figure changed, and what to record; empty where they can."""
        low, high = self.share.low or 0.0, self.share.high or 0.0
        wide = not self.share.sign and 1 + high >= WIDE * (1 + low)
        if not (self.reason or wide):
            return ""
        before, after = (one.size for one in self._runs)
        runs = "One run a side" if before == after == 1 else f"{before} and {after} runs"
        more = "two runs of each side" if before + after < RUNS else "more runs of each side"
        why = self.reason or "its interval is as wide as from half to twice as long, or wider"
        return f"{runs} cannot tell by what the {TITLES[self.figure]} changed: {why}. Record {more}."

    def larger(self, limit: float) -> float | None:
        """Return how likely so large a change is seen where the true one is this share; None if unknown.

        Reruns do not tell it: a run without a giant does not know how heavy the tail of its luck is.
        """
        return self._chance(limit, 1.0)

    def smaller(self, limit: float) -> float | None:
        """Return how likely so small a change is seen where the true one is this share; None if unknown."""
        return self._chance(limit, -1.0)

    def _chance(self, limit: float, sign: float) -> float | None:
        if self.over == BY_RUNS:
            value, error, free = _difference(*self._runs)
            away = sign * (value - math.log1p(limit))
            if error <= 0:
                return 1.0 if away <= 0 else 0.0
            return float(special.stdtr(free, -away / error))
        if self.over in (BY_SWAPS, BY_LOOP):
            factor = np.array([1 + limit])
            return float((self._swaps.larger if sign > 0 else self._swaps.smaller)(factor)[0])
        return None


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of all figures.

    Parameters
    ----------
    jobs : PairedJobs
    runs : tuple of int
        Runs before, and after.
    blocks : int
        Blocks of jobs.
    change : mapping of str to Change
        Empty where no job is in all runs.
    loop : Loop or None
        The closed loop in which jobs overlap.
    """

    jobs: PairedJobs
    runs: tuple[int, int]
    blocks: int
    change: dict[str, Change]
    loop: Loop | None = None

    @property
    def by_runs(self) -> bool:
        """Whether intervals are over runs."""
        return sum(self.runs) >= RUNS

    @property
    def last_rows(self) -> np.ndarray:
        """Rows of the jobs in the last run before and the last one after."""
        return self.jobs.rows[:, [self.runs[0] - 1, -1]]

    @property
    def job_times(self) -> tuple[np.ndarray, np.ndarray]:
        """The time of each job before and after, in seconds: means over runs."""
        before = self.runs[0]
        return self.jobs.time[:, :before].mean(axis=1), self.jobs.time[:, before:].mean(axis=1)

    @property
    def untold(self) -> bool:
        """Whether a figure has no interval that reruns could give it."""
        return len(self.jobs.names) >= FEWEST and any(
            self.change[name].reason for name in FIGURES.keys() & self.change
        )


def changes(before: Sequence[History], after: Sequence[History], leave_out: str = "") -> Changes:
    """Compare the jobs that are in all runs.

    Parameters
    ----------
    before, after : sequence of History
        Runs before and after the change, at least one each.
    leave_out : str, optional
        Jobs whose group or name contains it are not compared.
    """
    runs = [*before, *after]
    jobs = paired_jobs(runs, leave_out)
    return changes_of(jobs, len(before), loop=overlapping(runs, jobs))


def changes_of(jobs: PairedJobs, before: int, reruns: Reruns | str = "", loop: Loop | None = None) -> Changes:
    """Compare paired jobs, of which the first columns are the runs before.

    Parameters
    ----------
    jobs : PairedJobs
    before : int
        How many.
    reruns : Reruns or str, optional
        How far runs differ by luck, or why that is not known.
    loop : Loop, optional
        The closed loop in which these jobs overlap.
    """
    runs = before, jobs.time.shape[1] - before
    if not len(jobs.time):
        return Changes(jobs, runs, 0, {})
    block = loop.blocks(len(jobs.time)) if loop else blocks_of(jobs)
    by = BY_LOOP if loop else BY_SWAPS
    found = {}
    for name in FIGURES:
        values = jobs.slot_time if name == "slot-time" else jobs.time
        if (values > 0).all():
            found[name] = _change(name, values, block, before, by, reruns)
    if loop and len(loop.stage_time):
        stages, whole = loop.stage_time, loop.makespan
        found["stage"] = _change("stage", stages, loop.blocks(len(stages)), before, by)
        found["makespan"] = _change("makespan", whole, loop.blocks(1), before, by)
    return Changes(jobs, runs, int(block.max()) + 1, found, loop)


def _change(
    name: str, values: np.ndarray, block: np.ndarray, before: int, by: str, reruns: Reruns | str = ""
) -> Change:
    """Compare one figure; where there are few runs its interval is over what `by` says, or reruns."""
    quantile = FIGURES.get(name, 0.0)
    figures = (
        np.quantile(values, quantile, axis=0, method="inverted_cdf") if quantile else values.mean(axis=0)
    )
    early, late = np.log(figures[:before]), np.log(figures[before:])
    swaps = Swaps(values[:, before - 1], values[:, -1], block, quantile)  # the last of each
    over, reason = by, ""
    if figures.size >= RUNS:
        value, error, free = _difference(early, late)
        half = float(special.stdtrit(free, (1 + LEVEL) / 2)) * error
        over = BY_RUNS
        share = Estimate(math.expm1(value), math.expm1(value - half), math.expm1(value + half))
    else:
        share = swaps.interval(LEVEL)
        if share.low is None or share.high is None:
            why, apart = (reruns, None) if isinstance(reruns, str) else ("", reruns.apart(name))
            if apart is not None:
                over, share = BY_RERUNS, _by_reruns(swaps.change, apart)
            else:
                over = by if swaps.blocks >= FEWEST else BY_NOTHING
                reason = _why(len(values), swaps, name) + (f"; {why}" if why else "")
    pairs = [float(b - a) for a, b in zip(early, late, strict=False)]
    known = share.low is not None and share.high is not None
    spread = (math.log1p(share.high or 0) - math.log1p(share.low or 0)) / 3.92 if known else None
    return Change(
        figure=name,
        before=float(figures[:before].mean()),
        after=float(figures[before:].mean()),
        share=share,
        reason=reason,
        over=over,
        sequence=told(pairs, spread),
        _swaps=swaps,
        _runs=(early, late),
    )


def _by_reruns(change: float, apart: np.ndarray) -> Estimate:
    low, high = np.quantile(apart, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    seen = math.log1p(change)
    return Estimate(change, math.expm1(seen - float(high)), math.expm1(seen - float(low)))


def _why(jobs: int, swaps: Swaps, name: str) -> str:
    if name == "makespan":
        return "the driver that ends last decides it"
    if jobs < FEWEST:
        return f"only {counted(jobs, 'job is', 'jobs are')} in all runs"
    if swaps.blocks < FEWEST:
        groups = "one group" if swaps.blocks == 1 else f"{swaps.blocks} groups"
        return f"too many of the {jobs:,} jobs overlap ({groups})"
    return f"too few of {jobs:,} jobs decide the {TITLES[name]}"


def _difference(early: np.ndarray, late: np.ndarray) -> tuple[float, float, int]:
    """Return the difference of means, its standard error, and its degrees of freedom."""
    free = early.size + late.size - 2
    squares = float(((early - early.mean()) ** 2).sum() + ((late - late.mean()) ** 2).sum())
    error = math.sqrt(squares / max(free, 1) * (1 / early.size + 1 / late.size))
    return float(late.mean() - early.mean()), error, free
