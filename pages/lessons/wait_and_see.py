"""Wait and see: which tasks to copy once their remaining time is known."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Number

LESSON = Lesson(
    title="Wait and see",
    question="How slow must a task be before a copy of it saves slot time?",
    prediction=Number(
        "wait-and-see",
        "A running task is copied if its remaining time is longer than this many mean task times. At which "
        "number is the least slot time used?",
        0, 5, 0.1, "mean task times",
    ),
)  # fmt: skip
