"""Task events of the Google cluster of 2011, without a header: a row for each change of a task's state.

A copy runs from SCHEDULE to EVICT, FAIL, FINISH, KILL or LOST; a task that is scheduled again has a
further copy, and never two at once. Times are microseconds, 600 s later than the beginning of the
trace: 0 is before it, 2^63 - 1 after it. What began before it, or was put in where a record
was missing, has a duration that is a lower bound.

Reference: Reiss, Wilkes and Hellerstein (2011), Google cluster-usage traces: format + schema.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.logs.formats.batch import first_line, least, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, History
from sim.logs.knows import ALONE, NO, SOME, UNKNOWN, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import Member
from theory.quoting import quoted

KEY = "google2011"
TITLE = "task_events of Google 2011"
KNOWS = Knows(
    system="the cluster of Google 2011",
    order=ALONE,
    submission=SOME,
    launch=YES,
    start=NO,
    read=NO,
    written=NO,
    hosts=SOME,
    slots=NO,
    copies=NO,
    again=UNKNOWN,
)

_CELLS = 13
_SUBMIT, _SCHEDULE = 0, 1
#: EVICT, FAIL, FINISH, KILL and LOST, of which nobody knows when it ended.
_FATES = {2: KILLED, 3: FAILED, 4: FINISHED, 5: KILLED, 6: KILLED}
_UPDATES = (7, 8)
_AFTER = 2**63 - 1


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this has such events.

    Examples
    --------
    >>> recognises(b"5612000000,,6251812952,3,317808204,1,user,2,9,0.025,0.01,0.0004,0", "part.csv")
    True
    """
    cells = first_line(head).split(",")
    numbers = len(cells) == _CELLS and all(cells[place].isdecimal() for place in (0, 2, 3, 5))
    return numbers and int(cells[5]) <= max(_UPDATES)


def read(members: Sequence[Member]) -> History:
    """Read the parts of a trace, which are in order of time."""
    reader = _Events()
    read_each(members, reader.records, reader.row)
    return reader.close(tuple(member.name for member in members))


class _Events:
    """Tasks of any number of jobs, by what happened to them last."""

    def __init__(self) -> None:
        self.records = Records(per_second=1_000_000)
        self.running: dict[tuple[str, int], tuple[int, bool]] = {}
        self.fates: dict[str, dict[int, str]] = {}
        #: Jobs with tasks that ended after the trace.
        self.ran_on: set[str] = set()

    def row(self, text: str, where: str) -> None:
        """Read one event."""
        cells = text.split(",")
        if len(cells) != _CELLS:
            raise ValueError(f"{len(cells)} cells; an event has {_CELLS}")
        time, job, index, event = int(cells[0]), cells[2], int(cells[3]), int(cells[5])
        if not 0 <= time <= _AFTER or index < 0 or not job:
            raise ValueError(f"time {quoted(cells[0])}, job {quoted(job)} or task {index} is not accepted")
        if event in _UPDATES:
            return
        sure, at = time > 0 and not cells[1], NAN if time == _AFTER else float(time)
        if event == _SUBMIT:
            self._submit(job, cells, at)
        elif event == _SCHEDULE:
            self._schedule(job, index, cells[4], at, sure, where)
        elif event in _FATES:
            self._end(job, index, event, at, sure, where)
        else:
            raise ValueError(f"{event} is no type of event")

    def _submit(self, job: str, cells: list[str], time: float) -> None:
        told = self.records.jobs[row := self.records.job(job)]
        told.pool, told.group = f"priority {cells[8]}", cells[6]
        stage = self.records.stages[self.records.stage_row(job)]
        stage.job, told.submit = row, least(told.submit, time)
        stage.submit = told.submit

    def _schedule(self, job: str, index: int, host: str, time: float, sure: bool, where: str) -> None:
        if time != time:
            self.records.note("tasks that never started: left out", where)
            return
        if (job, index) in self.running:
            self.records.note("tasks scheduled while they ran: their first start is used", where)
            return
        stage = self.records.stage_row(job)
        self.records.stages[stage].job = self.records.job(job)
        self.running[job, index] = self.records.copy(stage, index, launch=time, host=host), sure

    def _end(self, job: str, index: int, event: int, time: float, sure: bool, where: str) -> None:
        if (job, index) not in self.running:
            self.records.note("tasks that ended and never ran: left out", where)
            return
        row, began = self.running.pop((job, index))
        if time != time:
            self.ran_on.add(job)
            return
        known = began and sure
        self.records.note("copies that began before the trace: lower bounds", where, count=int(not known))
        fate = _FATES[event]
        self.records.finish(row, time, fate, complete=fate == FINISHED and known)
        self.fates.setdefault(job, {})[index] = fate
        told = self.records.jobs[self.records.job(job)]
        told.end = -least(-told.end, -time)

    def close(self, files: tuple[str, ...]) -> History:
        """End the jobs none of whose tasks runs on."""
        records = self.records
        on = self.ran_on | {job for job, _ in self.running}
        for job, fates in self.fates.items():
            told = records.jobs[records.job(job)]
            if job in on:
                told.end = NAN
                continue
            ends = set(fates.values())
            told.fate = FAILED if FAILED in ends else KILLED if KILLED in ends else FINISHED
            records.stages[records.stage_row(job)].end = told.end
        early = sum(job.submit == 0 for job in records.jobs)
        records.note("jobs submitted before the trace began: their waits are lower bounds", count=early)
        records.censor()
        return records.history(KEY, files, origin=0.0)
