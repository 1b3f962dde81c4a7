"""Controls of the first screen, as a link has them: the sandbox draws them in the browser."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.animation.sandbox import COPIES, TAILS, Sandbox
from pages.frame.menu import door, onwards
from pages.shared.controls.control import Control, OneOf, Panel, Range
from pages.shared.controls.links import VERSION

# The doors below the sandbox: an entry for each kind of visitor.


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
        ("diagnose",),
    ),
    Door(
        "I know the papers",
        "Their claims computed again, and what is wrong in print.",
        ("reproductions",),
    ),
)


def show_doors() -> None:
    """Draw a card for each kind of visitor, side by side."""
    columns = st.container(key="doors").columns(len(DOORS), border=True)
    for column, one in zip(columns, DOORS, strict=True):
        column.markdown(f"**{one.who}**  \n{one.what}")
        with column.container(horizontal=True):
            for name in one.pages:
                onwards(name, door(name), {"v": VERSION})


#: How it is set where a link says nothing.
FIRST = Sandbox()
PANEL = Panel(
    "start",
    (
        Control("copies", "Copies", OneOf(tuple(COPIES), "segmented_control"), FIRST.copies),
        Control("load", "Load", Range(0.05, 0.95, 0.05), FIRST.load),
        Control("tail", "Stragglers", OneOf(tuple(TAILS), "segmented_control"), FIRST.tail),
    ),
    version="",  # the first screen's links never named one
)
