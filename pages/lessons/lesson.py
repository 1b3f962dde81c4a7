"""What a lesson is made of."""

from __future__ import annotations

from dataclasses import dataclass

from pages.lessons.prediction import Prediction


@dataclass(frozen=True)
class Lesson:
    """One question that a class answers before it sees.

    Parameters
    ----------
    title : str
        A few words, as a menu has them.
    question : str
        One sentence.
    prediction : Prediction
        What is to be predicted before the answer is shown.
    """

    title: str
    question: str
    prediction: Prediction
