"""Sheets of a lesson, for paper and screens: its plan, a worksheet, its solutions; and the course.

A sheet is a list of parts, whose texts are Markdown. `pages/lessons/export/site.py` writes them as HTML, and
`pages/learn/details.py` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pages.lessons.answers import marked, solution, ticked, timing
from pages.lessons.course import contents, plans
from pages.lessons.lesson import LEVELS, Decision, Found, Illustration, Lesson


@dataclass(frozen=True, slots=True)
class Head:
    """A heading; above all others is that of level 1, and some begin a page of paper."""

    text: str
    level: int = 2
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """Paragraphs."""

    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """Paragraphs about the answer."""

    tell: Callable[[Found], str]


@dataclass(frozen=True, slots=True)
class Listed:
    """Points, which may be numbered."""

    points: Sequence[str]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A table of minutes and what they are for."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Formula:
    """An equation in LaTeX."""

    latex: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture, for a theme."""

    draw: Callable[[bool], Illustration]


@dataclass(frozen=True, slots=True)
class Answer:
    """The picture of the answer."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box to write into."""

    label: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Parts side by side, where there is room."""

    columns: Sequence[Sequence[Part]]


Part = Head | Said | Told | Listed | Rows | Formula | Drawn | Answer | Box | Beside


def plan(number: int, lesson: Lesson) -> Iterator[Part]:
    """Yield objectives, timing, question and answer, wrong answers, and exercises with solutions."""
    yield Head(f"Lesson plan {number}: {lesson.title}", 1)
    aims = Head("After the lesson students can"), Listed(lesson.plan.objectives)
    yield Beside([[*aims, Head("Timing"), Rows(timing(lesson))], [Answer()]])
    yield Said(f"**The question.** {lesson.prediction.label}\n\n{marked(lesson.prediction)}")
    yield Told(lambda found: f"**The answer.** {found.told}\n\n**The reason.** {' '.join(found.why)}")
    yield from _mistakes(lesson)
    yield Head("Exercises")
    for asked, one in zip(_asked(lesson), lesson.exercises, strict=True):
        yield Said(f"{asked}\n\n**Solution: {solution(one)}.** {one.how}")
    yield Said(f"**Vary it.** {lesson.variation.label}.")


def worksheet(number: int, lesson: Lesson) -> Iterator[Part]:
    """Yield a page to predict on, and one with the exercises; nothing is told."""
    yield Head(lesson.question, 1)
    yield Said(f"Name: {'_' * 40} Date: {'_' * 20}")
    yield Drawn(lambda dark: lesson.scene(0, dark))
    yield Said(f"**Predict first.** {lesson.prediction.label}\n\n{marked(lesson.prediction)}")
    yield Box("Why do you think so?")
    yield Box("After the answer: what is right, and why?")
    yield Head("Exercises, for after the answer", new_page=True)
    yield from map(Formula, lesson.formulas)
    for asked, one in zip(_asked(lesson), lesson.exercises, strict=True):
        yield Said(asked)
        if isinstance(one, Decision):
            yield from (Drawn(one.picture), Said(ticked(one.options)))
        else:
            yield Box(f"Calculation, and answer{f' ({one.unit})' if one.unit else ''}")


def solutions(number: int, lesson: Lesson) -> Iterator[Part]:
    """Yield the answer with its reason, wrong answers, and the exercises with hints and solutions."""
    yield Head(f"Solutions {number}: {lesson.title}", 1)
    yield Told(lambda found: f"**{lesson.prediction.label}**\n\n{found.told}")
    yield Told(lambda found: f"**The reason.** {' '.join(found.why)}")
    yield from _mistakes(lesson)
    for asked, one in zip(_asked(lesson), lesson.exercises, strict=True):
        yield Said(f"{asked}\n\n**Hint.** {one.hint}\n\n**Solution: {solution(one)}.** {one.how}")


def course(picture: Sequence[Part] = ()) -> Iterator[Part]:
    """Yield the lessons in their order, beside a picture of them, then each plan, the shortest first."""
    yield Beside([[Listed(contents(), numbered=True)], picture])
    for name, sessions in plans().items():
        yield Head(f"Course of {name}")
        columns: list[list[Part]] = [[Rows(one.rows)] for one in sessions]
        if len(sessions) > 1:
            columns = [[Head(f"Session {place}", 3), *one] for place, one in enumerate(columns, start=1)]
        yield from (Beside(columns[first : first + 2]) for first in range(0, len(columns), 2))


def _asked(lesson: Lesson) -> list[str]:
    pairs = zip(LEVELS, lesson.exercises, strict=True)
    return [f"**Exercise** ({level}). {one.question}" for level, one in pairs]


def _mistakes(lesson: Lesson) -> Iterator[Part]:
    yield Head("Common wrong answers, and why")
    yield Listed([f"**{answer}.** {why}" for answer, why in lesson.plan.mistakes()])


#: The sheets of a lesson by their names.
SHEETS = {"plan": plan, "worksheet": worksheet, "solutions": solutions}
