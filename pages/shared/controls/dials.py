"""Controls of the theory pages: each knows its range, draws itself, and is an entry of the page's link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from pages.shared.controls.links import Entry, key
from sim.fields import About, BadInput, canonical

Answer = TypeVar("Answer")
#: A headline: what it is called, its number, a remark.
Card = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Dial:
    """A slider. Whole steps make its values whole numbers.

    Parameters
    ----------
    name : str
        Name in the address.
    label, about : str
        What the reader sees, and what it means.
    low, high, step : int or float
        Range, never changed: Streamlit resets a slider whose range moves.
    """

    name: str
    label: str
    low: float
    high: float
    step: float
    about: str = ""

    def entry(self, default: float) -> Entry:
        """Return the control as a link knows it.

        Examples
        --------
        >>> Dial("S", "Slots", 1, 500, 1).entry(100).read("501")
        Traceback (most recent call last):
            ...
        sim.fields.BadInput: S: '501' is not accepted; give a whole number from 1 to 500
        """
        about = About(self.label, low=self.low, high=self.high)
        return Entry(self.name, default, lambda text: canonical(self.name, text, type(self.step), about))

    def draw(self, page: str) -> Any:
        """Draw the slider and return its value, without what adding steps does to the last digits."""
        value = st.slider(
            self.label, self.low, self.high, step=self.step, key=key(page, self.name), help=self.about or None
        )
        return round(value, 6)


def choice(name: str, answers: Mapping[str, Answer], default: str) -> Entry:
    """Return a choice of one word as a link knows it.

    Examples
    --------
    >>> choice("copies", {"any": 0, "whole": 1}, "any").read("hole")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: copies: 'hole' is not accepted; give one of any, whole
    """
    return Entry(name, default, lambda text: canonical(name, text, str, About("", choices=tuple(answers))))


def switch(name: str, default: bool = False) -> Entry:
    """Return a switch as a link knows it: 1 for on, 0 for off."""

    def read(text: str) -> bool:
        if text not in ("0", "1"):
            raise BadInput(f"{name}: {text!r} is not accepted; give 0 or 1")
        return text == "1"

    return Entry(name, default, read, lambda on: "1" if on else "0")


def say(messages: Sequence[str]) -> None:
    """Show what a link had that could not be used."""
    for message in messages:
        st.warning(message, icon=":material/link_off:")


def show_cards(cards: Sequence[Card]) -> None:
    """Draw the headlines of a page side by side."""
    for column, (label, number, remark) in zip(st.columns(len(cards)), cards, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(label, number)
            st.caption(remark)
