"""Where the time of jobs went: every instant of a job, from submission to end, is in exactly one state.

With W tasks of the job that wait (their stage is submitted and they have not launched, or their attempt has
ended without finishing and the next has not launched) and R that run, an instant is told by the first line
that fits:

=================  =====================  ===============================================================
W > 0              no executor            no slot exists; or none is free, and fewer exist than W + R
                   slot idle              a slot is free
                   behind other jobs      no slot is free
W = 0, R = 0       between stages
W = 0, R > 0       starting               no running task has begun its own work
                   running                a running task has not yet run for longer than is usual for its
                                          size (`sim.advice.diagnosis.account`)
                   waiting for the last   all have
=================  =====================  ===============================================================

A log that knows less merges states: without the number of slots the first three are one, *waiting*; where a
task runs of which too few peers tell what is usual, *running or waiting for the last*. Where a stage has no
time of submission, or only that of its first task, its other tasks may wait from when they can have been
submitted (the end of the stages that they read, else the submission of the job, and never after the first of
them launched) until they launch: what would be *between stages* is then *between stages or waiting*, and what
would be one of the last three *running or waiting*.

A second copy of a running task changes nothing: a task runs while any of its copies does, and its own work
began with the first of them. Tasks that a log never shows launched wait until their stage ends if the job did
not finish; else they ran unseen, and are taken as not there. A task that runs again after it had finished did
not wait for that. The slots of all jobs are taken as one: a slot of another queue or profile counts as free.
Where several applications of Spark ran at once, nobody knows whose a slot was, and slots are not told. Sizes
that no log shows make no difference: tasks without any are compared as if alike. Where a log does not
tell when the work of a task began, it runs from its launch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from sim.logs.formats import knows_of
from sim.logs.history import FINISHED, History
from sim.logs.knows import FIRST, NO

# Slots idle while tasks wait: delay scheduling, limits, and a scheduler that is slow to launch.
#
# A task waits from the submission of its stage to its launch. Of all that wait, in the order of their
# launches, as many as there are free slots could have been launched already: their waiting in that time is
# idle.


def idle_waits(history: History, tasks: pd.DataFrame) -> np.ndarray:
    """Return for how many seconds each task waited while a slot was free for it.

    Parameters
    ----------
    history : History
    tasks : DataFrame
        stage, launch (s) of each task.
    """
    launch = tasks["launch"].to_numpy(float)
    submit = history.stages["submit"].to_numpy()[tasks["stage"].to_numpy(int)].astype(float)
    waits = np.zeros(launch.size)
    order = np.argsort(launch, kind="stable")
    waiting = order[np.isfinite(submit[order]) & (submit[order] < launch[order])]
    if not waiting.size:
        return waits
    rank = np.empty(launch.size, int)
    rank[order] = np.arange(launch.size)
    times, free = free_slots(history)
    submits = np.unique(submit[waiting])
    groups = pd.Series(waiting).groupby(submit[waiting]).indices
    every = np.unique(np.concatenate([times, submits, launch[waiting]]))
    open_ = free[np.clip(np.searchsorted(times, every, side="right") - 1, 0, None)]
    open_ = np.where(every < times[0], 0, open_)
    queue, head, entering = np.empty(0, int), 0, iter(submits)
    coming = next(entering)
    by_launch = launch[order]
    for place in range(every.size - 1):
        now = every[place]
        if now == coming:
            queue = np.sort(np.concatenate([queue[head:], rank[waiting[groups[coming]]]]))
            head, coming = 0, next(entering, np.inf)
        while head < queue.size and by_launch[queue[head]] <= now:
            head += 1
        if open_[place] > 0 and head < queue.size:
            could = queue[head : head + int(open_[place])]
            waits[order[could]] += every[place + 1] - now
    return waits


def free_slots(history: History) -> tuple[np.ndarray, np.ndarray]:
    """Return when the number of free slots changed, and the number from then on."""
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    copies = copies[copies["end"] > copies["launch"]]
    slots = history.frame("slots")
    times = [slots["time"], copies["launch"], copies["end"]]
    change = [np.diff(slots["slots"], prepend=0), -np.ones(len(copies)), np.ones(len(copies))]
    moments, code = np.unique(np.concatenate(times), return_inverse=True)
    return moments, np.cumsum(np.bincount(code.reshape(-1), np.concatenate(change)))


# How long a task usually takes for its size: what its peers took, for sizes like its own.
#
# The size of a task is what it read or wrote, in bytes or records: of these, for each kind of stage, the
# one that goes along best with durations. Within a kind, log durations are fitted by log sizes, both less
# the median of their stage, by a line through the origin with the least absolute errors and a slope
# :math:`\beta` in [0, 1]. A task of size *s* usually takes
#
# .. math:: s^\beta \cdot \operatorname{median}_j \, d_j / s_j^\beta
#
# over its peers *j*: the others of its stage of like size (between the same two powers of two; 0 counts as
# 1), else those of its kind in any job, else all of its stage, else all of its kind. The last two serve
# only a task that is at most twice as large as the largest of them and at least half as large as the
# smallest: how long a larger one takes, they do not tell. What does, at last, are tasks of stages of the
# same name in any jobs, with sizes and durations in units of the medians of their stages. A task is no peer
# of itself, so that a straggler does not raise what is usual for it.

#: Peers below which they do not tell what is usual.
FEWEST = 5
#: A task is larger than its peers, or smaller, by more than this factor: they do not tell what it takes.
_BEYOND = 2.0
#: Classes of size, each twice the one before.
_CLASSES = 128


def usual(
    stage: np.ndarray,
    kind: np.ndarray,
    name: np.ndarray,
    duration: np.ndarray,
    sizes: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Return the usual duration of each task for its size; NaN where too few peers tell.

    Parameters
    ----------
    stage, kind, name : ndarray of int
        Of each task: its stage, the kind of that, and the name of that. A kind has whole stages of one name.
    duration : ndarray
        In seconds; NaN where it is not known to the end.
    sizes : mapping of str to ndarray
        Measures of size of each task, NaN where unknown.

    Examples
    --------
    Six tasks read nothing and take 2 s, six read a lot and take 300 s, but the last, which takes 900 s:

    >>> duration = np.array([2.0] * 6 + [300.0] * 5 + [900.0])
    >>> one = np.zeros(12, int)
    >>> usual(one, one, one, duration, {"bytes": np.repeat([0.0, 2e9], 6)}).round(1)[[0, 11]]
    array([  2., 300.])
    """
    size, power = _sizes(stage, kind, duration, sizes)
    found = np.full(duration.size, np.nan)
    for group, like in ((stage, True), (kind, True), (stage, False), (kind, False)):
        found = np.where(np.isnan(found), _of_peers(group, like, duration, size, power), found)
    if np.isnan(found).any():
        known = np.where(np.isnan(duration), np.nan, size)
        shares = duration / np.where(middle := group_medians(stage, duration), middle, np.nan)[stage]
        times = size / group_medians(stage, known)[stage]
        relative = _of_peers(name, True, shares, times, power)
        found = np.where(np.isnan(found), relative * _median_of_others(stage, duration), found)
    return found


def _of_peers(
    group: np.ndarray, like: bool, duration: np.ndarray, size: np.ndarray, power: np.ndarray
) -> np.ndarray:
    """Return what a task takes by the others of its group, those of like size or all."""
    grown = size**power
    alike = np.floor(np.log2(np.where(power > 0, size, 1.0))) if like else np.zeros(size.size)
    code = np.unique(group * _CLASSES + np.nan_to_num(alike), return_inverse=True)[1].reshape(-1)
    middle = _median_of_others(code, duration / grown)
    if not like:
        low, high = _ends_of_others(code, np.where(np.isnan(duration), np.nan, size))
        middle[(power > 0) & ((size > _BEYOND * high) | (size < low / _BEYOND))] = np.nan
    return np.asarray(middle * grown)


def _sizes(
    stage: np.ndarray, kind: np.ndarray, duration: np.ndarray, sizes: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return of each task its size, by the measure that fits its kind best, and the power of it that fits.

    A task of unknown size is taken as large as the median of its stage.
    """
    best, size, power = np.zeros(duration.size), np.ones(duration.size), np.zeros(duration.size)
    for values in sizes.values():
        log = np.log(np.maximum(values, 1.0))
        if not np.isfinite(log).any():
            continue
        middle = group_medians(stage, log)[stage]
        slope, gain = _slopes(kind, log - middle, _centred(stage, duration))
        better = gain[kind] > best
        best[better], power[better] = gain[kind][better], slope[kind][better]
        filled = np.where(np.isfinite(log), log, np.nan_to_num(middle))
        size[better] = np.exp(filled[better])
    return size, power


def _centred(stage: np.ndarray, duration: np.ndarray) -> np.ndarray:
    """Return log durations less the median of their stage; NaN where there is none above 0."""
    log = np.log(np.where(duration > 0, duration, np.nan))
    return np.asarray(log - group_medians(stage, log)[stage])


def _slopes(kind: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return of each kind the slope in [0, 1] with the least absolute errors, and how much it lowers them.

    It is the median of y/x, weighted by |x|.
    """
    count = int(kind.max(initial=-1)) + 1
    told = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & (np.abs(x) > 1e-9))
    code, x, y = kind[told], x[told], y[told]
    order = np.lexsort((y / x, code))
    code, x, y = code[order], x[order], y[order]
    weight = np.cumsum(np.abs(x))
    total = np.bincount(code, np.abs(x), count)
    before = np.cumsum(total) - total
    past = np.flatnonzero(weight >= (before + total / 2)[code])
    slope = np.zeros(count)
    first = np.unique(code[past], return_index=True)[1]
    slope[code[past[first]]] = np.clip(y[past[first]] / x[past[first]], 0, 1)
    return slope, np.bincount(code, np.abs(y) - np.abs(y - slope[code] * x), count)


def group_medians(code: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the median of the known values of each group, NaN of a group without any.

    Examples
    --------
    >>> group_medians(np.array([0, 0, 0, 2]), np.array([3.0, 1.0, np.nan, 5.0]))
    array([ 2., nan,  5.])
    """
    ordered, begin, count, _ = _ordered(code, values)
    if not ordered.size:
        return np.full(count.size, np.nan)
    low, high = (begin + np.maximum(count - 1, 0) // 2, begin + count // 2)
    middle = (ordered[np.minimum(low, ordered.size - 1)] + ordered[np.minimum(high, ordered.size - 1)]) / 2
    return np.where(count > 0, middle, np.nan)


def _median_of_others(code: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each member the median of the others of its group, NaN where these are below `FEWEST`."""
    ordered, begin, count, rank = _ordered(code, values)
    own = rank >= 0
    others = count[code] - own
    found = np.full(values.size, np.nan)
    told = np.flatnonzero(others >= FEWEST)
    low, high = (others[told] - 1) // 2, others[told] // 2
    skipped = np.where(own, rank, values.size)[told]
    places = (begin[code[told]] + place + (place >= skipped) for place in (low, high))
    found[told] = sum(ordered[place] for place in places) / 2
    return found


def _ends_of_others(code: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each member the least and the largest value of the others of its group, NaN without any."""
    ordered, begin, count, rank = _ordered(code, values)
    own, known = rank >= 0, count[code]
    found = np.full((2, values.size), np.nan)
    told = np.flatnonzero(known - own > 0)
    first, last = begin[code[told]], (begin + count - 1)[code[told]]
    found[0, told] = ordered[first + (rank[told] == 0)]
    found[1, told] = ordered[last - (own[told] & (rank[told] == known[told] - 1))]
    return found[0], found[1]


def _ordered(code: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return known values by group and size; where each group begins, its count; ranks, -1 of the unknown."""
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.lexsort((values[known], code[known]))]
    count = np.bincount(code[known], minlength=int(code.max(initial=-1)) + 1)
    begin = np.cumsum(count) - count
    rank = np.full(values.size, -1)
    rank[order] = np.arange(order.size) - begin[code[order]]
    return values[order], begin, count, rank


class State(NamedTuple):
    """A state of a job."""

    #: For a chart.
    title: str
    #: What happens in it, in a sentence.
    meaning: str
    #: What it tells one to do.
    advice: str
    #: The states that it may be, where a log does not tell them apart.
    merges: tuple[str, ...] = ()


_WAITING = ("no executor", "behind other jobs", "slot idle")
_RUNNING = ("running", "waiting for the last")
#: Key of a state -> what it is called, what it is, what it tells one to do; in the order of a job's life.
STATES: Mapping[str, State] = {
    "no executor": State(
        "too few slots",
        "tasks waited, and there were fewer slots than the job had tasks, or none",
        "raise the minimum of executors or the quota, keep some warm, or submit earlier",
    ),
    "behind other jobs": State(
        "behind other jobs",
        "tasks waited while other jobs held the slots",
        "add slots, or change the order of jobs or the shares of their pools",
    ),
    "slot idle": State(
        "slot idle",
        "tasks waited while a slot was free",
        "look at waits for locality, at the driver or scheduler, and at tasks that are too small",
    ),
    "waiting": State(
        "waiting",
        "tasks waited for a slot, and the log does not tell how many there were",
        "look at how many slots there were, and at what other jobs ran",
        _WAITING,
    ),
    "between stages": State(
        "between stages",
        "no task ran and none waited",
        "look at the driver: planning, collecting, committing",
    ),
    "between stages or waiting": State(
        "between stages or waiting",
        "no task ran, and the log does not tell whether any waited",
        "look at when tasks were submitted",
        (*_WAITING, "between stages"),
    ),
    "starting": State(
        "starting",
        "tasks held slots and none had begun its work",
        "keep workers and images warm, and stage input before",
    ),
    "running": State(
        "running",
        "tasks ran, at least one of them for no longer than is usual for its size",
        "look at the work itself",
    ),
    "running or waiting": State(
        "running or waiting",
        "tasks ran, and the log does not tell whether others waited",
        "look at when tasks were submitted",
        (*_WAITING, "starting", *_RUNNING),
    ),
    "running or waiting for the last": State(
        "running or waiting for the last",
        "tasks ran, and too few were like them to tell what is usual",
        "compare several runs of the job",
        _RUNNING,
    ),
    "waiting for the last": State(
        "waiting for the last",
        "all tasks that ran had run for longer than is usual for their size",
        "look at what made them slow",
    ),
}
_SIZES = ("bytes", "records", "written", "records_written")
#: What the reader of Spark's logs puts before the executors of each of several applications.
_OF_APPLICATION = re.compile(r"\d+/")
#: What is counted of each job: its tasks that wait, that run, of these those that have begun and those that
#: have not run for longer than usual, or of which that is not known; and stages whose tasks may wait.
_WAIT, _RUN, _BEGUN, _FRESH, _UNTOLD, _MAY = range(6)


@dataclass(frozen=True, eq=False)
class Account:
    """Where the time of jobs went.

    Parameters
    ----------
    jobs : DataFrame
        recorded (s, from submission to end), and for each key of `STATES` the seconds that a job spent in it,
        which add up to that. The index is the row in the history's table.
    states : mapping of str to float
        Seconds of all jobs in each state that occurs, in the order of `STATES`. A state that is not there may
        be one that the log cannot tell.
    left_out : int
        Jobs without both times, and jobs that finished without a task that the log shows.
    """

    jobs: pd.DataFrame
    states: Mapping[str, float]
    left_out: int


def account(history: History, whole: History | None = None) -> Account:
    r"""Say of every instant of each job what it waited for.

    Parameters
    ----------
    history : History
    whole : History, optional
        With jobs that are not counted and hold slots, where there are any.

    Returns
    -------
    Account

    Examples
    --------
    >>> from sim.logs.formats import read_history, table
    >>> from sim.logs.source import Upload
    >>> found = account(read_history(Upload("template.csv", table.template().encode())))
    >>> {state: round(seconds, 1) for state, seconds in found.states.items()}
    {'slot idle': 1.0, 'running or waiting for the last': 29.0}
    """
    jobs = history.frame("jobs")[["submit", "end"]].astype(float)
    runs = _runs(history, jobs)
    counted = _counted(history, jobs, runs)
    spans = _Spans(jobs.to_numpy(), counted)
    for span in _happenings(history, runs, jobs):
        spans.add(*span)
    slots = _Slots(whole or history) if _tells_slots(whole or history) else None
    seconds = _seconds(spans, slots, len(jobs))
    rows = np.flatnonzero(counted)
    table = pd.DataFrame({key: seconds[key][rows] for key in STATES}, index=jobs.index[rows])
    table.insert(0, "recorded", (jobs["end"] - jobs["submit"]).to_numpy()[rows])
    total = {key: float(table[key].sum()) for key in STATES}
    return Account(table, {key: one for key, one in total.items() if one > 0}, len(jobs) - len(rows))


def is_made_up(history: History) -> bool:
    """Say whether the times of an account are those of a schedule that the reader has made up."""
    return knows_of(history.format).launch == NO


def _tells_slots(history: History) -> bool:
    """Say whether a log tells the slots of its jobs, and not those of several applications at once."""
    if history.slots_from != "log" or not history.slots.num_rows:
        return False
    copies = history.copies.select(["slot", "launch", "end"]).to_pandas()
    names = copies["slot"].cat
    prefixes = [_OF_APPLICATION.match(str(name)) for name in names.categories]
    if history.format != "spark" or not any(prefixes):
        return True
    of = pd.Series([one[0] if one else "" for one in prefixes]).reindex(names.codes).to_numpy()
    spans = copies.groupby(of).agg({"launch": "min", "end": "max"}).sort_values("launch")
    return bool((spans["launch"].iloc[1:].to_numpy() >= spans["end"].cummax().iloc[:-1].to_numpy()).all())


class _Runs(NamedTuple):
    """Spans in which a task ran, with all copies of it that overlap, by task and time."""

    stage: np.ndarray
    launch: np.ndarray
    #: When the first of the copies began its own work.
    began: np.ndarray
    end: np.ndarray
    #: Whether it is the first span of its task.
    first: np.ndarray
    #: Whether the task has finished by its end.
    finished: np.ndarray
    #: How long the task usually takes for its size.
    usual: np.ndarray


def _runs(history: History, jobs: pd.DataFrame) -> _Runs:
    """Return when each task ran."""
    sizes = [name for name in _SIZES if name in history.copies.column_names]
    names = ["stage", "task", "launch", "began", "end", "fate", "complete", *sizes]
    copies = history.copies.select([*names, "start"]).to_pandas().dropna(subset=["launch"])
    copies["began"] += copies["start"].fillna(0.0)
    order = np.lexsort((copies["launch"], copies["task"], copies["stage"]))
    stage, task, launch, began, told = (copies[name].to_numpy()[order] for name in names[:5])
    end = np.where(np.isfinite(told), told, _ends(history, jobs, stage, launch))
    new = np.ones(stage.size, bool)
    new[1:] = (np.diff(stage) != 0) | (np.diff(task) != 0)
    number = np.cumsum(new) - 1
    begins = new.copy()
    begins[1:] |= launch[1:] >= _so_far(end, number)[:-1]
    at, tasks = np.flatnonzero(begins), np.flatnonzero(new)
    if not at.size:
        return _Runs(stage, launch, began, end, new, new, launch)
    finished = np.maximum.reduceat(copies["fate"].eq(FINISHED).to_numpy()[order].astype(int), at)
    duration = np.where(copies["complete"].to_numpy(bool)[order], told - began, np.nan)
    done = np.lexsort((told, ~np.isfinite(duration), number))[tasks]  # the first copy that was complete
    size = {name: np.fmax.reduceat(copies[name].to_numpy(float)[order], tasks) for name in sizes}
    kind, name = (codes[stage[tasks]] for codes in _kinds(history))
    usually = usual(stage[tasks], kind, name, duration[done], size)
    return _Runs(
        stage[at],
        launch[at],
        np.clip(np.minimum.reduceat(began, at), launch[at], None),
        np.maximum.reduceat(end, at),
        new[at],
        _so_far(finished, number[at]) > 0,
        usually[number[at]],
    )


def _so_far(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return the largest value up to each of its group; groups stand one after the other."""
    return pd.Series(values).groupby(group).cummax().to_numpy()


def _ends(history: History, jobs: pd.DataFrame, stage: np.ndarray, launch: np.ndarray) -> np.ndarray:
    """Return until when copies are taken to run whose end is not known: of the stage, else of the job."""
    of = history.stages["job"].to_numpy()[stage]
    whole = np.append(jobs["end"].to_numpy(), np.nan)[of]
    end = history.stages["end"].to_numpy()[stage]
    return np.fmax(launch, np.where(np.isfinite(end), end, whole))


def _kinds(history: History) -> tuple[np.ndarray, np.ndarray]:
    """Return the kind of each stage, its name and that of its job, and its name; without one it is alone."""
    names = history.stages["name"].to_pandas().fillna("")
    rows = np.where(names == "", names.index, -1)
    of_jobs = np.append(history.jobs["name"].to_pandas().fillna("").to_numpy(object), "")
    job = of_jobs[history.stages["job"].to_numpy()]
    keys = [pd.MultiIndex.from_arrays([one, names, rows]) for one in (job, np.zeros(rows.size))]
    kind, name = (pd.factorize(one)[0] for one in keys)
    return kind, name


class _Spans:
    """Spans of time in which something holds of a job, cut to the time of the job.

    Parameters
    ----------
    times : ndarray, shape (jobs, 2)
        When each job was submitted and when it ended.
    counted : ndarray of bool
        The jobs whose spans are kept.
    """

    def __init__(self, times: np.ndarray, counted: np.ndarray) -> None:
        self._times, self._counted = times, np.append(counted, False)  # -1 is no job
        self._kept: list[tuple[np.ndarray, ...]] = []

    def add(
        self, what: int, job: np.ndarray, begin: np.ndarray, end: np.ndarray, often: np.ndarray | int = 1
    ) -> None:
        """Add a span of each job named, which counts so `often`."""
        kept = np.flatnonzero(self._counted[job])
        job, often = job[kept], np.broadcast_to(often, job.shape)[kept]
        begin = np.maximum(begin[kept], self._times[job, 0])
        end = np.minimum(end[kept], self._times[job, 1])
        lasts = (end > begin) & (often > 0)
        codes = np.full(int(lasts.sum()), what, np.int8)
        count = np.minimum(often[lasts], _MANY).astype(np.int32)
        self._kept.append((job[lasts].astype(np.int32), begin[lasts], end[lasts], codes, count))

    def between_changes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
        """Return job, begin and length of each span in which nothing changes, and of each count its value."""
        rows = np.flatnonzero(self._counted)
        nothing = np.zeros(rows.size, np.int8)
        self._kept.append((rows.astype(np.int32), *self._times[rows].T, nothing, nothing.astype(np.int32)))
        job, begin, end, what, often = (np.concatenate(parts) for parts in zip(*self._kept, strict=True))
        self._kept.clear()
        time, job = np.concatenate([begin, end]), np.concatenate([job, job])
        order = np.lexsort((time, job))
        what, often = np.concatenate([what, what])[order], np.concatenate([often, -often])[order]
        job, time = job[order], time[order]
        lasts = np.diff(time, append=0.0)
        within = np.flatnonzero((job == np.append(job[1:], -1)) & (lasts > 0))
        counts = [np.cumsum(np.where(what == one, often, 0))[within] for one in range(6)]
        return job[within], time[within], lasts[within], counts


def _happenings(
    history: History, runs: _Runs, jobs: pd.DataFrame
) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray | int]]:
    """Yield what happens, of which jobs, from when to when and how often."""
    job_of = history.stages["job"].to_numpy()
    job, known = job_of[runs.stage], np.isfinite(runs.usual)
    yield _RUN, job, runs.launch, runs.end, 1
    yield _BEGUN, job, runs.began, runs.end, 1
    past = np.where(known, runs.began + np.nan_to_num(runs.usual), runs.began)
    yield _FRESH, job, runs.launch, np.minimum(runs.end, past), 1
    yield _UNTOLD, job, runs.began, runs.end, (~known).astype(int)
    again = np.flatnonzero(~runs.first & ~np.append(True, runs.finished[:-1]))
    yield _WAIT, job[again], runs.end[again - 1], runs.launch[again], 1
    stages = _Stages(history, runs, jobs)
    together = knows_of(history.format).submission != FIRST
    told = np.isfinite(stages.submit)
    first = np.flatnonzero(runs.first & told[runs.stage] & together)
    yield _WAIT, job[first], stages.submit[runs.stage[first]], runs.launch[first], 1
    launched = np.isfinite(stages.first)
    yield _WAIT, job_of, stages.submit, stages.first, (told & launched & (not together)).astype(int)
    yield _MAY, job_of, stages.earliest, stages.last, (~told | (not together)).astype(int)
    yield _WAIT, job_of, stages.submit, stages.over, np.where(told, stages.never, 0)


class _Stages:
    """When stages were submitted, as far as that is known, and their tasks launched."""

    def __init__(self, history: History, runs: _Runs, jobs: pd.DataFrame) -> None:
        table, many = history.stages, history.stages.num_rows
        self.submit = table["submit"].to_numpy()
        self.first, self.last, ended = np.full(many, np.inf), np.full(many, -np.inf), np.full(many, -np.inf)
        first = runs.stage[runs.first], runs.launch[runs.first]
        np.minimum.at(self.first, *first)
        np.maximum.at(self.last, *first)
        np.maximum.at(ended, runs.stage, runs.end)
        job = table["job"].to_numpy()
        submitted, over = (np.append(jobs[name].to_numpy(), np.nan)[job] for name in ("submit", "end"))
        end = table["end"].to_numpy()
        self.over = np.where(np.isfinite(end), end, over)
        finished = np.append(history.jobs["fate"].to_pandas().eq(FINISHED).to_numpy(), True)[job]
        shown = np.bincount(runs.stage[runs.first], minlength=many)
        self.never = np.where(finished, 0, np.maximum(table["tasks"].to_numpy() - shown, 0))
        self.last = np.fmax(self.last, np.where(self.never > 0, self.over, -np.inf))
        listed = table["parents"].to_pandas()
        read = np.full(many, -np.inf)
        reader = np.repeat(np.arange(many), listed.str.len().fillna(0).astype(int))
        parents = np.concatenate([*listed.dropna(), []]).astype(int)
        np.fmax.at(read, reader, np.where(np.isfinite(end), end, ended)[parents])
        before = np.where(np.isfinite(read), read, submitted)
        self.earliest = np.minimum(np.where(np.isfinite(self.submit), self.submit, before), self.first)


def _counted(history: History, jobs: pd.DataFrame, runs: _Runs) -> np.ndarray:
    """Say of which jobs the time can be told."""
    timed = (jobs["end"] >= jobs["submit"]).to_numpy()
    job = history.stages["job"].to_numpy()
    finished = history.jobs["fate"].to_pandas().eq(FINISHED).to_numpy()
    has = history.stages["tasks"].to_numpy() > 0
    unseen = finished & np.isin(jobs.index, job[has]) & ~np.isin(jobs.index, job[runs.stage])
    return np.asarray(timed & ~unseen)


def _seconds(spans: _Spans, slots: _Slots | None, many: int) -> dict[str, np.ndarray]:
    """Return the seconds that each job spent in each state."""
    job, begin, lasts, (waits, runs, begun, fresh, untold, may) = spans.between_changes()
    state = np.select(
        [waits > 0, (runs == 0) & (may > 0), runs == 0, may > 0, begun == 0, fresh > 0, untold > 0],
        [0, 1, 2, 3, 4, 5, 6],
        7,
    )
    found: dict[str, np.ndarray] = dict.fromkeys(STATES, np.zeros(many))
    for code, key in enumerate(_TOLD, start=1):
        found[key] = np.bincount(job[state == code], lasts[state == code], many)
    waiting = np.flatnonzero(state == 0)
    job, begin, end = job[waiting], begin[waiting], begin[waiting] + lasts[waiting]
    if slots is None:
        return found | {"waiting": np.bincount(job, lasts[waiting], many)}
    for key, place, seconds in slots.split(begin, end, waits[waiting], runs[waiting], may[waiting] > 0):
        found[key] = found[key] + np.bincount(job[place], seconds, many)
    return found


#: States in which no task is known to wait.
_TOLD = (
    *("between stages or waiting", "between stages", "running or waiting", "starting"),
    *("running", "running or waiting for the last", "waiting for the last"),
)
#: Tasks that are counted as waiting at a time, at most.
_MANY = 2**30
#: Spans with one number of slots that are looked at, at most: files are made to have very many.
_MOST = 1_000_000


class _Slots:
    """How many slots there were, and when one was free."""

    def __init__(self, history: History) -> None:
        self._times, free = free_slots(history)
        self._open = free > 0
        self._passed = np.append(0.0, np.cumsum(np.diff(self._times) * self._open[:-1]))
        number = history.slots["slots"].to_numpy()
        changes = np.flatnonzero(np.diff(number, prepend=0))
        self._when, self._number = history.slots["time"].to_numpy()[changes], np.append(0, number[changes])

    def split(
        self, begin: np.ndarray, end: np.ndarray, waits: np.ndarray, runs: np.ndarray, may: np.ndarray
    ) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Yield states, with the spans in which tasks waited that have a part in them, and its seconds."""
        low, high = np.searchsorted(self._when, begin, "right"), np.searchsorted(self._when, end, "left")
        many = high - low + 1
        few = np.cumsum(many) <= _MOST
        yield "waiting", np.flatnonzero(~few), (end - begin)[~few]
        place = np.repeat(np.flatnonzero(few), many[few])
        change = np.arange(place.size) - np.repeat(np.cumsum(many[few]) - many[few], many[few]) + low[place]
        edges = np.concatenate([[-np.inf], self._when, [np.inf]])
        begin, end = np.maximum(begin[place], edges[change]), np.minimum(end[place], edges[change + 1])
        number, idle = self._number[change], self._free(end) - self._free(begin)
        none = number == 0
        idle = np.where(none, 0.0, np.clip(idle, 0.0, end - begin))
        rest = end - begin - idle
        own = none | ((runs[place] > 0) & (number < waits[place] + runs[place]))
        unsure = ~own & may[place] & (runs[place] > 0)
        yield "slot idle", place, idle
        yield "no executor", place, np.where(own, rest, 0.0)
        yield "waiting", place, np.where(unsure, rest, 0.0)
        yield "behind other jobs", place, np.where(own | unsure, 0.0, rest)

    def _free(self, time: np.ndarray) -> np.ndarray:
        """Return for how long a slot had been free up to a time."""
        place = np.searchsorted(self._times, time, "right") - 1
        last = np.clip(place, 0, None)
        return self._passed[last] + self._open[last] * np.clip(time - self._times[last], 0, None)
