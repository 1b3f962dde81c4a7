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

import numpy as np
from scipy import special

from sim.advice.several.loops import Loop, overlapping
from sim.advice.several.matching import PairedJobs, paired_jobs
from sim.advice.several.reruns import FIGURES, Reruns
from sim.advice.several.sequential import Told, told
from sim.advice.several.swaps import FEWEST, Swaps, blocks_of
from sim.logs.history import History
from sim.model.statistics import LEVEL, Estimate
from sim.telling.words import counted

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
    sequence: Told
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
    """Return a change with the interval that reruns give it."""
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
