"""The right answers: of a lesson computed once per process while the first class predicts; no page waits."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from pages.lessons.lesson import Found, Lesson
from pages.lessons.prediction import Answer
from pages.room.question import Asked, OfLesson, Own
from pages.server.room import RoomState
from pages.shared.app.turns import pool
from pages.shared.words.foreign import literal
from sim.model.cached import once
from sim.running.live import Pool
from sim.telling.words import counted


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


# Texts about a room.


def answered(seen: RoomState[Asked], right: Right | None = None, mine: Answer | None = None) -> str:
    """Return how many have answered and, where it is shown, what is right, in Markdown."""
    assert seen.question is not None
    many = len(seen.answers)
    if not seen.revealed:
        here = max(seen.here, many)
        return " ".join([f"**{many}** of **{here}** {has(many, here)} answered.", *_state(seen)])
    own = "" if mine is None else f"Yours: **{shown(seen.question, mine)}**."
    return " ".join(filter(None, [right.told if right else "", own, f"{counted(many, 'answer')}."]))


def has(many: int, here: int) -> str:
    """Return the verb of so many of those who are here.

    Examples
    --------
    >>> has(1, 3), has(0, 1), has(0, 3), has(2, 3)
    ('has', 'has', 'have', 'have')
    """
    return "has" if 1 in (many, here) else "have"


def _state(seen: RoomState[Asked]) -> list[str]:
    """Say which vote it is, and for how long it is open."""
    second = [] if seen.first is None else ["This is the second vote."]
    if not seen.is_open:
        return [*second, "The vote is closed."]
    return [*second, *([] if seen.left is None else [f"It closes in **{clock(seen.left)}**."])]


def clock(seconds: float) -> str:
    """Return a time that is left.

    Examples
    --------
    >>> clock(83.2), clock(9)
    ('1:24', '0:09')
    """
    whole = math.ceil(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def shown(asked: Asked, answer: Answer) -> str:
    """Return an answer in words, as Markdown that shows it as it is."""
    return literal(asked.prediction.shown(answer))


def timer(seconds: float) -> str:
    """Return how a menu calls a timer; 0 seconds are none.

    Examples
    --------
    >>> timer(0), timer(30), timer(120)
    ('No timer', '30 s', '2 min')
    """
    if not seconds:
        return "No timer"
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
