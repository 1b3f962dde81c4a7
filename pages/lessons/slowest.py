"""Why a job waits for its slowest task."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Number

LESSON = Lesson(
    title="The slowest task",
    question="Why does a job take so much longer than its tasks?",
    prediction=Number(
        "slowest",
        "A task takes 3 minutes on average. A job has 100 such tasks, and all run at once. How long does the "
        "job take on average?",
        0, 100, 1, "min",
    ),
)  # fmt: skip
