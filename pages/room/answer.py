"""The right answers: of a lesson computed once per process while the first class predicts; no page waits."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from pages.lessons.lesson import Found, Lesson
from pages.lessons.prediction import Answer
from pages.room.question import Asked, OfLesson, Own
from pages.shared.app.runs import pool
from pages.shared.words.foreign import literal
from sim.model.cached import once
from sim.running.live import Pool


@dataclass(frozen=True, slots=True)
class Right:
    """What is shown of the right answer.

    Parameters
    ----------
    answer : str, float or tuple of str, optional
        None if the question has no right one.
    told : str, optional
        In a sentence, in Markdown.
    why : tuple of str, optional
        The reason, in Markdown.
    """

    answer: Answer | None
    told: str = ""
    why: tuple[str, ...] = ()


class Answers:
    """The answers of lessons by their number."""

    def __init__(self, workers: Pool) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._known: dict[int, Found] = {}
        self._begun: set[int] = set()

    def get(self, asked: OfLesson) -> Found | None:
        """Return an answer, or begin to compute it and return None."""
        number = asked.number
        with self._lock:
            if number not in self._known and number not in self._begun:
                self._begun.add(number)
                threading.Thread(
                    target=self._compute, args=(asked,), name=f"lesson {number}", daemon=True
                ).start()
            return self._known.get(number)

    def _compute(self, asked: OfLesson) -> None:
        """Compute an answer; if that fails, the next request tries again."""
        try:
            found = computed(asked.lesson, self._workers)
            with self._lock:
                self._known[asked.number] = found
        finally:
            with self._lock:
                self._begun.discard(asked.number)


def computed(lesson: Lesson, workers: Pool) -> Found:
    """Return the answer of a lesson as its question has it, simulated to the end where it is simulated."""
    default = lesson.variation.default
    comparisons = []
    for request in lesson.asks(default):
        *_, last = (snapshot for snapshot in workers.follow(request) if snapshot is not None)
        comparisons.append(last.comparison)
    return lesson.find(default, *comparisons)


def right_answer(asked: Asked) -> Right | None:
    """Return the answer of a question once it is known; the first request starts its computation."""
    if isinstance(asked, Own):
        if asked.right is None:
            return Right(None)
        return Right(asked.right, f"Right is **{literal(asked.prediction.shown(asked.right))}**.")
    found = _answers().get(asked)
    return None if found is None else Right(found.answer, found.told, found.why)


@once
def _answers() -> Answers:
    """Return the answers that this process knows."""
    return Answers(pool())
