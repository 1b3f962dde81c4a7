"""The common part of the rules of all engines: names, parameters, and the numbers that their hooks read."""

from __future__ import annotations

import functools
import warnings
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from sim.model.policy import Parameter
from theory.quoting import quoted

if TYPE_CHECKING:
    from sim.kernel.hook import Call

# Titles of the papers that several rules are from.
# A formula as a rule declares it and the screen shows it.

RAWY = "Ren, Ananthanarayanan, Wierman & Yu, Speculation-aware Cluster Scheduling"
HOPPER = "Ren, Ananthanarayanan, Wierman & Yu, Hopper (SIGCOMM 2015)"
XL = "Xu & Lau, Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster"
AKTAS = "Aktas & Soljanin, Learning Effective Straggler Mitigation from Experience and Modeling"
DOLLY = "Ananthanarayanan, Ghodsi, Shenker & Stoica, Why let resources idle? (HotCloud 2012)"


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its name, its LaTeX without dollar signs, a sentence (Markdown) and its source."""

    name: str
    latex: str
    sentence: str
    source: str = ""


_Declaration = TypeVar("_Declaration", bound=type)


def warn_of_old_name(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a rule of one's own uses a name of release 0.2, which the next release still accepts."""
    told = f"{old} is called {new} since release 0.3, which is the last one to accept {old}"
    warnings.warn(told, DeprecationWarning, stacklevel)


def accepts_old_names(**renamed: str) -> Callable[[_Declaration], _Declaration]:
    """Let a declaration be made, and read, by old names of its fields, with a warning.

    Parameters
    ----------
    **renamed : str
        Old name -> the name of now.
    """

    def accepting(declaration: Any) -> Any:
        init = declaration.__init__

        @functools.wraps(init)
        def named_anew(self: Any, **given: Any) -> None:
            for old in renamed.keys() & given.keys():
                warn_of_old_name(old, renamed[old])
                if renamed[old] in given:
                    raise TypeError(f"{old} and {renamed[old]} are the same; give {renamed[old]}")
                given[renamed[old]] = given.pop(old)
            init(self, **given)

        def read(self: Any, name: str) -> Any:
            """Return what has an old name; called only where no attribute has it."""
            if name not in renamed:
                raise AttributeError(f"{type(self).__name__} has no {quoted(name)}", name=name, obj=self)
            warn_of_old_name(name, renamed[name])
            return getattr(self, renamed[name])

        declaration.__init__, declaration.__getattr__ = named_anew, read
        return declaration

    return accepting


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What rules of every engine declare alike.

    `prepare` turns a scenario and the parameters into the named tuple of numbers that the hooks read as
    `values`; without it those are the parameters. `job_state` names numbers that the rule keeps of each job,
    with what each begins with, which also says whether it is whole; the hooks have them as
    ``world.job_state[j]``. ``docs/how-to/write-a-rule.md`` shows how to write a rule.
    """

    #: The engine whose rule it is, and where rules of its kind are listed: module and name.
    ENGINE: ClassVar[str]
    REGISTRY: ClassVar[str]
    key: str
    title: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[Any, Mapping[str, float]], NamedTuple] | None = None
    reference: str = ""
    job_state: Mapping[str, float] = field(default_factory=dict, hash=False)

    @classmethod
    def calls(cls) -> dict[str, Call]:
        """Return how the engine calls each hook, in the order in which it takes them; imports Numba."""
        signatures = import_module(f"sim.engines.{cls.ENGINE}.signatures")
        hooks = [one.name for one in fields(cls) if str(one.type).startswith("Hook")]
        return {name: getattr(signatures, name) for name in hooks}

    @property
    def states(self) -> tuple[tuple[str, np.dtype], ...]:
        """What the rule keeps of its own: 'job_state' and 'slot_state', as far as it declares them."""
        declared = {name: getattr(self, name, None) for name in ("job_state", "slot_state")}
        return tuple((name, record_of(begins)) for name, begins in declared.items() if begins)

    def compiled(self, values: Any) -> tuple[Any, ...]:
        """Return the compiled hooks, in the order in which the engine takes them."""
        hooks: list[Any] = [getattr(self, name) or call.left_out for name, call in self.calls().items()]
        return tuple(hook.compiled(type(values), self.states) for hook in hooks)

    def values(self, scenario: Any, chosen: Mapping[str, float]) -> Any:
        """Return the numbers that the hooks read, as a named tuple of floats."""
        if self.prepare is not None:
            return self.prepare(scenario, chosen)
        return values_type(tuple(parameter.name for parameter in self.parameters))(**chosen)


@cache
def values_type(names: tuple[str, ...]) -> Any:
    """Return the type of named tuple that hooks read parameters from."""
    return namedtuple("Values", names)


def record_of(begins: Mapping[str, float]) -> np.dtype:
    """Return the record of the numbers that a rule keeps of a job or a slot, given what they begin with.

    Examples
    --------
    >>> record_of({"seen": 0, "accepted": 1.0}).names
    ('seen', 'accepted')
    """
    return np.dtype([(name, np.asarray(begin).dtype) for name, begin in begins.items()], align=True)


def begin(rows: Any, begins: Mapping[str, float]) -> None:
    """Let zeroed records of jobs or slots begin as a rule declares."""
    for name, first in begins.items():
        if first:
            rows[name] = first
