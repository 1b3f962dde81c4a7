"""Policies as values: the parameters a rule declares, and how a policy is written.

``sharing[:k=v,...][+speculation[:k=v,...]]``, e.g. ``fair+late:speculative_cap=0.2``.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sim.fields import About, BadInput, canonical, unknown
from sim.formula import Formula

if TYPE_CHECKING:
    from sim.scenario import Scenario
    from sim.slots.signatures import Hook


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number a rule can be given: the shell, the checks and the sliders read it from here."""

    name: str
    default: float
    about: About
    whole: bool = False

    def read(self, value: Any) -> float:
        """Return `value` if the parameter accepts it.

        Raises
        ------
        BadInput
            Naming the parameter, the value and what is accepted.
        """
        return float(canonical(self.name, value, int if self.whole else float, self.about))


def parameter(name: str, default: float, text: str, *, whole: bool = False, **about: Any) -> Parameter:
    """Declare a parameter of a rule."""
    return Parameter(name, default, About(text, **about), whole)


#: Formulas of a rule; those that depend on its parameters, or on when remaining times become known
#: (`age`, `fraction` or `never`), are made from both.
Formulas = tuple[Formula, ...] | Callable[[Mapping[str, float], str], tuple[Formula, ...]]


@dataclass(frozen=True, kw_only=True)
class SlotRule:
    """What sharing and speculation rules of the slot engine declare alike.

    `prepare` turns a scenario and the parameters into the named tuple of numbers that the hooks read as
    `values`; without it those are the parameters. ``docs/write-a-rule.md`` shows how a rule is written.
    """

    key: str
    title: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[Scenario, Mapping[str, float]], NamedTuple] | None = None
    reference: str = ""
    formulas: Formulas = ()

    def values(self, scenario: Scenario, chosen: Mapping[str, float]) -> Any:
        """Return the numbers that the hooks read, as a named tuple of floats."""
        if self.prepare is not None:
            return self.prepare(scenario, chosen)
        return values_type(tuple(parameter.name for parameter in self.parameters))(**chosen)


@cache
def values_type(names: tuple[str, ...]) -> Any:
    """Return the type of named tuple that hooks read parameters from."""
    return namedtuple("Values", names)


@dataclass(frozen=True, kw_only=True)
class Sharing(SlotRule):
    """How slots are shared across jobs: a rule of the slot engine.

    `budgets` says that the rule has a target for each job, which then also limits extra copies.
    `keeps_serving` says that a job it has picked stays first while it has originals to launch: launching
    one does not move it. `files_all` says that it also files jobs that want no slot. `memory` is how
    many numbers it keeps of each job in `order`, behind eight of its own.
    """

    refile: Hook
    pick: Hook
    budgets: bool = False
    keeps_serving: bool = False
    files_all: bool = False
    memory: int = 0
    default_speculation: str = "none"


@dataclass(frozen=True, kw_only=True)
class Speculation(SlotRule):
    """When a job runs extra copies: a rule of the slot engine; a hook left out never does anything.

    `when` says when a free slot goes to an extra copy: 'never', 'urgent' (before originals),
    'budget' (as part of the job's share) or 'spare' (when no original waits). `at_launch` says that
    copies come with the original, so that a sharing rule's target does not limit them; `lists_new`
    that the rule needs the list of jobs that have not begun; `hears_all` that it hears of every copy that
    ends, not only of tasks it has filed; `places` that it chooses slots. `drop` names copies that make room
    for others. `room` says how many numbers it remembers in `store`, given slots and tasks. `clones_jobs` says
    that it clones whole jobs, which end with the first complete clone. `refuses` says which field of a
    scenario the rule can do nothing with, and what it would accept.
    """

    when: str | Callable[[Mapping[str, float]], str]
    watch: Hook | None = None
    notice: Hook | None = None
    copy_ended: Hook | None = None
    choose: Hook | None = None
    drop: Hook | None = None
    at_launch: bool = False
    lists_new: bool = False
    hears_all: bool = False
    places: bool = False
    clones_jobs: bool = False
    room: Callable[[int, int], int] = lambda slots, tasks: 1
    refuses: Callable[[Scenario, Mapping[str, float]], str | None] | None = None


class Written(Protocol):
    """A policy of any engine: a value that can be written down and read again."""

    @property
    def text(self) -> str:
        """Canonical spelling."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One rule with its parameters."""

    key: str
    values: tuple[tuple[str, float], ...]

    @property
    def text(self) -> str:
        """How the rule is written, defaults left out."""
        rule = SHARING().get(self.key) or SPECULATION()[self.key]
        return self.written(rule.parameters)

    @property
    def as_dict(self) -> dict[str, float]:
        """Parameter name -> value."""
        return dict(self.values)

    def written(self, parameters: Sequence[Parameter]) -> str:
        """How a rule with these parameters is written, defaults left out, numbers exact."""
        defaults = {p.name: float(p.default) for p in parameters}
        given = ",".join(f"{k}={_spelled(v)}" for k, v in self.values if v != defaults[k])
        return f"{self.key}:{given}" if given else self.key


@dataclass(frozen=True, slots=True)
class Policy:
    """A sharing rule and a speculation rule; any pair runs.

    Examples
    --------
    >>> read_policy("hopper").text
    'hopper+budget'
    >>> read_policy("fair+late:speculative_cap=0.2").speculation.as_dict["speculative_cap"]
    0.2
    """

    sharing: Chosen
    speculation: Chosen

    @property
    def text(self) -> str:
        """Canonical spelling: defaults left out, the speculation rule always named."""
        return f"{self.sharing.text}+{self.speculation.text}"


#: Systems of the papers that fix both rules: name -> pair. Parameters after the name go to the second rule.
SYSTEMS = {
    "sca": "levels+sca",
    "sda": "levels+sda",
    "ese": "levels+ese",
    "mantri-xl": "levels+mantri",
    "no-backup": "levels+none",
    "dolly-task": "fair+dolly",
    "dolly-job": "fair+dolly-job",
}


def check_fit(policy: Policy, scenario: Scenario) -> None:
    """Refuse a policy that can do nothing with a scenario.

    Raises
    ------
    BadInput
        Naming the field, the value and what the policy would accept.

    Examples
    --------
    >>> from sim.scenario import Scenario
    >>> check_fit(read_policy("sda"), Scenario(observe="never"))
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: observe: 'never' is not accepted with sda; give fraction:s or age:a
    """
    rule = SPECULATION()[policy.speculation.key]
    complaint = rule.refuses(scenario, policy.speculation.as_dict) if rule.refuses else None
    if complaint:
        raise BadInput(complaint)


def SHARING() -> Mapping[str, Sharing]:
    """Registry of sharing rules; imports Numba, so only on demand."""
    from sim.slots.sharing import SHARING as registry

    return registry


def SPECULATION() -> Mapping[str, Speculation]:
    """Registry of speculation rules; imports Numba, so only on demand."""
    from sim.slots.speculation import SPECULATION as registry

    return registry


@lru_cache(maxsize=1024)  # a class asks for the same few, over and over
def read_policy(text: str) -> Policy:
    """Parse and check a policy.

    Parameters
    ----------
    text : str
        ``sharing[:k=v,...][+speculation[:k=v,...]]``, or one of `SYSTEMS` with the parameters of
        its speculation rule.

    Raises
    ------
    BadInput
        Naming the rule or parameter, the value and what is accepted.

    Examples
    --------
    >>> read_policy("fair+late:cap")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: policy: 'fair+late:cap' is not accepted; give parameters as name=value after late:
    """
    sharing_text, plus, speculation_text = _spelled_out(text).partition("+")
    sharing = read_rule(sharing_text, SHARING(), text)
    if not plus:
        speculation_text = SHARING()[sharing.key].default_speculation
    return Policy(sharing, read_rule(speculation_text, SPECULATION(), text))


def _spelled_out(text: str) -> str:
    """Return the pair that the name of a system stands for; other texts as they are.

    Examples
    --------
    >>> _spelled_out("sda:sigma=1.5")
    'levels+sda:sigma=1.5'
    """
    head, plus, _ = text.strip().partition("+")
    name, colon, values = head.partition(":")
    if name.strip() not in SYSTEMS or name.strip() in SHARING():
        return text.strip()
    pair = SYSTEMS[name.strip()]
    if plus:
        raise BadInput(
            f"policy: {text!r} is not accepted; {name} fixes both rules, it stands for {pair}, give either"
        )
    return pair + ("," if ":" in pair.partition("+")[2] else ":") * bool(colon) + values


def _spelled(number: float) -> str:
    """Spell a number so that reading it gives the same number, as briefly as that allows."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def read_rule(text: str, registry: Mapping[str, Any], whole: str) -> Chosen:
    """Parse ``key[:k=v,...]``, a part of the policy `whole`, against the rules of a registry.

    Raises
    ------
    BadInput
        Naming the rule or parameter, the value and what is accepted.
    """
    key, colon, listed = text.strip().partition(":")
    if key not in registry:
        raise unknown("policy", key, [*registry, *(SYSTEMS if registry is SHARING() else ())])
    declared = {p.name: p for p in registry[key].parameters}
    values = {name: float(p.default) for name, p in declared.items()}
    for part in listed.split(",") if colon else ():
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals:
            raise BadInput(f"policy: {whole!r} is not accepted; give parameters as name=value after {key}:")
        if name not in declared:
            raise unknown(f"parameter of {key}", name, list(declared) or ["none"])
        try:
            values[name] = declared[name].read(value)
        except BadInput as error:
            raise BadInput(f"policy {whole!r}, {key}: {error}") from None
    return Chosen(key, tuple(values.items()))
