"""The course: which lesson builds on which, and plans for 45 minutes, 90 minutes and four times 90."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pages.lessons import LESSONS
from pages.lessons.lesson import LEVELS
from sim.telling.words import counted, listed

#: What the course is called.
TITLE = "A course on stragglers"
#: Number of a lesson -> those it builds on.
NEEDS: Mapping[int, tuple[int, ...]] = {1: (), 2: (1,), 3: (2,), 4: (2,), 5: (4,), 6: (5,), 7: (2,), 8: (4,)}
#: Minutes for an exercise of each level; for trying the full page of a lesson, and for a summary.
EXERCISE, EXPLORE, SUMMARY = dict(zip(LEVELS, (3, 5, 8), strict=True)), 15, 5


def contents() -> list[str]:
    """Return the lessons in their order, in Markdown: title, question, minutes and what each builds on."""
    return [
        f"**{one.title}:** {one.question} {counted(one.minutes, 'minute')}. {builds_on(number)}".strip()
        for number, one in LESSONS.items()
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a session: what is done, for how many minutes; the lesson it is of, 0 for none."""

    what: str
    minutes: int
    lesson: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """Some steps within some minutes."""

    minutes: int
    steps: tuple[Step, ...]

    @property
    def taken(self) -> int:
        """Minutes that the steps take; the rest is for questions."""
        return sum(step.minutes for step in self.steps)

    @property
    def rows(self) -> list[tuple[str, str]]:
        """How long each step takes, and what it is, with the time that is left for questions."""
        found = [(counted(step.minutes, "minute"), step.what) for step in self.steps]
        spare = self.minutes - self.taken
        return [*found, (counted(spare, "minute"), "For questions")] if spare else found


def depth(number: int) -> int:
    """Return how many lessons there are before one, along the longest way.

    Examples
    --------
    >>> [depth(number) for number in NEEDS]
    [0, 1, 2, 2, 3, 4, 2, 3]
    """
    return max((1 + depth(needed) for needed in NEEDS[number]), default=0)


def builds_on(number: int) -> str:
    """Say what a lesson builds on; nothing for one that builds on none.

    Examples
    --------
    >>> builds_on(1), builds_on(4)
    ('', 'Builds on lesson 2.')
    """
    needed = NEEDS[number]
    word = "lesson" if len(needed) == 1 else "lessons"
    return f"Builds on {word} {listed([str(one) for one in needed])}." if needed else ""


def taught(number: int, *levels: str, explored: bool = False) -> tuple[Step, ...]:
    """Return the steps of a lesson: it, exercises of these levels, and the page that has more of it."""
    lesson = LESSONS[number]
    steps = [Step(f"Lesson {number}: {lesson.title}", lesson.minutes, number)]
    if levels:
        many = counted(len(levels), "exercise")
        steps.append(Step(f"{many} ({', '.join(levels)})", sum(EXERCISE[one] for one in levels), number))
    if explored:
        steps.append(Step(f"Try it on {lesson.full.label.partition(':')[0]}", EXPLORE, number))
    return tuple(steps)


def session(minutes: int, *parts: tuple[Step, ...]) -> Session:
    """Return a session of these parts with a summary at its end."""
    steps = tuple(step for part in parts for step in part)
    return Session(minutes, (*steps, Step("What did you not expect? Summary", SUMMARY)))


def plans() -> dict[str, tuple[Session, ...]]:
    """Return each plan of the course: its length in words -> its sessions.

    Examples
    --------
    >>> {name: [one.taken for one in sessions] for name, sessions in plans().items()}
    {'45 minutes': [44], '90 minutes': [80], '4 × 90 minutes': [79, 81, 82, 83]}
    """
    easy, usual, every = LEVELS[:1], LEVELS[:2], LEVELS
    pairs = ((1, 2), (3, 4), (5, 6), (7, 8))
    return {
        "45 minutes": (session(45, *(taught(number, *easy) for number in (1, 2, 4, 8))),),
        "90 minutes": (session(90, *(taught(number, *usual) for number in (1, 2, 4, 5, 8))),),
        "4 × 90 minutes": tuple(
            session(90, *(taught(number, *every, explored=True) for number in pair)) for pair in pairs
        ),
    }
