"""The hooks of a rule by kind: the arguments of each, and checks of a given function."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from sim.gang.rule import Redundancy
from sim.probes.protocol import Protocol
from sim.slots.rule import Sharing, Speculation
from theory.shown import quoted

#: Arguments of each hook; `values` may follow `world`. Other names are free.
_SHARING = {"update_order": ("world", "j"), "next_job": ("world",)}
_SPECULATION = {
    "next_check": ("world", "s"), "check": ("world", "s"), "on_copy_end": ("world", "s", "won"),
    "select_task": ("world", "j"), "evict": ("world", "j"),
}  # fmt: skip
_PROTOCOL = {
    "label": ("world", "j"), "ask": ("world", "s"), "answer": ("world", "j", "firm"),
    "update_order": ("world", "j"),
}  # fmt: skip
#: Kind of rule -> the module of its decorators, which are called as the functions, and the functions.
FUNCTIONS: dict[type, tuple[str, dict[str, tuple[str, ...]]]] = {
    Sharing: ("sim.slots.signatures", _SHARING),
    Speculation: ("sim.slots.signatures", _SPECULATION),
    Redundancy: ("sim.gang.signatures", {"decide": ("world", "j")}),
    Protocol: ("sim.probes.signatures", _PROTOCOL),
}


def functions(rule: Any) -> dict[str, Any]:
    """Return the functions of a rule by name; those that it leaves out are not among them."""
    _, known = FUNCTIONS[type(rule)]
    return {name: getattr(rule, name) for name in known if getattr(rule, name) is not None}


def arguments(rule: Any, name: str) -> tuple[str, ...]:
    """Return what a function of a rule is called with, in order; `world` may be followed by `values`."""
    return FUNCTIONS[type(rule)][1][name]


def about_functions(rule: Any) -> Iterator[str]:
    """Say what is wrong with the functions of a rule before they are run."""
    module, known = FUNCTIONS[type(rule)]
    given = functions(rule)
    has_numbers = bool(rule.parameters) or getattr(rule, "prepare", None) is not None
    for name in known:
        if name in given:
            yield from _about_one(name, given[name], module, known[name], has_numbers)
        elif not isinstance(rule, Speculation):
            yield f"{name}: None is not accepted; give a function with @{name} of {module}"


def _about_one(
    name: str, given: Any, module: str, wanted: tuple[str, ...], has_numbers: bool
) -> Iterator[str]:
    function = getattr(given, "function", None)
    if function is None or not hasattr(given, "view"):
        called = getattr(given, "__name__", None) or quoted(given)
        yield f"{name}: {called} is not accepted; give a function with @{name} of {module}"
        return
    if not function.__name__.isidentifier():
        yield f"{name}: a lambda is not accepted; write it with def"
        return
    right = getattr(import_module(module), name)(function)
    if given.signature != right.signature or given.view != right.view:
        yield f"{name}: {function.__name__} has another decorator; write @{name} of {module}"
        return
    found = list(inspect.signature(function).parameters)
    ways = [wanted, ("world", "values", *wanted[1:])]
    plain = [one for one in found if one != "values"]
    if len(plain) != len(wanted) or found[:1] != ["world"]:
        shown = " or ".join(f"{name}({', '.join(way)})" for way in ways)
        yield f"{name}: {function.__name__}({', '.join(found)}) is not accepted; write {shown}"
    elif "values" in found and not has_numbers:
        yield f"{name}: {function.__name__} reads values, but the rule declares no parameters"
