"""Tries the rules of a file in a separate process, with a line of JSON for each step."""

from __future__ import annotations

import functools
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sim.engines import plugins
from sim.engines.gang.scenario import Redundancy
from sim.engines.plugins import WHEN, functions, registry_of
from sim.engines.probes.protocol import Protocol
from sim.engines.probes.records import REFUSED, SPENT, TAKEN
from sim.engines.slots.rule import Speculation
from sim.kernel.hook import Hook
from sim.model.fields import BadInput
from sim.model.rule import Formula
from sim.running.contract.runs import about_foresight, plainly, trials, tried
from sim.running.processes.wire import end_with
from theory.quoting import quoted, visible

# The functions of a rule, wrapped for plain Python: their answers and what they write are checked.
#
# An engine puts up with some answers that cannot be done: it starts the tasks that a job needs when a rule
# asks for fewer. So they are looked at where they are given.

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


if sys.platform != "win32":  # there the parent's clock is the only limit
    import resource

PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
#: A step and its function, which returns a digest of the result, and complaints.
Step = tuple[str, Callable[[], tuple[str, list[str]]]]


def steps(path: str) -> Iterator[dict[str, Any]]:
    """Yield how many `steps` there are; what is begun (`step`), what came of it (`digest`) and what is wrong.

    In plain Python, which is slow, runs have only to come to their ends; what functions answer is looked at.
    """
    keys = set(plugins.register(path))
    rules = [
        registry_of(kind)[key]
        for kind in plugins.kinds(keys)
        for key in sorted(keys & registry_of(kind).keys())
    ]
    todo = [(rule, list(_steps(rule))) for rule in rules]
    yield {"steps": sum(len(one) for _, one in todo)}
    for rule, wanted in todo:
        if PLAIN:
            registry_of(type(rule))[rule.key] = watched(rule)
        yield from _tried(rule, wanted)


def _tried(rule: Any, wanted: list[Step]) -> Iterator[dict[str, Any]]:
    """Take the steps of a rule, up to the first at which something is wrong."""
    for told, step in wanted:
        yield {"step": f"{rule.key}: {told}"}
        try:
            digest, complaints = step()
        except BadInput as error:
            digest, complaints = "", [str(error)]
        except Exception as error:  # Numba has many kinds
            digest, complaints = "", [f"it fails: {_reason(error, rule)}"]
        if digest:
            yield {"digest": digest}
        yield from ({"complaint": f"{rule.key}: {told}: {one}"} for one in complaints)
        if complaints:
            return


def _steps(rule: Any) -> Iterator[Step]:
    for name, hook in functions(rule).items() if not PLAIN else ():
        yield f"compiling {name}", partial(_compiled, rule, hook)
    wanted = list(trials(rule))
    if not wanted:
        yield "its scenarios", lambda: ("", ["it refuses every scenario in which rules are tried"])
    for trial in wanted:
        yield trial.told, partial(plainly, trial) if PLAIN else partial(tried, trial, rule)
    if isinstance(rule, Speculation) and not PLAIN:
        yield "what it knows", lambda: ("", list(about_foresight(f"fair+{rule.key}")))
    if PLAIN and callable(getattr(rule, "formulas", None)):
        yield "its formulas", partial(_written_out, rule)


def _compiled(rule: Any, hook: Any) -> tuple[str, list[str]]:
    hook.compiled(_values(rule), rule.states)
    return "", []


def _values(rule: Any) -> type:
    first = next(trials(rule))
    found: type = type(rule.values(first.scenario, _defaults(rule)))
    return found


def _defaults(rule: Any) -> dict[str, float]:
    return {parameter.name: float(parameter.default) for parameter in rule.parameters}


def _written_out(rule: Any) -> tuple[str, list[str]]:
    """Have the formulas of a rule made, as the page Compare shows them."""
    for observed in ("age", "fraction", "never"):
        registry_of(type(rule))[rule.key].written_out(_defaults(rule), observed)
    return "", []


def _reason(error: Exception, rule: Any) -> str:
    """Return the line of an error that says most, and the line of the rule's file in which it happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "File ", "- "))]
    own_functions = [hook.function for hook in functions(rule).values()]
    where = _line(
        error, {one.__code__.co_filename for one in own_functions if not one.__module__.startswith("sim.")}
    )
    return visible(f"{type(error).__name__}: {(told or lines or ['no reason given'])[0]}")[:300] + where


def _line(error: Exception, files: set[str]) -> str:
    found, trace = "", error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename in files:
            found = f" (line {trace.tb_lineno})"
        trace = trace.tb_next
    return found


def _bound(seconds: float) -> None:
    """Let this process end if it takes so many more seconds of processor time, where the system can."""
    if sys.platform != "win32":
        used, (_, hard) = resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, hard))


def main(arguments: Sequence[str]) -> None:
    """Print a line of JSON for each step of a file, each of so many seconds at most; end with the parent."""
    parent, path, seconds = arguments
    end_with(parent)
    try:
        for step in steps(path):
            print(json.dumps(step), flush=True)
            _bound(float(seconds))
    except BadInput as error:
        print(json.dumps({"complaint": str(error)}), flush=True)
    print(json.dumps({"end": True}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
