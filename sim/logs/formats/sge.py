"""Accounting of Grid Engine (SGE, UGE, Son of Grid Engine): a line for each run, cells between colons.

It is the file ``$SGE_ROOT/default/common/accounting``. A job with task numbers is an array. Rows of
the parts of a parallel job repeat it and are passed over. Newer versions of Univa write milliseconds.

Reference: the manual page accounting(5) of Grid Engine.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.logs.formats.batch import Accounting, fate_of_exit, first_line, knows, read_each, seconds
from sim.logs.history import FAILED, KILLED, History
from sim.logs.source import Member

KEY = "sge"
TITLE = "accounting of Grid Engine"
KNOWS = knows("Grid Engine")

#: Cells that every version has, and the places of those that are read.
_LEAST = 42
_QUEUE, _HOST, _OWNER, _NAME, _JOB, _SUBMIT, _START, _END, _FAILED, _EXIT = 0, 1, 3, 4, 5, 8, 9, 10, 11, 12
_TASK, _PART = 35, 41
#: From such a time on it is in milliseconds: as seconds it would be the year 5138.
_MILLISECONDS = 1e11
#: Numbers of `failed`: the job went to another host, or its limit of time was enforced.
_MOVED, _LIMIT, _SIGNAL = (24, 25), 37, 100


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is such accounting.

    Examples
    --------
    >>> line = b"all.q:n1:g:ann:sim.sh:7:sge:0:100:110:170:0:0:60" + b":0" * 17
    >>> recognises(line + b":NONE:dep:NONE:1:3:1.5:0:0:-U:0:NONE:0:0:0", "accounting")
    True
    """
    cells = first_line(head, (b"#",)).split(":")
    return len(cells) >= _LEAST and all(cells[place].isdecimal() for place in (_JOB, _SUBMIT, _START, _END))


def read(members: Sequence[Member]) -> History:
    """Read accounting files."""
    accounting = Accounting()

    def row(text: str, where: str) -> None:
        if not text.startswith("#"):
            _run(accounting, text.split(":"), where)

    read_each(members, accounting.records, row)
    return accounting.records.history(KEY, tuple(member.name for member in members))


def _run(accounting: Accounting, cells: list[str], where: str) -> None:
    if len(cells) < _LEAST:
        raise ValueError(f"{len(cells)} cells; accounting has at least {_LEAST}")
    if cells[_PART] not in ("NONE", "none", ""):
        accounting.records.note("rows of parts of parallel jobs: passed over")
        return
    submit, launch, end = (_time(cells[place]) for place in (_SUBMIT, _START, _END))
    if launch != launch or end != end:
        accounting.records.note("jobs that never started: left out", where)
        return
    accounting.run(
        str(int(cells[_JOB])),
        0 if cells[_TASK] in ("undefined", "") else int(cells[_TASK]),
        where,
        launch=launch,
        end=end,
        fate=_fate(int(cells[_FAILED].split(" ")[0]), int(cells[_EXIT])),
        submit=submit,
        name=cells[_NAME],
        group=cells[_OWNER],
        pool=cells[_QUEUE],
        host=cells[_HOST],
    )


def _fate(failed: int, status: int) -> str:
    """Return how a run ended.

    Examples
    --------
    >>> _fate(0, 0), _fate(0, 1), _fate(100, 137), _fate(100, 139), _fate(37, 0)
    ('finished', 'failed', 'killed', 'failed', 'killed')
    """
    if failed in (*_MOVED, _LIMIT):
        return KILLED
    return fate_of_exit(status) if failed == 0 or (failed == _SIGNAL and status) else FAILED


def _time(cell: str) -> float:
    time = seconds(cell, "time")
    return time / 1000 if time >= _MILLISECONDS else time
