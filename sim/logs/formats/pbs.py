"""Accounting of PBS and Torque: a line for each event of a job, ``time;kind;job;key=value ...``.

A record E ends a run and tells when it began, a record R says that a job is run again; a job with a
record S and no end still ran. The index of an array stands in the identifier: ``6[3].head``, or
``6-3.head`` of old versions of Torque. A job that used up its walltime was killed.

Reference: the chapters on accounting of the administrator's guides of PBS Professional and Torque.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.logs.formats.batch import Accounting, fate_of_exit, first_line, knows, read_each, seconds
from sim.logs.history import FAILED, KILLED, UNFINISHED, History
from sim.logs.records import NAN
from sim.logs.source import Member
from theory.quoting import quoted

KEY = "pbs"
TITLE = "accounting of PBS or Torque"
KNOWS = knows("PBS")

_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;([A-Za-z]);([^;]*);(.*)", re.DOTALL)
_JOB = re.compile(r"(\d+)(?:\[(\d*)\]|-(\d+))?(\..*)?")
_PAIR = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)=(\"[^\"]*\"|\S*)")
#: Exit statuses of a job that PBS itself stopped for its walltime: of Torque, and of PBS Professional.
_OVER_TIME = (-11, -29)


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is such accounting.

    Examples
    --------
    >>> recognises(b"12/21/2009 15:27:00;E;6.head;user=u start=1 end=2", "20091221")
    True
    """
    return _LINE.match(first_line(head)) is not None


def read(members: Sequence[Member]) -> History:
    """Read the accounting of any number of days."""
    reader = _Events()
    read_each(members, reader.accounting.records, reader.row)
    return reader.close(tuple(member.name for member in members))


class _Events:
    """Runs of jobs."""

    def __init__(self) -> None:
        self.accounting = Accounting()
        #: Runs that have begun and not ended, by job and index: their pairs, and where they stand.
        self.begun: dict[tuple[str, int], tuple[dict[str, str], str]] = {}

    def row(self, text: str, where: str) -> None:
        """Read one event."""
        match = _LINE.fullmatch(text)
        if match is None:
            raise ValueError("it is not time;kind;job;key=value")
        kind, identifier, rest = match.groups()
        if kind not in "SER":
            self.accounting.records.note("records of other events than S, E and R: passed over", where)
            return
        job, index = _task(identifier)
        if index is None:
            self.accounting.records.note("records of a whole array: passed over")
            return
        pairs = {name: value.strip('"') for name, value in _PAIR.findall(rest)}
        if kind == "S":
            self.begun[job, index] = pairs, where
            return
        begun, _ = self.begun.pop((job, index), ({}, ""))
        pairs = begun | pairs
        end = seconds(pairs.get("end", ""), "end")
        self._run(job, index, pairs, end, _fate(pairs) if kind == "E" else KILLED, where)

    def _run(self, job: str, index: int, pairs: dict[str, str], end: float, fate: str, where: str) -> None:
        launch = seconds(pairs.get("start", ""), "start")
        if launch != launch or (end != end and fate != UNFINISHED):
            self.accounting.records.note("records without start= and end=: left out", where)
            return
        submit, queued = (seconds(pairs.get(name, ""), name) for name in ("ctime", "qtime"))
        eligible = seconds(pairs.get("etime", ""), "etime")
        self.accounting.run(
            job,
            index,
            where,
            launch=launch,
            end=end,
            fate=fate,
            submit=submit if submit == submit else queued,
            eligible=eligible if eligible == eligible else queued,
            name=pairs.get("jobname", ""),
            group=pairs.get("account") or pairs.get("user", ""),
            pool=pairs.get("queue", ""),
            host=_hosts(pairs.get("exec_host", "")),
        )

    def close(self, files: tuple[str, ...]) -> History:
        """Add what still runs."""
        records = self.accounting.records
        for (job, index), (pairs, where) in self.begun.items():
            self._run(job, index, pairs, NAN, UNFINISHED, where)
        records.reopen()
        records.censor()
        return records.history(KEY, files)


def _task(identifier: str) -> tuple[str, int | None]:
    """Return the job of an identifier and the index of the task; None for the whole of an array.

    Examples
    --------
    >>> _task("6.head"), _task("6[3].head"), _task("6-3.head"), _task("6[].head")
    (('6', 0), ('6', 3), ('6', 3), ('6', None))
    """
    match = _JOB.fullmatch(identifier)
    if match is None:
        raise ValueError(f"{quoted(identifier)} is no identifier of a job")
    job, index, old, _ = match.groups()
    return job, None if index == "" else int(index or old or 0)


def _fate(pairs: dict[str, str]) -> str:
    """Return how a run ended: by its exit status, or by its limit of time if it used all of it."""
    status = int(pairs.get("Exit_status", "0"))
    limit, used = (_clock(pairs.get(f"{what}.walltime", "")) for what in ("Resource_List", "resources_used"))
    if status in _OVER_TIME or (status != 0 and used >= limit):
        return KILLED
    return fate_of_exit(status) if status >= 0 else FAILED


def _clock(text: str) -> float:
    """Return seconds of a limit; NaN if it is none.

    Examples
    --------
    >>> _clock("01:00:30"), _clock("90")
    (3630.0, 90.0)
    """
    parts = text.split(":")
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        return NAN
    return float(sum(int(part) * 60**power for power, part in enumerate(reversed(parts))))


def _hosts(text: str) -> str:
    """Return the host of ``n1/0*4``, or all of several.

    Examples
    --------
    >>> _hosts("n1/0+n1/1"), _hosts("n1/0*2+n2/0*2")
    ('n1', 'n1+n2')
    """
    return "+".join(dict.fromkeys(one.partition("/")[0] for one in text.split("+")))
