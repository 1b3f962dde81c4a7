"""Workload files, SWIM and the CSV of jobs, as histories without copies: arrivals and tasks are known."""

from __future__ import annotations

from collections.abc import Sequence

from sim.logs import csv_jobs, swim
from sim.logs.history import History
from sim.logs.jobs_file import text_of, trace_of
from sim.logs.knows import ALONE, NO, UNKNOWN, YES, Knows
from sim.logs.records import Records
from sim.logs.source import Member
from sim.logs.workload_table import first_row
from sim.model.fields import BadInput

KEY = "workload"
TITLE = "SWIM file or CSV of jobs"
KNOWS = Knows(
    system="the system of this file",
    order=ALONE,
    submission=YES,
    launch=NO,
    start=NO,
    read=NO,
    written=NO,
    hosts=NO,
    slots=NO,
    copies=UNKNOWN,
    again=UNKNOWN,
)


def recognises(head: bytes, name: str) -> bool:
    r"""Say whether a file that begins like this is a workload file.

    Examples
    --------
    >>> recognises(b"job_id,submit,tasks\na,0,3\n", "jobs.csv")
    True
    """
    text = head.decode("utf-8", "replace")
    if not text.strip():
        return False
    row = first_row(text)[1]
    return csv_jobs.recognises(row) or swim.recognises(row)


def read(members: Sequence[Member]) -> History:
    """Read the jobs of one or several files."""
    records = Records(per_second=1)
    for number, member in enumerate(members):
        with member.open() as stream:
            text = text_of(stream.read(), member.name)
        if (trace := trace_of(text, member.name, "")) is None:
            raise BadInput(f"{member.name}: it has no jobs; give a CSV of jobs or SWIM rows")
        prefix = f"{number + 1}/" if len(members) > 1 else ""
        for name, arrival, tasks in zip(trace.names, trace.arrival, trace.tasks, strict=True):
            row = records.job(f"{prefix}{name}")
            stage = records.stages[records.stage_row(f"{prefix}{name}")]
            records.jobs[row].submit = stage.submit = float(arrival)
            stage.job, stage.tasks = row, int(tasks)
        for note in trace.notes:
            records.remark(note)
    records.note("jobs without copies: the file tells arrivals and tasks only", count=len(records.jobs))
    return records.history(KEY, tuple(member.name for member in members), origin=0.0)
