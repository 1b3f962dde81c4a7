"""Accounting of Slurm: ``sacct -P`` with a header, under any delimiter, or ``sacct --json``.

An array is a job of one stage, its indices are the tasks; a job that is no array has one task. Rows of
job steps (``.batch``, ``.extern``, ``.0``) repeat their job and are passed over. Times are local and
without a zone, or seconds since 1970, so that the end is the start plus the elapsed time where both are
given. A job cut off by its time limit, cancelled, preempted or requeued is censored, as one that still runs.

Reference: the manual page of sacct.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sim.logs.foreign import SACCT
from sim.logs.formats.batch import ERRORS, Accounting, knows, texts
from sim.logs.formats.json_items import items
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.records import NAN
from sim.logs.source import Member
from sim.model.fields import BadInput
from theory.quoting import quoted

# Jobs as ``sacct --json`` writes them, as the rows of ``sacct -P``.
#
# Versions of Slurm differ: a number may be bare, or an object that says whether it is set; a state may be a
# word or a list of words. Both are accepted.
#
# Reference: the schema ``dbv0.0.36`` and later of the REST API of Slurm, ``job``.

#: What a file that begins so has, the second in versions that write the jobs before the rest.
_MARKS = ((b'"meta"', b'"plugin"', b"openapi"), (b'"meta"', b'"plugin"', b"data_parser"))
_OF_A_JOB = (b'"jobs"', b'"association"', b'"derived_exit_code"')


def recognises_json(head: bytes) -> bool:
    """Say whether a file that begins like this is the output of ``sacct --json``."""
    begins = head.lstrip()[:1] == b"{" and b'"job_state"' not in head
    return begins and any(all(mark in head for mark in marks) for marks in (*_MARKS, _OF_A_JOB))


def json_row(job: dict[str, Any]) -> dict[str, str]:
    """Return a job as a row of ``sacct -P``.

    Examples
    --------
    >>> job = {"job_id": 8, "array": {"job_id": 7, "task_id": {"set": True, "number": 1}}}
    >>> job |= {"state": {"current": ["COMPLETED"]}, "time": {"start": 9, "end": 12}}
    >>> found = json_row(job)
    >>> found["JobID"], found["State"], found["Start"], found["NodeList"]
    ('7_1', 'COMPLETED', '9', '')
    """
    if not isinstance(job.get("time"), dict) or "state" not in job:
        raise ValueError("time and state are not both there; give the answer of sacct --json as it is")
    time, association = job["time"], job.get("association") or {}
    state = job["state"]
    words = state.get("current") if isinstance(state, dict) else state
    told = {
        "JobID": _name(job),
        "State": words[0] if isinstance(words, list) and words else words,
        "Submit": _number(time.get("submission")),
        "Eligible": _number(time.get("eligible")),
        "Start": _number(time.get("start")),
        "End": _number(time.get("end")),
        "ElapsedRaw": _number(time.get("elapsed")),
        "NodeList": job.get("nodes"),
        "JobName": job.get("name"),
        "Account": job.get("account"),
        "User": job.get("user") or association.get("user"),
        "Partition": job.get("partition"),
    }
    return {column: "" if value in (None, [], {}) else str(value) for column, value in told.items()}


def _name(job: dict[str, Any]) -> str:
    """Return the identifier of a job as sacct prints it: with an index, or a place in a het job."""
    array, het = job.get("array") or {}, job.get("het") or {}
    of_array, index = _number(array.get("job_id")), _number(array.get("task_id"))
    if of_array and index is not None:
        return f"{of_array}_{index}"
    if of_array and array.get("task"):
        return f"{of_array}_[{array['task']}]"
    if (of_het := _number(het.get("job_id"))) and (place := _number(het.get("job_offset"))) is not None:
        return f"{of_het}+{place}"
    return str(_number(job["job_id"]))


def _number(value: Any) -> int | None:
    """Return a number, which may stand in an object; None if it is not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    return None if value is None else int(value)


KEY = "slurm"
TITLE = "Slurm accounting (sacct -P, sacct --json)"
KNOWS = knows("Slurm")

_FATES = {
    "COMPLETED": FINISHED,
    "TIMEOUT": KILLED,
    "CANCELLED": KILLED,
    "PREEMPTED": KILLED,
    "REQUEUED": KILLED,
    "DEADLINE": KILLED,
    "RUNNING": UNFINISHED,
    "SUSPENDED": UNFINISHED,
    "COMPLETING": UNFINISHED,
    "RESIZING": UNFINISHED,
    "STOPPED": UNFINISHED,
    "SIGNALING": UNFINISHED,
    "STAGE_OUT": UNFINISHED,
}
#: Columns of which one at least stands beside JobID; that State and Start do is asked of the reader.
_COLUMNS = {"State", "Submit", "Start", "End", "Elapsed", "ElapsedRaw", "NodeList", "ExitCode", "JobName"}
_WAITING = ("PENDING", "REQUEUE_HOLD", "SPECIAL_EXIT")
_ELAPSED = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?")
_DAYS = re.compile(r"(\d+)-(\d+)(?::(\d+))?")


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is the output of sacct.

    Examples
    --------
    >>> recognises(b"JobID|State|Start|End|", "jobs.txt")
    True
    """
    columns = set(re.split(r"[^A-Za-z]+", head.split(b"\n", 1)[0].decode("ascii", "replace")))
    named = columns & {"JobID", "JobIDRaw"} and columns & _COLUMNS
    return bool(named) or recognises_json(head)


def read(members: Sequence[Member]) -> History:
    """Read accounting tables."""
    reader = _Table()
    for member in members:
        if recognises_json(member.head()):
            reader.read_json(member)
        else:
            reader.read(member)
    records = reader.accounting.records
    records.reopen()
    records.censor()
    return records.history(KEY, tuple(member.name for member in members))


class _Table:
    """Rows of any number of tables."""

    def __init__(self) -> None:
        self.accounting = Accounting()
        self.records = self.accounting.records

    def read(self, member: Member) -> None:
        """Read one file, whose first line is the header."""
        columns: list[str] = []
        delimiter = "|"
        for where, line in texts(member, self.records):
            if not columns:
                columns, delimiter = _header(line, where)
                continue
            cells = line.split(delimiter)
            if len(cells) != len(columns):
                self.records.note(f"rows without the {len(columns)} cells of the header: left out", where)
                continue
            try:
                self._row(dict(zip(columns, (cell.strip() for cell in cells), strict=True)), where)
            except (ValueError, OverflowError) as error:
                self.records.note("rows that cannot be read: left out", f"{where}: {error}")

    def read_json(self, member: Member) -> None:
        """Read the jobs of one answer of ``sacct --json``."""
        for line, job in items(member, "jobs"):
            where = f"{member.name}, line {line}"
            try:
                self._row(json_row(job), where)
            except ERRORS as error:
                self.records.note("jobs that cannot be read: left out", f"{where}: {error}")
        if member.truncated:
            self.records.note("files cut off: read as far as they go", member.name)

    def _row(self, row: dict[str, str], where: str) -> None:
        job, index = _task(row["JobID"])
        state = row["State"].split(" ")[0].rstrip("+")  # "CANCELLED by 1000", "CANCELLED+"
        if "." in row["JobID"]:
            self.records.note("rows of job steps: passed over")
            return
        if state in _WAITING or index is None or row["Start"] in ("Unknown", "None", "", "0"):
            self.records.note("jobs that never started: left out", where)
            return
        launch = _time(row["Start"])
        self.accounting.run(
            job,
            index,
            where,
            launch=launch,
            end=self._end(row, launch, where),
            fate=_FATES.get(state, FAILED),
            submit=_time(row.get("Submit", "")),
            eligible=_time(row.get("Eligible", "")),
            name=row.get("JobName", ""),
            group=row.get("Account") or row.get("User") or row.get("Group", ""),
            pool=row.get("Partition", ""),
            host=_host(row.get("NodeList", "")),
        )

    def _end(self, row: dict[str, str], launch: float, where: str) -> float:
        """Return when a job ended, or when the table was written if it still ran."""
        elapsed = _elapsed(row.get("ElapsedRaw") or row.get("Elapsed") or "")
        end = _time(row.get("End", ""))
        if elapsed == elapsed:
            if abs(launch + elapsed - end) > 1:
                self.records.note(
                    "rows whose end is not start + elapsed (clock change?): elapsed is used", where
                )
            return launch + elapsed
        return end


def _header(line: str, where: str) -> tuple[list[str], str]:
    """Return the names of the columns and the delimiter, which may have several characters."""
    first = re.match(r"\s*[A-Za-z]+([^A-Za-z0-9]+)[A-Za-z]", line)
    delimiter = first[1] if first else "|"
    columns = [column.strip() for column in line.split(delimiter)]
    for column in ("JobID", "State", "Start"):
        if column not in columns:
            raise BadInput(f"{where}: {column}: missing among the columns; give {SACCT}")
    if not {"End", "ElapsedRaw", "Elapsed"} & set(columns):
        raise BadInput(f"{where}: End: missing among the columns, and so is ElapsedRaw; give {SACCT}")
    return columns, delimiter


def _task(identifier: str) -> tuple[str, int | None]:
    """Return the job of an identifier and the index of the task; None for a range that waits.

    Examples
    --------
    >>> _task("1393_236"), _task("1394"), _task("1395+1"), _task("1396_[7-9%2]")
    (('1393', 236), ('1394', 0), ('1395', 1), ('1396', None))
    """
    job, _, index = identifier.partition(".")[0].replace("+", "_").partition("_")
    if not job:
        raise ValueError("JobID is empty")
    if index.startswith("["):
        return job, None
    return job, int(index or 0)


def _time(text: str) -> float:
    """Return a local time in seconds; NaN if it is not known. It may be in seconds since 1970 (%s).

    Examples
    --------
    >>> _time("1970-01-02T00:00:01"), _time("1704067201")
    (86401.0, 1704067201.0)
    """
    if text in ("", "Unknown", "None", "0"):
        return NAN
    if re.fullmatch(r"\d{9,11}", text):
        return float(text)
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise ValueError(f"{quoted(text)} is not a time; run sacct with SLURM_TIME_FORMAT=standard") from None


def _elapsed(text: str) -> float:
    """Return seconds, from seconds, [D-]HH:MM:SS, or D-HH:MM and D-HH as limits of time have it.

    Examples
    --------
    >>> _elapsed("75"), _elapsed("1-00:01:15"), _elapsed("01:15"), _elapsed("2-03:04")
    (75.0, 86475.0, 75.0, 183840.0)
    """
    if not text:
        return NAN
    if text.isdigit():
        return float(text)
    if match := _DAYS.fullmatch(text):
        days, hours, minutes = (int(part or 0) for part in match.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60)
    if (match := _ELAPSED.fullmatch(text)) is None:
        raise ValueError(f"Elapsed: {quoted(text)} is not [D-]HH:MM:SS")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _host(nodes: str) -> str:
    """Return the node; nothing where there was none."""
    return "" if nodes.startswith("None") else nodes
