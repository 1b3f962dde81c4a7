"""The history of a cluster: the contents of one or several log files, whatever their format.

A `History` holds five Arrow tables. Times are seconds since `origin`; null, NaN in a frame, means that the
log does not tell. A row of one table refers to another table by row number.

========  ===========  ============================================================================
table     column       meaning
========  ===========  ============================================================================
jobs      job          identifier, unique in the history
          name         description for people, may be empty
          group        what jobs of one kind share (job group, user, queue), may be empty
          pool         pool or queue among which the scheduler shares its slots, may be empty
          submit, end  when the job was submitted and when it ended
          fate         finished, failed, killed or unfinished
stages    stage        identifier; a later attempt of a Spark stage is a stage of its own
          job          row of the job, -1 if the log does not tell which
          name         description for people, may be empty
          parents      rows of the stages whose output this one reads
          tasks        number of tasks
          submit, end  when the stage was submitted and when it ended
          writes       with what it writes (files, jdbc, other, ...), empty if nothing says that it does
          reads        shuffle if it reads the output of other stages, which need not be among `parents` (with
                       adaptive execution they are of another job), else empty
copies    stage        row of the stage
          task         index of the task in its stage
          copy         0 for the first copy of the task, then 1, 2, ... by time of launch
          launch       when the copy took its slot
          began        when its own work began: later than `launch` where it waited for input or a worker
          end          when it left its slot
          fate         finished, killed, failed or unfinished
          complete     whether `end` - `began` is the whole duration; if not, a lower bound (censored)
          host         machine, may be empty
          slot         who held the slot (executor, worker), may be empty
          bytes        bytes read from everywhere: input, and shuffles of other machines and of this one
          records      records read, from everywhere
          gc           seconds that went into garbage collection
          fetch_wait   seconds of waiting for blocks of a shuffle
          start        seconds from `began` until its code ran: it was deserialised
          written      bytes written: output, shuffle, and what was spilled to disk
          records_written  records written, output and shuffle
          locality     how near its input was, in the word of the system (NODE_LOCAL, ANY), may be empty
          speculative  whether the scheduler launched it as a second copy of a running task
hosts     host         machine
          slots        most slots it offered at once, 0 if the log does not tell
slots     time         when the number of slots changed
          slots        number of slots from then on
========  ===========  ============================================================================

What a copy that did not finish read, wrote, collected and waited is that up to its end, where the log
tells it.

A killed copy is right-censored, except one that had done all its work and was not allowed to commit.
A failed copy is counted and never a duration. One that failed after another of its task, which
ran beside it, had finished is killed: the other had won.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from sim.logs.knows import NO, SOME
from sim.model.cached import cached_property
from sim.model.trace import Trace, in_order
from sim.telling.words import counted

# Helpers for a history's data frames: times, kinds of columns, and the number of slots over time.


def table_of(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return a frame as a table; an empty frame does not know the kinds of its columns."""
    return (
        schema.empty_table()
        if frame.empty
        else pa.Table.from_pandas(frame, schema, preserve_index=False, nthreads=1)
    )


def first_time(changes: list[tuple[float, int]], *frames: pd.DataFrame) -> float:
    """Return the first time recorded, 0 if there is none."""
    times = [
        frame[column].min() for frame in frames for column in ("submit", "launch", "end") if column in frame
    ]
    times += [time for time, _ in changes]
    finite = [time for time in times if np.isfinite(time)]
    return float(min(finite, default=0.0))


def over_time(changes: list[tuple[float, int]]) -> pd.DataFrame:
    """Add changes up to the number of slots from each time on."""
    frame = pd.DataFrame(changes, columns=["time", "change"]).groupby("time")["change"].sum()
    return pd.DataFrame(
        {"time": frame.index.to_numpy(float), "slots": frame.cumsum().clip(lower=0).to_numpy()}
    )


def together(copies: pd.DataFrame) -> pd.DataFrame:
    """Return the largest number of copies that ran together as a constant number of slots."""
    ran = copies[copies["launch"].notna() & copies["end"].notna()]
    if ran.empty:
        return pd.DataFrame({"time": np.empty(0), "slots": np.empty(0, np.int64)})
    times = np.concatenate([ran["launch"], ran["end"]])
    steps = np.repeat([1, -1], len(ran))
    order = np.lexsort((steps, times))  # of one time, ends come first
    most = int(np.cumsum(steps[order]).max(initial=1))
    return pd.DataFrame({"time": [float(times.min())], "slots": [max(most, 1)]})


FINISHED, KILLED, FAILED, UNFINISHED = "finished", "killed", "failed", "unfinished"
FATES = (FINISHED, KILLED, FAILED, UNFINISHED)

_WORD = pa.dictionary(pa.int32(), pa.string())
SCHEMAS = {
    "jobs": pa.schema(
        {
            "job": pa.string(),
            "name": pa.string(),
            "group": pa.string(),
            "pool": pa.string(),
            "submit": pa.float64(),
            "end": pa.float64(),
            "fate": _WORD,
        }
    ),
    "stages": pa.schema(
        {
            "stage": pa.string(),
            "job": pa.int32(),
            "name": pa.string(),
            "parents": pa.list_(pa.int32()),
            "tasks": pa.int64(),
            "submit": pa.float64(),
            "end": pa.float64(),
            "writes": pa.string(),
            "reads": pa.string(),
        }
    ),
    "copies": pa.schema(
        {
            "stage": pa.int32(),
            "task": pa.int64(),
            "copy": pa.int32(),
            "launch": pa.float64(),
            "began": pa.float64(),
            "end": pa.float64(),
            "fate": _WORD,
            "complete": pa.bool_(),
            "host": _WORD,
            "slot": _WORD,
            "bytes": pa.float64(),
            "records": pa.float64(),
            "gc": pa.float64(),
            "fetch_wait": pa.float64(),
            "start": pa.float64(),
            "written": pa.float64(),
            "records_written": pa.float64(),
            "locality": _WORD,
            "speculative": pa.bool_(),
        }
    ),
    "hosts": pa.schema({"host": pa.string(), "slots": pa.int64()}),
    "slots": pa.schema({"time": pa.float64(), "slots": pa.int64()}),
}


@dataclass(frozen=True, eq=False)
class History:
    """What a cluster's log recorded; the columns of the tables are listed in `sim.logs.history`.

    Parameters
    ----------
    format : str
        Key of the format of the files.
    files : tuple of str
        Names of the files.
    jobs, stages, copies, hosts, slots : pyarrow.Table
        The tables.
    slots_from : str
        Where the number of slots comes from: "log" (events of executors or nodes), or "copies" (the
        largest number of copies that ran together).
    settings : mapping of str to str
        Settings of scheduling, speculation and the size of executors that the log names, and under
        `executors` how many came with how many cores (`sim.logs.formats.spark_files`).
    notes : tuple of str
        What was odd about the files and what was left out, with counts.
    origin : float
        Time 0 of the tables in seconds since 1970, or 0 where the files count from 0.
    order_from : str
        Where the parents of stages come from: "log", or "times" (`sim.logs.history`).
    """

    format: str
    files: tuple[str, ...]
    jobs: pa.Table
    stages: pa.Table
    copies: pa.Table
    hosts: pa.Table
    slots: pa.Table
    slots_from: str
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()
    origin: float = 0.0
    order_from: str = "log"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tables and settings: the same for a log and its compact file."""
        digest = hashlib.sha256(repr((self.format, sorted(self.settings.items()))).encode())
        for name in SCHEMAS:
            frame = self.frame(name)
            for column in frame:
                digest.update(f"{name}.{column}".encode())
                digest.update(_content(frame[column]))
        return digest.hexdigest()

    def frame(self, table: str) -> pd.DataFrame:
        """Return a table as a data frame of its own, which may be changed."""
        return getattr(self, table).to_pandas()

    @property
    def name(self) -> str:
        """What it is called: its files."""
        return ", ".join(self.files)

    @property
    def begin(self) -> float:
        """First time of all, in seconds since 1970 where the log tells."""
        return self.origin + self.limits[0]

    @property
    def span(self) -> float:
        """Seconds from the first to the last time of jobs, stages and copies."""
        first, last = self.limits
        return last - first

    @cached_property
    def limits(self) -> tuple[float, float]:
        """First and last time of jobs, stages and copies; zeros if the log has none."""
        times = np.concatenate(
            [
                self.jobs["submit"],
                self.jobs["end"],
                self.stages["submit"],
                self.stages["end"],
                self.copies["launch"],
                self.copies["end"],
            ]
        )
        times = times[np.isfinite(times)]
        return (float(times.min()), float(times.max())) if times.size else (0.0, 0.0)

    def trace(self) -> Trace:
        """Return arrivals, tasks and sizes of the jobs, which is what the engines take.

        A job's size is the mean over its tasks of the median duration in the task's stage. Without a
        complete duration in the whole history there are no sizes; otherwise jobs without one are left out.
        """
        stages = self.frame("stages").query("job >= 0 and tasks > 0")
        copies = self.frame("copies")
        done = copies[copies["complete"]]
        median = (done["end"] - done["began"]).groupby(done["stage"]).median()
        stages = stages.assign(work=stages["tasks"] * median.reindex(stages.index))
        known = stages[stages["work"] > 0]
        sized = not known.empty
        by_job = (known if sized else stages).groupby("job")
        tasks = by_job["tasks"].sum()
        jobs = self.frame("jobs").loc[tasks.index]
        usable = jobs["submit"].notna()
        tasks, jobs = tasks[usable], jobs[usable]
        size = (by_job["work"].sum()[usable] / tasks).to_numpy(float) if sized else None
        notes = list(self.notes)
        if left_out := self.jobs.num_rows - len(jobs):
            notes.append(f"{counted(left_out, 'job')} without a submit time or a finished task left out")
        return in_order(
            jobs["submit"].to_numpy(float),
            tasks.to_numpy(np.int64),
            size,
            jobs["job"].tolist(),
            ", ".join(self.files),
            self.digest,
            notes,
        )


def _content(column: pd.Series) -> bytes:
    """Return bytes that are equal for equal columns."""
    if pd.api.types.is_float_dtype(column.dtype):
        return np.round(column.to_numpy(float), 6).tobytes()
    if pd.api.types.is_integer_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return column.to_numpy(np.int64).tobytes()
    return "\0".join(map(str, column)).encode()


# Several logs of one cluster, one after another: what they tell of tasks together.
#
# Settings may differ from log to log, so no single one of them is the history of all. What is joined are
# the copies, from which a model is learned (`sim.advice.whatif.model.fit`); what is played is the last log.

#: Seconds between two logs of which the times are not known, or overlap.
_APART = 3600.0


def joined(histories: Sequence[History]) -> History:
    r"""Return one history with the jobs of several, each after the one before.

    Hosts of one name are one host. Executors are started anew for each log: those of earlier logs get other
    names, so that their first tasks are cold and their factors their own.

    Parameters
    ----------
    histories : sequence of History
        In order of time; settings, origin and notes are those of the last.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.source import Upload
    >>> rows = b"job_id,stage_id,task_id,start_s,end_s,host,slot\na,map,0,0,4,h1,w\na,map,1,0,9,h1,w\n"
    >>> both = joined([read_history(Upload("one.csv", rows))] * 2)
    >>> both.jobs["job"].to_pylist(), both.copies["stage"].to_pylist(), both.hosts["host"].to_pylist()
    (['1/a', 'a'], [0, 0, 1, 1], ['h1'])
    >>> both.copies["launch"].to_pylist(), both.copies["slot"].to_pylist()
    ([-3609.0, -3609.0, 0.0, 0.0], ['1/w', '1/w', 'w', 'w'])
    """
    *earlier, last = histories
    if not earlier:
        return last
    frames = {name: [last.frame(name)] for name in SCHEMAS}
    begin = last.limits[0]
    for number, one in reversed([*enumerate(earlier, start=1)]):
        moved = one.origin - last.origin if one.origin and last.origin else 0.0
        if one.limits[1] + moved > begin:
            moved = begin - _APART - one.limits[1]
        begin = one.limits[0] + moved
        for name, frame in _moved(one, moved, f"{number}/").items():
            frames[name].insert(0, frame)
    stages = np.cumsum([0, *(len(one) for one in frames["stages"])])
    jobs = np.cumsum([0, *(len(one) for one in frames["jobs"])])
    for frame, first, job in zip(frames["stages"], stages, jobs, strict=False):
        frame["parents"] = [[int(row + first) for row in listed] for listed in frame["parents"]]
        frame["job"] = np.where(frame["job"] >= 0, frame["job"] + job, -1)
    for frame, first in zip(frames["copies"], stages, strict=False):
        frame["stage"] += first
    whole = {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items()}
    whole["hosts"] = whole["hosts"].groupby("host", as_index=False, sort=False)["slots"].max()
    return replace(last, **{name: table_of(frame, SCHEMAS[name]) for name, frame in whole.items()})


def _moved(one: History, seconds: float, prefix: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a log later by so many seconds, with names of its own."""
    found = {name: one.frame(name) for name in SCHEMAS}
    for name in ("jobs", "stages"):
        found[name][["submit", "end"]] += seconds
    found["jobs"]["job"] = prefix + found["jobs"]["job"]
    found["stages"]["stage"] = prefix + found["stages"]["stage"]
    found["copies"][["launch", "began", "end"]] += seconds
    slot = found["copies"]["slot"].astype(str)
    found["copies"]["slot"] = slot.where(slot.eq(""), prefix + slot)
    found["slots"]["time"] += seconds
    return found


# Which stages wait for which, where a log does not record it: read off their times.
#
# A stage begins when it was submitted or, where the log does not tell that, when its first task was
# launched. It waits for those of its job that had ended then, if one of them had ended just before: within
# the usual delay of a launch. It may wait for fewer: the times allow it. A stage that began while others
# ran, or long after all had ended, waits for none: a first task that was launched late waited for a slot.

#: Share of the time of a job, and seconds, within which a stage begins when what it waited for has ended.
_DELAY, _LEAST, _MOST = 0.02, 1.0, 60.0
#: Stages of a job above which only those that had ended just before are looked at.
_MANY = 200


def with_order(history: History, order: str) -> History:
    r"""Return a history with the parents that the times of its stages suggest, if its log records none.

    Parameters
    ----------
    history : History
    order : str
        What its format tells of them (`Knows.order`).

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.source import Upload
    >>> rows = b"job_id,stage_id,task_id,start_s,end_s\na,map,0,0,4\na,map,1,0,9\na,reduce,0,9.1,12\n"
    >>> found = read_history(Upload("two.csv", rows))
    >>> found.stages["parents"].to_pylist(), found.order_from
    ([[], [0]], 'times')
    """
    stages = history.stages
    if order not in (NO, SOME) or any(len(one) for one in stages["parents"].to_pylist()):
        return history
    copies = history.frame("copies")[["stage", "launch", "end"]].dropna()
    of_stage = copies.groupby("stage").agg(begin=("launch", "min"), end=("end", "max"))
    table = history.frame("stages")[["job", "submit"]].join(of_stage, how="inner").query("job >= 0")
    table["begin"] = table["submit"].fillna(table["begin"])
    parents: list[list[int]] = [[] for _ in range(stages.num_rows)]
    for _, one in table.groupby("job"):
        if len(one) > 1:
            _order(one, parents)
    if not any(parents):
        return history
    column = pa.array(parents, SCHEMAS["stages"].field("parents").type)
    place = stages.column_names.index("parents")
    waiting = sum(map(bool, parents))
    note = (
        f"the log does not record which stage waits for which: {counted(waiting, 'stage')} of "
        f"{len(parents):,} began when others of their job had just ended, and are taken to wait for them"
    )
    told = stages.set_column(place, SCHEMAS["stages"].field("parents"), column)
    return replace(history, stages=told, order_from="times", notes=(*history.notes, note))


def _order(stages: pd.DataFrame, parents: list[list[int]]) -> None:
    """Add the parents of the stages of a job; rows are those of the history."""
    rows, begin, end = stages.index.to_numpy(), stages["begin"].to_numpy(), stages["end"].to_numpy()
    delay = float(np.clip(_DELAY * (end.max() - begin.min()), _LEAST, _MOST))
    before: dict[int, set[int]] = {}
    for place in np.argsort(begin, kind="stable"):
        ended = np.flatnonzero(end <= begin[place] + 1e-9)
        if not ended.size or begin[place] - end[ended].max() > delay:
            continue
        if rows.size > _MANY:
            ended = ended[begin[place] - end[ended] <= delay]
        known: set[int] = set()
        for one in ended[np.argsort(-end[ended], kind="stable")].tolist():
            if one not in known:  # what a parent waits for needs no arrow of its own
                parents[rows[place]].append(int(rows[one]))
                known |= {one, *before.get(one, ())}
        before[int(place)] = known
        parents[rows[place]].sort()
