"""The control that leaves out jobs by a part of their group or name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import Control
from sim.logs.history import History
from sim.model.fields import BadInput
from sim.telling.words import clipped
from theory.shown import quoted

#: A text by which jobs are left out. A part of their name is enough, so a link needs no other signs.
PART = re.compile(r"\w[\w ,@+=-]{0,59}")


def part_of(name: str) -> str:
    """Return the longest part of a name that a link may have.

    Examples
    --------
    >>> part_of("[nightly] warm up"), part_of("***")
    ('nightly', '')
    """
    return max(PART.findall(name), key=len, default="")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the group or name of jobs, or nothing."""

    def read(self, name: str, text: str) -> str:
        """Return the text; without one nothing is left out.

        Examples
        --------
        >>> LeftOut().read("leave_out", "warmup")
        'warmup'
        >>> LeftOut().read("leave_out", "[x](y)")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: leave_out: '[x](y)' is not accepted; give up to 60 letters, digits ...
        """
        if text and not PART.fullmatch(text):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give up to 60 letters, digits or ,@+=-_")
        return text

    def write(self, value: str) -> str:
        """Return the text."""
        return value

    def show(self, value: str) -> str:
        """Return the text, shortened, or that there is none."""
        return clipped(value) if value else "nothing"

    def draw(self, label: str, *, key: str, offered: Iterable[str] = (), **options: Any) -> str:
        """Draw a menu of the groups and names there are, to which a part of one can be typed."""
        now = st.session_state[key]
        listed = list(dict.fromkeys(["", *map(part_of, offered), now]))
        return part_of(
            st.selectbox(
                label,
                listed,
                key=key,
                accept_new_options=True,
                format_func=lambda text: clipped(text) if text else "nothing",
                **options,
            )
            or ""
        )


LEAVE_OUT = Control(
    "leave_out",
    "Leave out jobs named",
    LeftOut(),
    "",
    "Jobs whose group or name contains this are not counted: warm-up runs, for example.",
)


def groups_of(history: History) -> list[str]:
    """Return the groups, and the names that several jobs share, the most frequent first."""
    jobs = history.frame("jobs")
    names = jobs["name"].value_counts()
    listed = [*jobs["group"].value_counts().index, *names.index[names > 1]]
    return list(dict.fromkeys(text for text in map(str, listed) if 0 < len(text) <= 60))[:50]
