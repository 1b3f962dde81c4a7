"""The right answers, computed once per process while the first class predicts; no page waits for one."""

from __future__ import annotations

import threading

from pages.lessons.lesson import Found, Lesson
from pages.room.question import Asked
from pages.shared.app.runs import pool
from sim.cached import once
from sim.live import Pool


class Answers:
    """The answers of lessons by their number."""

    def __init__(self, workers: Pool) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._known: dict[int, Found] = {}
        self._begun: set[int] = set()

    def get(self, asked: Asked) -> Found | None:
        """Return an answer, or begin to compute it and return None."""
        number = asked.number
        with self._lock:
            if number not in self._known and number not in self._begun:
                self._begun.add(number)
                threading.Thread(
                    target=self._compute, args=(asked,), name=f"lesson {number}", daemon=True
                ).start()
            return self._known.get(number)

    def _compute(self, asked: Asked) -> None:
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
    request = lesson.asks(default)
    if request is None:
        return lesson.find(default, None)
    *_, last = (snapshot for snapshot in workers.follow(request) if snapshot is not None)
    return lesson.find(default, last.comparison)


def right_answer(asked: Asked) -> Found | None:
    """Return the answer of a question once it is known; the first request starts its computation."""
    return _answers().get(asked)


@once
def _answers() -> Answers:
    """Return the answers that this process knows."""
    return Answers(pool())
