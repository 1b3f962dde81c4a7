"""Accounting of LSF, ``lsb.acct``: a record JOB_FINISH for each run, cells between blanks, text in quotes.

A job with an index is a task of an array. LSF says with a number why it ended a job: for
its limit of time, or by request; such a run was killed.

Reference: the pages lsb.acct(5) of Platform LSF 6 to IBM Spectrum LSF 10.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.logs.formats.batch import Accounting, first_line, knows, read_each, seconds
from sim.logs.history import FAILED, FINISHED, KILLED, History
from sim.logs.source import Member
from theory.quoting import quoted

KEY = "lsf"
TITLE = "accounting of LSF (lsb.acct)"
KNOWS = knows("LSF")

#: Possessive: a quotation without an end is not tried again from every place in it.
_CELL = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"|(\S+)')
_KIND = "JOB_FINISH"
_BEGIN = re.compile(r'"(JOB_FINISH|JOB_RESIZE|EVENT_ADRSV_FINISH)" "\d+(\.\d+)?" \d+ ')
_JOB, _SUBMIT, _START, _USER, _QUEUE, _ASKED = 3, 7, 10, 11, 12, 22
#: Places from the status on: the name, the index in an array, the reason of the end.
_NAME, _INDEX, _REASON = 2, 29, 38
_DONE, _EXITED = 64, 32
#: Reasons for which LSF or a user ends a job that did nothing wrong: preemption, windows, load, limit of
#: run time, deadline, and what owners and administrators ask for.
_STOPPED = frozenset({1, 2, 3, 5, 6, 8, 9, 10, 11, 13, 14, 15})


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is lsb.acct.

    Examples
    --------
    >>> recognises(b'"JOB_FINISH" "10.1" 1527327585 7610 1000', "lsb.acct")
    True
    """
    return _BEGIN.match(first_line(head, (b"#",))) is not None


def read(members: Sequence[Member]) -> History:
    """Read accounting files."""
    accounting = Accounting()

    def row(text: str, where: str) -> None:
        cells = [quote.replace('""', '"') or bare for quote, bare in _CELL.findall(text)]
        if cells[0] == _KIND:
            _run(accounting, cells, where)
        elif not text.startswith("#"):
            accounting.records.note("records of other kinds: passed over")

    read_each(members, accounting.records, row)
    return accounting.records.history(KEY, tuple(member.name for member in members))


def _run(accounting: Accounting, cells: list[str], where: str) -> None:
    """Read one run; lists of hosts have their length before them."""
    ran_on = _ASKED + 1 + int(cells[_ASKED])
    status = ran_on + 1 + int(cells[ran_on])
    if len(cells) <= status + _INDEX:
        raise ValueError(f"{len(cells)} cells; the record is cut off")
    if int(cells[status]) not in (_DONE, _EXITED):
        raise ValueError(f"status {quoted(cells[status])} is neither {_DONE} nor {_EXITED}")
    launch, end = seconds(cells[_START], "startTime"), seconds(cells[2], "event time")
    if launch != launch:
        accounting.records.note("jobs that never started: left out", where)
        return
    hosts = dict.fromkeys(host.rpartition("*")[2] for host in cells[ran_on + 1 : status])
    reason = int(cells[status + _REASON]) if len(cells) > status + _REASON else 0
    stopped = KILLED if reason in _STOPPED else FAILED
    accounting.run(
        str(int(cells[_JOB])),
        int(cells[status + _INDEX]),
        where,
        launch=launch,
        end=end,
        fate=FINISHED if int(cells[status]) == _DONE else stopped,
        submit=seconds(cells[_SUBMIT], "submitTime"),
        name=re.sub(r"\[[^\]]*\]$", "", cells[status + _NAME]),
        group=cells[_USER],
        pool=cells[_QUEUE],
        host="+".join(hosts),
    )
