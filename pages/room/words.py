"""Texts about a room."""

from __future__ import annotations

from pages.lessons.lesson import Found
from pages.lessons.prediction import Answer
from pages.room.question import Asked
from pages.server.room import Seen
from pages.shared.words.numbers import counted


def answered(seen: Seen[Asked], found: Found | None = None, mine: Answer | None = None) -> str:
    """Return how many have answered and, where it is shown, what is right, in Markdown."""
    assert seen.question is not None
    many = len(seen.answers)
    if not seen.revealed:
        return f"**{many}** of **{max(seen.here, many)}** have answered."
    own = "" if mine is None else f"Yours: **{seen.question.prediction.shown(mine)}**."
    return " ".join(filter(None, [found.told if found else "", own, f"{counted(many, 'answer')}."]))
