"""Workflow instances in WfFormat: one JSON object, with the tasks of a run and what each waits for.

A run is a job; tasks of one program at one depth of the graph are a stage, numbered in the order in
which the file has them, so that runs of one workflow have the same numbers. The format has run times
and no start times. Where every task's machine and every machine's cores are told, the starts are those
of a list schedule (`sim.logs.formats.wfformat`). Elsewhere all tasks are taken to start at once,
and lost time cannot be told.

Reference: Coleman, Casanova, Pottier, Kaushik, Deelman and Ferreira da Silva (2022), WfCommons, and the
schemas 1.0 to 1.5 of WfFormat.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sim.logs.formats.batch import ERRORS, least
from sim.logs.formats.json_items import items
from sim.logs.history import FINISHED, History
from sim.logs.knows import FIRST, NO, SOME, YES, Knows
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member
from sim.model.fields import BadInput
from theory.quoting import quoted

# Tasks of a workflow that wait for one another, and when each would start under a list schedule.


@dataclass
class Task:
    """A task of a run: how long it ran, where, on how many cores, after which others."""

    program: str
    runtime: float
    host: str
    cores: float
    bytes: float
    parents: list[int] = field(default_factory=list)


def depths(tasks: Sequence[Task]) -> list[int] | None:
    """Return how many tasks each waits for one after the other; None if some wait in a circle.

    Examples
    --------
    >>> depths([Task("a", 1, "", 1, 0), Task("b", 1, "", 1, 0, [0]), Task("c", 1, "", 1, 0, [0, 1])])
    [0, 1, 2]
    """
    depth = [0] * len(tasks)
    graph = _Graph(tasks)
    done = list(graph.first())
    for row in done:
        for child in graph.children[row]:
            depth[child] = max(depth[child], depth[row] + 1)
        done += graph.end(row)
    return depth if len(done) == len(tasks) else None


def list_schedule(tasks: Sequence[Task], cores: Mapping[str, float]) -> list[float]:
    """Return when each task starts on its host: once its parents have ended and its cores are free.

    Of those that are ready the first in the list comes first, and none overtakes it. A task that
    asks for more cores than its host has takes them all. Ends come before starts of the same time.

    Parameters
    ----------
    tasks : sequence of Task
        Without circles, on hosts that are known.
    cores : mapping of str to float
        Of each host.

    Examples
    --------
    >>> tasks = [Task("a", 3, "h", 1, 0), Task("a", 2, "h", 1, 0), Task("b", 1, "h", 2, 0, [1])]
    >>> list_schedule(tasks, {"h": 2})
    [0.0, 0.0, 3.0]
    """
    graph, free = _Graph(tasks), dict(cores)
    needs = [min(task.cores, cores[task.host]) for task in tasks]
    starts = [0.0] * len(tasks)
    ready: dict[str, list[int]] = {host: [] for host in cores}
    ends: list[tuple[float, int]] = []
    new, now = list(graph.first()), 0.0
    while True:
        for row in new:
            heapq.heappush(ready[tasks[row].host], row)
        for host, queue in ready.items():
            while queue and free[host] >= needs[queue[0]]:
                row = heapq.heappop(queue)
                starts[row] = now
                free[host] -= needs[row]
                heapq.heappush(ends, (now + tasks[row].runtime, row))
        if not ends:
            return starts
        now, new = ends[0][0], []
        while ends and ends[0][0] <= now:
            _, row = heapq.heappop(ends)
            free[tasks[row].host] += needs[row]
            new += graph.end(row)


class _Graph:
    """Which tasks wait for which, and for how many each still waits."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.children: list[list[int]] = [[] for _ in tasks]
        self._waiting = [len(task.parents) for task in tasks]
        for row, task in enumerate(tasks):
            for parent in task.parents:
                self.children[parent].append(row)

    def first(self) -> Iterator[int]:
        """Yield the tasks that wait for none."""
        yield from (row for row, count in enumerate(self._waiting) if count == 0)

    def end(self, row: int) -> list[int]:
        """End a task; return those that waited for it last."""
        freed = []
        for child in self.children[row]:
            self._waiting[child] -= 1
            if self._waiting[child] == 0:
                freed.append(child)
        return freed


KEY = "wfformat"
TITLE = "workflow in WfFormat"
KNOWS = Knows(
    system="the manager of a workflow",
    order=YES,
    submission=FIRST,
    launch=NO,
    start=NO,
    read=SOME,
    written=SOME,
    hosts=SOME,
    slots=SOME,
    copies=NO,
    again=NO,
)

#: What a task's name has after that of its program.
_LONGEST = 200
_NUMBER = re.compile(r"([_-]?(ID)?\d+| *\([^()]*\))$")


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is a workflow in WfFormat.

    Examples
    --------
    >>> recognises(b'{"name": "blast", "schemaVersion": "1.5", "workflow": {', "blast.json")
    True
    """
    begins = head.lstrip()[:1] == b"{" and b'"SparkListener' not in head
    return begins and b'"schemaVersion"' in head and b'"workflow"' in head


def read(members: Sequence[Member]) -> History:
    """Read workflows, each a job."""
    records = Records(per_second=1)
    for member in members:
        for line, instance in items(member):
            where = f"{member.name}, line {line}"
            try:
                _Run(instance, where).record(records, member.name)
            except BadInput as error:
                records.note("workflows that cannot be read: left out", f"{where}: {error}")
            except ERRORS as error:
                said = f"{type(error).__name__} {error}"
                records.note("workflows that cannot be read: left out", f"{where}: {said}")
        if member.truncated:
            records.note("files cut off inside a workflow: left out", member.name)
    return records.history(KEY, tuple(member.name for member in members))


class _Run:
    """One workflow that was run."""

    def __init__(self, instance: dict[str, Any], where: str) -> None:
        self.where = where
        workflow = instance["workflow"]
        execution = workflow.get("execution") or workflow
        self.name = str(instance.get("name") or "workflow")
        self.begin = _when(execution.get("executedAt"))
        self.makespan = _number(execution.get("makespanInSeconds", execution.get("makespan")))
        self.cores = {str(one["nodeName"]): _cores(one) for one in execution.get("machines") or ()}
        graph = workflow.get("specification") or workflow
        specified = graph.get("tasks") or graph["jobs"]  # as they were called before 1.3
        ran = {_identifier(one): one for one in execution.get("tasks") or specified}
        self.left_out: list[str] = []
        self.tasks = self._joined(specified, ran)
        if not self.tasks:
            raise BadInput(
                "no task in it has a run time; give the workflow of a run, with workflow.execution"
            )
        found = depths(self.tasks)
        if found is None:
            raise BadInput("tasks wait for one another in a circle; give a workflow without one")
        self.depths = found

    def _joined(self, specified: list[dict[str, Any]], ran: dict[str, dict[str, Any]]) -> list[Task]:
        """Return the tasks that have a run time, in the order in which they are specified."""
        tasks: list[Task] = []
        rows: dict[str, int] = {}
        named: dict[str, int] = {}
        for one in specified:
            key = _identifier(one)
            told = ran.get(key) or {}
            runtime = _number(told.get("runtimeInSeconds", told.get("runtime")))
            if runtime != runtime:
                self.left_out.append(key)
                continue
            machines = told.get("machines") or [told.get("machine")]
            name = str(one.get("name") or key)
            rows[key] = named[name] = len(tasks)
            tasks.append(
                Task(
                    str(one.get("category") or _NUMBER.sub("", name[:_LONGEST]) or name),
                    runtime,
                    str(machines[0]) if len(machines) == 1 and machines[0] else "",
                    max(1.0, _number(told.get("coreCount", told.get("cores", 1)))),
                    _number(told.get("readBytes", told.get("bytesRead"))),
                )
            )
        for one in specified:
            row = rows.get(_identifier(one))
            if row is not None:
                names = [str(parent) for parent in one.get("parents") or ()]
                found = {rows.get(parent, named.get(parent)) for parent in names}
                tasks[row].parents = sorted({parent for parent in found if parent is not None} - {row})
        return tasks

    def record(self, records: Records, file: str) -> None:
        """Record the run as a job."""
        for key in self.left_out:
            records.note("tasks without a run time: left out", f"{self.where}: {quoted(key)}")
        hosts = sorted({task.host for task in self.tasks})
        slots = {host: self.cores.get(host, NAN) for host in hosts}
        key = f"{file}: {self.name}" if records.knows_job(self.name) else self.name
        job = records.jobs[row := records.job(key)]
        job.name, job.submit, job.fate = self.name, self.begin, FINISHED
        scheduled = all(host and cores >= 1 for host, cores in slots.items())
        if scheduled:
            starts = list_schedule(self.tasks, slots)
            span = max(start + task.runtime for start, task in zip(starts, self.tasks, strict=True))
            job.end = self.begin + span
            for host, cores in slots.items():
                records.host_slots[host] = int(cores)
                records.slot_changes += [(self.begin, int(cores)), (job.end, -int(cores))]
            longer = self.makespan > span
            recorded = f", and took {self.makespan:,.0f} s" if self.makespan == self.makespan else ""
            records.remark(
                "start times are not in the format: list-scheduled on the machines and cores that it tells; "
                f"the run takes {span:,.0f} s so{recorded}{': shares are of that' * longer} ({self.where})"
            )
            if longer:
                job.end = self.begin + self.makespan
        else:
            starts = [0.0] * len(self.tasks)
            records.note(
                "runs without start times, nor a machine of every task and its cores to schedule on: all "
                "tasks are taken to start at once, lost time cannot be told",
                self.where,
            )
        self._copies(records, row, key, starts, scheduled=scheduled)

    def _copies(
        self, records: Records, job: int, key: str, starts: Sequence[float], *, scheduled: bool
    ) -> None:
        """Record the tasks, and the stages that they make up."""
        of_program: dict[str, set[int]] = {}
        for task, depth in zip(self.tasks, self.depths, strict=True):
            of_program.setdefault(task.program, set()).add(depth)
        stages: list[int] = []
        counts: dict[int, int] = {}
        for task, depth, start in zip(self.tasks, self.depths, starts, strict=True):
            several = len(of_program[task.program]) > 1
            name = f"{task.program}, depth {depth}" if several else task.program
            stages.append(stage := records.stage_row((key, task.program, depth), f"{key}/{name}"))
            told = records.stages[stage]
            told.job, told.name = job, name
            launch, end = self.begin + start, self.begin + start + task.runtime
            index = counts.get(stage, 0)
            counts[stage] = index + 1
            measured = Measured(bytes=task.bytes)
            records.copy(
                stage, index, launch=launch, end=end, fate=FINISHED, host=task.host, measured=measured
            )
            if scheduled:
                told.submit, told.end = least(told.submit, launch), -least(-told.end, -end)
        parents: dict[int, set[int]] = {}
        for stage, task in zip(stages, self.tasks, strict=True):
            parents.setdefault(stage, set()).update(stages[parent] for parent in task.parents)
        for stage, those in parents.items():
            records.stages[stage].parents = sorted(those)


def _identifier(task: dict[str, Any]) -> str:
    return str(task.get("id") or task["name"])


def _cores(machine: dict[str, Any]) -> float:
    cpu = machine.get("cpu") or {}
    return _number(cpu.get("coreCount", cpu.get("count")))


def _number(value: Any) -> float:
    """Return a number of at least 0; NaN if there is none."""
    number = NAN if value is None else float(value)
    return number if 0 <= number < 1e16 else NAN


def _when(text: Any) -> float:
    """Return a time in seconds since 1970; 0 if there is none.

    Examples
    --------
    >>> _when("1970-01-01T00:01:00+00:00"), _when(None), _when("20201227T182337Z")
    (60.0, 0.0, 1609093417.0)
    """
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return 0.0
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
