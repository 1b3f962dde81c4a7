"""A room in which a class predicts: a teacher asks and reveals, each student votes once per question.

A teacher has the key of a room; students have its code, which is no secret. A vote is kept under a mark, a
digest of its visitor with a salt that is drawn anew for each question: so one visitor has one vote, and no
two votes are known to be of one visitor. Once the answer is revealed, votes have no marks any more.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Generic, Protocol, TypeVar

from pages.server.shares import Share

#: Visitors of a room, and browsers that it knows as its teacher's.
MOST_SEATS, MOST_TEACHERS = 300, 10
#: What one address may have of the seats: 200 if nobody else has one, and after 100 more slowly.
SHARE = Share(of_left=2.0, quick=100, pause=0.02)
#: Seconds after which a room ends that its teacher has left, and after which any room does.
LEFT_S, LONGEST_S = 1800.0, 8 * 3600.0
#: Seconds without a sign of life after which a student does not count as here, and after which anybody gives
#: way to others where a room, or the server, is full.
HERE_S, AWAY_S = 20.0, 90.0
#: Bytes of a key, and what one looks like.
KEY_BYTES = 16
KEY = re.compile(r"[A-Za-z0-9_-]{22}")


class Refused(ValueError):
    """What a room does not accept, and why, in words for its visitor."""


class Question(Protocol):
    """What a class is asked."""

    def checked(self, answer: object) -> Hashable:
        """Return an answer as it is counted; raise `ValueError` if it is none."""


Asked = TypeVar("Asked", bound=Question)


@dataclass(frozen=True, slots=True)
class Seen(Generic[Asked]):
    """A room as it is at one moment.

    Parameters
    ----------
    round : int
        How many questions have been asked, the present one included.
    question : Question, optional
        The last that was asked.
    revealed : bool
        Whether its answer is shown to all.
    answers : tuple
        What has been answered, in an order that tells nothing.
    here : int
        Students who have the page open.
    """

    round: int = 0
    question: Asked | None = None
    revealed: bool = False
    answers: tuple[Hashable, ...] = ()
    here: int = 0


class Room(Generic[Asked]):
    """A room, as `Rooms.open` makes it.

    Parameters
    ----------
    code : str
    clock : callable
        Seconds that only grow.
    """

    def __init__(self, code: str, clock: Callable[[], float]) -> None:
        self.code, self.key = code, secrets.token_urlsafe(KEY_BYTES)
        self._clock, self._lock = clock, threading.Lock()
        self._opened = self._taught = clock()
        self._salt = self._ballot = secrets.token_bytes(16)
        self._teachers: dict[bytes, None] = {}
        self._seats: dict[bytes, float] = {}
        self._origins: dict[bytes, tuple[bytes, float]] = {}
        self._shut = False
        self._votes: dict[bytes, Hashable] = {}
        self._now: Seen[Asked] = Seen()

    # A teacher ----------------------------------------------------------------------------------------------

    def admits(self, key: str) -> bool:
        """Tell whether this is the key of the teacher."""
        return secrets.compare_digest(key.encode(errors="replace"), self.key.encode())

    def remember(self, visitor: str, key: str) -> None:
        """Recognise a visitor with the key who comes again."""
        with self._lock:
            self._must_teach(key)
            self._teachers[mark(visitor, self._salt)] = None
            while len(self._teachers) > MOST_TEACHERS:
                del self._teachers[next(iter(self._teachers))]

    def key_of(self, visitor: str) -> str:
        """Return the key to a visitor who is known as the teacher; nothing to all others."""
        with self._lock:
            return self.key if mark(visitor, self._salt) in self._teachers else ""

    def taught(self, key: str) -> Seen[Asked]:
        """Return the room as its teacher sees it, and note that a teacher is there."""
        with self._lock:
            self._must_teach(key)
            self._taught = self._clock()
            return self._seen()

    def ask(self, key: str, question: Asked) -> None:
        """Ask a question, in place of the one before, whose votes are forgotten."""
        with self._lock:
            self._must_teach(key)
            self._votes, self._ballot = {}, secrets.token_bytes(16)
            self._now = Seen(self._now.round + 1, question)

    def shut(self, key: str, shut: bool) -> None:
        """Close the door to students without a seat, or open it again."""
        with self._lock:
            self._must_teach(key)
            self._shut = shut

    @property
    def is_shut(self) -> bool:
        """Whether nobody is let in any more."""
        return self._shut

    def reveal(self, key: str, round_: int) -> None:
        """Reveal the answer of this round: nobody votes any more, and no vote has a mark any more."""
        with self._lock:
            self._must_teach(key)
            if round_ == self._now.round and not self._now.revealed:
                self._now = Seen(round_, self._now.question, True, self._shuffled())
                self._votes, self._ballot = {}, secrets.token_bytes(16)

    def _must_teach(self, key: str) -> None:
        if not self.admits(key):
            raise Refused("This is not the key of the room.")

    # A student ----------------------------------------------------------------------------------------------

    def joined(self, visitor: str, address: str = "") -> Seen[Asked]:
        """Return the room as a student sees it, who has, or takes, a seat in it.

        Parameters
        ----------
        visitor : str
        address : str, optional
            Where the visitor comes from, if that is known.

        Raises
        ------
        Refused
            If there is no seat: the room is full or shut, or too many are taken from this address.
        """
        with self._lock:
            self._take_seat(visitor, address)
            return self._seen()

    def vote(self, visitor: str, round_: int, answer: object, address: str = "") -> None:
        """Count an answer of a student, in place of the one given before.

        Raises
        ------
        Refused
            If there is no seat, or the question is another one by now or has been revealed.
        ValueError
            If the question does not admit this answer.
        """
        with self._lock:
            self._take_seat(visitor, address)
            if self._now.question is None or round_ != self._now.round or self._now.revealed:
                raise Refused("Your answer came too late: the question is closed.")
            mine = mark(visitor, self._ballot)
            if mine not in self._votes and len(self._votes) >= MOST_SEATS:
                raise Refused(f"Your answer is not counted: {MOST_SEATS} are counted already.")
            self._votes[mine] = self._now.question.checked(answer)

    def own(self, visitor: str) -> Hashable:
        """Return what a student has answered to the question that is open; None if nothing."""
        with self._lock:
            return self._votes.get(mark(visitor, self._ballot))

    def _take_seat(self, visitor: str, address: str) -> None:
        now, seat = self._clock(), mark(visitor, self._salt)
        if seat not in self._seats:
            self._admit(seat, mark(address, self._salt) if address else b"", now)
        self._seats[seat] = now

    def _admit(self, seat: bytes, origin: bytes, now: float) -> None:
        """Give a seat to a student who has none yet."""
        if self._shut:
            raise Refused("The door of this room is closed: nobody else is let in.")
        if len(self._seats) >= MOST_SEATS:
            self._seats = {one: at for one, at in self._seats.items() if now - at <= AWAY_S}
            self._origins = {one: where for one, where in self._origins.items() if one in self._seats}
            if len(self._seats) >= MOST_SEATS:
                raise Refused(f"This room is full: it holds {MOST_SEATS} students.")
        if origin:
            taken = [at for where, at in self._origins.values() if where == origin]
            left = MOST_SEATS - len(self._seats)
            if not SHARE.admits(len(taken), left, now - max(taken, default=0.0)):
                raise Refused("Many have come in from your network, and others are to find a seat, too.")
            self._origins[seat] = origin, now

    # All ----------------------------------------------------------------------------------------------------

    def _seen(self) -> Seen[Asked]:
        now, held = self._clock(), self._now
        answers = held.answers if held.revealed else self._shuffled()
        here = sum(now - at <= HERE_S for at in self._seats.values())
        return Seen(held.round, held.question, held.revealed, answers, here)

    def _shuffled(self) -> tuple[Hashable, ...]:
        return tuple(sorted(self._votes.values(), key=repr))

    def has_ended(self) -> bool:
        """Tell whether the room is over."""
        now = self._clock()
        return now - self._taught > LEFT_S or now - self._opened > LONGEST_S

    def gives_way(self) -> float | None:
        """Return when the teacher was last there if nobody is in the room now; None if somebody is."""
        with self._lock:
            last, now = self._taught, self._clock()
            busy = now - last <= AWAY_S or any(now - at <= AWAY_S for at in self._seats.values())
            return None if busy else last


def mark(visitor: str, salt: bytes) -> bytes:
    """Return a digest of a visitor: the same under one salt, and not to be compared under two.

    Examples
    --------
    >>> mark("ann", b"x") == mark("ann", b"x"), mark("ann", b"x") == mark("ann", b"y")
    (True, False)
    """
    return blake2b(visitor.encode(errors="replace"), key=salt, digest_size=16).digest()
