"""Policies as values: the parameters a rule declares, the rules that are chosen, and how they are written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from sim.fields import About, BadInput, canonical, unknown
from theory.shown import quoted


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number a rule can be given: the shell, the checks and the sliders read it from here.

    `label` is what its slider is called, `symbol` how the name of a policy calls it; both are its name in
    words unless they are given. `setting` is what a real system calls it, exactly.
    """

    name: str
    default: float
    about: About
    whole: bool = False
    label: str = ""
    symbol: str = ""
    setting: str = ""

    def __post_init__(self) -> None:
        in_words = self.name.replace("_", " ")
        object.__setattr__(self, "label", self.label or in_words[0].upper() + in_words[1:])
        object.__setattr__(self, "symbol", self.symbol or in_words)

    @property
    def text(self) -> str:
        """Its meaning, and its name in a real system."""
        return f"{self.about.text} ({self.setting})" if self.setting else self.about.text

    def read(self, value: Any) -> float:
        """Return `value` if the parameter accepts it.

        Raises
        ------
        BadInput
            Naming the parameter, the value and what is accepted.
        """
        return float(canonical(self.name, value, int if self.whole else float, self.about))


def parameter(
    name: str,
    default: float,
    text: str,
    *,
    whole: bool = False,
    label: str = "",
    symbol: str = "",
    setting: str = "",
    **about: Any,
) -> Parameter:
    """Declare a parameter of a rule."""
    return Parameter(name, default, About(text, **about), whole, label, symbol, setting)


class Declared(Protocol):
    """A rule as far as a policy needs it."""

    @property
    def key(self) -> str:
        """How a policy calls it."""

    @property
    def title(self) -> str:
        """How people call it."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The numbers it can be given."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One rule with its parameters."""

    key: str
    values: tuple[tuple[str, float], ...]
    declared: tuple[Parameter, ...] = field(compare=False, repr=False)
    title: str = field(default="", compare=False, repr=False)

    @property
    def text(self) -> str:
        """How the rule is written: defaults left out, numbers exact."""
        given = ",".join(f"{p.name}={_spelled(value)}" for p, value in self._given)
        return f"{self.key}:{given}" if given else self.key

    @property
    def name(self) -> str:
        """How people call it, with the parameters that are not at their defaults."""
        return self.called(self.title)

    def called(self, title: str) -> str:
        """Return another name with these parameters."""
        return ", ".join([title, *(f"{p.symbol} = {_spelled(value)}" for p, value in self._given)])

    @property
    def _given(self) -> list[tuple[Parameter, float]]:
        """The parameters that are not at their defaults, with their values."""
        values = self.as_dict
        return [(p, values[p.name]) for p in self.declared if values[p.name] != float(p.default)]

    @property
    def as_dict(self) -> dict[str, float]:
        """Parameter name -> value."""
        return dict(self.values)

    @classmethod
    def of(cls, rule: Declared) -> Self:
        """Return a rule with the defaults it declares."""
        values = tuple((p.name, float(p.default)) for p in rule.parameters)
        return cls(rule.key, values, rule.parameters, rule.title)

    def parameter(self, name: str) -> Parameter:
        """Return the parameter of this name.

        Raises
        ------
        BadInput
            If the rule has none, with those it has.
        """
        declared = {p.name: p for p in self.declared}
        if name not in declared:
            raise unknown(f"parameter of {self.key}", name, list(declared) or ["none"])
        return declared[name]

    def with_(self, **changes: float) -> Self:
        """Return the rule with some parameters changed, checked as in a text.

        Raises
        ------
        BadInput
            Naming the parameter, the value and what is accepted.
        """
        values = self.as_dict | {name: self.parameter(name).read(value) for name, value in changes.items()}
        return dataclasses.replace(self, values=tuple(values.items()))


@dataclass(frozen=True, slots=True)
class Policy:
    """What is compared: one rule of each kind an engine has.

    An engine's subclass has a field for each kind of rule, which holds the rule that is chosen.
    """

    @property
    def rules(self) -> dict[str, Chosen]:
        """Kind of rule -> the chosen one."""
        return {kind.name: getattr(self, kind.name) for kind in dataclasses.fields(self)}

    @property
    def text(self) -> str:
        """Canonical spelling: every rule named, defaults left out; reading it gives an equal policy."""
        return "+".join(rule.text for rule in self.rules.values())

    @property
    def name(self) -> str:
        """How people call it: the titles of its rules, and the parameters that are not at their defaults.

        Examples
        --------
        >>> from sim.slots.policy import read_policy
        >>> read_policy("fair+late:speculative_cap=0.2").name
        'Fair shares + LATE, speculative cap = 0.2'
        """
        return " + ".join(rule.name for rule in self.rules.values())

    def with_(self, **changes: float | Mapping[str, float]) -> Self:
        """Return the policy with some parameters changed, checked as in a text.

        Parameters
        ----------
        **changes : float or mapping
            Value of a parameter that one of the rules declares; or kind of rule -> {parameter: value},
            for names that several of them declare.

        Raises
        ------
        BadInput
            Naming the parameter, the value and what is accepted.

        Examples
        --------
        >>> from sim.slots.policy import read_policy
        >>> read_policy("hopper:learn_tail=1").with_(epsilon=0.5).text
        'hopper:epsilon=0.5,learn_tail=1+budget'
        >>> read_policy("hopper+dolly").with_(sharing={"epsilon": 0.5}).text
        'hopper:epsilon=0.5+dolly'
        """
        by_kind: dict[str, dict[str, float]] = {}
        for name, value in changes.items():
            if isinstance(value, Mapping):
                by_kind.setdefault(name, {}).update(value)
            else:
                by_kind.setdefault(self._kind_declaring(name), {})[name] = value
        rules = self.rules
        if strange := [kind for kind in by_kind if kind not in rules]:
            raise unknown("kind of rule", strange[0], list(rules))
        return dataclasses.replace(self, **{kind: rules[kind].with_(**new) for kind, new in by_kind.items()})

    def _kind_declaring(self, name: str) -> str:
        """Return the kind of the only rule that declares a parameter."""
        declared = {kind: list(rule.as_dict) for kind, rule in self.rules.items()}
        found = [kind for kind, names in declared.items() if name in names]
        if not found:
            names = [one for names in declared.values() for one in names]
            raise unknown(f"parameter of {self.text}", name, names or ["none"])
        if len(found) > 1:
            accepted = " or ".join(f"{kind}={{{name!r}: ...}}" for kind in found)
            raise BadInput(f"{name}: several rules of {self.text} have it; give {accepted}")
        return found[0]


def of_two(first: Chosen, second: Chosen, brought: str) -> str:
    """Return how people call a policy of two rules; the second is not named if the first brings it along.

    Parameters
    ----------
    first, second : Chosen
    brought : str
        The second rule where none is written; "none" is always named.
    """
    return first.name if second.text == brought != "none" else f"{first.name} + {second.name}"


def read_pair(
    first: str,
    second: str | None,
    firsts: Mapping[str, Any],
    seconds: Mapping[str, Declared],
    whole: str,
    also: Iterable[str] = (),
) -> tuple[Chosen, Chosen]:
    """Parse two rules, as `read_rule` does each; without the second it is the one that the first brings."""
    one = read_rule(first, firsts, whole, also)
    return one, read_rule(firsts[one.key].default_speculation if second is None else second, seconds, whole)


def _spelled(number: float) -> str:
    """Spell a number so that reading it gives the same number, as briefly as that allows."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


def read_rule(text: str, registry: Mapping[str, Declared], whole: str, also: Iterable[str] = ()) -> Chosen:
    """Parse ``key[:k=v,...]``, a part of the policy `whole`, against the rules of a registry.

    `also` are names that a policy may begin with, beside the rules: for the message.

    Raises
    ------
    BadInput
        Naming the rule or parameter, the value and what is accepted.
    """
    key, colon, listed = text.strip().partition(":")
    if key not in registry:
        raise unknown("policy", key, [*registry, *also])
    chosen = Chosen.of(registry[key])
    values: dict[str, float] = {}
    for part in listed.split(",") if colon else ():
        name, equals, value = part.partition("=")
        if not equals:
            raise BadInput(
                f"policy: {quoted(whole)} is not accepted; give parameters as name=value after {key}:"
            )
        parameter = chosen.parameter(name.strip())
        try:
            values[parameter.name] = parameter.read(value)
        except BadInput as error:
            raise BadInput(f"policy {quoted(whole)}, {key}: {error}") from None
    return chosen.with_(**values)
