"""The Standard Workload Format as a history: jobs with their times and processors, and no copies.

Reference: `sim.logs.swf`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.logs import swf
from sim.logs.formats.batch import first_line, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import ALONE, NO, SOME, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import Member

KEY = "swf"
TITLE = "Standard Workload Format"
KNOWS = Knows(
    system="a batch system",
    order=ALONE,
    submission=YES,
    launch=NO,
    start=NO,
    read=NO,
    written=NO,
    hosts=NO,
    slots=SOME,
    copies=NO,
    again=NO,
)

_FATES = {1: FINISHED, 0: FAILED, 5: KILLED}
_SAID = re.compile(r";\s*(UnixStartTime|MaxProcs):\s*(\d{1,12})\s*")


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is such a workload.

    Examples
    --------
    >>> recognises(b"; Version: 2.2", "cluster.swf")
    True
    """
    return swf.recognises(first_line(head))


def read(members: Sequence[Member]) -> History:
    """Read workloads; the first that says when it begins and how many processors there are is believed."""
    records = Records(per_second=1)
    said: dict[str, int] = {}

    def row(text: str, where: str) -> None:
        if text.startswith(";"):
            if match := _SAID.match(text):
                said.setdefault(match[1], int(match[2]))
        elif reason := swf.lack(one := swf.job(text)):
            records.note(reason, where)
        elif records.knows_job(one.name):
            records.note("jobs told twice: counted once", where)
        else:
            _job(records, one)

    read_each(members, records, row)
    records.note(swf.AS_TASKS, count=len(records.jobs))
    if said.get("MaxProcs"):
        records.slot_changes.append((0.0, said["MaxProcs"]))
    origin = float(said.get("UnixStartTime", 0))
    return records.history(KEY, tuple(member.name for member in members), origin=origin)


def _job(records: Records, one: swf.Job) -> None:
    if max(one.submit, one.wait, one.run) >= 1e16:
        raise ValueError("a time is too large")
    told = records.jobs[row := records.job(one.name)]
    told.group, told.pool = one.user, one.queue
    stage = records.stages[records.stage_row(one.name)]
    stage.job, stage.tasks = row, one.processors
    told.submit = stage.submit = one.submit
    told.end = stage.end = one.submit + one.wait + one.run if one.wait >= 0 else NAN
    told.fate = _FATES.get(one.status, FINISHED if told.end == told.end else UNFINISHED)
