"""A page of theory that can start from several named settings, each of which sets every control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import streamlit as st

from pages.shared.controls.dials import Dial
from pages.shared.controls.links import Entry, key, remember, write_link

Entries = Callable[[Mapping[str, str]], Sequence[Entry]]


class Start(Protocol):
    """A setting that has a name to be chosen by."""

    @property
    def title(self) -> str:
        """What the reader sees."""


def choose_start(page: str, starts: Mapping[str, Start], entries: Entries) -> None:
    """Draw the choice of where to start from."""
    st.selectbox(
        "Start from", list(starts), key=key(page, "start"), on_change=_set_all, args=(page, entries),
        format_func=lambda name: starts[name].title, help="Sets every control below.",
    )  # fmt: skip


def _set_all(page: str, entries: Entries) -> None:
    """Set every control to what the chosen start says."""
    for entry in entries({"start": st.session_state[key(page, "start")]}):
        if entry.name != "start":
            remember(page, entry.name, entry.default)


def read_controls(page: str, entries: Entries, dials: Sequence[Dial]) -> dict[str, Any]:
    """Return the value of every control, and write what is not as at the start into the address.

    Dials are rounded: adding steps changes the last digits.
    """
    listed = entries({"start": st.session_state[key(page, "start")]})
    values = {entry.name: st.session_state[key(page, entry.name)] for entry in listed}
    values |= {dial.name: round(values[dial.name], 6) for dial in dials}
    write_link(page, listed, values)
    return values
