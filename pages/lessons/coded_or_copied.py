"""Coded or copied: any k of n tasks, or each task twice."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Number

LESSON = Lesson(
    title="Coded or copied",
    question="If a job may start twice as many tasks, should they be copies?",
    prediction=Number(
        "coded-or-copied",
        "A job of 10 tasks starts 20. Copied: each of the 10 runs twice. Coded: any 10 of the 20 are enough. "
        "How much less time does the coded job take?",
        0, 100, 1, "%",
    ),
)  # fmt: skip
