"""The batch jobs of Alibaba's cluster of 2018: ``batch_instance`` and ``batch_task``, without headers.

What the trace calls a task is a stage here, and an instance is a task. The name of a task tells what
it waits for: R3_1_2 is the third and reads what 1 and 2 wrote. An instance that was launched
again while it ran is a second copy. Times are seconds from the beginning of the trace, and 0 where they
lie outside it. ``batch_task`` alone tells the number of tasks and no durations.

Reference: cluster-trace-v2018 of alibaba/clusterdata.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.logs.formats.batch import first_line, least, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import NO, SOME, UNKNOWN, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import Member
from theory.quoting import quoted

KEY = "alibaba2018"
TITLE = "batch_instance or batch_task of Alibaba 2018"
KNOWS = Knows(
    system="Fuxi",
    order=YES,
    submission=SOME,
    launch=YES,
    start=NO,
    read=NO,
    written=NO,
    hosts=SOME,
    slots=NO,
    copies=YES,
    how="backup instances",
    again=UNKNOWN,
)

_INSTANCE, _TASK = 14, 9
_FATES = {
    "Terminated": FINISHED,
    "Failed": FAILED,
    "Interrupted": KILLED,
    "Cancelled": KILLED,
    "Running": UNFINISHED,
}
_WAITING = ("Ready", "Waiting")
_NAME = re.compile(r"[A-Za-z]+(\d+)((?:_\d+)*)(?:_\D.*)?")


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this has instances or tasks of batch jobs.

    Examples
    --------
    >>> recognises(b"M1,2,j_7,1,Terminated,86400,86460,100.0,0.3", "batch_task.csv")
    True
    """
    cells = first_line(head).split(",")
    return len(cells) in (_INSTANCE, _TASK) and cells[4] in (*_FATES, *_WAITING)


def read(members: Sequence[Member]) -> History:
    """Read any number of files of both kinds."""
    reader = _Trace()
    read_each(members, reader.records, reader.row)
    return reader.close(tuple(member.name for member in members))


class _Trace:
    def __init__(self) -> None:
        self.records = Records(per_second=1)
        self.records.infer_speculative = True
        self.instances: dict[int, dict[str, int]] = {}
        self.numbers: dict[tuple[int, str], int] = {}
        self.waits_for: dict[int, list[str]] = {}
        self.seen: set[tuple[int, int, float]] = set()

    def row(self, text: str, where: str) -> None:
        """Read one line."""
        cells = text.split(",")
        if len(cells) not in (_INSTANCE, _TASK):
            raise ValueError(f"{len(cells)} cells; an instance has {_INSTANCE} and a task {_TASK}")
        if not cells[2]:
            raise ValueError("the job has no name")
        if cells[4] not in (*_FATES, *_WAITING):
            raise ValueError(f"{quoted(cells[4])} is no status")
        begin, end = _time(cells[5]), _time(cells[6])
        if len(cells) == _INSTANCE:
            self._instance(cells, begin, end, where)
        else:
            self._task(cells, begin, end)

    def _instance(self, cells: list[str], launch: float, end: float, where: str) -> None:
        name, task, job, _, status, _, _, host = cells[:8]
        if status in _WAITING:
            self.records.note("instances that never started: left out", where)
            return
        if launch != launch:
            self.records.note("instances that started outside the time of the trace: left out", where)
            return
        fate = _FATES[status] if end == end else UNFINISHED
        stage = self._stage(job, task)
        names = self.instances.setdefault(stage, {})
        index = names.setdefault(name, len(names))
        if (stage, index, launch) in self.seen:
            self.records.note("copies told twice: counted once", where)
            return
        self.seen.add((stage, index, launch))
        self.records.copy(stage, index, launch=launch, end=end, fate=fate, host=host)
        self._span(stage, launch, end, fate)

    def _task(self, cells: list[str], begin: float, end: float) -> None:
        task, count, job, _, status = cells[:5]
        instances = int(count)
        if instances < 1:
            raise ValueError(f"instance_num: {quoted(count)} is not accepted")
        told = self.records.stages[stage := self._stage(job, task)]
        told.tasks, told.submit, told.end = instances, begin, end
        self._span(stage, begin, end, _FATES.get(status, UNFINISHED))

    def _span(self, stage: int, begin: float, end: float, fate: str) -> None:
        """Widen the time of the job of a stage."""
        job = self.records.jobs[self.records.stages[stage].job]
        job.submit, job.end = least(job.submit, begin), -least(-job.end, -end)
        job.fate = fate if fate != FINISHED or job.fate == UNFINISHED else job.fate

    def _stage(self, job: str, task: str) -> int:
        """Return the row of a stage, whose name tells its number and those it waits for."""
        stage = self.records.stage_row((job, task), f"{job}/{task}")
        told = self.records.stages[stage]
        if not told.name:
            told.name, told.job = task, self.records.job(job)
            if match := _NAME.fullmatch(task):
                self.numbers[told.job, match[1]] = stage
                self.waits_for[stage] = match[2].split("_")[1:]
        return stage

    def close(self, files: tuple[str, ...]) -> History:
        """Join stages with those they wait for."""
        records = self.records
        for stage, numbers in self.waits_for.items():
            job = records.stages[stage].job
            found = {self.numbers.get((job, number)) for number in numbers}
            records.note("parents that are no stage: left out", count=len(found & {None}))
            records.stages[stage].parents = sorted({one for one in found if one is not None} - {stage})
        records.note(
            "jobs whose submission is not in the trace: taken as the start of their first task",
            count=len(records.jobs),
        )
        records.note(
            "stages whose tasks have names: numbered in order of appearance", count=len(self.instances)
        )
        records.censor()
        return records.history(KEY, files, origin=0.0)


def _time(cell: str) -> float:
    """Return seconds; NaN if they are empty or 0, which is outside the trace."""
    time = float(cell or 0)
    if not 0 <= time < 1e16:
        raise ValueError(f"{quoted(cell)} is no time of the trace")
    return time or NAN
