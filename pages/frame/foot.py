"""The foot of every page: the question that follows, the chapter in the documents, the glossary.

The links carry what the visitor has chosen.
"""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from pages.frame.carry_over import arriving
from pages.frame.menu import Entry, entry_of, following, onwards
from pages.server.run import address_of_documents
from pages.shared.controls.control import Panel
from sim.model.fields import BadInput
from sim.telling.glossary import table


def show_next(page: Entry) -> None:
    """Draw the link to the page that follows."""
    to = following(page.name)
    show_link(to.name, f"Next: {to.question}", {})


def show_link(page: str, label: str, more: dict[str, str]) -> None:
    """Draw a link to a page that carries what has been chosen, and `more` of its parameters."""
    version = panel_of(page).version
    onwards(page, label, ({"v": version} if version else {}) | carried(page) | more)


def panel_of(page: str) -> Panel:
    """Return the controls of a page."""
    panel: Panel = import_module(f"{entry_of(page).package}.controls").PANEL
    return panel


def carried(page: str) -> dict[str, str]:
    """Return what of the visitor's choices a page can be set to, as its links have it."""
    here = {name: value for name, _, value in arriving(page)}
    if not here:
        return {}
    controls = panel_of(page).controls
    texts = {}
    for name, value in here.items():
        values = controls[name].values
        try:
            texts[controls[name].link] = values.write(values.read(name, values.write(value)))
        except BadInput:
            continue  # a page that cannot be set to that keeps its own
    return texts


def show_chapter(entry: Entry) -> None:
    """Draw the link of a page; nothing where there are no documents."""
    if root := address_of_documents():
        st.link_button(
            f"{entry.title} in the documents",
            root + address(entry),
            icon=":material/article:",
            type="tertiary",
        )


def address(entry: Entry) -> str:
    """Return where the chapter of a page is, below the first page of the built documents.

    Examples
    --------
    >>> address(Entry("compare", "Compare", "How?", "tutorials/first-comparison#compare"))
    'tutorials/first-comparison.html#compare'
    """
    document, _, heading = entry.chapter.partition("#")
    return f"{document}.html" + (f"#{heading}" if heading else "")


def show_glossary() -> None:
    """Draw the drawer; what is in it is sent only while it is open."""
    box = st.expander("Glossary", icon=":material/menu_book:", key="glossary", on_change="rerun")
    if box.open:
        box.markdown(table())
