"""Clone everything: up to which load it pays."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Number

LESSON = Lesson(
    title="Clone everything",
    question="Up to which load does it pay to run every task twice?",
    prediction=Number(
        "clone-everything",
        "Without copies this share of the slots is busy. Up to which share are tasks faster if every one "
        "runs twice?",
        0, 100, 1, "%",
    ),
)  # fmt: skip
