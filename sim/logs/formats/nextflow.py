"""Traces of Nextflow: the table that ``nextflow run -with-trace`` writes.

A file is a run, and one job; a stage is a process, and tasks are numbered in order of appearance. A task
that was tried again has a further copy. Where start and end are no columns they follow from the others:
the end is `submit` plus `duration`, the start is the end less `realtime`. The table does not tell which
process waits for which.

Reference: the documentation of Nextflow, Trace file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from sim.logs.formats.batch import ERRORS, least, texts
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import FIRST, NO, SOME, YES, Knows
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member
from sim.model.fields import BadInput
from theory.quoting import quoted

KEY = "nextflow"
TITLE = "trace of Nextflow"
KNOWS = Knows(
    system="Nextflow",
    order=NO,
    submission=FIRST,
    launch=YES,
    start=NO,
    read=SOME,
    written=SOME,
    hosts=SOME,
    slots=NO,
    copies=NO,
    again=NO,
    give={"hosts": "hostname", "read": "rchar"},
)

#: What to ask Nextflow for.
FIELDS = (
    "trace.fields = 'task_id,name,process,status,attempt,submit,start,complete,duration,realtime,hostname,"
    "rchar' with trace.raw = true"
)
_OF_NEXTFLOW = {"hash", "native_id", "realtime", "process"}
_FATES = {"COMPLETED": FINISHED, "FAILED": FAILED, "ABORTED": KILLED, "RUNNING": UNFINISHED}
#: In milliseconds.
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
#: Characters of a duration; a search in longer text would take long.
_LONGEST = 60
_PART = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|m|h|d)\b ?")
_SIZES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40, "PB": 2**50}


def recognises(head: bytes, name: str) -> bool:
    r"""Say whether a file that begins like this is a trace of Nextflow.

    Examples
    --------
    >>> recognises(b"task_id\thash\tnative_id\tname\tstatus\texit\tsubmit\n", "trace.txt")
    True
    """
    columns = set(_columns(head.split(b"\n", 1)[0].decode("utf-8", "replace")))
    return {"name", "status"} <= columns and bool(columns & _OF_NEXTFLOW) and "start_s" not in columns


def read(members: Sequence[Member]) -> History:
    """Read traces, each of one run."""
    records = Records(per_second=1)
    for member in members:
        run = _Run(records, member.name)
        columns: list[str] = []
        for where, text in texts(member, records):
            if not columns:
                columns = _checked(text, where)
                continue
            cells = [cell.strip() for cell in text.split("\t" if "\t" in text else ",")]
            if len(cells) != len(columns):
                records.note(f"rows without the {len(columns)} cells of the header: left out", where)
                continue
            row = {name: cell for name, cell in zip(columns, cells, strict=True) if cell not in ("", "-")}
            try:
                run.task(row, where)
            except ERRORS as error:
                records.note("rows that cannot be read: left out", f"{where}: {error}")
    unknown = "runs whose order of processes is not recorded: none waits for another"
    records.note(unknown, count=len(records.jobs))
    records.reopen()
    records.censor()
    return records.history(KEY, tuple(member.name for member in members))


def _columns(text: str) -> list[str]:
    return [cell.strip() for cell in text.split("\t" if "\t" in text else ",")]


def _checked(text: str, where: str) -> list[str]:
    """Return the names of the columns, which must tell when a task started and ended."""
    columns = _columns(text)
    known = set(columns)
    ends = "complete" in known or {"submit", "duration"} <= known
    for lacking, there in (("complete", ends), ("start", "start" in known or (ends and "realtime" in known))):
        if not there:
            raise BadInput(f"{where}: {lacking}: missing among the columns of the trace; give {FIELDS}")
    return columns


class _Run:
    def __init__(self, records: Records, file: str) -> None:
        self.records, self.file = records, file
        self.of_process: dict[int, int] = {}
        #: Tasks that failed and may be tried again, by process and name.
        self.failed: dict[tuple[int, str], list[int]] = {}

    def task(self, row: dict[str, str], where: str) -> None:
        """Read one row."""
        status, name = row["status"], row["name"]
        if status == "CACHED":
            self.records.note("tasks whose results were kept from an earlier run: left out", where)
            return
        if status not in _FATES:
            self.records.note("tasks that never started: left out", where)
            return
        launch, end = _times(row)
        if launch != launch:
            self.records.note("tasks without a start: left out", where)
            return
        self.records.note("tasks whose start is their end less realtime", count=int("start" not in row))
        fate, measured = (
            _FATES[status],
            Measured(bytes=_size(row.get("rchar", "")), written=_size(row.get("wchar", ""))),
        )
        process = row.get("process") or name.partition(" (")[0]
        stage = self.records.stage_row((self.file, process), process)
        index = self._index(stage, name, again=int(row.get("attempt", 1)) > 1 or "attempt" not in row)
        if fate in (FAILED, KILLED):
            self.failed.setdefault((stage, name), []).append(index)
        host = row.get("hostname", "")
        self.records.copy(stage, index, launch=launch, end=end, fate=fate, host=host, measured=measured)
        job = self.records.jobs[self.records.job(self.file)]
        told = self.records.stages[stage]
        told.job, told.name = self.records.job(self.file), process
        submit = _time(row.get("submit", ""))
        for one in (job, told):
            one.submit = least(one.submit, submit if submit == submit else launch)
            one.end = -least(-one.end, -end)
        job.fate = FINISHED if fate == FINISHED else job.fate

    def _index(self, stage: int, name: str, *, again: bool) -> int:
        """Return the number of a task: a new one, or that of one of this name that failed."""
        if again and self.failed.get((stage, name)):
            return self.failed[stage, name].pop()
        index = self.of_process.get(stage, 0)
        self.of_process[stage] = index + 1
        return index


def _times(row: dict[str, str]) -> tuple[float, float]:
    """Return when a task started and ended."""
    start, end = _time(row.get("start", "")), _time(row.get("complete", ""))
    if end != end:
        end = _time(row.get("submit", "")) + _span(row.get("duration", ""))
    return (start if start == start else end - _span(row.get("realtime", ""))), end


def _time(text: str) -> float:
    """Return a local time, or one in milliseconds since 1970, in seconds.

    Examples
    --------
    >>> _time("1970-01-02 00:00:00.500"), _time("1704067201250")
    (86400.5, 1704067201.25)
    """
    if not text:
        return NAN
    if text.isdigit():
        return int(text[:18]) / 1000
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise ValueError(f"{quoted(text)} is no time; give {FIELDS}") from None


def _span(text: str) -> float:
    """Return seconds, from milliseconds or as Nextflow writes them for people.

    Examples
    --------
    >>> _span("1h 2m 3s"), _span("1.5s"), _span("350ms"), _span("2500")
    (3723.0, 1.5, 0.35, 2.5)
    """
    if not text:
        return NAN
    if text.isdigit():
        return int(text[:18]) / 1000
    parts = _PART.findall(text[:_LONGEST])
    if not parts or _PART.sub("", text[:_LONGEST]) or len(text) > _LONGEST:
        raise ValueError(f"{quoted(text)} is no duration; give {FIELDS}")
    return sum(float(number) * _UNITS[unit] for number, unit in parts) / 1000


def _size(text: str) -> float:
    """Return bytes, from a number or as Nextflow writes them for people.

    Examples
    --------
    >>> _size("1.5 KB"), _size("64"), _size("")
    (1536.0, 64.0, nan)
    """
    number, _, unit = text.partition(" ")
    return float(number) * _SIZES[unit or "B"] if text else NAN
