"""A second copy: when it costs nothing, and when it does."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Choice, Option

LESSON = Lesson(
    title="A second copy",
    question="What does a second copy of every task cost?",
    prediction=Choice(
        "second-copy",
        "Every task is started twice. The first copy to finish counts, and the other one is cancelled. How "
        "much slot time does a task use, compared with one copy?",
        (
            Option("less", "Less than with one copy"),
            Option("same", "As much as with one copy"),
            Option("more", "More, but less than twice as much"),
            Option("twice", "Twice as much"),
        ),
    ),
)
