"""Policies chosen as texts, and the parameters of their rules: a slider or a switch for each.

Links and widgets have texts. They are read here; whatever comes after has the policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import streamlit as st

from pages.frame.limits import limits
from pages.shared.controls.control import Control, Range, Switch
from pages.shared.controls.links import key
from sim.engines import plugins
from sim.model.fields import BadInput
from sim.model.policy import Parameter, Policy
from sim.telling.words import listed
from theory.shown import quoted

P = TypeVar("P", bound=Policy)
#: Whether a page has a slider for a parameter of a policy: the policy, the kind of rule, the parameter.
Free = Callable[[P, str, Parameter], bool]
#: What can be typed, at most, for a parameter without a bound.
LARGEST = 1e12


@dataclass(frozen=True, slots=True)
class Policies(Generic[P]):
    """Some policies of an engine; others than the menu offers can be typed.

    Parameters
    ----------
    offered : callable
        Returns the texts that the menu has. It is asked anew each time: rules of one's own may have come.
    parse : callable
        Reads a text.
    fewest, most : int
        How many may be chosen.
    free : callable, optional
        Whether a parameter has a slider.
    first : sequence of str, optional
        The texts that the menu has where a page offers the others elsewhere; all unless given.
    """

    offered: Callable[[], Iterable[str]]
    parse: Callable[[str], P]
    fewest: int
    most: int
    free: Free[P] = lambda policy, kind, parameter: True
    first: Sequence[str] = ()

    def read(self, name: str, text: str) -> list[str]:
        """Return the texts of the policies, which a link separates by semicolons."""
        chosen = self.canonical(name, filter(None, map(str.strip, text.split(";"))))
        if not self.fewest <= len(chosen) <= self.most:
            raise BadInput(
                f"{name}: {quoted(text)} is not accepted; give {self.fewest} to {self.most}, separated by ;"
            )
        return chosen

    def canonical(self, name: str, texts: Iterable[str]) -> list[str]:
        """Return the canonical texts of policies."""
        return [self.parse(text).text for text in texts]

    def write(self, value: list[str]) -> str:
        """Return the policies as a link has them."""
        return ";".join(value)

    def show(self, value: Sequence[str]) -> str:
        """Return how people call the policies."""
        return listed(list(map(self.called, value)))

    def draw(self, label: str, *, key: str, **options: Any) -> list[str]:
        """Draw a menu from which several can be chosen, and to which others can be typed."""
        texts = dict.fromkeys([*st.session_state[key], *(self.first or self.offered())])
        options = {"accept_new_options": True} | ({"select_all": False} if self.first else {}) | options
        return st.multiselect(
            label, list(texts), key=key, max_selections=self.most, format_func=self.called, **options
        )

    def called(self, text: str) -> str:
        """Return how people call a policy; the text itself where it cannot be read."""
        return _called(self.parse, text)

    def of(self, texts: Iterable[str]) -> tuple[P, ...]:
        """Return the policies of texts; raises `BadInput` where a rule of one's own has gone."""
        return tuple(self.parse(text) for text in texts)

    def picked(self, texts: Iterable[str]) -> tuple[dict[int, P], list[str]]:
        """Return the policies that can be read, by their places, and what is wrong with the others."""
        found, complaints = {}, []
        for place, text in enumerate(texts):
            try:
                found[place] = self.parse(text)
            except BadInput as error:
                complaints.append(str(error))
        return found, complaints

    def tune(self, page: str, held: str, policies: Mapping[int, P], unit: str = "") -> None:
        """Draw the parameters of policies that have sliders; moving one changes the text of its policy.

        Parameters
        ----------
        page, held : str
            The page, and its control that holds the texts.
        policies : mapping of int to Policy
            Place among the texts -> the policy.
        unit : str, optional
            The scenario's unit of time.
        """
        if not limits(page).leaves(held):
            return
        for place, policy in policies.items():
            heading = True
            for part, chosen in policy.rules.items():
                for parameter in chosen.declared:
                    if not self.free(policy, part, parameter):
                        continue
                    if heading:
                        st.markdown(f"**{policy.name}**")
                        heading = False
                    name = f"rule:{place}:{part}:{parameter.name}"
                    control = of_parameter(name, parameter, unit)
                    now = chosen.as_dict[parameter.name]
                    kind = bool if isinstance(control.values, Switch) else int if parameter.whole else float
                    st.session_state[key(page, name)] = kind(now)
                    moved = (page, held, name, place, part, parameter.name)
                    control.widget(page, on_change=self._retune, args=moved)

    def _retune(self, page: str, held: str, name: str, place: int, part: str, parameter: str) -> None:
        """Give a moved slider's value to the policy at its place."""
        texts = st.session_state[key(page, held)]
        moved = {parameter: float(st.session_state[key(page, name)])}
        st.session_state[key(page, held)] = self.retuned(texts, place, part, moved)

    def retuned(self, texts: Sequence[str], place: int, part: str, values: Mapping[str, float]) -> list[str]:
        """Return the texts of the policies; the one at this place has new parameters of a rule."""
        changed = self.parse(texts[place]).with_(**{part: values})
        return [*texts[:place], changed.text, *texts[place + 1 :]]


@dataclass(frozen=True, slots=True)
class ChosenPolicies(Policies[P]):
    """Some policies of those that the menu offers, each once, with the parameters that have sliders."""

    def canonical(self, name: str, texts: Iterable[str]) -> list[str]:
        """Return the canonical texts of policies, each once; one that is not offered is refused."""
        return list(dict.fromkeys(self._one(name, text) for text in texts))

    def draw(self, label: str, *, key: str, **options: Any) -> list[str]:
        """Draw a menu from which several can be chosen."""
        return Policies.draw(self, label, key=key, accept_new_options=False, **options)

    def _one(self, name: str, text: str) -> str:
        try:
            policy = self.parse(text)
        except BadInput:
            policy = None
        if policy is None or bare(policy) not in self.offered() or not self._is_free(policy):
            some = ", ".join(self.offered()) or "rules of your own (there are none)"
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give some of {some}")
        return policy.text

    def _is_free(self, policy: P) -> bool:
        """Whether all parameters that are not at their defaults have sliders."""
        return all(
            self.free(policy, kind, parameter) or chosen.as_dict[parameter.name] == parameter.default
            for kind, chosen in policy.rules.items()
            for parameter in chosen.declared
        )


@lru_cache(maxsize=1024)  # the menu asks for all of them at every move
def _called(parse: Callable[[str], Policy], text: str) -> str:
    try:
        return parse(text).name
    except BadInput:
        return text


plugins.on_change(_called.cache_clear)


def bare(policy: Policy) -> str:
    """Return the text of a policy without parameters.

    Examples
    --------
    >>> from sim.engines.slots.policy import read_policy
    >>> bare(read_policy("hopper:epsilon=0.5+late"))
    'hopper+late'
    """
    return "+".join(rule.key for rule in policy.rules.values())


def of_parameter(name: str, parameter: Parameter, unit: str = "") -> Control:
    """Return the control of a rule's parameter, which is not in the link: the policies are.

    Parameters
    ----------
    name : str
        Of the control.
    parameter : Parameter
    unit : str, optional
        The scenario's unit of time, for parameters that are times.
    """
    about = parameter.about
    measured_in = about.measured_in(unit)
    label = f"{parameter.label} ({measured_in})" if measured_in else parameter.label
    kind = int if parameter.whole else float
    low, high = kind(about.low), kind(min(about.high, LARGEST))
    if parameter.whole and (low, high) == (0, 1):
        return Control(name, label, Switch(), bool(parameter.default), parameter.text)
    values = Range(low, high, 1 if parameter.whole else _step(low, high))
    return Control(name, label, values, kind(parameter.default), parameter.text)


def _step(low: float, high: float) -> float:
    """Return the step of a slider: about a hundred in its range."""
    return 0.01 if high - low <= 1 else 0.1 if high - low <= 10 else 1.0
