"""Checks of a declaration, whoever has written it, and the registries that hold rules by kind."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

import numpy as np

from sim.engines.gang.rule import Redundancy
from sim.engines.plugins.hooks import about_functions
from sim.engines.probes.protocol import Protocol
from sim.engines.slots.rule import Sharing, Speculation
from sim.engines.slots.systems import SYSTEMS
from sim.model.fields import BadInput
from sim.model.formula import Formula
from sim.model.policy import Parameter
from sim.model.rule import Rule
from theory.shown import quoted

#: The kinds of rules.
KINDS: tuple[type[Rule], ...] = (Sharing, Speculation, Redundancy, Protocol)
#: Names that policies have already, though no rule is called so.
TAKEN = (*SYSTEMS, "central")
#: When a speculation rule lets copies run, as `sim.engines.slots.run.MODES` has it.
WHEN = ("never", "urgent", "budget", "spare", "in turn")
KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def registry_of(kind: type[Rule]) -> MutableMapping[str, Any]:
    """Return the registry of a kind of rule, loaded now."""
    module, _, name = kind.REGISTRY.partition(":")
    registry: MutableMapping[str, Any] = getattr(import_module(module), name)
    return registry


def checked(rule: Any, where: str) -> Any:
    """Return a rule if its declaration can be used.

    Parameters
    ----------
    rule : object
    where : str
        What declares it, for messages.

    Raises
    ------
    BadInput
        Saying what is wrong with it.
    """
    if type(rule) not in KINDS:
        kinds = ", ".join(kind.__name__ for kind in KINDS)
        raise BadInput(f"policies: {where}: {quoted(rule)} is no rule; give one of {kinds}")
    for complaint in complaints(rule):
        raise BadInput(f"policies: {where}: {complaint}")
    return rule


def complaints(rule: Any) -> list[str]:
    """Return in words what is wrong with the declaration of a rule, one line each."""
    found = []
    if not isinstance(rule.key, str) or not KEY.fullmatch(rule.key):
        found.append(
            f"key: {quoted(rule.key)} is not accepted; give small letters and digits, with - between"
        )
    elif rule.key in TAKEN and not _is_ours(rule):
        found.append(f"key: {quoted(rule.key)} is taken; choose another")
    for name in ("title", "summary"):
        if not isinstance(getattr(rule, name), str) or not getattr(rule, name).strip():
            found.append(f"{name}: {quoted(getattr(rule, name))} is not accepted; give a few words")
    return found or [
        *_about_numbers(rule),
        *_about_states(rule),
        *_about_choices(rule),
        *about_functions(rule),
    ]


def _about_numbers(rule: Any) -> Iterator[str]:
    """Say what is wrong with the parameters of a rule, and with what hands them to its functions."""
    parameters = rule.parameters
    if not isinstance(parameters, tuple) or not all(isinstance(one, Parameter) for one in parameters):
        yield f"parameters: {quoted(parameters)} is not accepted; give a tuple, as (parameter(...),)"
        return
    names = [parameter.name for parameter in parameters]
    for parameter in parameters:
        yield from _about_parameter(parameter, names)
    for name in ("prepare", "store"):
        given = getattr(rule, name, None)
        if given is not None and not callable(given):
            yield f"{name}: {quoted(given)} is not accepted; give a function {name}(scenario, values)"
    if isinstance(rule, Protocol):
        missing = {"probes", "cancel"} - set(names)
        yield from (f"parameters: a protocol has one called {one!r}, as sparrow" for one in sorted(missing))
        if rule.asks and rule.asks not in names:
            yield f"asks: {quoted(rule.asks)} is not accepted; give the name of a parameter, or ''"


def _about_states(rule: Any) -> Iterator[str]:
    """Say what is wrong with what a rule keeps of jobs and slots."""
    for state in ("job_state", "slot_state"):
        begins = getattr(rule, state, {})
        if not isinstance(begins, Mapping):
            yield f"{state}: {quoted(begins)} is not accepted; give names and first numbers, as {{'seen': 0}}"
            continue
        for name, first in begins.items():
            if not isinstance(name, str) or not name.isidentifier() or hasattr(np.record, name):
                yield f"{state}: {quoted(name)} is not accepted; give another word of Python"
            elif isinstance(first, bool) or not isinstance(first, (int, float)):
                yield f"{state}: {name} begins with {quoted(first)}; give a number, 0 if it is whole, or 0.0"


def _about_choices(rule: Any) -> Iterator[str]:
    """Say what is wrong with what is declared beside parameters and functions."""
    when = getattr(rule, "when", WHEN[0])
    if not callable(when) and when not in WHEN:
        yield f"when: {quoted(when)} is not accepted; give one of {', '.join(WHEN)}"
    formulas = getattr(rule, "formulas", ())
    if not callable(formulas) and not (
        isinstance(formulas, tuple) and all(isinstance(one, Formula) for one in formulas)
    ):
        yield f"formulas: {quoted(formulas)} is not accepted; give a tuple, as (Formula(...),)"


def _is_ours(rule: Any) -> bool:
    """Whether a rule is the one of that key in this project."""
    return registry_of(type(rule)).get(rule.key) is rule


def _about_parameter(parameter: Parameter, names: list[str]) -> list[str]:
    found, about = [], parameter.about
    if not parameter.name.isidentifier() or names.count(parameter.name) > 1:
        found.append(f"parameter {quoted(parameter.name)}: give each a name of its own, a word of Python")
    if not (math.isfinite(about.low) and (math.isfinite(about.high) or about.high == math.inf)):
        found.append(f"parameter {parameter.name}: give it a smallest and a largest value (low=, high=)")
    try:
        parameter.read(parameter.default)
    except BadInput as error:
        found.append(f"parameter {parameter.name}: its default is not accepted: {error}")
    return found
