"""The menu: seven doors, each with its pages, their questions and their chapters in the documents.

A door is a line of the menu; the pages behind it are tabs of each other, each at an address of its own. The
first page opens. At its end each page leads to the one below it here, the last one to the first.
"""

from __future__ import annotations

from dataclasses import dataclass


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
