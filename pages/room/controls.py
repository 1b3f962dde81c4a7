"""Controls of the Room page: the parameters of its address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.server.room import KEY
from pages.server.rooms import CODE, LENGTH, tidied
from pages.shared.controls.control import Control, Panel, Switch
from sim.model.fields import BadInput
from theory.shown import quoted

PAGE = "room"


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
        sim.model.fields.BadInput: room: '7' is not accepted; give a number and 5 consonants ...
        """
        found = tidied(text) if self.form is CODE else text
        if found and not self.form.fullmatch(found):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give {self.accepted}")
        return found

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def show(self, value: str) -> str:
        """Return the text itself."""
        return value

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw a field to type into."""
        return st.text_input(label, key=key, **options)


PANEL = Panel(
    PAGE,
    (
        Control(
            "room",
            "Code of the room",
            Written(CODE, f"a number and {LENGTH} consonants except L, like 1KTWXB"),
            "",
        ),
        Control("teach", "Its teacher", Switch(), False),
        Control("key", "Key of its teacher", Written(KEY, "the 22 letters that its teacher has"), ""),
    ),
    version="",
)
