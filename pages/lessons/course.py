"""The course: which lesson builds on which, and plans for 45 minutes, 90 minutes and four times 90."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pages.lessons import LESSONS
from pages.lessons.lesson import LEVELS, Lesson
from sim.telling.content import ContentError
from sim.telling.words import counted, listed

#: What the course is called.
TITLE = "A course on stragglers"


def needed(lessons: Mapping[int, Lesson]) -> dict[int, tuple[int, ...]]:
    """Return the number of each lesson -> those it builds on.

    Raises
    ------
    ContentError
        If one builds on what is no lesson before it.
    """
    found: dict[int, tuple[int, ...]] = {}
    before: dict[str, int] = {}
    for number, one in lessons.items():
        for name in one.needs:
            if name not in before:
                raise ContentError(f"{one.name}.md: needs: {name} is no lesson before it")
        found[number] = tuple(before[name] for name in one.needs)
        before[one.name] = number
    return found


NEEDS = needed(LESSONS)
#: Minutes for an exercise of each level; for trying the full page of a lesson, and for a summary.
EXERCISE, EXPLORE, SUMMARY = dict(zip(LEVELS, (3, 5, 8), strict=True)), 15, 5
#: Minutes from which on a lesson has exercises in a plan; a shorter one ends the last session.
SHORTEST = 5
#: Minutes of a short plan, which a lesson's file names -> the exercises that it has of each lesson.
SHORT = {45: LEVELS[:1], 90: LEVELS[:2]}


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
    [0, 1, 2, 2, 3, 4, 2, 3, 3]
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
    {'45 minutes': [44], '90 minutes': [80], '4 × 90 minutes': [79, 81, 82, 85]}
    """
    found: dict[str, tuple[Session, ...]] = {}
    short = [number for number, one in LESSONS.items() if one.minutes < SHORTEST]
    numbers = [number for number in LESSONS if number not in short]
    for minutes, levels in SHORT.items():
        name = f"{minutes} minutes"
        chosen = [number for number, one in LESSONS.items() if name in one.plans]
        found[name] = (session(minutes, *(taught(number, *levels) for number in chosen)),)
    long = [
        [taught(number, *LEVELS, explored=True) for number in numbers[place : place + 2]]
        for place in range(0, len(numbers), 2)
    ]
    long[-1] += map(taught, short)
    return found | {f"{len(long)} × 90 minutes": tuple(session(90, *parts) for parts in long)}
