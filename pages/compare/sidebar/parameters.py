"""The parameters of the chosen policies: a slider or a switch for each that a rule declares."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.compare.controls import EPSILON, PAGE, leaves_epsilon_open, retuned, value
from pages.shared.controls.control import Control, Range, Switch
from pages.shared.controls.fields import spoken
from pages.shared.controls.links import key
from sim.policy import Parameter
from sim.slots.policy import SlotPolicy


def tune(policies: Mapping[int, SlotPolicy], unit: str) -> None:
    """Draw the parameters of each policy; moving one changes its policy.

    The ε of a Hopper that leaves it open has a slider of its own, above.
    """
    for place, policy in policies.items():
        heading = True
        for part, chosen in policy.rules.items():
            for parameter in chosen.declared:
                if part == "sharing" and parameter.name == EPSILON and leaves_epsilon_open(policy):
                    continue
                if heading:
                    st.markdown(f"**{spoken(policy.text)}**")
                    heading = False
                _draw(place, part, parameter, chosen.as_dict[parameter.name], unit)


def _draw(place: int, part: str, parameter: Parameter, now: float, unit: str) -> None:
    name = f"rule:{place}:{part}:{parameter.name}"
    control = of_parameter(name, parameter, unit)
    shown = bool(now) if isinstance(control.values, Switch) else int(now) if parameter.whole else now
    st.session_state[key(PAGE, name)] = shown
    control.draw(PAGE, on_change=_retune, args=(name, place, part, parameter.name))


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
    low, high = kind(about.low), kind(about.high)
    if parameter.whole and (low, high) == (0, 1):
        return Control(name, label, Switch(), bool(parameter.default), parameter.text)
    values = Range(low, high, 1 if parameter.whole else _step(low, high))
    return Control(name, label, values, kind(parameter.default), parameter.text)


def _step(low: float, high: float) -> float:
    """Return the step of a slider: about a hundred in its range."""
    return 0.01 if high - low <= 1 else 0.1 if high - low <= 10 else 1.0


def _retune(name: str, place: int, part: str, parameter: str) -> None:
    """Give a moved slider's value to the policy at its place."""
    changed = retuned(value("policies"), place, part, {parameter: float(value(name))})
    st.session_state[key(PAGE, "policies")] = changed
