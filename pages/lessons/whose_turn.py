"""Whose turn it is: who gets the next slot."""

from __future__ import annotations

from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Option, Order

LESSON = Lesson(
    title="Whose turn",
    question="Which job should get the next free slot?",
    prediction=Order(
        "whose-turn",
        "Under which rule do jobs take the least time on average? Put the rules in order, the fastest first.",
        (
            Option("fifo", "First come, first served"),
            Option("fair", "Fair shares"),
            Option("srpt", "Least remaining work first (SRPT)"),
        ),
    ),
)
