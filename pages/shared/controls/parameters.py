"""Policies that are chosen as texts, and the parameters of their rules: a slider or a switch for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import Control, Range, Switch
from pages.shared.controls.links import key
from sim.fields import BadInput
from sim.policy import Parameter, Policy
from theory.shown import quoted

#: Whether a page has a slider for a parameter of a policy: the policy, the kind of rule, the parameter.
Free = Callable[[Any, str, Parameter], bool]
Read = Callable[[str], Policy]
#: What can be typed, at most, for a parameter without a bound.
LARGEST = 1e12


@dataclass(frozen=True, slots=True)
class ChosenPolicies:
    """Some policies of an engine as texts, with the parameters that have sliders.

    Parameters
    ----------
    offered : callable
        Returns the texts that the menu has, without parameters, and how people call them. It is asked anew
        each time: rules of one's own may have come.
    parse : callable
        Reads a text.
    free : callable
        Whether a parameter has a slider; a text that sets another one is refused.
    fewest, most : int
        How many may be chosen.
    """

    offered: Callable[[], Mapping[str, str]]
    parse: Read
    free: Free
    fewest: int
    most: int

    def read(self, name: str, text: str) -> list[str]:
        """Return the policies, which a link separates by semicolons."""
        parts = filter(None, map(str.strip, text.split(";")))
        chosen = list(dict.fromkeys(self._one(name, part) for part in parts))
        if not self.fewest <= len(chosen) <= self.most:
            raise BadInput(
                f"{name}: {quoted(text)} is not accepted; give {self.fewest} to {self.most}, separated by ;"
            )
        return chosen

    def _one(self, name: str, text: str) -> str:
        try:
            policy = self.parse(text)
        except BadInput:
            policy = None
        if policy is None or bare(policy) not in self.offered() or not self._is_free(policy):
            some = ", ".join(self.offered()) or "rules of your own, of which there are none"
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give some of {some}")
        return policy.text

    def _is_free(self, policy: Policy) -> bool:
        """Whether all parameters that are not at their defaults have sliders."""
        return all(
            self.free(policy, kind, parameter) or chosen.as_dict[parameter.name] == parameter.default
            for kind, chosen in policy.rules.items()
            for parameter in chosen.declared
        )

    def write(self, value: list[str]) -> str:
        """Return the policies as a link has them."""
        return ";".join(value)

    def draw(self, label: str, *, key: str, **options: Any) -> list[str]:
        """Draw a menu from which several can be chosen."""
        texts = dict.fromkeys([*st.session_state[key], *self.offered()])
        return st.multiselect(
            label, list(texts), key=key, max_selections=self.most, format_func=self.called, **options
        )

    def called(self, text: str) -> str:
        """Return how people call a policy; the text itself where it cannot be read."""
        try:
            return self.parse(text).name
        except BadInput:
            return text


def bare(policy: Policy) -> str:
    """Return the text of a policy without parameters.

    Examples
    --------
    >>> from sim.slots.policy import read_policy
    >>> bare(read_policy("hopper:epsilon=0.5+late"))
    'hopper+late'
    """
    return "+".join(rule.key for rule in policy.rules.values())


def readable(parse: Read, texts: Sequence[str]) -> dict[int, Policy]:
    """Return those of the texts that are policies, by place: a rule of one's own may have gone."""
    found = {}
    for place, text in enumerate(texts):
        with suppress(BadInput):
            found[place] = parse(text)
    return found


def tune(
    page: str, held: str, parse: Read, policies: Mapping[int, Policy], free: Free, unit: str = ""
) -> None:
    """Draw the parameters of policies that have sliders; moving one changes the text of its policy.

    Parameters
    ----------
    page, held : str
        The page, and its control that holds the texts.
    parse : callable
        Reads a text.
    policies : mapping of int to Policy
        Place among the texts -> the policy.
    free : callable
        Whether a parameter has a slider here.
    unit : str, optional
        The scenario's unit of time.
    """
    for place, policy in policies.items():
        heading = True
        for part, chosen in policy.rules.items():
            for parameter in chosen.declared:
                if not free(policy, part, parameter):
                    continue
                if heading:
                    st.markdown(f"**{policy.name}**")
                    heading = False
                name = f"rule:{place}:{part}:{parameter.name}"
                control = of_parameter(name, parameter, unit)
                now = chosen.as_dict[parameter.name]
                st.session_state[key(page, name)] = (
                    bool(now) if isinstance(control.values, Switch) else int(now) if parameter.whole else now
                )
                moved = (page, held, parse, name, place, part, parameter.name)
                control.draw(page, on_change=_retune, args=moved)


def _retune(page: str, held: str, parse: Read, name: str, place: int, part: str, parameter: str) -> None:
    """Give a moved slider's value to the policy at its place."""
    texts = st.session_state[key(page, held)]
    moved = {parameter: float(st.session_state[key(page, name)])}
    st.session_state[key(page, held)] = retuned(parse, texts, place, part, moved)


def retuned(
    parse: Read, texts: Sequence[str], place: int, part: str, values: Mapping[str, float]
) -> list[str]:
    """Return the texts of the policies, of which the one at this place has other parameters of a rule.

    Examples
    --------
    >>> from sim.slots.policy import read_policy
    >>> retuned(read_policy, ["fair", "hopper+late"], 1, "sharing", {"epsilon": 0.5})
    ['fair', 'hopper:epsilon=0.5+late']
    """
    changed = parse(texts[place]).with_(**{part: values})
    return [*texts[:place], changed.text, *texts[place + 1 :]]


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
