"""Doors in the browser: a line of the menu for each, its pages as tabs, and the links from page to page."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

import streamlit as st

from pages.frame.menu import MENU, Entry, door, entries, entry_of

#: Where a session has the page that is run now, the one that it is sent to, whether it has just been, and the
#: last one behind each door.
NOW, TO, SENT, LAST = "page:now", "page:to", "page:sent", "page:last"


@cache  # to make them looks for their files
def _made(visible: bool) -> dict[str, st.Page]:
    """Return name -> page, titled as its door; the very first is the one that opens.

    None has an icon, since Streamlit would fetch it from the internet.
    """
    first = entries()[0]
    return {
        entry.name: st.Page(
            entry.file,
            title=door(entry.name),
            url_path="" if entry is first else entry.name,
            default=entry is first,
            visibility="visible" if visible else "hidden",
        )
        for entry in entries()
    }


def pages(address: str) -> list[st.Page]:
    """Return all pages; each door has one in the menu: that of the address, else where the visitor left it.

    Parameters
    ----------
    address : str
        Name of the page that the visitor has open.
    """
    st.session_state[SENT] = TO in st.session_state
    opened = {title: listed[0].name for title, listed in MENU.items()} | st.session_state.get(LAST, {})
    here = st.session_state.pop(TO, address)
    opened |= {door(entry.name): here for entry in entries() if entry.name == here}
    return [copy.copy(_made(entry.name in opened.values())[entry.name]) for entry in entries()]  # for one run


def begin(page: st.Page) -> Entry:
    """Return the entry of the page that is run now, and note it for the page itself."""
    name = page.url_path or entries()[0].name
    st.session_state[NOW] = name
    st.session_state.setdefault(LAST, {})[door(name)] = name
    return now()


def now() -> Entry:
    """Return the page that is run now."""
    return entry_of(st.session_state[NOW])


def was_sent() -> bool:
    """Whether `go` has opened the page: then Streamlit has what is in the browser's widgets one run later."""
    return bool(st.session_state.get(SENT))


def show_tabs(here: Entry) -> None:
    """Draw the pages of a door side by side; nothing where it has one.

    Their links have no parameters: a page is as the visitor left it, with what has been chosen elsewhere.
    They are one element, since each is a message to every visitor at every move; the browser opens them
    without loading anything again (`parts/tabs.js`).
    """
    tabs = MENU[door(here.name)]
    if len(tabs) > 1:
        marks = {one.name: ' aria-current="page"' if one is here else "" for one in tabs}
        links = "".join(f'<a href="{one.name}"{marks[one.name]}>{one.title}</a>' for one in tabs)
        st.html(f'<nav class="tabs" aria-label="Tabs">{links}</nav>')


def show_head(here: Entry) -> None:
    """Draw what the pages of a door have above them; its widgets stay as they are when another one opens."""
    if draw := _head(here.folder):
        draw(here)


@cache
def _head(folder: str) -> Callable[[Entry], None] | None:
    name = f"pages.{folder}.head"
    return import_module(name).show if folder and find_spec(name) else None


def link(name: str, label: str, query: Mapping[str, str] | None = None, **looks: Any) -> None:
    """Draw a link to a page, with the parameters that are given."""
    st.page_link(_made(True)[name], label=label, query_params=query, **looks)


def onwards(name: str, label: str, query: Mapping[str, str] | None = None) -> None:
    """Draw a link to a page that has more, with an arrow at its end."""
    link(name, label, query, icon=":material/arrow_forward:", icon_position="right")


def go(name: str, query: Mapping[str, str] | None = None) -> NoReturn:
    """Open a page, with the parameters that are given."""
    st.session_state[TO] = name
    st.switch_page(_made(True)[name], query_params=query)
