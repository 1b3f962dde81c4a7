"""Texts about a room."""

from __future__ import annotations

import math

from pages.lessons.prediction import Answer
from pages.room.answer import Right
from pages.room.question import Asked
from pages.server.room import RoomState
from pages.shared.words.foreign import literal
from sim.telling.words import counted


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
