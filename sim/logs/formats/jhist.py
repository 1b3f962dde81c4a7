"""MapReduce job history, ``*.jhist``: Avro events as JSON, one per line, below their schema.

Maps and reduces are two stages of a job. A reduce holds its slot while it waits for maps; its own work
begins when its input is sorted. Fields of unions are written as ``{"string": value}`` or as the value.

Reference: ``org.apache.hadoop.mapreduce.jobhistory`` of Apache Hadoop 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from sim.logs.history import FAILED, FINISHED, KILLED, History
from sim.logs.knows import NO, SOME, YES, Knows
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member
from sim.model.fields import BadInput

KEY = "jhist"
TITLE = "MapReduce job history"
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

_PACKAGE = b"org.apache.hadoop.mapreduce.jobhistory"


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is a job history.

    Examples
    --------
    >>> recognises(b"Avro-Json", "job.jhist")
    True
    """
    return head.startswith((b"Avro-Json", b"Avro-Binary")) or _PACKAGE in head


def read(members: Sequence[Member]) -> History:
    """Read job histories, a job a file or several."""
    reader = _Jobs(Records(per_second=1000))
    for member in members:
        for number, line in member.lines():
            if number == 1 and line.startswith(b"Avro-Binary"):
                raise BadInput(
                    f"{member.name}, line 1: binary Avro; set mapreduce.jobhistory.jhist.format to json"
                )
            reader.line(line, f"{member.name}, line {number}")
        if member.truncated:
            reader.records.note("packed files cut off: read as far as they go", member.name)
    reader.close()
    return reader.records.history(KEY, tuple(member.name for member in members))


class _Jobs:
    """Events of any number of jobs."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.copies: dict[str, int] = {}
        self.ended: set[str] = set()
        self.totals: dict[str, dict[str, int]] = {}
        self.handlers = {
            "JOB_SUBMITTED": self.submitted,
            "JOB_INITED": self.initialised,
            "JOB_FINISHED": self.finished,
            "JOB_FAILED": self.unsuccessful,
            "JOB_KILLED": self.unsuccessful,
            "JOB_ERROR": self.unsuccessful,
        } | {
            f"{kind}_ATTEMPT_{what}": handler
            for kind in ("MAP", "REDUCE")
            for what, handler in (
                ("STARTED", self.started),
                ("FINISHED", self.ends),
                ("KILLED", self.ends),
                ("FAILED", self.ends),
            )
        }

    def line(self, line: bytes, where: str) -> None:
        """Read one line."""
        begin = line.find(b'"type":"', 0, 100) + 8
        if begin < 8 or line.startswith((b"Avro", b'{"type":"record"')):
            if line.strip() and not line.startswith((b"Avro", b'{"type":"record"')):
                self.records.note("lines that are no event: left out", where)
            return
        handler = self.handlers.get(line[begin : line.find(b'"', begin)].decode("ascii", "replace"))
        if handler is None:
            return
        try:
            event = orjson.loads(line)
            (fields,) = event["event"].values()
            handler({name: _plain(value) for name, value in fields.items()})
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            what = "lines that are no event: left out" if line.endswith(b"\n") else "the last line is cut off"
            self.records.note(what, f"{where}: {str(error).partition(':')[0]}")

    def submitted(self, event: dict[str, Any]) -> None:
        job = self.records.jobs[self.records.job(str(event["jobid"]))]
        job.submit = _time(event["submitTime"])
        job.name = str(event.get("jobName") or "")
        job.group = str(event.get("userName") or "")
        job.pool = str(event.get("jobQueueName") or "")

    def initialised(self, event: dict[str, Any]) -> None:
        job = str(event["jobid"])
        for kind, total in (("m", event["totalMaps"]), ("r", event["totalReduces"])):
            if int(total) > 0:
                stage = self.records.stages[self._stage(job, kind)]
                stage.tasks = int(total)
                if kind == "m":
                    stage.submit = _time(event["launchTime"])

    def finished(self, event: dict[str, Any]) -> None:
        self._end_job(event, FINISHED)

    def unsuccessful(self, event: dict[str, Any]) -> None:
        self._end_job(event, KILLED if event.get("jobStatus") == "KILLED" else FAILED)

    def _end_job(self, event: dict[str, Any], fate: str) -> None:
        job = self.records.jobs[self.records.job(str(event["jobid"]))]
        job.end, job.fate = _time(event["finishTime"]), fate

    def started(self, event: dict[str, Any]) -> None:
        key, launch = str(event["attemptId"]), _time(event["startTime"])
        if key in self.copies:
            if key in self.ended:
                self.records.launch[self.copies[key]] = launch
            else:
                self.records.note("copies launched twice: counted once", key)
            return
        row = self._copy(event, key, launch)
        self.records.speculative[row] = event.get("avataar") == "SPECULATIVE"

    def ends(self, event: dict[str, Any]) -> None:
        key = str(event["attemptId"])
        end = _time(event["finishTime"])
        status = str(event.get("taskStatus") or event.get("status"))
        fate = {"SUCCEEDED": FINISHED, "KILLED": KILLED}.get(status, FAILED)
        if key in self.ended:
            self.records.note("copies ended twice: counted once", key)
            return
        row = self.copies[key] if key in self.copies else self._copy(event, key, NAN)
        self.ended.add(key)
        self.records.finish(row, end, fate)
        self.records.place(row, event.get("hostname"), "")
        if (ready := _time(event.get("sortFinishTime"))) == ready:
            self.records.began[row] = ready
        self.records.measure(row, _measured(event.get("counters")))

    def _copy(self, event: dict[str, Any], key: str, launch: float) -> int:
        _, cluster, job, kind, task, _ = key.split("_")
        stage = self._stage(f"job_{cluster}_{job}", kind)
        row = self.records.copy(
            stage, int(task), launch=launch, host=event.get("trackerName"), locality=event.get("locality")
        )
        self.copies[key] = row
        return row

    def _stage(self, job: str, kind: str) -> int:
        row = self.records.stage_row((job, kind), f"{job}/{'map' if kind == 'm' else 'reduce'}")
        stage = self.records.stages[row]
        stage.job, stage.name = self.records.job(job), "map" if kind == "m" else "reduce"
        return row

    def close(self) -> None:
        """Make reduces wait for maps, and censor what never ended."""
        stages = {stage.stage: row for row, stage in enumerate(self.records.stages)}
        for name, row in stages.items():
            before = stages.get(name.removesuffix("reduce") + "map")
            if name.endswith("/reduce") and before is not None:
                self.records.stages[row].parents = [before]
        self.records.censor()


def _plain(value: Any) -> Any:
    """Return the value of a union, which may be written with its type."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inner),) = value.items()
        if kind in ("string", "int", "long", "boolean"):
            return inner
    return value


def _measured(counters: Any) -> Measured:
    """Return what the counters of an attempt say; bytes are not those of local files, its own spills."""
    groups = counters.get("groups", []) if isinstance(counters, dict) else []
    counts = {str(one["name"]): float(one["value"]) for group in groups for one in group["counts"]}
    read = [name for name in counts if name.endswith("_BYTES_READ") and not name.startswith("FILE_")]
    written = [name for name in counts if name.endswith("_BYTES_WRITTEN") and not name.startswith("FILE_")]
    return Measured(
        _sum(counts, *read, "REDUCE_SHUFFLE_BYTES"),
        _sum(counts, "MAP_INPUT_RECORDS", "REDUCE_INPUT_RECORDS"),
        _sum(counts, "GC_TIME_MILLIS") / 1000,
        written=_sum(counts, *written, "MAP_OUTPUT_BYTES"),
        records_written=_sum(counts, "MAP_OUTPUT_RECORDS", "REDUCE_OUTPUT_RECORDS"),
    )


def _sum(counts: dict[str, float], *names: str) -> float:
    """Return the sum of these counters; NaN if none was counted."""
    known = [counts[name] for name in names if name in counts]
    return sum(known) if known else NAN


def _time(value: Any) -> float:
    """Return a time in milliseconds; NaN if it is missing, which Hadoop also writes as 0 or -1."""
    time = NAN if value is None else float(value)
    return time if 0 < time < 1e16 else NAN
