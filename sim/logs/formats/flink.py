"""Jobs of Flink: archives of the HistoryServer, and answers of the REST API as JSON.

An archive is one file, ``{"archive": [{"path": ..., "json": ...}]}``, of one job; each entry is what the
REST API answers at that path. A vertex is a stage, a subtask is a task. ``/jobs/<id>`` has the vertices
and the plan, ``.../vertices/<v>`` has the attempts that were current at the end, and
``.../attempts/<a>`` has any attempt. An attempt takes its slot when it is deployed; waiting for a slot
stands in SCHEDULED. One that was never deployed has no start (-1) and is no copy.

Reference: ``org.apache.flink.runtime.rest.messages`` of Apache Flink 1.10 to 2.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from sim.logs.formats.json_items import items, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import NO, SOME, YES, Knows
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member

KEY = "flink"
TITLE = "Flink job (archive of the HistoryServer, or REST API)"
KNOWS = Knows(
    system="Flink",
    order=SOME,
    submission=YES,
    launch=YES,
    start=NO,
    read=SOME,
    written=SOME,
    hosts=SOME,
    slots=NO,
    copies=YES,
    how="execution.batch.speculative.enabled",
    again=YES,
)

_FATES = {"FINISHED": FINISHED, "CANCELED": KILLED, "FAILED": FAILED}
_ANSWERS = ((b'"jid"', b'"vertices"'), (b'"subtasks"', b'"parallelism"'))
_PATH = re.compile(r"/jobs/(\w+)(?:/(plan|config)|/vertices/(\w+)(?:/subtasks/\d+(?:/attempts/\d+)?)?)?")
_UNREADABLE = "entries that cannot be read: left out"


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is a job of Flink.

    Examples
    --------
    >>> recognises(b'{"archive":[{"path":"/jobs/overview","json":"{}"}]}', "4609ef4e")
    True
    """
    archive = re.match(rb'\s*\{\s*"archive"\s*:\s*\[', head) is not None
    told = head.lstrip()[:1] in (b"{", b"[")
    return archive or (told and any(all(text in head for text in texts) for texts in _ANSWERS))


def read(members: Sequence[Member]) -> History:
    """Read jobs, an archive each, or answers of the REST API in any order."""
    reader = _Jobs()
    read_each(members, lambda one: items(one, "archive"), reader.entry, reader.records, _UNREADABLE)
    reader.close()
    return reader.records.history(KEY, tuple(member.name for member in members))


class _Jobs:
    """Vertices and attempts of any number of jobs."""

    def __init__(self) -> None:
        self.records = Records(per_second=1000)
        self.records.infer_speculative = True
        self.seen: set[tuple[str, str, int, int]] = set()
        self.inputs: dict[tuple[str, str], list[str]] = {}
        #: Jobs that have a vertex of this name, as far as jobs were told.
        self.owners: dict[str, list[str]] = {}
        self.alone: list[tuple[dict[str, Any], str]] = []
        #: When jobs that were still running were asked for.
        self.now = NAN

    def entry(self, value: dict[str, Any], where: str) -> None:
        """Read an entry of an archive, or an answer of the REST API."""
        if "path" not in value:
            if "jid" in value and "vertices" in value:
                self.job(str(value["jid"]), value, where)
            elif "subtasks" in value and "parallelism" in value:
                self.alone.append((value, where))
            else:
                self.records.note("answers that are neither a job nor a vertex: left out", where)
            return
        if not (path := _PATH.fullmatch(str(value["path"]))):
            return
        job, about, vertex = path.groups()
        told = orjson.loads(value["json"])
        where = f"{where}, {path[0]}"
        if vertex:
            self.vertex(job, vertex, told, where)
        elif about == "plan":
            self.plan(job, told["plan"])
        elif about is None and job != "overview":
            self.job(job, told, where)

    def job(self, key: str, told: dict[str, Any], where: str) -> None:
        """Read what is said of a job and of its vertices."""
        vertices = told["vertices"]
        job = self.records.jobs[self.records.job(key)]
        job.name = str(told.get("name") or "")
        job.submit, job.end = _time(told.get("start-time")), _time(told.get("end-time"))
        job.fate = _FATES.get(str(told.get("state")), UNFINISHED)
        now = _time(told.get("now"))
        if job.fate == UNFINISHED and not self.now >= now:
            self.now = now
        for one in vertices:
            vertex = str(one["id"])
            stage = self.records.stages[self._stage(key, vertex)]
            stage.name, stage.tasks = str(one.get("name") or ""), int(one.get("parallelism") or 0)
            stage.end, began = _time(one.get("end-time")), _time(one.get("start-time"))
            if not stage.submit <= began:
                stage.submit = began
            self.owners.setdefault(vertex, []).append(key)
            if one.get("subtasks"):
                self.vertex(key, vertex, one, where)
        if isinstance(told.get("plan"), dict):
            self.plan(key, told["plan"])

    def plan(self, job: str, plan: dict[str, Any]) -> None:
        """Read which vertices read the output of which."""
        for node in plan.get("nodes") or ():
            before = [str(one["id"]) for one in node.get("inputs") or ()]
            self.inputs[job, str(node["id"])] = before

    def vertex(self, job: str, vertex: str, told: dict[str, Any], where: str) -> None:
        """Read the attempts of a vertex, or a single one."""
        stage = self._stage(job, vertex)
        for attempt in _attempts(told):
            try:
                self._attempt(job, vertex, stage, attempt, where)
            except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
                self.records.note("attempts that cannot be read: left out", f"{where}: {error!r}")

    def _attempt(self, job: str, vertex: str, stage: int, told: dict[str, Any], where: str) -> None:
        if "attempt" not in told:  # times of a subtask over all its attempts
            return
        task, number = int(told["subtask"]), int(told["attempt"])
        if (key := (job, vertex, task, number)) in self.seen:
            return  # a vertex tells its current attempts, which have an entry of their own
        launch, end = _time(told.get("start-time", told.get("start_time"))), _time(told.get("end-time"))
        fate = _FATES.get(str(told.get("status")), UNFINISHED)
        metrics = told.get("metrics") or {}
        measured = Measured(
            _read(metrics, "read-bytes"),
            _read(metrics, "read-records"),
            written=_read(metrics, "write-bytes"),
            records_written=_read(metrics, "write-records"),
        )
        waited = _time((told.get("status-duration") or {}).get("SCHEDULED"))
        if launch != launch:
            self.records.note("attempts that were never deployed: no copies", where)
        else:
            self.records.copy(
                stage,
                task,
                launch=launch,
                end=end,
                fate=fate,
                host=_host(told),
                slot=told.get("taskmanager-id"),
                measured=measured,
            )
            one = self.records.stages[stage]
            scheduled = launch - waited if waited == waited else launch
            if not one.submit <= scheduled:
                one.submit = scheduled
        self.seen.add(key)

    def _stage(self, job: str, vertex: str) -> int:
        row = self.records.stage_row((job, vertex), f"{job}/{vertex}")
        self.records.stages[row].job = self.records.job(job)
        return row

    def close(self) -> None:
        """Find the jobs of vertices told alone, join vertices, and censor what never ended."""
        for told, where in self.alone:
            vertex = str(told.get("id"))
            jobs = list(dict.fromkeys(self.owners.get(vertex, ())))
            if len(jobs) > 1:
                self.records.note("vertices that several jobs have: left out; give one job at a time", where)
                continue
            job = jobs[0] if jobs else vertex
            stage = self.records.stages[self._stage(job, vertex)]
            stage.name = stage.name or str(told.get("name") or "")
            self.vertex(job, vertex, told, where)
        rows = {stage.stage: row for row, stage in enumerate(self.records.stages)}
        for (job, vertex), before in self.inputs.items():
            row = rows.get(f"{job}/{vertex}")
            parents = [rows[name] for one in before if (name := f"{job}/{one}") in rows]
            if row is not None:
                self.records.stages[row].parents = sorted(set(parents) - {row})
        self.records.censor(self.now)


def _attempts(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the attempts that an answer tells: one, or those of all subtasks."""
    for one in told.get("subtasks", [told]):
        yield one
        yield from one.get("other-concurrent-attempts") or ()


def _host(told: dict[str, Any]) -> str:
    """Return the host of an attempt, without the port.

    Examples
    --------
    >>> _host({"endpoint": "10.0.0.2:46133"}), _host({"host": "node-1"}), _host({"host": "(unassigned)"})
    ('10.0.0.2', 'node-1', '')
    """
    place = str(told.get("endpoint") or told.get("host") or "")
    return "" if place == "(unassigned)" else re.sub(r":\d+$", "", place)


def _read(metrics: dict[str, Any], name: str) -> float:
    """Return what an attempt read; NaN if it was not counted to the end."""
    return NAN if metrics.get(f"{name}-complete") is False else _time(metrics.get(name))


def _time(value: Any) -> float:
    """Return a time or a count; NaN if it is missing, which Flink writes as -1."""
    number = NAN if value is None else float(value)
    return number if 0 <= number < 1e16 else NAN
