"""The hooks of a rule: checks of the functions that it gives."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from sim.engines.slots.rule import Speculation
from theory.shown import quoted


def functions(rule: Any) -> dict[str, Any]:
    """Return the functions of a rule by name; those that it leaves out are not among them."""
    return {name: getattr(rule, name) for name in rule.calls() if getattr(rule, name) is not None}


def about_functions(rule: Any) -> Iterator[str]:
    """Say what is wrong with the functions of a rule before they are run."""
    has_numbers = bool(rule.parameters) or getattr(rule, "prepare", None) is not None
    for name, call in rule.calls().items():
        if getattr(rule, name) is not None:
            yield from _about_one(name, getattr(rule, name), call, rule.ENGINE, has_numbers)
        elif not isinstance(rule, Speculation):
            yield f"{name}: None is not accepted; give a function with {_decorator(name, rule.ENGINE)}"


def _decorator(name: str, engine: str) -> str:
    return f"@{name} of sim.{engine}.signatures"


def _about_one(name: str, given: Any, call: Any, engine: str, has_numbers: bool) -> Iterator[str]:
    function = getattr(given, "function", None)
    if function is None or not hasattr(given, "call"):
        called = getattr(given, "__name__", None) or quoted(given)
        yield f"{name}: {called} is not accepted; give a function with {_decorator(name, engine)}"
        return
    if not function.__name__.isidentifier():
        yield f"{name}: a lambda is not accepted; write it with def"
        return
    if given.call != call:
        yield f"{name}: {function.__name__} has another decorator; write {_decorator(name, engine)}"
        return
    found, wanted = list(inspect.signature(function).parameters), call.arguments
    ways = [wanted, ("world", "values", *wanted[1:])]
    plain = [one for one in found if one != "values"]
    if len(plain) != len(wanted) or found[:1] != ["world"]:
        shown = " or ".join(f"{name}({', '.join(way)})" for way in ways)
        yield f"{name}: {function.__name__}({', '.join(found)}) is not accepted; write {shown}"
    elif "values" in found and not has_numbers:
        yield f"{name}: {function.__name__} reads values, but the rule declares no parameters"
