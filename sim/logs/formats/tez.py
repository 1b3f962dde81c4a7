"""History of Tez, as entities of the timeline server: answers of its API, the zip of the Tez UI, or events.

An entity has ``entitytype``, ``entity`` (its identifier) and ``otherinfo``. A DAG is a job and a vertex a
stage; the identifier of an attempt names both, and its task. Several objects may tell of one entity: the
events of its start and its end, as ``SimpleHistoryLoggingService`` writes them, one after the other.

A task holds its slot while it waits for its inputs; its own work begins when they are merged. Tez does not
tell which attempts were speculative: one launched while another of its task ran is taken as such.

Reference: ``HistoryEventTimelineConversion`` of Apache Tez 0.5 to 0.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.logs.formats.json_items import items, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import NO, SOME, YES, Knows
from sim.logs.records import NAN, Job, Measured, Records
from sim.logs.source import Member

KEY = "tez"
TITLE = "Tez history (timeline server)"
KNOWS = Knows(
    system="Tez",
    order=SOME,
    submission=SOME,
    launch=YES,
    start=SOME,
    read=SOME,
    written=SOME,
    hosts=SOME,
    slots=NO,
    copies=YES,
    how="tez.am.speculation.enabled",
    again=YES,
)

_FATES = {"SUCCEEDED": FINISHED, "KILLED": KILLED, "FAILED": FAILED, "ERROR": FAILED}
#: Objects of the timeline server and of the zip of the Tez UI in which entities stand.
_LISTS = ("entities", "vertices", "tasks", "task_attempts")
_SINGLE = ("dag", "dag-extra-info", "application")
#: Other groups repeat their counters for each input.
_GROUPS = "org.apache.tez.common.counters."


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this has entities of the timeline server.

    Examples
    --------
    >>> recognises(b'{"entities":[{"events":[],"entitytype":"TEZ_DAG_ID","entity":"dag_1_0001_1"', "dag.json")
    True
    """
    return head.lstrip()[:1] in (b"{", b"[") and b'"entitytype"' in head and b'"entity"' in head


def read(members: Sequence[Member]) -> History:
    """Read entities of any number of DAGs, in any order."""
    reader = _Entities()
    unreadable = "entities that cannot be read: left out"
    read_each(
        members,
        lambda one: items(one, *_LISTS),
        reader.entity,
        reader.records,
        unreadable,
        parts=_entities,
        told=repr,
    )
    reader.close()
    return reader.records.history(KEY, tuple(member.name for member in members))


def _entities(value: Any) -> list[Any]:
    """Return the entities of an answer about one, or the entity itself."""
    told = value if isinstance(value, dict) else {}
    return [told[name] for name in _SINGLE if isinstance(told.get(name), dict)] or [value]


class _Entities:
    """DAGs, vertices and attempts as far as they were told."""

    def __init__(self) -> None:
        self.records = Records(per_second=1000)
        self.records.infer_speculative = True
        self.copies: dict[str, int] = {}
        self.told_jobs: set[str] = set()
        self.never: dict[str, str] = {}
        #: Names of the vertices of a DAG, and pairs of names of which the second reads the first.
        self.names: dict[str, dict[str, int]] = {}
        self.edges: dict[str, list[tuple[str, str]]] = {}
        self.handlers = {
            "TEZ_DAG_ID": self.dag,
            "TEZ_DAG_EXTRA_INFO": self.plan,
            "TEZ_VERTEX_ID": self.vertex,
            "TEZ_TASK_ATTEMPT_ID": self.attempt,
            "TEZ_APPLICATION": self.application,
        }

    def entity(self, told: dict[str, Any], where: str) -> None:
        """Read one entity, or one event of it."""
        kind = str(told["entitytype"])
        handler = self.handlers.get(kind)
        if handler is not None:
            handler(str(told["entity"]), told, where)
        elif not kind.startswith("TEZ_"):
            self.records.note("entities of other systems than Tez: passed over", f"{where}: {kind}")

    def dag(self, key: str, told: dict[str, Any], where: str) -> None:
        info, filters = told.get("otherinfo") or {}, told.get("primaryfilters") or {}
        job = self._job(key)
        self.told_jobs.add(job.job)
        job.name = _first(filters.get("dagName")) or job.name
        job.group = str(info.get("user") or _first(filters.get("user")) or job.group)
        job.pool = str(info.get("queueName") or _first(filters.get("queueName")) or job.pool)
        submit = _event(told, "DAG_SUBMITTED", _time(told.get("starttime")))
        job.submit = _known(submit, job.submit, _time(info.get("startTime")))
        job.end = _known(_time(info.get("endTime")), _event(told, "DAG_FINISHED"), job.end)
        job.fate = _FATES.get(str(info.get("status")), job.fate)
        self.plan(key, told, where)

    def plan(self, key: str, told: dict[str, Any], where: str) -> None:
        plan = (told.get("otherinfo") or {}).get("dagPlan")
        if isinstance(plan, dict):
            job = self._job(key)
            job.name = job.name or str(plan.get("dagName") or "")
            self.edges[key] = [
                (str(one["inputVertexName"]), str(one["outputVertexName"])) for one in plan.get("edges") or ()
            ]

    def vertex(self, key: str, told: dict[str, Any], where: str) -> None:
        info = told.get("otherinfo") or {}
        row, dag = self._stage(key)
        stage = self.records.stages[row]
        if name := str(info.get("vertexName") or ""):
            stage.name = name
            self.names.setdefault(dag, {})[name] = row
        stage.tasks = max(stage.tasks, int(info.get("numTasks") or 0))
        stage.submit = _known(_time(info.get("startTime")), stage.submit, _time(info.get("initTime")))
        stage.end = _known(_time(info.get("endTime")), stage.end)

    def attempt(self, key: str, told: dict[str, Any], where: str) -> None:
        info = told.get("otherinfo") or {}
        launch = _known(_time(info.get("startTime")), _event(told, "TASK_ATTEMPT_STARTED"))
        end = _known(_time(info.get("endTime")), _event(told, "TASK_ATTEMPT_FINISHED"))
        fate = _FATES.get(str(info.get("status")), UNFINISHED)
        row = self.copies.get(key)
        if row is None:
            if launch != launch:
                self.never[key] = where
                return
            vertex, _, task = key.rpartition("_")[0].rpartition("_")
            stage, _ = self._stage(vertex)
            row = self.copies[key] = self.records.copy(stage, int(task), launch=launch)
        host, slot = info.get("nodeId"), info.get("containerId")
        if host or slot:
            self.records.place(row, str(host or "").rpartition(":")[0] or host, slot)
        if fate == UNFINISHED:
            return
        if self.records.end[row] == self.records.end[row]:
            self.records.note("copies ended twice: counted once", where)
            return
        self.records.finish(row, end, fate)
        counts = _counts(info.get("counters"))
        waited = max(counts.get("SHUFFLE_PHASE_TIME", 0), counts.get("MERGE_PHASE_TIME", 0))
        began = self.records.launch[row] + waited
        if waited > 0 and began <= end:
            self.records.began[row] = began
        self.records.measure(row, _measured(counts))

    def application(self, key: str, told: dict[str, Any], where: str) -> None:
        settings = (told.get("otherinfo") or {}).get("config") or {}
        for name, value in settings.items():
            if "speculati" in name:
                self.records.settings[str(name)] = str(value)

    def _job(self, dag: str) -> Job:
        return self.records.jobs[self.records.job(dag)]

    def _stage(self, key: str) -> tuple[int, str]:
        """Return the row of the stage of a vertex or of an attempt's vertex, and its DAG."""
        _, cluster, application, dag, vertex = key.split("_")
        job = f"dag_{cluster}_{application}_{dag}"
        row = self.records.stage_row((job, vertex), f"{job}/{vertex}")
        stage = self.records.stages[row]
        stage.job, stage.name = self.records.job(job), stage.name or vertex
        return row, job

    def close(self) -> None:
        """Join vertices, count attempts without a start, and censor what never ended."""
        for dag, edges in self.edges.items():
            names = self.names.get(dag, {})
            for before, after in edges:
                if before in names and after in names:
                    self.records.stages[names[after]].parents.append(names[before])
        for stage in self.records.stages:
            stage.parents = sorted(set(stage.parents))
        for key, where in self.never.items():
            if key not in self.copies:
                self.records.note("attempts that never started: no copies", where)
        self.records.censor()
        self.records.end_jobs(self.told_jobs)


def _counts(counters: Any) -> dict[str, float]:
    """Return the counters of an attempt by name."""
    groups = counters.get("counterGroups") or () if isinstance(counters, dict) else ()
    return {
        str(one["counterName"]): float(one["counterValue"])
        for group in groups
        if str(group["counterGroupName"]).startswith(_GROUPS)
        for one in group["counters"]
    }


def _measured(counts: dict[str, float]) -> Measured:
    """Return what the counters say; bytes are not those of local files, its own spills."""
    read = [name for name in counts if name.endswith("_BYTES_READ") and not name.startswith(("FILE_", "ADD"))]

    written = [name for name in counts if name.endswith("_BYTES_WRITTEN") and not name.startswith("FILE_")]

    def total(*names: str) -> float:
        known = [counts[name] for name in names if name in counts]
        return sum(known) if known else NAN

    return Measured(
        total(*read, "SHUFFLE_BYTES"),
        total("INPUT_RECORDS_PROCESSED", "REDUCE_INPUT_RECORDS"),
        total("GC_TIME_MILLIS") / 1000,
        written=total(*written, "OUTPUT_BYTES"),
        records_written=total("OUTPUT_RECORDS"),
    )


def _event(told: dict[str, Any], kind: str, otherwise: float = NAN) -> float:
    """Return when an event of an entity was, as the timeline server and as its own files write it."""
    for one in told.get("events") or ():
        if one.get("eventtype") == kind:
            return _known(_time(one.get("timestamp")), _time(one.get("ts")))
    return otherwise


def _known(*times: float) -> float:
    """Return the first time that is known.

    Examples
    --------
    >>> _known(NAN, 3.0, 4.0)
    3.0
    """
    return next((time for time in times if time == time), NAN)


def _first(values: Any) -> str:
    return str(values[0]) if isinstance(values, list) and values else ""


def _time(value: Any) -> float:
    """Return a time in milliseconds; NaN if it is missing, which Tez also writes as 0 or -1."""
    time = NAN if value is None else float(value)
    return time if 0 < time < 1e16 else NAN
