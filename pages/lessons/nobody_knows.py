"""No scheduler knows everything: probes and refusals."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Choice, Option

LESSON = Lesson(
    title="Nobody knows everything",
    question="How many workers must a scheduler ask if none knows the whole cluster?",
    prediction=Choice(
        "nobody-knows",
        "For every task a scheduler asks some workers at random. How many must it ask so that jobs take at "
        "most a tenth longer than under one scheduler that knows everything?",
        (
            Option("1", "One"),
            Option("2", "Two"),
            Option("4", "Four"),
            Option("8", "Eight"),
            Option("none", "Even eight are too few"),
        ),
    ),
)
