"""Details below the moves: an entry for each kind of visitor, comparisons to begin with, all pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.frame.menu import Entry, groups, named
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
#: Presets of Compare: what a link to each says, and why one would follow it.
PRESETS = (
    ("Watch every slot", "small", "A cluster so small that you see each copy start, race and be cancelled."),
    ("Slots to spare", "light", "Half the slots are idle. What do jobs gain if copies may use them?"),
    ("A crowded cluster", "busy", "Every copy takes a slot that another job waits for. Which ones pay?"),
)


def show_doors() -> None:
    """Draw a card for each kind of visitor, side by side."""
    doors = [(door, entries) for door in DOORS if (entries := named(door.pages))]
    columns = st.container(key="doors").columns(len(doors), border=True)
    for column, (door, entries) in zip(columns, doors, strict=True):
        column.markdown(f"**{door.who}**  \n{door.what}")
        with column.container(horizontal=True):
            for entry in entries:
                _link(entry, entry.title, icon=ONWARDS, icon_position="right")


def show_presets() -> None:
    """Draw links to comparisons of policies."""
    for column, (title, preset, question) in zip(st.columns(len(PRESETS)), PRESETS, strict=True):
        with column.container(border=True, height="stretch"):
            st.page_link(
                "pages/compare/page.py",
                label=f"**{title}**",
                icon=ONWARDS,
                icon_position="right",
                query_params={"preset": preset, "v": VERSION},
            )
            st.markdown(question)


def show_map() -> None:
    """Draw a link to every page, group by group, with its question."""
    listed = {group: entries for group, entries in groups().items() if group}
    for column, (group, entries) in zip(st.columns(len(listed)), listed.items(), strict=True):
        with column:
            st.markdown(f"**{group}**")
            for entry in entries:
                _link(entry, f"**{entry.title}**: {entry.question}")


def _link(entry: Entry, label: str, **looks: Any) -> None:
    st.page_link(f"pages/{entry.name}/page.py", label=label, query_params={"v": VERSION}, **looks)
