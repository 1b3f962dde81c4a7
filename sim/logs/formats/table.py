"""One table, as CSV or Parquet, that can say everything the other formats say.

It is what ``python -m sim trace --out`` writes.

A row is a copy, unless its column `record` says otherwise. All times are in seconds; columns may stand
in any order, may be left out and may be empty, except those marked with a star.

==============  =================================================================================
column          of a copy
==============  =================================================================================
record          copy, or empty
job_id *        job
submit_s        when the job was submitted
stage_id        stage of the job; one stage if left out
task_id *       index of the task in its stage, or a name: then tasks are numbered as they appear
copy_no         for people: copies are numbered by launch
start_s *       when it took its slot
began_s         when its own work began, if later
end_s *         when it left its slot; empty if it had not
status          finished, killed, failed or unfinished; if empty: finished if it has an end
complete        1 if a killed copy had done all its work
host, slot      where it ran, and who held the slot
locality        how near its input was, in any word
input_bytes     bytes read, from everywhere
input_records   records read, from everywhere
gc_s            time that went into garbage collection
fetch_wait_s    time of waiting for blocks of a shuffle
starting_s      time from began_s until its code ran
output_bytes    bytes written: output, shuffle, and what was spilled to disk
output_records  records written, output and shuffle
speculative     1 or 0; if left out: whether it was launched while another copy of its task ran
==============  =================================================================================

Other records: **job** (job_id, name, group, pool, submit_s, end_s, status), **stage** (job_id, stage_id,
name, parents: stage_ids with ``;`` between them, tasks, submit_s, end_s, writes: with what it writes,
reads: shuffle if it reads the output of other stages, whether or not they are among the parents),
**host** (host, slots), **slots** (start_s, slots: number of slots from then on), **setting** (name, value),
**note** (value), **log** (name, value: format, origin, slots_from,
order_from).
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sim.logs.foreign import reason, refusal_of
from sim.logs.formats.spark_files import UNTOLD
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import SOME, UNKNOWN, YES, Knows
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member
from sim.model.fields import BadInput
from theory.quoting import quoted, shortened

KEY = "table"
TITLE = "table of copies (CSV or Parquet)"
KNOWS = Knows(
    system="the system of this table",
    order=SOME,
    submission=SOME,
    launch=YES,
    start=SOME,
    read=SOME,
    written=SOME,
    hosts=SOME,
    slots=SOME,
    copies=UNKNOWN,
    again=UNKNOWN,
    give={"order": "parents", "read": "input_bytes", "hosts": "host", "slots": "records of slots"},
)

_PARQUET = b"PAR1"
#: Columns of what was measured of a copy, by their names in a history.
MEASURED = {
    "bytes": "input_bytes",
    "records": "input_records",
    "gc": "gc_s",
    "fetch_wait": "fetch_wait_s",
    "start": "starting_s",
    "written": "output_bytes",
    "records_written": "output_records",
}
_NUMBERS = ("submit_s", "start_s", "began_s", "end_s", *MEASURED.values())
_COUNTS = ("tasks", "copy_no", "slots")
_TEXTS = (
    *("record", "job_id", "name", "group", "pool", "stage_id", "parents", "status"),
    *("host", "slot", "locality", "value", "writes", "reads"),
)
_FLAGS = ("complete", "speculative")
SCHEMA = pa.schema(
    dict.fromkeys(_TEXTS, pa.dictionary(pa.int32(), pa.string()))
    | dict.fromkeys(_NUMBERS, pa.float64())
    | dict.fromkeys((*_COUNTS, "task_id"), pa.int64())
    | dict.fromkeys(_FLAGS, pa.bool_())
)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
NEEDED = ("job_id", "task_id", "start_s", "end_s")
_FATES = {
    "finished": FINISHED,
    "success": FINISHED,
    "succeeded": FINISHED,
    "completed": FINISHED,
    "killed": KILLED,
    "cancelled": KILLED,
    "timeout": KILLED,
    "failed": FAILED,
    "failure": FAILED,
    "error": FAILED,
    "unfinished": UNFINISHED,
    "running": UNFINISHED,
}


def template() -> str:
    """Return a small valid file to start from, with a record of each kind.

    Examples
    --------
    >>> print(template().splitlines()[0][:44])
    record,job_id,stage_id,task_id,copy_no,start
    """
    return """\
record,job_id,stage_id,task_id,copy_no,start_s,end_s,status,host,slot,input_bytes,speculative,name,group,\
parents,tasks,submit_s,slots,value
job,nightly,,,,,30,finished,,,,,Nightly report,etl,,,0,,
stage,nightly,map,,,,16,,,,,,Read the log,,,3,0,,
stage,nightly,reduce,,,,30,,,,,,Sum,,map,1,16,,
copy,nightly,map,0,0,1,5,finished,node-1,worker-1,1000000,0,,,,,,,
copy,nightly,map,1,0,1,6,finished,node-2,worker-2,1100000,0,,,,,,,
copy,nightly,map,2,0,1,16,killed,node-2,worker-2,900000,0,,,,,,,
copy,nightly,map,2,1,9,16,finished,node-1,worker-1,900000,1,,,,,,,
copy,nightly,reduce,0,0,16,30,finished,node-1,worker-1,,0,,,,,,,
host,,,,,,,,node-1,,,,,,,,,2,
host,,,,,,,,node-2,,,,,,,,,2,
slots,,,,,0,,,,,,,,,,,,4,
setting,,,,,,,,,,,,speculation,,,,,,true
"""


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is such a table.

    Examples
    --------
    >>> recognises(b"job_id;task_id;start_s;end_s", "copies.csv"), recognises(b"PAR1", "copies.parquet")
    (True, True)
    """
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace").lower()
    return head.startswith(_PARQUET) or ("task_id" in first and "start_s" in first)


def read(members: Sequence[Member]) -> History:
    """Read tables."""
    reader = _Table()
    for member in members:
        rows = (
            _parquet_rows(member) if member.head().startswith(_PARQUET) else _csv_rows(member, reader.records)
        )
        for where, row in rows:
            try:
                reader.row(row)
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                reader.records.note("rows that cannot be read: left out", f"{where}: {error}")
        if member.truncated:
            reader.records.note("packed files cut off: read as far as they go", member.name)
    return reader.close(tuple(member.name for member in members))


def _csv_rows(member: Member, records: Records) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where each row stands and its cells by column."""

    def text() -> Iterator[str]:
        for number, line in member.lines():
            try:
                yield line.decode()
            except UnicodeDecodeError:
                records.note("lines not in UTF-8: read as Latin-1", f"{member.name}, line {number}")
                yield line.decode("latin-1")

    lines = text()
    first = next(lines, "")
    delimiter = max(",;\t|", key=first.count)
    if "\r" in first.rstrip("\r\n"):
        raise BadInput(f"{member.name}, line 1: lines end with CR; save it with LF or CR LF at their ends")
    columns = [cell.strip().lower() for cell in next(csv.reader([first], delimiter=delimiter), [])]
    for column in NEEDED:
        if column not in columns:
            raise BadInput(
                f"{member.name}, line 1: {column}: missing among the columns; give {', '.join(NEEDED)}"
            )
    if unknown := [column for column in columns if column not in SCHEMA.names]:
        records.remark(f"columns ignored: {shortened(', '.join(unknown))}")
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        where = f"{member.name}, line {reader.line_num + 2}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            records.note("rows that cannot be split into cells: left out", f"{where}: {error}")
            continue
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            if len(cells) != len(columns):
                records.note(f"rows without the {len(columns)} cells of the header: left out", where)
                continue
            yield where, dict(zip(columns, (cell.strip() for cell in cells), strict=True))


def _parquet_rows(member: Member) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each row stands and its values by column."""
    try:
        with member.packed() as stored, pq.ParquetFile(stored) as file:
            kept = [column for column in SCHEMA.names if column in file.schema_arrow.names]
            if lacking := [column for column in NEEDED if column not in kept]:
                if refusal := refusal_of(",".join(file.schema_arrow.names).encode("utf-8", "replace")):
                    raise BadInput(f"{member.name}: {refusal}")
                raise BadInput(
                    f"{member.name}: {lacking[0]}: missing among the columns; give {', '.join(NEEDED)}"
                )
            groups = [file.metadata.row_group(group) for group in range(file.num_row_groups)]
            unpacked = sum(group.total_byte_size for group in groups) + 64 * file.metadata.num_rows
            member.budget.take(unpacked, member.name)
            number = 0
            for batch in file.iter_batches(2**14, columns=kept):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{member.name}, row {number}", row
    except BadInput:
        raise
    except Exception as error:  # overflowing dates and text that is no UTF-8 have errors of their own
        raise BadInput(f"{member.name}: the Parquet file cannot be read ({reason(error)})") from None


class _Table:
    """Rows of any number of tables."""

    def __init__(self) -> None:
        self.records = Records(per_second=1)
        self.told_jobs: set[str] = set()
        self.parents: dict[int, tuple[str, list[str]]] = {}
        self.log: dict[str, str] = {}
        self.slots = 0
        self.tells_writes = self.tells_reads = False
        #: Tasks of a stage by name, where any is no number.
        self.named: dict[int, dict[str, int]] = {}

    def row(self, cells: dict[str, Any]) -> None:
        """Read one row."""
        row = {column: _value(column, cells.get(column)) for column in SCHEMA.names}
        record = row["record"] or "copy"
        self.tells_writes |= record == "stage" and cells.get("writes") is not None
        self.tells_reads |= record == "stage" and cells.get("reads") is not None
        if record not in ("job", "stage", "copy", "host", "slots", "setting", "note", "log"):
            raise ValueError(f"record: {quoted(record)} is not known")
        getattr(self, f"_{record}")(row)

    def _log(self, row: dict[str, Any]) -> None:
        if row["name"] == "origin" and not -1e16 < float(row["value"]) < 1e16:
            raise ValueError(f"origin: {quoted(row['value'])} is not accepted")
        self.log[row["name"]] = row["value"]

    def _setting(self, row: dict[str, Any]) -> None:
        self.records.settings[row["name"]] = row["value"]

    def _note(self, row: dict[str, Any]) -> None:
        self.records.remark(row["value"])

    def _host(self, row: dict[str, Any]) -> None:
        self.records.host_slots[row["host"]] = _given(row, "slots")

    def _slots(self, row: dict[str, Any]) -> None:
        number = _given(row, "slots")
        self.records.slot_changes.append((_given(row, "start_s"), number - self.slots))
        self.slots = number

    def _job(self, row: dict[str, Any]) -> None:
        name = _given(row, "job_id")
        job = self.records.jobs[self.records.job(name)]
        job.name, job.group, job.pool = row["name"], row["group"], row["pool"]
        job.submit, job.end = _time(row, "submit_s"), _time(row, "end_s")
        job.fate = _fate(row, job.end)
        self.told_jobs.add(name)

    def _stage(self, row: dict[str, Any]) -> None:
        stage = self._stage_row(row)
        told = self.records.stages[stage]
        told.name, told.tasks = row["name"], row["tasks"] or 0
        told.submit, told.end = _time(row, "submit_s"), _time(row, "end_s")
        told.writes, told.reads = row["writes"], row["reads"]
        if row["parents"]:
            self.parents[stage] = (row["job_id"], row["parents"].split(";"))

    def _stage_row(self, row: dict[str, Any]) -> int:
        job, name = row["job_id"], row["stage_id"]
        stage = self.records.stage_row((job, name), name or job)
        if job:
            self.records.stages[stage].job = self.records.job(job)
        return stage

    def _copy(self, row: dict[str, Any]) -> None:
        launch, began, end = _time(row, "start_s"), _time(row, "began_s"), _time(row, "end_s")
        fate = _fate(row, end)
        if not (row["job_id"] or row["stage_id"]):
            raise ValueError("job_id is empty")
        task = _given(row, "task_id")
        submit = _time(row, "submit_s")
        stage = self._stage_row(row)
        if isinstance(task, str):  # below 0 until all names are known
            names = self.named.setdefault(stage, {})
            task = names.setdefault(task, -1 - len(names))
        self.records.copy(
            stage,
            task,
            launch=launch,
            began=began,
            end=end,
            fate=fate,
            complete=fate == FINISHED or (fate == KILLED and bool(row["complete"])),
            host=row["host"],
            slot=row["slot"],
            locality=row["locality"],
            measured=Measured(*(_time(row, name) for name in MEASURED.values())),
            speculative=bool(row["speculative"]),
        )
        self.records.infer_speculative |= row["speculative"] is None
        if row["job_id"] and row["job_id"] not in self.told_jobs:
            job = self.records.jobs[self.records.job(row["job_id"])]
            if not job.submit <= submit and submit == submit:
                job.submit = submit

    def close(self, files: tuple[str, ...]) -> History:
        """Join stages with parents, and end jobs for which only copies are listed."""
        names: dict[str, int] = {}
        own: dict[tuple[int, str], int] = {}
        for row, stage in enumerate(self.records.stages):
            names[stage.stage] = row
            own[stage.job, stage.stage] = row
        for row, (_, parents) in self.parents.items():
            job = self.records.stages[row].job
            found = [own.get((job, parent), names.get(parent)) for parent in parents]
            self.records.note("parents that are no stage: left out", count=found.count(None))
            self.records.stages[row].parents = sorted({one for one in found if one is not None} - {row})
        if self.log.get("format") == "spark":  # of a release that did not keep them
            for stage in self.records.stages:
                stage.writes = stage.writes if self.tells_writes else UNTOLD
                stage.reads = stage.reads if self.tells_reads or stage.parents else UNTOLD
        self._number_tasks()
        self.records.censor()
        self.records.end_jobs(self.told_jobs)
        history = self.records.history(
            self.log.get("format", KEY),
            files,
            origin=float(self.log.get("origin", 0)),
            slots_from=self.log.get("slots_from", ""),
        )
        return replace(history, order_from=self.log.get("order_from", history.order_from))

    def _number_tasks(self) -> None:
        """Give tasks numbers in order of appearance in stages where any of them has a name."""
        if not self.named:
            return
        numbers: dict[int, dict[int, int]] = {stage: {} for stage in self.named}
        for copy, (stage, task) in enumerate(zip(self.records.stage, self.records.task, strict=True)):
            if stage in numbers:
                self.records.task[copy] = numbers[stage].setdefault(task, len(numbers[stage]))
        self.records.note(
            "stages whose task_id is a name: tasks numbered in order of appearance", count=len(self.named)
        )


def _value(column: str, cell: Any) -> Any:
    """Return a cell as what its column holds; None if it is empty, "" of text."""
    if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return "" if column in _TEXTS else None
    if column in _TEXTS:
        return str(cell)
    if column in _FLAGS:
        return str(cell).lower() in ("1", "true", "yes")
    if column == "task_id":
        return _task(cell)
    number = float(cell)
    if not -1e16 < number < 1e16 or (column in _NUMBERS and number < 0):
        raise ValueError(f"{column}: {quoted(cell)} is not accepted")
    if column in _COUNTS:
        if number != int(number):
            raise ValueError(f"{column}: {quoted(cell)} is not a whole number")
        return int(number)
    return number


def _task(cell: Any) -> int | str:
    """Return a whole number as it is, and anything else as a name.

    Examples
    --------
    >>> _task("7"), _task(7.0), _task("m_000007"), _task("12e3")
    (7, 7, 'm_000007', '12e3')
    """
    text = str(cell).strip()
    whole = text.removesuffix(".0")
    if whole.isascii() and whole.isdigit() and len(whole) <= 15:
        return int(whole)
    if _NUMBER.fullmatch(text) and len(whole) <= 15:
        raise ValueError(f"task_id: {quoted(text)} is neither a whole number from 0 nor a name")
    return text


def _given(row: dict[str, Any], column: str) -> Any:
    if row[column] in (None, ""):
        raise ValueError(f"{column} is empty")
    return row[column]


def _time(row: dict[str, Any], column: str) -> float:
    return NAN if row[column] is None else float(row[column])


def _fate(row: dict[str, Any], end: float) -> str:
    """Return the fate a row tells; if it tells none, whether it has an end."""
    status = row["status"].lower()
    if not status:
        return FINISHED if end == end else UNFINISHED
    if status not in _FATES:
        raise ValueError(f"status: {quoted(row['status'])} is not one of {', '.join(_FATES)}")
    return _FATES[status]
