"""The menu: every page in its group, one per line, with the question that it answers.

The first page opens. At its end each page leads to the one below it here, the last one to the first.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: its folder in ``pages/``, its title, and its question."""

    name: str
    title: str
    question: str


#: Group -> its pages; those of no group stand beside the groups. A group without a page is left out.
MENU: dict[str, tuple[Entry, ...]] = {
    "": (Entry("start", "Start", "Why does the whole job wait for one task?"),),
    "Learn": (
        Entry("learn", "Lessons", "Can you predict what stragglers do?"),
        Entry("room", "Room", "What does a class predict?"),
    ),
    "Explore": (
        Entry("compare", "Compare", "How do the policies compare on the same jobs?"),
        Entry("map", "Map", "Which policy wins where?"),
        Entry("threshold", "Threshold", "From which point on is another slot worth less?"),
        Entry("allocation", "Allocation", "Which job should get the next slot?"),
        Entry("cloning", "Cloning", "Should small jobs be cloned from the start?"),
        Entry("detection", "Detection", "When does copying a straggler pay?"),
        Entry("coding", "Coding", "Do coded tasks do better than copies?"),
        Entry("decentralised", "Decentralised", "What if no scheduler knows everything?"),
    ),
    "Your cluster": (
        Entry("diagnose", "Diagnose", "What do stragglers cost your own cluster?"),
        Entry("whatif", "What-if", "Which setting should you switch on?"),
    ),
    "The papers": (
        Entry("reproductions", "Reproductions", "Which numbers can be reproduced?"),
        Entry("errata", "Errata", "What do the papers print, and what is right?"),
    ),
}


def groups() -> dict[str, tuple[Entry, ...]]:
    """Return the groups that have a page."""
    return {group: entries for group, entries in MENU.items() if entries}


def entries() -> list[Entry]:
    """Return all pages in their order.

    Examples
    --------
    >>> entries()[0].name
    'start'
    """
    return [entry for group in MENU.values() for entry in group]


def named(names: tuple[str, ...]) -> list[Entry]:
    """Return the pages of these names, in the order of the menu; a name without a page is left out.

    Examples
    --------
    >>> [entry.title for entry in named(("errata", "diagnose", "nowhere"))]
    ['Diagnose', 'Errata']
    """
    return [entry for entry in entries() if entry.name in names]


def following(name: str) -> Entry:
    """Return the page below the one of this name.

    Examples
    --------
    >>> following("diagnose").name, following("errata").name
    ('whatif', 'start')
    """
    order = entries()
    place = next(place for place, entry in enumerate(order) if entry.name == name)
    return order[(place + 1) % len(order)]
