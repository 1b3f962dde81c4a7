"""Tries the rules of a file in a process of its own, with a line of JSON for each step."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from sim import own
from sim.contract.runs import about_foresight, plainly, trials, tried
from sim.fields import BadInput
from sim.own_rules import HOOKS, registry_of
from sim.slots.rule import Speculation
from theory.shown import visible

PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def steps(path: str) -> Iterator[dict[str, Any]]:
    """Yield what is begun (`step`), what came of it (`digest`) and what is wrong (`complaint`).

    In plain Python, which is slow, runs have only to come to their ends.
    """
    before = set(own.own_keys())
    keys = set(own.register(path)) - before
    for kind in own.kinds(keys):
        for key in sorted(keys & registry_of(kind).keys()):
            yield from _of_rule(registry_of(kind)[key])


def _of_rule(rule: Any) -> Iterator[dict[str, Any]]:
    for name in HOOKS:
        if (hook := getattr(rule, name, None)) is not None and hasattr(hook, "view"):
            yield {"step": f"{rule.key}: compiling {name}"}
            try:
                hook.compiled(_values(rule))
            except Exception as error:  # Numba has many kinds
                yield {"complaint": f"{rule.key}: {name} cannot be compiled: {_reason(error)}"}
                return
    for trial in trials(rule):
        yield {"step": f"{rule.key}: {trial.told}"}
        try:
            digest, complaints = plainly(trial) if PLAIN else tried(trial, rule)
        except BadInput as error:
            digest, complaints = "", [str(error)]
        except Exception as error:
            digest, complaints = "", [f"it fails: {_reason(error)}"]
        yield {"digest": digest}
        yield from ({"complaint": f"{rule.key}: {trial.told}: {one}"} for one in complaints)
        if complaints:
            return
    if isinstance(rule, Speculation) and not PLAIN:
        yield {"step": f"{rule.key}: what it knows"}
        yield from ({"complaint": f"{rule.key}: {one}"} for one in about_foresight(f"fair+{rule.key}"))


def _values(rule: Any) -> type:
    """Return the type of what the hooks of a rule read."""
    first = next(trials(rule))
    chosen = {parameter.name: float(parameter.default) for parameter in rule.parameters}
    found: type = type(rule.values(first.scenario, chosen))
    return found


def _reason(error: Exception) -> str:
    """Return the line of an error that says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Failed in nopython", "During:", "File ", "- "))]
    return visible(f"{type(error).__name__}: {(told or lines or ['no reason given'])[0]}")[:300]


def main(arguments: Sequence[str]) -> None:
    """Print a line of JSON for each step."""
    try:
        for step in steps(arguments[0]):
            print(json.dumps(step), flush=True)
    except BadInput as error:
        print(json.dumps({"complaint": str(error)}), flush=True)
    print(json.dumps({"end": True}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
