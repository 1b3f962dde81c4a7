"""What a declaration must be, whoever has written it, and the registries that hold rules by kind."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import MutableMapping
from importlib import import_module
from typing import Any

from sim.fields import BadInput
from sim.gang.rule import Redundancy
from sim.policy import Parameter
from sim.probes.protocol import Protocol
from sim.slots.rule import Sharing, Speculation
from theory.shown import quoted

#: Kind of rule -> module and name of its registry, loaded when it is needed.
_REGISTRIES: dict[type, tuple[str, str]] = {
    Sharing: ("sim.slots.sharing", "SHARING"),
    Speculation: ("sim.slots.speculation", "SPECULATION"),
    Redundancy: ("sim.gang.redundancy", "REDUNDANCY"),
    Protocol: ("sim.probes.protocols", "PROTOCOLS"),
}
#: What each hook is called with, behind `world` and perhaps `values` (`sim.slots.signatures`).
HOOKS = {
    "refile": ("j",), "pick": (), "watch": ("s",), "notice": ("s",), "copy_ended": ("s", "won"),
    "choose": ("j",), "drop": ("j",),
}  # fmt: skip
#: Names that policies have already, though no rule is called so.
TAKEN = (
    *("sca", "sda", "ese", "mantri-xl", "no-backup", "dolly-task", "dolly-job"),
    "central",
)
KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def registry_of(kind: type) -> MutableMapping[str, Any]:
    """Return the registry of a kind of rule."""
    module, name = _REGISTRIES[kind]
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
    if type(rule) not in _REGISTRIES:
        kinds = ", ".join(kind.__name__ for kind in _REGISTRIES)
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
    names = [parameter.name for parameter in rule.parameters]
    for parameter in rule.parameters:
        found += _about_parameter(parameter, names)
    for name in HOOKS:
        if (hook := getattr(rule, name, None)) is not None and hasattr(hook, "view"):
            found += _about_hook(name, hook, bool(names) or rule.prepare is not None)
    return found


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


def _about_hook(name: str, hook: Any, has_numbers: bool) -> list[str]:
    """Say what is wrong with the arguments of a hook."""
    given = list(inspect.signature(hook.function).parameters)
    wanted = [["world", *HOOKS[name]], ["world", "values", *HOOKS[name]]]
    if given[:1] != ["world"] or len([one for one in given if one != "values"]) != len(wanted[0]):
        shown = " or ".join(f"{name}({', '.join(one)})" for one in wanted)
        return [f"{name}: {hook.function.__name__}({', '.join(given)}) is not accepted; write {shown}"]
    if "values" in given and not has_numbers:
        return [f"{name}: {hook.function.__name__} reads values, but the rule declares no parameters"]
    return []
