"""The doors below the sandbox: an entry for each kind of visitor."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.frame.menu import named
from pages.frame.tabs import link
from pages.shared.controls.links import VERSION

#: Icon of a link to another page.
ONWARDS = ":material/arrow_forward:"


@dataclass(frozen=True, slots=True)
class Door:
    """A kind of visitor, what the app offers to them, and the pages that this leads to."""

    who: str
    what: str
    pages: tuple[str, ...]


DOORS = (
    Door(
        "I teach",
        "Lessons in which a class predicts before it sees, and a room for its answers.",
        ("learn", "room"),
    ),
    Door(
        "I run a cluster",
        "What stragglers cost in your own logs, and which setting would help.",
        ("diagnose", "whatif", "fleet"),
    ),
    Door(
        "I know the papers",
        "Their claims computed again, and what is wrong in print.",
        ("reproductions", "errata"),
    ),
)


def show_doors() -> None:
    """Draw a card for each kind of visitor, side by side."""
    doors = [(door, entries) for door in DOORS if (entries := named(door.pages))]
    columns = st.container(key="doors").columns(len(doors), border=True)
    for column, (door, entries) in zip(columns, doors, strict=True):
        column.markdown(f"**{door.who}**  \n{door.what}")
        with column.container(horizontal=True):
            for entry in entries:
                link(entry.name, entry.title, {"v": VERSION}, icon=ONWARDS, icon_position="right")
