"""Records that an importer collects while it reads, and the `History` made from them.

Numbers of copies are kept in compact arrays, eight bytes each, so that memory grows with the number of
copies and not with the size of the log.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Container, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from sim.logs.history import (
    FAILED,
    FATES,
    FINISHED,
    KILLED,
    SCHEMAS,
    UNFINISHED,
    History,
    first_time,
    over_time,
    table_of,
    together,
)
from sim.model.fields import BadInput
from sim.telling.words import clipped
from theory.quoting import quoted

NAN = math.nan
#: Notes and settings that a history has at most, and characters of each: files are made to have millions.
MOST_TOLD, LONGEST_TOLD = 200, 500
_NO_JOB = -1


@dataclass(slots=True)
class Job:
    """A job as far as it has been read; times in the unit of the log."""

    job: str
    name: str = ""
    group: str = ""
    pool: str = ""
    submit: float = NAN
    end: float = NAN
    fate: str = UNFINISHED


@dataclass(slots=True)
class Stage:
    """A stage as far as it has been read; times in the unit of the log."""

    stage: str
    job: int = _NO_JOB
    name: str = ""
    parents: list[int] = field(default_factory=list)
    tasks: int = 0
    submit: float = NAN
    end: float = NAN
    writes: str = ""
    reads: str = ""


class Measured(NamedTuple):
    """What a log measured of a copy; NaN if it did not."""

    bytes: float = NAN
    records: float = NAN
    #: Seconds.
    gc: float = NAN
    #: Seconds.
    fetch_wait: float = NAN
    #: Seconds.
    start: float = NAN
    written: float = NAN
    records_written: float = NAN


_UNMEASURED = Measured()


def _whole(number: int, most: int = 2**63) -> bool:
    return -most <= number < most


class Words:
    """Strings that repeat, stored once each."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def code(self, word: object) -> int:
        """Return the number of a word; None is the empty word."""
        text = "" if word is None else str(word)
        return self.codes.setdefault(text, len(self.codes))

    def column(self, codes: array[int]) -> pa.DictionaryArray:
        """Return the words of these codes."""
        return pa.DictionaryArray.from_arrays(
            pa.array(np.frombuffer(codes, np.int32)), pa.array(list(self.codes), pa.string())
        )


class Records:
    """Jobs, stages, copies, slots, settings and notes, in the order in which a log tells them.

    Parameters
    ----------
    per_second : float
        Units of time of the log in a second: 1000 for milliseconds.
    """

    def __init__(self, per_second: float) -> None:
        self.per_second = per_second
        self.jobs: list[Job] = []
        self.stages: list[Stage] = []
        self.settings: dict[str, str] = {}
        self.slot_changes: list[tuple[float, int]] = []
        self.host_slots: dict[str, int] = {}
        self._jobs: dict[Hashable, int] = {}
        self._stages: dict[Hashable, int] = {}
        self._hosts, self._holders, self._localities = Words(), Words(), Words()
        self.stage, self.host, self.slot, self.locality = (array("i") for _ in range(4))
        self.task = array("q")
        self.launch, self.began, self.end = (array("d") for _ in range(3))
        self.measured = {name: array("d") for name in Measured._fields}
        self.fate, self.complete, self.speculative = array("b"), array("b"), array("b")
        #: Whether a copy launched while another of its task ran is taken as speculative.
        self.infer_speculative = False
        self._remarks: list[str] = []
        self._notes: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def job(self, key: Hashable, name: str = "") -> int:
        """Return the row of a job, which is made if it is new."""
        row = self._jobs.get(key)
        if row is None:
            row = self._jobs[key] = len(self.jobs)
            self.jobs.append(Job(name or str(key)))
        return row

    def knows_job(self, key: Hashable) -> bool:
        """Say whether a job has been made already."""
        return key in self._jobs

    def stage_row(self, key: Hashable, name: str = "") -> int:
        """Return the row of a stage, which is made if it is new."""
        row = self._stages.get(key)
        if row is None:
            row = self._stages[key] = len(self.stages)
            self.stages.append(Stage(name or str(key)))
        return row

    def copy(
        self,
        stage: int,
        task: int,
        *,
        launch: float = NAN,
        began: float = NAN,
        end: float = NAN,
        fate: str = UNFINISHED,
        complete: bool | None = None,
        host: object = "",
        slot: object = "",
        locality: object = "",
        measured: Measured = _UNMEASURED,
        speculative: bool = False,
    ) -> int:
        """Append a copy and return its row. It is complete if it finished, unless told otherwise.

        Raises
        ------
        OverflowError
            If its task is no number of 64 bits; then nothing is appended.
        """
        if not _whole(task):
            raise OverflowError(f"task {quoted(task)} has more than 64 bits")
        self.stage.append(stage)
        self.task.append(task)
        self.launch.append(launch)
        self.began.append(began)
        self.host.append(self._hosts.code(host))
        self.slot.append(self._holders.code(slot))
        self.locality.append(self._localities.code(locality))
        for column, value in zip(self.measured.values(), measured, strict=True):
            column.append(value)
        self.speculative.append(speculative)
        self.end.append(NAN)
        self.fate.append(0)
        self.complete.append(0)
        row = len(self.stage) - 1
        self.finish(row, end, fate, complete)
        return row

    def finish(self, row: int, end: float, fate: str, complete: bool | None = None) -> None:
        """Say how and when a copy ended."""
        self.end[row] = end
        self.fate[row] = FATES.index(fate)
        self.complete[row] = fate == FINISHED if complete is None else complete

    def place(self, row: int, host: object, slot: object) -> None:
        """Say where a copy ran."""
        self.host[row] = self._hosts.code(host)
        self.slot[row] = self._holders.code(slot)

    def measure(self, row: int, measured: Measured) -> None:
        """Say what a copy read, wrote, collected and waited."""
        for column, value in zip(self.measured.values(), measured, strict=True):
            column[row] = value

    def reopen(self) -> None:
        """Say of stages and jobs in which a copy runs that they have not ended: only other copies have."""
        for place, fate in zip(self.stage, self.fate, strict=True):
            if FATES[fate] == UNFINISHED:
                stage = self.stages[place]
                stage.end = NAN
                if stage.job >= 0:
                    job = self.jobs[stage.job]
                    job.end, job.fate = NAN, UNFINISHED

    def censor(self, over: float = NAN) -> None:
        """End copies that never ended: they ran at least until their stage or the log was `over`."""
        unfinished = FATES.index(UNFINISHED)
        rows = [
            row for row, fate in enumerate(self.fate) if fate == unfinished and self.end[row] != self.end[row]
        ]
        self.note(
            "copies launched and never ended: censored at the end of their stage or of the log",
            count=len(rows),
        )
        times = [time for times in (self.launch, self.end) for time in times if time == time]
        told = [(job.submit, job.end) for job in self.jobs]
        told += [(stage.submit, stage.end) for stage in self.stages]
        times += [time for both in told for time in both if time == time]
        last = over if over == over else max(times, default=NAN)
        for row in rows:
            end = self.stages[self.stage[row]].end
            self.end[row] = end if end >= self.launch[row] else last

    def end_jobs(self, told: Container[str]) -> None:
        """End jobs that are not among those `told` with their last copy; submit them with their first."""
        for copy, stage in enumerate(self.stage):
            row = self.stages[stage].job
            if row < 0 or self.jobs[row].job in told:
                continue
            job = self.jobs[row]
            if not job.submit <= self.launch[copy] and self.launch[copy] == self.launch[copy]:
                job.submit = self.launch[copy]
            if not job.end >= self.end[copy] and self.end[copy] == self.end[copy]:
                job.end = self.end[copy]
            job.fate = FINISHED

    def remark(self, text: str) -> None:
        """Keep a note as it is."""
        self._remarks.append(text)

    def note(self, text: str, where: str = "", count: int = 1) -> None:
        """Count something odd; `where` is kept of the first one only."""
        if count:
            self._notes[text] += count
            self._first.setdefault(text, where)

    def notes(self) -> tuple[str, ...]:
        """Return the notes with their counts and where each was met first; of too many the first."""
        notes = (
            *self._remarks,
            *(
                f"{text} ({count:,}{', first: ' if self._first[text] else ''}{self._first[text]})"
                for text, count in self._notes.items()
            ),
        )
        kept = notes if len(notes) <= MOST_TOLD else notes[: MOST_TOLD - 1]
        more = (f"{len(notes) - len(kept):,} more notes",) if len(kept) < len(notes) else ()
        return (*(clipped(one, LONGEST_TOLD) for one in kept), *more)

    def history(
        self, format_key: str, files: tuple[str, ...], *, origin: float | None = None, slots_from: str = ""
    ) -> History:
        """Put the tables together. Without an `origin`, time 0 is the first time recorded."""
        if not self.jobs and not len(self.stage):
            why = f": {told[0]}" if (told := self.notes()) else ""
            raise BadInput(
                f"{', '.join(files)}: no job and no task in it{why}; give a log in which something ran"
            )
        copies = self._copies()
        self._check_counts()
        jobs, stages = self._table("jobs"), self._table("stages")
        shift = 0.0 if origin is not None else first_time(self.slot_changes, jobs, stages, copies)
        for frame, columns in (
            (jobs, ("submit", "end")),
            (stages, ("submit", "end")),
            (copies, ("launch", "began", "end")),
        ):
            for column in columns:
                frame[column] = (frame[column] - shift) / self.per_second
        self._check_clock(copies, stages, jobs)
        changes = [((time - shift) / self.per_second, change) for time, change in self.slot_changes]
        slots = over_time(changes) if changes else together(copies)
        tasks = copies.groupby("stage")["task"].nunique().reindex(stages.index, fill_value=0)
        stages["tasks"] = np.maximum(stages["tasks"], tasks)
        frames = {
            "jobs": jobs,
            "stages": stages,
            "copies": copies,
            "hosts": self._host_table(copies),
            "slots": slots,
        }
        tables = {name: table_of(frame, SCHEMAS[name]) for name, frame in frames.items()}
        return History(
            format_key,
            files,
            **tables,
            slots_from=slots_from or ("log" if changes else "copies"),
            settings={
                clipped(name, LONGEST_TOLD): clipped(value, LONGEST_TOLD)
                for name, value in sorted(self.settings.items())[:MOST_TOLD]
            },
            notes=self.notes(),
            origin=origin if origin is not None else shift / self.per_second,
        )

    def _table(self, name: str) -> pd.DataFrame:
        """Return jobs or stages as a frame."""
        columns = SCHEMAS[name].names
        rows = self.jobs if name == "jobs" else self.stages
        return pd.DataFrame({column: [getattr(row, column) for row in rows] for column in columns})

    def _copies(self) -> pd.DataFrame:
        """Return the copies as a frame, in order of stage, task and launch, with their numbers."""
        frame = pd.DataFrame(
            {
                "stage": np.frombuffer(self.stage, np.int32),
                "task": np.frombuffer(self.task, np.int64),
                "copy": np.int32(0),
                "launch": np.frombuffer(self.launch),
                "began": np.frombuffer(self.began),
                "end": np.frombuffer(self.end),
                "fate": pd.Categorical.from_codes(np.frombuffer(self.fate, np.int8), FATES),
                "complete": np.frombuffer(self.complete, np.int8).astype(bool),
                "host": self._hosts.column(self.host).to_pandas(),
                "slot": self._holders.column(self.slot).to_pandas(),
                **{name: np.frombuffer(column) for name, column in self.measured.items()},
                "locality": self._localities.column(self.locality).to_pandas(),
                "speculative": np.frombuffer(self.speculative, np.int8).astype(bool),
            }
        )
        order = np.lexsort((frame["speculative"], frame["launch"], frame["task"], frame["stage"]))
        frame = self._once(frame.iloc[order].reset_index(drop=True))
        frame["copy"] = frame.groupby(["stage", "task"]).cumcount().astype(np.int32)
        if self.infer_speculative:
            before = frame.groupby(["stage", "task"])["end"].shift()
            frame["speculative"] |= frame["launch"] < before
        frame["began"] = frame["began"].fillna(frame["launch"])
        self._kill_losers(frame)
        return frame

    def _once(self, copies: pd.DataFrame) -> pd.DataFrame:
        """Drop copies that finished on a host and that a log has twice: one would be a copy that won."""
        if copies.empty:
            return copies
        keys = copies[["stage", "task", "launch"]].to_numpy(float)
        alike = np.append((np.diff(keys, axis=0) == 0).all(axis=1), False)  # as the next row
        looked_at = copies[
            (alike | np.roll(alike, 1)) & (copies["host"].ne("") & copies["fate"].eq(FINISHED)).to_numpy()
        ]
        twice = looked_at.index[looked_at.duplicated()]
        self.note("rows that say the same of a copy on a host as another: counted once", count=len(twice))
        return copies.drop(index=twice).reset_index(drop=True) if len(twice) else copies

    def _kill_losers(self, copies: pd.DataFrame) -> None:
        """Call copies killed that failed after another of their task, which ran beside them, had finished."""
        failed = copies["fate"].eq(FAILED)
        if not failed.any():
            return
        keys = [copies["stage"], copies["task"]]
        won = copies["end"].where(copies["fate"].eq(FINISHED)).groupby(keys).transform("min")
        lost = failed & (copies["launch"] < won) & (won <= copies["end"])
        self.note(
            "copies that failed when another of their task had finished: killed, not failed",
            count=int(lost.sum()),
        )
        copies.loc[lost, "fate"] = KILLED

    def _check_clock(self, copies: pd.DataFrame, stages: pd.DataFrame, jobs: pd.DataFrame) -> None:
        """Drop what a clock that goes backwards has spoilt; a copy without both times has no duration."""
        for frame, first, what in (
            (copies, "began", "copies"),
            (stages, "submit", "stages"),
            (jobs, "submit", "jobs"),
        ):
            backwards = frame["end"] < frame[first]
            self.note(
                f"{what} that ended before they began: their end is not used", count=int(backwards.sum())
            )
            frame.loc[backwards, "end"] = NAN
        known = copies["end"].notna() & copies["began"].notna()
        ended = copies["fate"].ne(UNFINISHED)
        self.note("copies ended without both times: no duration", count=int((ended & ~known).sum()))
        copies["complete"] &= known

    def _check_counts(self) -> None:
        """Drop numbers of tasks and slots that no table holds."""
        stages = [stage for stage in self.stages if not _whole(stage.tasks)]
        for stage in stages:
            stage.tasks = 0
        hosts = [host for host, slots in self.host_slots.items() if not _whole(slots)]
        self.host_slots |= dict.fromkeys(hosts, 0)
        before = len(self.slot_changes)
        self.slot_changes = [change for change in self.slot_changes if _whole(change[1], 2**53)]
        count = len(stages) + len(hosts) + before - len(self.slot_changes)
        self.note("numbers of tasks or slots that are too large: not used", count=count)

    def _host_table(self, copies: pd.DataFrame) -> pd.DataFrame:
        ran = [host for host in copies["host"].unique() if host]
        names = sorted({*ran, *self.host_slots})
        return pd.DataFrame({"host": names, "slots": [self.host_slots.get(host, 0) for host in names]})
