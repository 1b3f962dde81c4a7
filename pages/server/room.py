"""A room in which a class predicts: a teacher asks and reveals, each student votes once, or once more later.

A teacher has the key of a room; students have its code, which is no secret. A room holds the vote on the
present question (`pages.server.vote`), what came of those before, without marks, and questions that its
teacher has written.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic

from pages.server.capacity import Share
from pages.server.vote import MOST_VOTES, Answers, Asked, Refused, Result, Vote, mark

#: Visitors of a room, and browsers that it knows as its teacher's.
MOST_SEATS, MOST_TEACHERS = MOST_VOTES, 10
#: Questions of its teacher's own, and questions whose results it keeps: the oldest go first.
MOST_KEPT, MOST_PAST = 20, 30
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


@dataclass(frozen=True, slots=True)
class RoomState(Generic[Asked]):
    """A room as it is at one moment.

    Parameters
    ----------
    round : int
        How many votes there have been, the present one included: of a question one, or two.
    question : Question, optional
        The last that was asked.
    first : tuple, optional
        What was answered in the first vote, if this is the second.
    is_open : bool
        Whether answers are taken.
    left : float, optional
        Seconds until no more are, if there is a timer.
    revealed : bool
        Whether the right answer is shown to all.
    can_take_back : bool
        Whether it can be hidden again.
    answers : tuple
        What has been answered, in an order that tells nothing.
    here : int
        Students who have the page open.
    bars : bool
        Whether the answers are drawn while they are taken.
    """

    round: int = 0
    question: Asked | None = None
    first: Answers | None = None
    is_open: bool = False
    left: float | None = None
    revealed: bool = False
    can_take_back: bool = False
    answers: Answers = ()
    here: int = 0
    bars: bool = True

    @property
    def has_bars(self) -> bool:
        """Whether the answers are drawn now."""
        return self.bars or not self.is_open

    @property
    def few(self) -> bool:
        """Whether fewer than half of those who are here have answered."""
        return 2 * len(self.answers) < self.here


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
        self._salt = secrets.token_bytes(16)
        self._teachers: dict[bytes, None] = {}
        self._seats: dict[bytes, float] = {}
        self._origins: dict[bytes, tuple[bytes, float]] = {}
        self._shut = False
        self._bars = True
        self._round = 0
        self._vote: Vote[Asked] | None = None
        self._past: tuple[Result[Asked], ...] = ()
        self._kept: dict[int, Asked] = {}
        self._numbered = 0

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

    def taught(self, key: str) -> RoomState[Asked]:
        """Return the room as its teacher sees it, and note that a teacher is there."""
        with self._lock:
            self._must_teach(key)
            self._taught = self._clock()
            return self._seen()

    def shut(self, key: str, shut: bool) -> None:
        """Close the door to students without a seat, or open it again."""
        with self._lock:
            self._must_teach(key)
            self._shut = shut

    @property
    def is_shut(self) -> bool:
        """Whether nobody is let in any more."""
        return self._shut

    def show_bars(self, key: str, shown: bool) -> None:
        """Draw the answers while they are taken, or only when the vote is closed."""
        with self._lock:
            self._must_teach(key)
            self._bars = shown

    def _must_teach(self, key: str) -> None:
        if not self.admits(key):
            raise Refused("This is not the key of the room.")

    # Its questions ------------------------------------------------------------------------------------------

    def keep(self, key: str, question: Asked) -> int:
        """Keep a question of the teacher's own; return its number."""
        with self._lock:
            self._must_teach(key)
            if len(self._kept) >= MOST_KEPT:
                raise Refused(f"A room holds {MOST_KEPT} questions of your own; remove one first.")
            self._numbered += 1
            self._kept[self._numbered] = question
            return self._numbered

    def drop(self, key: str, number: int) -> None:
        """Forget a question of the teacher's own; what was answered to it stays."""
        with self._lock:
            self._must_teach(key)
            self._kept.pop(number, None)

    def kept(self, key: str) -> dict[int, Asked]:
        """Return the teacher's own questions by their numbers."""
        with self._lock:
            self._must_teach(key)
            return dict(self._kept)

    def ask(self, key: str, question: Asked, seconds: float | None = None) -> None:
        """Ask a question, in place of the one before, of which only the result stays."""
        with self._lock:
            self._must_teach(key)
            vote = Vote(question, self._clock(), seconds)
            self._past = self._results()[-MOST_PAST:]
            self._vote = vote
            self._round += 1

    def close_vote(self, key: str, round_: int) -> None:
        """Take no more answers in this round."""
        with self._lock:
            if vote := self._voted(key, round_):
                vote.close()

    def open_vote(self, key: str, round_: int, seconds: float | None = None) -> None:
        """Take answers in this round again."""
        with self._lock:
            if vote := self._voted(key, round_):
                vote.open(self._clock(), seconds)

    def vote_again(self, key: str, round_: int, seconds: float | None = None) -> None:
        """Let all vote a second time on the question of this round; the next round begins."""
        with self._lock:
            if (vote := self._voted(key, round_)) and vote.again(self._clock(), seconds):
                self._round += 1

    def reveal(self, key: str, round_: int, *, sure: bool = False) -> bool:
        """Show the answer of this round: nobody votes any more.

        Unless one is `sure`, nothing is done while fewer than half of those who are here have answered.

        Returns
        -------
        bool
            Whether the answer is shown.
        """
        with self._lock:
            vote = self._voted(key, round_)
            if vote is None or (not sure and not vote.revealed and self._seen().few):
                return False
            vote.reveal(self._clock())
            return True

    def take_back(self, key: str, round_: int) -> None:
        """Hide the answer of this round again; all is as it was before it was shown."""
        with self._lock:
            if vote := self._voted(key, round_):
                vote.take_back(self._clock())

    def results(self, key: str) -> tuple[Result[Asked], ...]:
        """Return what has come of each question that anybody has answered, the present one included."""
        with self._lock:
            self._must_teach(key)
            return self._results()

    def _voted(self, key: str, round_: int) -> Vote[Asked] | None:
        """Return the vote of this round for its teacher; None if the round is another one by now."""
        self._must_teach(key)
        self._settle()
        return self._vote if round_ == self._round else None

    def _results(self) -> tuple[Result[Asked], ...]:
        now = self._vote.result() if self._vote else None
        return (*self._past, now) if now and any(now.votes) else self._past

    def _settle(self) -> None:
        if self._vote:
            self._vote.settle(self._clock())

    # A student ----------------------------------------------------------------------------------------------

    def joined(self, visitor: str, address: str = "") -> RoomState[Asked]:
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
            If there is no seat, the question is another one by now, or the vote is closed.
        ValueError
            If the question does not admit this answer.
        """
        with self._lock:
            self._take_seat(visitor, address)
            self._settle()
            if self._vote is None or round_ != self._round:
                raise Refused("Your answer came too late: another question is open by now.")
            self._vote.take(visitor, answer, self._clock())

    def own(self, visitor: str) -> Hashable:
        """Return what a student has answered in this round; None if nothing, or not known any more."""
        with self._lock:
            self._settle()
            return self._vote.own(visitor) if self._vote else None

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

    def _seen(self) -> RoomState[Asked]:
        now = self._clock()
        here = sum(now - at <= HERE_S for at in self._seats.values())
        self._settle()
        vote = self._vote
        if vote is None:
            return RoomState(here=here, bars=self._bars)
        return RoomState(
            self._round,
            vote.question,
            vote.first,
            vote.is_open(now),
            vote.left(now),
            vote.revealed,
            vote.can_be_taken_back(now),
            vote.answers,
            here,
            self._bars,
        )

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
