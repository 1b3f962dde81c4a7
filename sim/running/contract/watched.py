"""The functions of a rule, wrapped for plain Python: their answers and what they write are checked.

An engine puts up with some answers that cannot be done: it starts the tasks that a job needs when a rule asks
for fewer. So they are looked at where they are given.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sim.engines.gang.rule import Redundancy
from sim.engines.plugins.declarations import WHEN
from sim.engines.plugins.hooks import functions
from sim.engines.probes.protocol import Protocol
from sim.engines.probes.records import REFUSED, SPENT, TAKEN
from sim.kernel.hook import Hook
from sim.model.fields import BadInput
from sim.model.formula import Formula
from theory.shown import quoted

#: Fields that only the engines write, by record. Other records have none.
FACTS = {
    "cluster": ("now", "horizon", "slots", "free", "jobs", "arrived", "active", "busy", "done_tasks"),
    "jobs": (
        "arrival",
        "start",
        "finish",
        "tasks",
        "task_size",
        "key",
        "resource",
        "extra_time",
        "launched",
        "finished",
        "released",
        "held",
        "copies",
        "extra",
        "killed",
        "planned",
        "left",
    ),
    "slots": ("start", "finish", "duration", "job", "task", "number", "task_slot", "copies", "best"),
    "nodes": ("held", "mark"),
    "net": ("head", "tail", "placed", "used", "given", "sent_probes", "sent_questions", "sent_tasks"),
}


def watched(rule: Any) -> Any:
    """Return a rule whose functions are looked at when they are called; for plain Python only.

    What cannot be done is raised as `BadInput`.
    """
    looks: dict[str, Look] = _LOOKS.get(type(rule), _OF_SLOTS)
    compiled = {name: _watched(name, one, looks.get(name)) for name, one in functions(rule).items()}
    plain = {
        name: _heard(name, getattr(rule, name), look)
        for name, look in _DECLARED.items()
        if callable(getattr(rule, name, None))
    }
    return replace(rule, **compiled | plain)


#: The arguments of a call by name and its answer -> what is wrong with it.
Look = Callable[[dict[str, Any], Any], Iterator[str]]


def _watched(name: str, hook: Hook, look: Look | None) -> Hook:
    function = hook.function
    _, *rest = hook.call.arguments

    @functools.wraps(function)
    def called(*given: Any) -> Any:
        held = given[0]._asdict() | dict(zip(rest, given[-len(rest) :] if rest else (), strict=True))
        before, otherwise = list(_facts(held)), _otherwise(given, held)
        answer = function(*given)
        if otherwise and repr(_plain(function(*otherwise))) != repr(_plain(answer)):
            raise BadInput(f"{name} answers otherwise when only jobs differ that have not arrived yet")
        for (where, field, was), (*_, now) in zip(before, _facts(held), strict=True):
            if was != now:
                raise BadInput(f"{name} writes {where}.{field}, which only the engine may")
        for complaint in look(held, answer) if look else ():
            raise BadInput(f"{name} answers {quoted(_plain(answer))}: {complaint}")
        return answer

    return Hook(called, hook.call)


def _otherwise(given: tuple[Any, ...], held: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments of a call in a world where the jobs that have not arrived yet are others."""
    if "jobs" not in held:
        return ()
    jobs = held["jobs"].copy()
    future = jobs[int(held["cluster"][0].arrived) :]
    future.arrival += 1000.0
    future.tasks *= 3
    future.task_size *= 5.0

    def apart(one: Any) -> Any:
        if one is held["jobs"]:
            return jobs
        if isinstance(one, tuple) and hasattr(one, "_fields"):
            return type(one)(*map(apart, one))
        return one.copy() if isinstance(one, np.ndarray) else one

    return tuple(map(apart, given))


def _heard(name: str, function: Callable[..., Any], look: Callable[[Any], Iterator[str]]) -> Any:
    """Return a function of a declaration whose answer is looked at."""

    @functools.wraps(function)
    def called(*given: Any) -> Any:
        answer = function(*given)
        for complaint in look(answer):
            raise BadInput(f"{name} answers {quoted(_plain(answer))}: {complaint}")
        return answer

    return called


def _facts(held: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the bytes of all facts among the arguments of a call."""
    for where, fields in FACTS.items():
        records = held.get(where)
        if records is not None:
            known = [field for field in fields if field in records.dtype.names]
            yield from ((where, field, records[field].tobytes()) for field in known)


def _plain(answer: Any) -> Any:
    return answer.item() if isinstance(answer, np.generic) else answer


def _is_whole(answer: Any) -> bool:
    return isinstance(answer, (int, float, np.number)) and float(answer).is_integer()


def _time(held: dict[str, Any], answer: Any) -> Iterator[str]:
    if not isinstance(answer, (int, float, np.number)) or math.isnan(answer):
        yield "give a time, math.inf for never"
    elif answer < held["cluster"][0].now:
        yield f"it is {held['cluster'][0].now:g} already; give a time that is not over, math.inf for never"


def _later(held: dict[str, Any], answer: Any) -> Iterator[str]:
    """Look at when a copy is looked at again: not at the same moment, or time would stand still."""
    yield from _time(held, answer)
    if answer == held["cluster"][0].now:
        yield "that is now; give a later time, math.inf for never"


def _task_slot(held: dict[str, Any], answer: Any) -> Iterator[str]:
    slots = held["slots"]
    if not _is_whole(answer) or not -1 <= answer < slots.size:
        yield "give the task slot of a task that is offered, or -1"
    elif answer >= 0 and slots[int(answer)].task_slot != answer:
        yield "that is no task slot; give the slot of the task's original (its `task_slot`)"


def _evicted(held: dict[str, Any], answer: Any) -> Iterator[str]:
    slots = held["slots"]
    if not _is_whole(answer) or not -1 <= answer < slots.size or (answer >= 0 and not slots[answer].number):
        yield "give the slot of an extra copy, or -1"


def _next_job(held: dict[str, Any], answer: Any) -> Iterator[str]:
    jobs = held["jobs"]
    if not _is_whole(answer) or not -1 <= answer < held["cluster"][0].arrived:
        yield "give a job that has arrived, or -1"
    elif answer >= 0:
        job = jobs[int(answer)]
        if job.launched == job.released and not job.candidates:
            yield "that job has no task to launch and none to copy"


def _decided(held: dict[str, Any], answer: Any) -> Iterator[str]:
    least = held["jobs"][held["j"]].tasks
    if not _is_whole(answer):
        yield "give a whole number of tasks"
    elif answer < least:
        yield f"a job of {least} tasks starts at least {least}"


def _said(held: dict[str, Any], answer: Any) -> Iterator[str]:
    if not isinstance(answer, (int, float, np.number)) or not math.isfinite(answer):
        yield "give a finite number"


def _verdict(held: dict[str, Any], answer: Any) -> Iterator[str]:
    if answer not in (SPENT, REFUSED, TAKEN):
        yield "give SPENT, REFUSED or TAKEN of sim.engines.probes.records"


def _asks(held: dict[str, Any], answer: Any) -> Iterator[str]:
    seat = held["seats"][held["s"]]
    if answer not in (0, 1):
        yield "give 1 if the slot asks, else 0"
    elif answer and not ((seat.holds or seat.firm) and 0 <= seat.job < held["cluster"][0].arrived):
        yield "the slot has nobody to ask; take a reservation (`sim.engines.probes.queue.take`) or ask firmly"


def _numbers(answer: Any) -> Iterator[str]:
    if not isinstance(answer, tuple) or not hasattr(answer, "_fields"):
        yield "give numbers: a named tuple"
    elif any(not isinstance(one, (int, float, np.number)) or math.isnan(one) for one in answer):
        yield "not all of that are numbers"


def _array(answer: Any) -> Iterator[str]:
    if not isinstance(answer, np.ndarray) or answer.ndim != 1 or answer.dtype != float:
        yield "give an array of floats"
    elif np.isnan(answer).any():
        yield "not all of that are numbers"


def _store_size(answer: Any) -> Iterator[str]:
    if not isinstance(answer, (int, np.integer)) or answer < 1:
        yield "give how many numbers `store` has, a whole number from 1"


def _when(answer: Any) -> Iterator[str]:
    if answer not in WHEN:
        yield f"give one of {', '.join(WHEN)}"


def _formulas(answer: Any) -> Iterator[str]:
    if not isinstance(answer, tuple) or not all(isinstance(one, Formula) for one in answer):
        yield "give a tuple, as (Formula(...),)"


_DECLARED = {
    "prepare": _numbers,
    "store": _array,
    "store_size": _store_size,
    "when": _when,
    "formulas": _formulas,
}
_OF_SLOTS: dict[str, Look] = {
    "next_check": _time,
    "check": _later,
    "select_task": _task_slot,
    "evict": _evicted,
    "next_job": _next_job,
}
_LOOKS: dict[type, dict[str, Look]] = {
    Redundancy: {"decide": _decided},
    Protocol: {"label": _said, "ask": _asks, "answer": _verdict},
}
