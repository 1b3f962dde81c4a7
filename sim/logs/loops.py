"""Closed loops: jobs that were submitted because another one had ended.

A driver that runs one job after the other, a pipeline, a person at a notebook: their next job waits for the
last one, so that a faster cluster is given more jobs. Open arrivals do not know when jobs end. Two signs
tell a loop, each against arrivals that are Poisson with a rate that may change slowly:

* *Promptness*: more jobs than chance were submitted within some time after an end that no other job had
  followed.
* *Limit*: nothing was submitted while as many jobs as ever were there, though this was much of the time.

The reference of both is local: between every tenth submission and the next tenth one, Poisson arrivals are
uniform, whatever happened before. Let a set of times depend at each moment on the past alone, and take up
a share p of a block; of its n submissions a binomial number with mean np falls in it. Sums of these over
blocks have lighter upper tails than the binomial number of the same mean (Hoeffding 1956), which is used.

Jobs that are submitted by the clock, every hour, are no loop though they never overlap. There the intervals
between submissions are more regular than the think times; in a loop it is the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from sim.logs.history import History
from sim.telling.words import counted, short

#: Probability that a history of Poisson arrivals is said to have a loop, at most.
FALSE_ALARM = 0.01
#: Jobs below which nothing is said, and submissions to a block.
FEWEST, BLOCK = 6, 10
#: Times after an end that are tried, in halves of the median job time.
_STEPS = 12
#: A part of the median interval below which submissions are one.
_TOGETHER = 1e-3


@dataclass(frozen=True, eq=False)
class Loops:
    """Which jobs waited for which.

    Parameters
    ----------
    after : ndarray of int
        For each job the row of the job whose end it waited for; -1 if it was submitted by itself.
    think : ndarray of float
        Seconds from that end to the submission; NaN where there is none.
    drivers : int
        Most chains of jobs that were going on at once.
    chance : float
        Bound on the probability that Poisson arrivals look so; 1 if no loop is found.
    sentence : str
        What is found.
    """

    after: np.ndarray
    think: np.ndarray
    drivers: int
    chance: float
    sentence: str


@dataclass(frozen=True, eq=False)
class _Jobs:
    """Some jobs in order of submission; an end that is not known never comes."""

    rows: np.ndarray
    submit: np.ndarray
    end: np.ndarray


def closed_loop(history: History) -> Loops:
    r"""Find jobs that were submitted because another had ended.

    All jobs are looked at together, and those of each group by themselves where they are no loop together.

    Parameters
    ----------
    history : History
        Jobs without a submit time are in no loop.

    Returns
    -------
    Loops

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.source import Upload
    >>> rows = "".join(f"{job},0,{10 * job},{10 * job + 9.5 - job % 3}\n" for job in range(20))
    >>> log = f"job_id,task_id,start_s,end_s\n{rows}".encode()
    >>> closed_loop(read_history(Upload("nightly.csv", log))).drivers  # by the clock
    0
    """
    jobs = history.frame("jobs")
    after, think = np.full(len(jobs), -1), np.full(len(jobs), np.nan)
    groups = [rows for name, rows in jobs.groupby("group").groups.items() if name and len(rows) < len(jobs)]
    chance = 1.0
    found = _linked(_ordered(jobs), FALSE_ALARM / 2)
    loops = [found] if found else []
    if not loops:
        parts = [part for rows in groups if (part := _ordered(jobs.loc[rows])).rows.size >= FEWEST]
        loops = [one for part in parts if (one := _linked(part, FALSE_ALARM / 2 / len(parts)))]
    for rows, before, gap, bound in loops:
        after[rows], think[rows], chance = before, gap, min(chance, bound)
    drivers = _most_at_once(jobs, after)
    return Loops(after, think, drivers, chance, _sentence(after, think, drivers))


def _ordered(jobs: pd.DataFrame) -> _Jobs:
    jobs = jobs[jobs["submit"].notna()].sort_values("submit", kind="stable")
    end = jobs["end"].fillna(np.inf).to_numpy(float)
    return _Jobs(jobs.index.to_numpy(), jobs["submit"].to_numpy(float), end)


def _linked(jobs: _Jobs, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float] | None:
    """Return rows of jobs, which job each waited for and how long, and the bound; None without a loop."""
    if jobs.rows.size < FEWEST:
        return None
    events = _events(jobs.submit)
    if events.size < FEWEST:
        return None
    prompt, within = min(
        ((_promptness(jobs, events, time), time) for time in _times(jobs)), default=(1.0, 0.0)
    )
    prompt, limit = prompt * 2 * _STEPS, 2 * _limit(jobs, events)
    if min(prompt, limit) > level:
        return None
    place = _chained(jobs, within if prompt <= level else 0.0, rest=limit <= level)
    linked = np.flatnonzero(place >= 0)
    if linked.size == 0:
        return None
    think = jobs.submit[linked] - jobs.end[place[linked]]
    interval = jobs.submit[linked] - jobs.submit[place[linked]]
    if _spread(think) > _spread(interval):  # by the clock
        return None
    return jobs.rows[linked], jobs.rows[place[linked]], think, min(prompt, limit) * FALSE_ALARM / level


def _events(submit: np.ndarray) -> np.ndarray:
    """Return the times of submissions; several at practically one time count once."""
    gaps = np.diff(submit)
    together = _TOGETHER * float(np.median(gaps[gaps > 0])) if np.any(gaps > 0) else 0.0
    return submit[np.append(True, gaps > together)]


def _times(jobs: _Jobs) -> list[float]:
    """Return the times after an end that are tried."""
    known = (jobs.end - jobs.submit)[np.isfinite(jobs.end)]
    median = float(np.median(known)) if known.size else 0.0
    return [median * 0.5**step for step in range(_STEPS)] if median > 0 else []


def _promptness(jobs: _Jobs, events: np.ndarray, within: float) -> float:
    """Return how probable it is that so many submissions follow an end so soon."""
    followed = jobs.submit[_chained(jobs, within) >= 0]
    hits = int(np.isin(events, followed).sum())
    ends = np.sort(jobs.end[np.isfinite(jobs.end)])
    times = np.concatenate([ends, ends + within])
    steps = np.repeat([1, -1], ends.size)
    mean, count = _expected(events, times, steps, 1)
    if not count or hits < 1:
        return 1.0
    return float(special.bdtrc(min(hits - 1, count), count, min(1.0, mean / count)))


def _limit(jobs: _Jobs, events: np.ndarray) -> float:
    """Return how probable it is that nothing is submitted while as many jobs as ever are there."""
    times = np.concatenate([jobs.submit, jobs.end])
    steps = np.repeat([1, -1], jobs.rows.size)
    order = np.lexsort((steps, times))  # of one time, ends come first
    most = int(np.cumsum(steps[order]).max())
    if most == 0:
        return 1.0
    finite = np.isfinite(times)
    mean, count = _expected(events, times[finite], steps[finite], most)
    return float((1 - min(1.0, mean / count)) ** count) if count else 1.0


def _expected(events: np.ndarray, times: np.ndarray, steps: np.ndarray, least: int) -> tuple[float, int]:
    """Return how many submissions inside blocks fall by chance where a count is at least so large.

    Parameters
    ----------
    events : ndarray
        Times of submissions.
    times, steps : ndarray
        When the count changes, and by how much.
    least : int

    Returns
    -------
    float
        Expected number.
    int
        Submissions inside blocks: all but their edges.
    """
    order = np.lexsort((steps, times))
    times, count = times[order], np.cumsum(steps[order])
    held = np.diff(times, append=times[-1]) * (count >= least)
    clock = np.append(0.0, np.cumsum(held)[:-1])
    edges = np.unique(np.append(np.arange(0, events.size - 1, BLOCK), events.size - 1))
    begin, end = events[edges[:-1]], events[edges[1:]]
    share = (np.interp(end, times, clock) - np.interp(begin, times, clock)) / (end - begin)
    inside = np.diff(edges) - 1
    return float((inside * share).sum()), int(inside.sum())


def _chained(jobs: _Jobs, within: float, rest: bool = False) -> np.ndarray:
    """Return for each job the place of the one it follows, -1 if none: the oldest end not followed yet.

    Ends within some time come first; older ones are followed only if told so.
    """
    place = np.full(jobs.rows.size, -1)
    ends = np.argsort(jobs.end, kind="stable")
    free: list[int] = []
    reached = 0
    for number, submit in enumerate(jobs.submit):
        while reached < ends.size and jobs.end[ends[reached]] <= submit:
            free.append(int(ends[reached]))
            reached += 1
        earlier = [one for one in free if one < number]  # not a job that takes no time, after itself
        fresh = next((one for one in earlier if submit - jobs.end[one] <= within), None)
        if not rest:  # times only go on: what is too old now stays so
            free = free[free.index(fresh) :] if fresh is not None else []
        chosen = fresh if fresh is not None else earlier[0] if rest and earlier else None
        if chosen is not None:
            place[number] = chosen
            free.remove(chosen)
    return place


def _spread(values: np.ndarray) -> float:
    """Return the median distance from the median."""
    return float(np.median(np.abs(values - np.median(values))))


def _most_at_once(jobs: pd.DataFrame, after: np.ndarray) -> int:
    """Return the most chains that were going on at once; a job that nothing waits for is none."""
    linked = np.flatnonzero(after >= 0)
    if linked.size == 0:
        return 0
    chain = np.arange(after.size)
    for row in linked[np.argsort(jobs["submit"].to_numpy()[linked], kind="stable")]:
        chain[row] = chain[after[row]]
    sizes = np.bincount(chain, minlength=after.size)
    begun = jobs["submit"].groupby(chain).min()[sizes[np.unique(chain)] > 1]
    over = jobs["submit"].groupby(chain).max()[sizes[np.unique(chain)] > 1]
    times = np.concatenate([begun, over])
    steps = np.repeat([1, -1], begun.size)
    return int(np.cumsum(steps[np.lexsort((-steps, times))]).max())


def _sentence(after: np.ndarray, think: np.ndarray, drivers: int) -> str:
    linked = int((after >= 0).sum())
    if not linked:
        return "Jobs were submitted without regard to when others ended, as far as can be told."
    return (
        f"{linked:,} of {counted(after.size, 'job')} started right after another ended (median gap "
        f"{short(float(np.nanmedian(think)))} s, {counted(drivers, 'chain')} at once): a faster cluster "
        "would get more jobs."
    )
