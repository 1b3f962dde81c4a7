"""Controls of the Room page: what its address may have, and the widgets in which a student answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.lessons.prediction import Answer, Choice, Number, Order, Prediction
from pages.lessons.prediction.option import labels
from pages.server.room import KEY
from pages.server.rooms import CODE, LENGTH, tidied
from pages.shared.controls.control import Control, Switch
from pages.shared.controls.panel import Panel
from sim.fields import BadInput
from theory.shown import quoted

PAGE = "room"
#: Places of an order, in words.
PLACES = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")


@dataclass(frozen=True, slots=True)
class Written:
    """A text of a fixed form, or nothing; it is typed."""

    form: re.Pattern[str]
    accepted: str

    def read(self, name: str, text: str) -> str:
        """Return the text as it is written here.

        Examples
        --------
        >>> PANEL.controls["room"].values.read("room", "1kt-wxb")
        '1KTWXB'
        >>> PANEL.controls["room"].values.read("room", "7")
        Traceback (most recent call last):
            ...
        sim.fields.BadInput: room: '7' is not accepted; give a number and 5 letters, such as 1KTWXB
        """
        found = tidied(text) if self.form is CODE else text
        if found and not self.form.fullmatch(found):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give {self.accepted}")
        return found

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw a field to type into."""
        return st.text_input(label, key=key, **options)


PANEL = Panel(
    PAGE,
    (
        Control(
            "room", "Code of the room",
            Written(CODE, f"a number and {LENGTH} letters, such as 1KTWXB"), "",
        ),
        Control("teach", "Its teacher", Switch(), False),
        Control("key", "Key of its teacher", Written(KEY, "the 22 letters that its teacher has"), ""),
    ),
    version="",
)  # fmt: skip


def draw_prediction(asked: Prediction, key: str) -> Answer | None:
    """Draw the widgets in which a student answers; return the answer, or None while there is none.

    Parameters
    ----------
    asked : Prediction
    key : str
        Of the widgets; another one for each question.
    """
    match asked:
        case Choice():
            return _choice(asked, key)
        case Number():
            value = st.slider(
                asked.label, asked.low, asked.high, step=asked.step, key=key, format=_format(asked)
            )
            return asked.checked(value)
        case Order():
            return _order(asked, key)


def _choice(asked: Choice, key: str) -> str | None:
    names = labels(asked.options)
    return st.radio(asked.label, list(names), index=None, format_func=names.__getitem__, key=key)


def _format(asked: Number) -> str:
    """Return how a slider writes its value, as Streamlit has it."""
    unit = asked.unit.replace("%", "%%")
    return f"%g {unit}".rstrip()


def _order(asked: Order, key: str) -> tuple[str, ...] | None:
    """Draw a menu for each place but the last, which has what is left."""
    names, chosen = labels(asked.items), list[str]()
    st.markdown(asked.label)
    for place in range(len(names) - 1):
        left = [item for item in names if item not in chosen]
        own = ":".join([key, str(place), *chosen])  # what is left for a place depends on those before
        item = st.selectbox(
            PLACES[place], left, index=None, format_func=names.__getitem__, key=own, placeholder="Choose"
        )
        if item is None:
            return None
        chosen.append(item)
    (last,) = (item for item in names if item not in chosen)
    st.markdown(f"{PLACES[len(chosen)]}: {names[last]}")
    return asked.checked([*chosen, last])
