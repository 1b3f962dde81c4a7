"""Policies as values: the parameters a rule declares, the rules that are chosen, and how they are written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Protocol, Self

from sim.model.fields import About, BadInput, canonical, in_full, unknown
from sim.telling.words import begun, exact
from theory.quoting import quoted


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
        object.__setattr__(self, "label", self.label or begun(in_words))
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
        given = ",".join(f"{p.name}={exact(value)}" for p, value in self._given)
        return f"{self.key}:{given}" if given else self.key

    @property
    def name(self) -> str:
        """How people call it, with the parameters that are not at their defaults."""
        return self.called(self.title)

    def called(self, title: str) -> str:
        """Return another name with these parameters."""
        return ", ".join([title, *(f"{p.symbol} = {exact(value)}" for p, value in self._given)])

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
        whole = in_full(name, declared)
        if whole not in declared:
            raise unknown(f"parameter of {self.key}", name, list(declared) or ["none"])
        return declared[whole]

    def with_(self, **changes: float) -> Self:
        """Return the rule with some parameters changed, checked as in a text.

        Raises
        ------
        BadInput
            Naming the parameter, the value and what is accepted.
        """
        asked = [(self.parameter(name), value) for name, value in changes.items()]
        values = self.as_dict | {one.name: one.read(value) for one, value in asked}
        return dataclasses.replace(self, values=tuple(values.items()))


@dataclass(frozen=True, slots=True)
class Policy:
    """What is compared: one rule of each kind an engine has.

    An engine's subclass has a field for each kind of rule, which holds the rule that is chosen; its metadata
    have a function that returns the `rules` of that kind by key. A policy is
    written ``first[:k=v,...][+second[:k=v,...]]``; the second rule is the `default_speculation` of the first
    where it is not written. `SYSTEMS` has names for some whole policies: key, how people call it, and what it
    stands for; parameters after the key go to the last rule.
    """

    SYSTEMS: ClassVar[Mapping[str, tuple[str, str]]] = {}
    #: What else is to be said of the grammar.
    NOTE: ClassVar[str] = ""

    @classmethod
    def registries(cls) -> dict[str, Mapping[str, Any]]:
        """Return kind of rule -> key -> rule, with rules of one's own; imports Numba."""
        return {one.name: one.metadata["rules"]() for one in dataclasses.fields(cls)}

    @classmethod
    def grammar(cls) -> str:
        """Say in a sentence how a policy is written."""
        first, *others = (f"{one.name}[:name=value,...]" for one in dataclasses.fields(cls))
        named = ", ".join(f"{key} is {pair}" for key, (_, pair) in cls.SYSTEMS.items())
        also = f"; also by name: {named}" if named else ""
        return f"A policy is written {first}{''.join(f'[+{one}]' for one in others)}{also}{cls.NOTE}."

    @classmethod
    def of(cls, *keys: str | None) -> Self:
        """Return the policy of rules by their keys; the first brings the second, unless it is given."""
        return cls.read("+".join(key for key in keys if key))

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse and check a policy.

        Raises
        ------
        BadInput
            Naming the rule or parameter, the value and what is accepted.

        Examples
        --------
        >>> from sim.engines.slots.scenario import SlotPolicy
        >>> SlotPolicy.read("fair+late:1")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: policy: 'fair+late:1' is not accepted; give parameters as name=value...
        """
        found: Self = _read(cls, text)  # type: ignore[arg-type, assignment]
        return found

    @classmethod
    def _parsed(cls, text: str) -> Self:
        first, *others = cls.registries().values()
        spelled = cls._spelled_out(text)
        written, plus, rest = spelled.partition("+") if others else (spelled, "", "")
        rules = [read_rule(written, first, text, cls.SYSTEMS)]
        for registry in others:
            rules.append(read_rule(rest if plus else first[rules[0].key].default_speculation, registry, text))
        policy = cls(*rules)
        if complaint := policy.complaint():
            raise BadInput(f"policy: {quoted(text)} is not accepted; {complaint}")
        return policy

    @classmethod
    def _spelled_out(cls, text: str) -> str:
        """Return what the name of a whole policy stands for; other texts as they are."""
        head, plus, _ = text.strip().partition("+")
        name, colon, values = (part.strip() for part in head.partition(":"))
        if name not in cls.SYSTEMS or name in next(iter(cls.registries().values())):
            return text.strip()
        _, pair = cls.SYSTEMS[name]
        if plus:
            raise BadInput(
                f"policy: {quoted(text)} is not accepted; {name} fixes both rules, it stands for {pair}, "
                "give either"
            )
        return pair + ("," if ":" in pair.partition("+")[2] else ":") * bool(colon) + values

    def complaint(self) -> str | None:
        """Say why the rules do not go together, if they do not."""
        return None

    @property
    def rules(self) -> dict[str, Chosen]:
        """Kind of rule -> the chosen one."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}

    @property
    def text(self) -> str:
        """Canonical spelling: every rule named, defaults left out; reading it gives an equal policy."""
        return "+".join(rule.text for rule in self.rules.values())

    @property
    def name(self) -> str:
        """How people call it: a whole policy that has a name, else the titles of its rules.

        Either with the parameters that are not at their defaults. A second rule that the first brings along
        is not named, unless it is none.

        Examples
        --------
        >>> from sim.engines.slots.scenario import read_policy
        >>> [read_policy(text).name for text in ("fair+late:min_age=1", "hopper:epsilon=0.3", "sda:sigma=1")]
        ['Fair shares + LATE, min age = 1', 'Hopper, ε = 0.3', 'SDA, σ = 1']
        """
        first, *others = self.rules.values()
        named = [first]
        for other in others:
            for title, pair in self.SYSTEMS.values():
                if pair == f"{first.text}+{other.key}":
                    return other.called(title)
            brought = next(iter(self.registries().values()))[first.key].default_speculation
            named += [] if other.text == brought != "none" else [other]
        return " + ".join(rule.name for rule in named)

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
        >>> from sim.engines.slots.scenario import read_policy
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


@lru_cache(maxsize=1024)  # a class asks for the same few, over and over
def _read(cls: type[Policy], text: str) -> Policy:
    return cls._parsed(text)


#: Forgets the policies that were read, of whatever rules there were then.
forget_read = _read.cache_clear


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
