"""The menu: seven doors, each with its pages, their questions and their chapters in the documents.

A door is a line of the menu; the pages behind it are tabs of each other, each at an address of its own. The
first page opens. At its end each page leads to the one below it here, the last one to the first.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

import streamlit as st


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: its address, its title, its question, its chapter, and the folder of its door.

    The chapter is a document in ``docs/`` without its ending, with a heading of it if that is not the first.
    Pages with a `folder` are one page in that folder, which shows the one of the address.
    """

    name: str
    title: str
    question: str
    chapter: str
    folder: str = ""

    @property
    def file(self) -> str:
        """Return the script that draws it."""
        return f"pages/{self.folder or self.name}/page.py"

    @property
    def package(self) -> str:
        """Return the package of its own modules.

        Examples
        --------
        >>> [entry_of(name).package for name in ("compare", "whatif")]
        ['pages.compare', 'pages.logs.whatif']
        """
        return f"pages.{self.folder}.{self.name}" if self.folder else f"pages.{self.name}"


#: Door -> its pages.
MENU: dict[str, tuple[Entry, ...]] = {
    "Start": (
        Entry("start", "Start", "Why does the whole job wait for one task?", "tutorials/first-comparison"),
    ),
    "Lessons": (
        Entry("learn", "Lessons", "Can you predict what stragglers do?", "tutorials/lesson-in-class"),
    ),
    "Room": (Entry("room", "Room", "What does a class predict?", "how-to/serve-a-class#a-class-room"),),
    "Lab": (
        Entry(
            "compare",
            "Compare",
            "How do the policies compare on the same jobs?",
            "tutorials/first-comparison#compare",
        ),
        Entry("map", "Over two fields", "Which policy wins where?", "how-to/find-the-best-policy"),
        Entry(
            "coding",
            "Coding",
            "Do coded tasks do better than copies?",
            "reference/policies#engine-gang",
        ),
        Entry(
            "decentralised",
            "Decentralised",
            "What if no scheduler knows everything?",
            "reference/policies#engine-probes",
        ),
    ),
    "Formulas": (
        Entry(
            "threshold",
            "Threshold",
            "From which point on is another slot worth less?",
            "reference/theory#hoppers-service-rate-the-gain-of-a-job-from-another-slot",
            "formulas",
        ),
        Entry(
            "allocation",
            "Allocation",
            "Which job should get the next slot?",
            "reference/theory#shares-of-the-slots-equal-shares-shortest-job-first-and-hoppers-algorithm-1",
            "formulas",
        ),
        Entry(
            "cloning",
            "Cloning",
            "Should small jobs be cloned from the start?",
            "reference/theory#how-many-clones-keep-a-job-free-of-outliers-dolly",
            "formulas",
        ),
        Entry(
            "detection",
            "Detection",
            "When does copying a straggler pay?",
            "reference/theory#copies-launched-when-a-straggler-is-detected-sda-what-they-cost-and-the-best-threshold",
            "formulas",
        ),
        Entry(
            "coded",
            "Codes",
            "Which jobs should start extra tasks?",
            "reference/theory#one-coded-job-k-tasks-expanded-to-n-any-k-are-enough",
            "formulas",
        ),
        Entry(
            "rollouts",
            "Rollouts",
            "How many more answers than needed should a step start?",
            "reference/theory#over-sampled-rollouts-the-first-n-of-the-answers-that-are-started-end-a-step",
            "formulas",
        ),
    ),
    "Your logs": (
        Entry(
            "diagnose",
            "Diagnose",
            "What do stragglers cost your own cluster?",
            "explanation/diagnosis",
            "logs",
        ),
        Entry("whatif", "What-if", "Which setting should you switch on?", "explanation/what-if", "logs"),
        Entry(
            "beforeafter",
            "Before and after",
            "Did the change do what was promised?",
            "explanation/before-and-after",
            "logs",
        ),
        Entry("fleet", "Fleet", "Which of your applications lost most?", "how-to/look-at-a-fleet", "logs"),
        Entry(
            "wait",
            "Still running",
            "The last task is still running: wait, copy or kill?",
            "how-to/ask-about-a-running-task",
        ),
    ),
    "Papers": (
        Entry(
            "reproductions", "Reproductions", "Which numbers can be reproduced?", "how-to/reproduce-a-figure"
        ),
        Entry("errata", "Errata", "What do the papers print, and what is right?", "explanation/errata"),
    ),
}


def door(name: str) -> str:
    """Return the door of the page of this name.

    Examples
    --------
    >>> door("fleet"), door("learn")
    ('Your logs', 'Lessons')
    """
    return next(title for title, listed in MENU.items() if any(entry.name == name for entry in listed))


def entries() -> list[Entry]:
    """Return all pages in their order.

    Examples
    --------
    >>> entries()[0].name
    'start'
    """
    return [entry for group in MENU.values() for entry in group]


def entry_of(name: str) -> Entry:
    """Return the page of this name."""
    return next(entry for entry in entries() if entry.name == name)


def following(name: str) -> Entry:
    """Return the page below the one of this name.

    Examples
    --------
    >>> following("diagnose").name, following("errata").name
    ('whatif', 'start')
    """
    order = entries()
    return order[(order.index(entry_of(name)) + 1) % len(order)]


# Doors in the browser: a line of the menu for each, its pages as tabs, and the links from page to page.

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
