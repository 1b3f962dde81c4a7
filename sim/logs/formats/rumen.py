"""Job traces of Rumen (Apache Hadoop): one JSON object per job, with its tasks and their attempts inside.

A missing time or size is -1. Rumen does not tell which attempts were speculative: an attempt launched
while another of its task ran is taken as such.

Reference: ``org.apache.hadoop.tools.rumen``, LoggedJob, LoggedTask, LoggedTaskAttempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sim.logs.formats.json_items import items, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import NO, SOME, YES, Knows
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member

KEY = "rumen"
TITLE = "Rumen trace"
KNOWS = Knows(
    system="MapReduce",
    order=YES,
    submission=SOME,
    launch=YES,
    start=SOME,
    read=SOME,
    written=SOME,
    hosts=SOME,
    slots=NO,
    copies=YES,
    how="mapreduce.map.speculative, mapreduce.reduce.speculative",
    again=YES,
)

_FATES = {"SUCCESS": FINISHED, "SUCCEEDED": FINISHED, "KILLED": KILLED, "FAILED": FAILED}


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is a Rumen trace.

    Examples
    --------
    >>> recognises(b'{"priority" : "NORMAL", "jobID" : "job_1_1", "mapTasks" : [ {', "job-trace.json")
    True
    """
    return head.lstrip()[:1] in (b"{", b"[") and b'"jobID"' in head and b'"SparkListener' not in head


def read(members: Sequence[Member]) -> History:
    """Read job traces."""
    records = Records(per_second=1000)
    records.infer_speculative = True
    unreadable = "jobs that cannot be read: left out"
    read_each(members, items, partial(_job, records), records, unreadable)
    records.censor()
    return records.history(KEY, tuple(member.name for member in members))


def _job(records: Records, job: dict[str, Any], where: str) -> None:
    """Read one job; nothing is recorded of one that cannot be read."""
    key = str(job["jobID"])
    phases = [(kind, [_task(task) for task in job.get(f"{kind}Tasks") or ()]) for kind in ("map", "reduce")]
    if records.knows_job(key):
        records.note("jobs told twice: counted once", where)
        return
    row = records.job(key)
    one = records.jobs[row]
    one.name, one.group = str(job.get("jobName") or ""), str(job.get("user") or "")
    one.pool = str(job.get("queue") or "")
    one.submit, one.end = _time(job.get("submitTime")), _time(job.get("finishTime"))
    one.fate = _FATES.get(str(job.get("outcome")), UNFINISHED)
    before = None
    for kind, tasks in phases:
        if not tasks:
            continue
        stage = records.stage_row((key, kind), f"{key}/{kind}")
        told = records.stages[stage]
        told.job, told.name, told.tasks = row, kind, len(tasks)
        told.parents = [] if before is None else [before]
        told.submit = _time(job.get("launchTime")) if before is None else NAN
        for index, attempts in enumerate(tasks):
            for attempt in attempts:
                records.copy(stage, index, **attempt)
        before = stage


def _task(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is recorded of each attempt of a task."""
    attempts = []
    for attempt in task.get("attempts") or ():
        launch, end = _time(attempt.get("startTime")), _time(attempt.get("finishTime"))
        fate = _FATES.get(str(attempt.get("result")), UNFINISHED)
        host = attempt.get("hostName")
        if isinstance(host, dict):  # newer traces split it into rack and node
            host = host.get("hostName")
        attempts.append(
            {
                "launch": launch,
                "began": _time(attempt.get("sortFinished")),
                "end": end,
                "fate": fate,
                "host": str(host or "").rpartition("/")[2],
                "measured": Measured(_time(task.get("inputBytes")), _time(task.get("inputRecords"))),
            }
        )
    return attempts


def _time(value: Any) -> float:
    """Return a time or size; NaN if it is missing, which Rumen writes as -1."""
    number = NAN if value is None else float(value)
    return number if 0 <= number < 1e16 else NAN
