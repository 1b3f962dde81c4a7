"""Workflow instances in WfFormat: one JSON object, with the tasks of a run and what each waits for.

A run is a job; tasks of one program at one depth of the graph are a stage, numbered in the order in
which the file has them, so that runs of one workflow have the same numbers. The format has run times
and no start times. Where every task's machine and every machine's cores are told, the starts are those
of a list schedule (`sim.logs.formats.wf_schedule`). Elsewhere all tasks are taken to start at once,
and lost time cannot be told.

Reference: Coleman, Casanova, Pottier, Kaushik, Deelman and Ferreira da Silva (2022), WfCommons, and the
schemas 1.0 to 1.5 of WfFormat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sim.logs.formats.batch import least
from sim.logs.formats.json_items import items
from sim.logs.formats.knows import FIRST, NO, SOME, YES, Knows
from sim.logs.formats.text_rows import ERRORS
from sim.logs.formats.wf_schedule import Task, depths, list_schedule
from sim.logs.history import FINISHED, History
from sim.logs.records import NAN, Measured, Records
from sim.logs.source import Member
from sim.model.fields import BadInput
from theory.shown import quoted

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
