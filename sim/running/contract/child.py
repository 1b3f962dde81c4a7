"""Tries the rules of a file in a separate process, with a line of JSON for each step."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from sim.engines import plugins
from sim.engines.plugins.declarations import registry_of
from sim.engines.plugins.hooks import functions
from sim.engines.slots.rule import Speculation
from sim.model.fields import BadInput
from sim.running.contract.runs import about_foresight, plainly, trials, tried
from sim.running.contract.watched import watched
from sim.running.processes.parent import end_with
from theory.shown import visible

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
    """Return the type of what the hooks of a rule read."""
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
