"""The menu: every page in its group, one per line, with its question and its chapter in the documents.

The first page opens. At its end each page leads to the one below it here, the last one to the first.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: its folder in ``pages/``, its title, its question, and its chapter.

    The chapter is a document in ``docs/`` without its ending, with a heading of it if that is not the first.
    """

    name: str
    title: str
    question: str
    chapter: str


#: Group -> its pages; those of no group stand beside the groups. A group without a page is left out.
MENU: dict[str, tuple[Entry, ...]] = {
    "": (Entry("start", "Start", "Why does the whole job wait for one task?", "tutorials/first-comparison"),),
    "Learn": (
        Entry("learn", "Lessons", "Can you predict what stragglers do?", "tutorials/lesson-in-class"),
        Entry("room", "Room", "What does a class predict?", "how-to/serve-a-class#a-class-room"),
    ),
    "Explore": (
        Entry(
            "compare",
            "Compare",
            "How do the policies compare on the same jobs?",
            "tutorials/first-comparison#compare",
        ),
        Entry("map", "Map", "Which policy wins where?", "how-to/find-the-best-policy"),
        Entry(
            "threshold",
            "Threshold",
            "From which point on is another slot worth less?",
            "reference/theory#hoppers-service-rate-the-gain-of-a-job-from-another-slot",
        ),
        Entry(
            "allocation",
            "Allocation",
            "Which job should get the next slot?",
            "reference/theory#shares-of-the-slots-equal-shares-shortest-job-first-and-hoppers-algorithm-1",
        ),
        Entry(
            "cloning",
            "Cloning",
            "Should small jobs be cloned from the start?",
            "reference/theory#how-many-clones-keep-a-job-free-of-outliers-dolly",
        ),
        Entry(
            "detection",
            "Detection",
            "When does copying a straggler pay?",
            "reference/theory#copies-launched-when-a-straggler-is-detected-sda-what-they-cost-and-the-best-threshold",
        ),
        Entry(
            "coding",
            "Coding",
            "Do coded tasks do better than copies?",
            "reference/theory#one-coded-job-k-tasks-expanded-to-n-any-k-are-enough",
        ),
        Entry(
            "decentralised",
            "Decentralised",
            "What if no scheduler knows everything?",
            "reference/policies#engine-probes",
        ),
    ),
    "Your cluster": (
        Entry("diagnose", "Diagnose", "What do stragglers cost your own cluster?", "explanation/diagnosis"),
        Entry("whatif", "What-if", "Which setting should you switch on?", "explanation/what-if"),
        Entry("fleet", "Fleet", "Which of your applications lost most?", "how-to/look-at-a-fleet"),
        Entry(
            "beforeafter",
            "Before and after",
            "Did the change do what was promised?",
            "explanation/before-and-after",
        ),
    ),
    "The papers": (
        Entry(
            "reproductions", "Reproductions", "Which numbers can be reproduced?", "how-to/reproduce-a-figure"
        ),
        Entry("errata", "Errata", "What do the papers print, and what is right?", "explanation/errata"),
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
