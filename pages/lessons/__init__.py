"""The lessons: a module each in this folder, a text in `sim/content/lessons`, and a line here."""

from __future__ import annotations

from pages.lessons.lesson import Lesson, made

#: Names of the lessons, in the order of the course; a new one comes last, since links have their numbers.
FILES = (
    "slowest",
    "second_copy",
    "clone_everything",
    "wait_and_see",
    "whose_turn",
    "nobody_knows",
    "coded_or_copied",
    "luck_or_skew",
    "last_task",
)

#: Number of a lesson -> the lesson.
LESSONS: dict[int, Lesson] = {number: made(name) for number, name in enumerate(FILES, start=1)}
