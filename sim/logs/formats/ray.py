"""Tasks of Ray, as ``ray list tasks --detail`` writes them, as JSON or YAML, or as the state API answers.

A stage is a function of a job. A task's own work is the profiling event ``task:execute``: the start
time of the list includes the start of its worker. Where start and end are not told, as before 2.4,
they are when the task changed its state. A stage is submitted when the first of its tasks had all that it
reads, or else was launched; its job when the first was created. Ray has no speculation; retries are further
copies.

The command writes times as local dates without a zone, beside profiling events in milliseconds since 1970.

Reference: the state API of Ray 2, ``ray.util.state.common.TaskState``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from sim.logs.formats.batch import least
from sim.logs.formats.json_items import items, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import FIRST, NO, SOME, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import Member
from theory.quoting import quoted

KEY = "ray"
TITLE = "Ray task list"
KNOWS = Knows(
    system="Ray",
    order=NO,
    submission=FIRST,
    launch=YES,
    start=SOME,
    read=NO,
    written=NO,
    hosts=SOME,
    slots=NO,
    copies=NO,
    again=YES,
    give={"hosts": "--detail"},
)

#: The state of a task that has all it reads and waits for a slot; it may have been created long before.
_READY = "PENDING_NODE_ASSIGNMENT"
_YAML = re.compile(rb"(---\s+)?- +(task_id|attempt_number): ")
#: A name of a task or of one of its events in YAML, and what follows it.
_NAMED = re.compile(r"( *)(- +)?(\w+): ?(.*)")
#: What the offset of a zone is a multiple of, in milliseconds.
_QUARTER_HOUR = 15 * 60 * 1000


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is a task list of Ray.

    Examples
    --------
    >>> recognises(b'[{"task_id": "16310a", "attempt_number": 0, "name": "f"', "tasks.json")
    True
    """
    told = head.lstrip()[:1] in (b"{", b"[") and b'"task_id"' in head and b'"attempt_number"' in head
    return told or _YAML.match(head) is not None


def read(members: Sequence[Member]) -> History:
    """Read lists of tasks."""
    reader = _Tasks()
    unreadable = "tasks that cannot be read: left out"
    read_each(members, _values, reader.task, reader.records, unreadable, parts=_tasks)
    reader.records.reopen()
    reader.records.censor()
    return reader.records.history(KEY, tuple(member.name for member in members))


def _values(member: Member) -> Iterator[tuple[int, Any]]:
    """Return what a file lists, in YAML or JSON, each with its line."""
    return _of_yaml(member) if _YAML.match(member.head()) else items(member)


class _Tasks:
    """Attempts of the tasks of any number of jobs."""

    def __init__(self) -> None:
        self.records = Records(per_second=1000)
        self.seen: set[tuple[str, int]] = set()
        self.index: dict[str, tuple[int, int]] = {}
        self.of_stage: dict[int, int] = {}

    def task(self, task: dict[str, Any], where: str) -> None:
        """Read one attempt of a task."""
        if task.get("type") == "DRIVER_TASK":  # the program that has submitted the others
            return
        key = (str(task["task_id"]), int(task.get("attempt_number") or 0))
        launch, began, end = _times(task)
        if key in self.seen:
            self.records.note("copies told twice: counted once", where)
            return
        self.seen.add(key)
        if launch != launch:
            timed = task.keys() & {"start_time_ms", "events"}
            why = "that never started" if timed else "without times, which --detail tells"
            self.records.note(f"tasks {why}: left out", where)
            return
        if _is_local(task):
            self.records.note("tasks with local times, whose zone is not told: taken as UTC", where)
        stage, index = self._place(task, key[0])
        fate = {"FINISHED": FINISHED, "FAILED": FAILED}.get(str(task["state"]), UNFINISHED)
        if fate == FAILED and task.get("error_type") == "TASK_CANCELLED":
            fate = KILLED
        self.records.copy(
            stage,
            index,
            launch=launch,
            began=began,
            end=end,
            fate=fate,
            host=task.get("node_id"),
            slot=task.get("worker_id"),
        )
        changes = _changes(task)
        created = _time(task.get("creation_time_ms"))
        if created != created:
            created = min(changes.values(), default=NAN)
        job, own = self.records.jobs[self.records.stages[stage].job], self.records.stages[stage]
        for told, submit in ((job, created), (own, changes.get(_READY, launch))):
            told.submit = least(told.submit, submit)
            if fate != UNFINISHED and not told.end >= end:
                told.end = end
        if fate != UNFINISHED:
            job.fate = FINISHED

    def _place(self, task: dict[str, Any], key: str) -> tuple[int, int]:
        """Return the row of the stage and the index of a task."""
        if key not in self.index:
            job, name = str(task["job_id"]), str(task.get("func_or_class_name") or task["name"])
            stage = self.records.stage_row((job, name), f"{job}/{name}")
            self.records.stages[stage].name = name
            self.records.stages[stage].job = self.records.job(job)
            index = self.of_stage.get(stage, 0)
            self.of_stage[stage] = index + 1
            self.index[key] = (stage, index)
        return self.index[key]


def _of_yaml(member: Member) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of the line on which a task begins, and its values, of YAML as Ray writes it.

    Of what stands deeper only the events of a task are read, and its profiling events.
    """
    begin, outer, inner, section = 0, -1, -1, ""
    task: dict[str, Any] = {}
    events: dict[str, list[dict[str, Any]]] = {}
    for number, line in member.lines():
        if line.startswith((b"...", b"---")):
            continue
        named = _NAMED.match(line.decode("utf-8", "replace").rstrip())
        if line.startswith(b"-"):
            if task:
                yield begin, task
            begin, task, inner = number, {}, -1
            events = {"events": [], "profiling_data": []}
        if named is None or not begin:
            continue
        indent = len(named[1]) + len(named[2] or "")
        if line.startswith(b"-") or (indent == outer and not named[2]):
            outer, section = indent, named[3]
            task[section] = _scalar(named[4])
            if section == "events":
                task["events"] = events["events"]
            elif section == "profiling_data":
                task["profiling_data"], inner = {"events": events[section]}, -1
        elif section in events:
            if named[2]:
                inner = indent
                events[section].append({})
            if indent == inner and events[section]:
                events[section][-1][named[3]] = _scalar(named[4])
    if task:
        yield begin, task


def _scalar(text: str) -> Any:
    """Return a value of YAML: a text without its quotes; None if there is none."""
    text = text.strip()
    if text in ("", "null", "~", "[]", "{}"):
        return None
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _tasks(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tasks in an answer of the state API, or the task itself."""
    answer = value.get("data")
    listed = answer.get("result") if isinstance(answer, dict) else None
    tasks = listed.get("result") if isinstance(listed, dict) else None
    return tasks if isinstance(tasks, list) else [value]


def _changes(task: dict[str, Any]) -> dict[str, float]:
    """Return when a task came into each state first."""
    found: dict[str, float] = {}
    for event in task.get("events") or ():
        if (time := _time(event.get("created_ms"))) == time:
            found.setdefault(str(event.get("state")), time)
    return found


def _times(task: dict[str, Any]) -> tuple[float, float, float]:
    """Return when a task took its slot, when its own work began and when it ended."""
    changes = _changes(task)
    launch, end = _time(task.get("start_time_ms")), _time(task.get("end_time_ms"))
    launch = launch if launch == launch else changes.get("RUNNING", NAN)
    end = end if end == end else changes.get("FINISHED", changes.get("FAILED", NAN))
    for event in (task.get("profiling_data") or {}).get("events") or ():
        if event.get("event_name") == "task:execute":
            began, ended = _time(event.get("start_time")), _time(event.get("end_time"))
            if _is_local(task):
                offset = _offset(end - ended, launch - began)
                began, ended = began + offset, ended + offset
            return (launch if launch <= began else began), began, (ended if ended == ended else end)
    return launch, NAN, end


def _offset(*differences: float) -> float:
    """Return the offset of a zone, from differences between local times and UTC, the first that is known.

    Examples
    --------
    >>> _offset(float("nan"), 5.5 * 3_600_000 - 800) / 3_600_000
    5.5
    """
    known = [one for one in differences if one == one]
    return _QUARTER_HOUR * round(known[0] / _QUARTER_HOUR) if known else 0.0


def _is_local(task: dict[str, Any]) -> bool:
    """Say whether the list tells times of a task as dates without a zone."""
    changes = (event.get("created_ms") for event in task.get("events") or ())
    dates = map(_date, (task.get("start_time_ms"), task.get("end_time_ms"), *changes))
    return any(date is not None and date.tzinfo is None for date in dates)


def _date(value: Any) -> datetime | None:
    """Return a time that is told as a date; None if it is a number or missing."""
    if not isinstance(value, str) or ":" not in value:
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{quoted(value)} is not a time") from None


def _time(value: Any) -> float:
    """Return a time in milliseconds since 1970, a date without a zone taken as UTC; NaN if it is missing.

    Examples
    --------
    >>> _time("1970-01-01 01:00:00"), _time("1970-01-01T01:00:00.5+01:00"), _time(""), _time("60.5")
    (3600000.0, 500.0, nan, 60.5)
    """
    date = _date(value)
    if date is not None:
        time = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() * 1000
    else:
        time = NAN if value in (None, "") else float(value)
    return time if 0 < time < 1e16 else NAN
