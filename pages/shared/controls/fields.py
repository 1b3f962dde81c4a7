"""Controls of scenario fields, in the words and over the ranges of `ranges`: in links and drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.controls.links import Entry, key
from pages.shared.controls.ranges import CHOICES, SLIDERS, STEPS
from sim.fields import BadInput
from sim.scenario import ABOUT, from_text


def field_entry(name: str, default: Any) -> Entry:
    """Return the control of a field as a link knows it.

    Examples
    --------
    >>> field_entry("phases", 1).read("21")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: phases: '21' is not accepted here; give from 1 to 20
    """
    return Entry(name, default, _word_reader(name) if name in CHOICES else _numeric_reader(name))


def _numeric_reader(name: str) -> Callable[[str], Any]:
    """Return how a link's text becomes the value of a field, within the range of its slider."""

    def read(text: str) -> Any:
        value = from_text(name, text)
        low, high = (SLIDERS[name].low, SLIDERS[name].high) if name in SLIDERS else (
            STEPS[name].values[0], STEPS[name].values[-1]
        )  # fmt: skip
        if not low <= value <= high:
            raise BadInput(f"{name}: {text!r} is not accepted here; give from {low:g} to {high:g}")
        return value

    return read


def _word_reader(name: str) -> Callable[[str], str]:
    """Return how a link's text becomes a word; 'trace' needs the file, which a link does not carry."""

    def read(text: str) -> str:
        word: str = from_text(name, text)
        if word == "trace":
            raise BadInput(f"{name}: 'trace' needs the workload file, which a link cannot carry; upload it")
        return word

    return read


def draw_field(page: str, name: str) -> Any:
    """Draw the control of a field, whose value is in the session; return what it is now."""
    about, now = ABOUT[name], st.session_state[key(page, name)]
    help_text = about.text[0].upper() + about.text[1:] + (f" ({about.unit})." if about.unit else ".")
    if name in CHOICES:
        words = [word for word in about.choices if word != "trace" or now == "trace"]
        return st.selectbox(CHOICES[name], words, key=key(page, name), help=help_text)
    if name in STEPS:
        values = sorted({*STEPS[name].values, now})
        return st.select_slider(
            STEPS[name].label, values, key=key(page, name), format_func=lambda v: f"{v:,g}", help=help_text
        )
    slider = SLIDERS[name]
    help_text = f"{help_text} {slider.note}".rstrip()
    return st.slider(
        slider.label, slider.low, slider.high, step=slider.step, key=key(page, name), help=help_text
    )


def phase_fields(phases: int) -> list[str]:
    """Return the fields of phases that do something where jobs have at most so many, the number first.

    Examples
    --------
    >>> phase_fields(1)
    ['phases']
    """
    return ["phases", *(["phases_law", "shape", "transfer", "transfer_law", "barrier"] if phases > 1 else [])]
