"""The lessons: one file each in this folder, one line each here, in the order of the course."""

from __future__ import annotations

from pages.lessons.lesson import Lesson, made

#: Files of this folder that declare a lesson; a new one comes last, since links name lessons by their number.
FILES = (
    "slowest",
    "second_copy",
    "clone_everything",
    "wait_and_see",
    "whose_turn",
    "nobody_knows",
    "coded_or_copied",
    "luck_or_skew",
)

#: Number of a lesson -> the lesson.
LESSONS: dict[int, Lesson] = {number: made(name) for number, name in enumerate(FILES, start=1)}
