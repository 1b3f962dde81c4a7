"""The vote on one question: open or closed, a first and a second time, its answer shown or not.

A vote is kept under a mark, a digest of its visitor with a salt that is drawn anew for each vote: so one
visitor has one vote, and no two votes are known to be of one visitor. There are no marks any more once
nothing can change: with the second vote for the first one, and a while after the answer is shown.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Generic, Protocol, TypeVar

#: Votes that are kept of a question.
MOST_VOTES = 300
#: Seconds that a timer may have.
SHORTEST_S, LONGEST_S = 5.0, 1800.0
#: Seconds within which an answer that is shown can be taken back.
TAKE_BACK_S = 120.0


class Refused(ValueError):
    """What a room does not accept, and why, in words for its visitor."""


class Question(Protocol):
    """What a class is asked."""

    def checked(self, answer: object) -> Hashable:
        """Return an answer as it is counted; raise `ValueError` if it is none."""


Asked = TypeVar("Asked", bound=Question)
#: What a class has answered, in an order that tells nothing.
Answers = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Result(Generic[Asked]):
    """What came of a question.

    Parameters
    ----------
    question : Question
    votes : tuple of tuple
        The answers of each vote, of one or two.
    revealed : bool
        Whether the right answer has been shown.
    """

    question: Asked
    votes: tuple[Answers, ...]
    revealed: bool


class Vote(Generic[Asked]):
    """The vote on a question; what is done to it at a wrong time does nothing.

    Parameters
    ----------
    question : Question
    now : float
        Seconds of a clock, as everywhere here.
    seconds : float, optional
        After which it closes by itself.
    """

    def __init__(self, question: Asked, now: float, seconds: float | None = None) -> None:
        self.question = question
        #: The answers of the first vote once there is a second.
        self.first: Answers | None = None
        self._shown: float | None = None
        self._begin(now, seconds)

    def _begin(self, now: float, seconds: float | None) -> None:
        """Open a vote without answers."""
        self._open_until(now, seconds)  # which refuses some timers
        self._given: dict[bytes, Hashable] = {}
        self._answers: Answers | None = ()
        self._salt = secrets.token_bytes(16)

    def _open_until(self, now: float, seconds: float | None) -> None:
        if seconds is not None and not SHORTEST_S <= seconds <= LONGEST_S:
            raise Refused(f"A timer has from {SHORTEST_S:.0f} to {LONGEST_S:.0f} seconds.")
        self._open, self._ends = True, math.inf if seconds is None else now + seconds

    # What is seen -------------------------------------------------------------------------------------------

    @property
    def answers(self) -> Answers:
        """What has been answered; sorted once, however many look."""
        if self._answers is None:
            self._answers = tuple(sorted(self._given.values(), key=repr))
        return self._answers

    @property
    def revealed(self) -> bool:
        """Whether the answer is shown to all."""
        return self._shown is not None

    def is_open(self, now: float) -> bool:
        """Tell whether answers are taken."""
        return self._open and not self.revealed and now < self._ends

    def left(self, now: float) -> float | None:
        """Return the seconds until the vote closes by itself; None if it does not."""
        return self._ends - now if self.is_open(now) and math.isfinite(self._ends) else None

    def can_be_taken_back(self, now: float) -> bool:
        """Tell whether the answer is shown, and so lately that it can be hidden again."""
        return self._shown is not None and now - self._shown <= TAKE_BACK_S

    def result(self) -> Result[Asked]:
        """Return what has come of the question."""
        votes = (self.answers,) if self.first is None else (self.first, self.answers)
        return Result(self.question, votes, self.revealed)

    # What a teacher does ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Take no more answers."""
        self._open = False

    def open(self, now: float, seconds: float | None = None) -> None:
        """Take answers again, unless the right one is shown."""
        if not self.revealed:
            self._open_until(now, seconds)

    def again(self, now: float, seconds: float | None = None) -> bool:
        """Let all vote a second time, once, before the answer is shown; tell whether that begins."""
        if self.revealed or self.first is not None:
            return False
        first = self.answers
        self._begin(now, seconds)
        self.first = first
        return True

    def reveal(self, now: float) -> None:
        """Show the answer: nobody votes any more."""
        if not self.revealed:
            self._shown = now

    def take_back(self, now: float) -> None:
        """Hide the answer again, and take answers if they were taken before."""
        if self.can_be_taken_back(now):
            self._shown = None

    def settle(self, now: float) -> None:
        """Forget who has voted once the answer cannot be taken back any more."""
        if self.revealed and self._given and not self.can_be_taken_back(now):
            self._answers = self.answers
            self._given, self._salt = {}, secrets.token_bytes(16)

    # What a student does ------------------------------------------------------------------------------------

    def take(self, visitor: str, answer: object, now: float) -> None:
        """Count an answer, in place of the one given before."""
        if not self.is_open(now):
            raise Refused("Your answer came too late: the vote is closed.")
        mine = mark(visitor, self._salt)
        if mine not in self._given and len(self._given) >= MOST_VOTES:
            raise Refused(f"Your answer is not counted: {MOST_VOTES} are counted already.")
        self._given[mine] = self.question.checked(answer)
        self._answers = None

    def own(self, visitor: str) -> Hashable:
        """Return what a visitor has answered; None if nothing, or if that is not known any more."""
        return self._given.get(mark(visitor, self._salt))


def mark(visitor: str, salt: bytes) -> bytes:
    """Return a digest of a visitor: the same under one salt, and not to be compared under two.

    Examples
    --------
    >>> mark("ann", b"x") == mark("ann", b"x"), mark("ann", b"x") == mark("ann", b"y")
    (True, False)
    """
    return blake2b(visitor.encode(errors="replace"), key=salt, digest_size=16).digest()
