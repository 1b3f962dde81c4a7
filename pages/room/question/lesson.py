"""The question for a class: the prediction of a lesson."""

from __future__ import annotations

from dataclasses import dataclass

from pages.lessons import LESSONS
from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Answer, Prediction


@dataclass(frozen=True, slots=True)
class OfLesson:
    """The question of a lesson, by its number."""

    number: int

    @property
    def lesson(self) -> Lesson:
        """The lesson."""
        return LESSONS[self.number]

    @property
    def prediction(self) -> Prediction:
        """What is predicted."""
        return self.lesson.prediction

    @property
    def title(self) -> str:
        """A few words, as a menu has them.

        Examples
        --------
        >>> OfLesson(1).title
        '1. The slowest task'
        """
        return f"{self.number}. {self.lesson.title}"

    @property
    def written(self) -> str:
        """What is asked, in Markdown."""
        return self.prediction.label

    def checked(self, answer: object) -> Answer:
        """Return an answer as it is counted; raise `BadInput` if the prediction does not admit it."""
        return self.prediction.checked(answer)


def following(number: int) -> int:
    """Return the number of the lesson after this one, the first after the last.

    Examples
    --------
    >>> following(0), following(len(LESSONS))
    (1, 1)
    """
    return number % len(LESSONS) + 1
