"""Sessions take turns to draw, so that the scripts of a whole class do not slow each other down.

Scripts that run at the same time take the interpreter from one another and from the thread that sends
finished messages, so that every page comes late. In turns half of a class has its page in half the time. A
session that waits for its answer goes before a session that draws what stands below its answer. No session
waits for ever: one that has waited for `PATIENCE_S` goes before all that have not.

A hundred visitors who move one slider at the same moment wait 0.9 to 1.0 s (95 %) with the waiting for quiet
and for a crowd, and 1.0 to 1.5 s without (`tests.benchmarks.page`, ten moves each, one after the other). Two
hundred on two processes wait 0.7 to 0.94 times as long if one of a crowd draws at a time instead of two.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.server.private import look_up
from sim.model.cached import once
from sim.running.byte_cache import ByteCache
from sim.running.compiled import Engines
from sim.running.live import Pool
from sim.running.live.request import Records
from sim.telling.glossary import defined

#: Sessions that draw at the same time, while there is no crowd: a slow page leaves the others room.
DRAWING = 2
#: Priorities: sessions that wait for an answer, then sessions that have one.
ANSWER, REST = 0, 1
#: Seconds after which the session that has waited longest goes first.
PATIENCE_S = 3.0
#: Seconds after which a waiting session looks whether its visitor is still there.
LOOK_UP_S = 0.25
#: Seconds without a new question after which nobody is thought to wait for an answer.
QUIET_S = 0.03
#: Seconds from an answer to the rest of its page, so that a browser draws the charts before it lays out the
#: rest: with a known answer they are there in 1.4 times the seconds of a trivial page instead of 1.6 times.
BETWEEN_DRAWS_S = 0.07
#: Longest time a session that already shows an answer waits for a quiet moment, in seconds.
LONGEST_S = 1.0
#: After a crowd, the first to draw waits until no question has come for so many seconds, ...
QUIET_S = 0.03
#: ... at most so many seconds: a session that draws keeps the server from reading the other questions.
LONGEST_WAIT_S = 0.6
#: Waiting sessions that are a crowd.
CROWD = 8
#: Seconds for which a crowd is remembered.
REMEMBERED_S = 600.0


@dataclass(eq=False)
class Waiter:
    """A session that waits for a turn since `asked`; `number` counts all requests for turns."""

    rank: int
    number: int
    asked: float
    called: threading.Event = field(default_factory=threading.Event)

    def order(self, now: float) -> tuple[int, int]:
        """Return the sort key: the smallest goes first."""
        return -1 if now - self.asked >= PATIENCE_S else self.rank, self.number


class Turns:
    """Turns to draw; a limited number can be taken at the same time.

    Parameters
    ----------
    most : int
    clock, sleep : callable, optional
        Of `time`.
    """

    def __init__(
        self,
        most: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._most = self._free = most
        self._clock, self._sleep = clock, sleep
        self._gathering = False
        self._queue: list[Waiter] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._asked = 0.0
        self._crowded = -REMEMBERED_S
        self._unanswered = 0
        #: Told how many seconds an answer took, from the wait for a turn until it was drawn.
        self.on_answer: Callable[[float], None] = lambda seconds: None

    @contextmanager
    def taken(self, waiting: Callable[[int, float], object] = lambda before, seconds: None) -> Iterator[None]:
        """Wait for a turn and have it.

        Parameters
        ----------
        waiting : callable, optional
            Called now and then while waiting: how many go before, and for how many seconds already.
        """
        self._mine.asked = self._clock()
        self._mine.waiting = waiting
        with self._lock:
            self._unanswered += 1
        self._take(ANSWER)
        try:
            yield
        finally:
            if self._has_one:
                self._give()
            self._answered()

    @contextmanager
    def lent(self, *, answered: bool = False, apart: float = 0.0) -> Iterator[None]:
        """Give this thread's turn, if it has one, to another session while it waits for an answer.

        Who leaves with an exception draws no more and gets no turn.

        Parameters
        ----------
        answered : bool, optional
            Whether this session already shows an answer.
        apart : float, optional
            Seconds from now on before which it has no turn again.
        """
        had, earliest = self._has_one, self._clock() + apart
        if had:
            self._give()
            if answered:
                self._answered()
        yield
        if had:
            self._take(REST if answered else ANSWER, earliest)

    def yield_to_waiting(self) -> None:
        """Let sessions draw that wait for an answer, before this thread draws the rest of its page."""
        with self.lent(answered=True, apart=BETWEEN_DRAWS_S):
            pass

    @property
    def wanted(self) -> bool:
        """Whether a session waits for a turn."""
        return bool(self._queue)

    @property
    def unanswered(self) -> int:
        """How many have asked and have no answer yet."""
        return self._unanswered

    @property
    def waiting(self) -> int:
        """How many wait for a turn."""
        return len(self._queue)

    @property
    def _has_one(self) -> bool:
        return getattr(self._mine, "taken", False)

    def _answered(self) -> None:
        """Tell once how long the answer of this run took."""
        asked = getattr(self._mine, "asked", None)
        if asked is not None:
            self._mine.asked = None
            with self._lock:
                self._unanswered -= 1
            self.on_answer(self._clock() - asked)

    def _take(self, rank: int, earliest: float = -math.inf) -> None:
        """Wait for a turn; a session that shows an answer also for quiet, and until `earliest`."""
        mine = Waiter(rank, next(self._numbers), self._clock())
        if rank == ANSWER:
            self._asked = mine.asked
        else:
            self._wait_for_quiet(QUIET_S, LONGEST_S, earliest)
        with self._lock:
            gathers = self._is_first_of_a_crowd()
            self._gathering |= gathers
            self._queue.append(mine)
            if len(self._queue) >= CROWD:
                self._crowded = self._clock()
            self._call()
        if gathers:
            self._wait_for_quiet(QUIET_S, LONGEST_WAIT_S)
            with self._lock:
                self._gathering = False
                self._call()
        self._wait(mine)
        self._mine.taken = True

    def _wait(self, mine: Waiter) -> None:
        """Wait for a turn; a session whose page has changed or closed leaves the queue."""
        end_if_left = look_up()
        try:
            while not mine.called.wait(LOOK_UP_S):
                end_if_left()
                if waiting := getattr(self._mine, "waiting", None):
                    waiting(self._before(mine), self._clock() - mine.asked)
        except BaseException:
            with self._lock:
                if mine in self._queue:
                    self._queue.remove(mine)
                else:  # called in the meantime
                    self._free += 1
                    self._call()
            raise

    def _before(self, mine: Waiter) -> int:
        """Return how many go before."""
        now = self._clock()
        with self._lock:
            return sum(other.order(now) < mine.order(now) for other in self._queue)

    def _is_first_of_a_crowd(self) -> bool:
        """Whether nobody draws or waits, and a crowd has come before; the lock is held."""
        idle = not self._gathering and not self._queue and self._free == self._most
        return idle and self._clock() - self._crowded < REMEMBERED_S

    def _wait_for_quiet(self, moment: float, longest: float, earliest: float = -math.inf) -> None:
        """Wait for a short time without new requests, which ends no earlier than told."""
        end = self._clock() + longest
        while (now := self._clock()) < min(end, until := max(self._asked + moment, earliest)):
            self._sleep(until - now)

    def _give(self) -> None:
        self._mine.taken = False
        with self._lock:
            self._free += 1
            self._call()

    @property
    def _kept_free(self) -> int:
        """Turns that nobody gets now: of a crowd one draws at a time; two would stop each other."""
        return self._most - 1 if len(self._queue) >= CROWD else 0

    def _call(self) -> None:
        """Hand the free turns to the first sessions in the queue; the lock is held."""
        now = self._clock()
        while not self._gathering and self._free > self._kept_free and self._queue:
            first = min(self._queue, key=lambda waiter: waiter.order(now))
            self._queue.remove(first)
            self._free -= 1
            first.called.set()


@once
def turns() -> Turns:
    """Return the turns that all sessions share."""
    return Turns(DRAWING)


# Elements of a page that are drawn once and then replaced in place.
#
# A place made with `st.empty` costs a message before anything is in it. An element that has been drawn is
# such a place, too: drawing into it puts the new one there.


def answer_place() -> Placeholders:
    """Return the place of a page's answer, by whose key the browser's parts know it (`pages/frame`)."""
    return Placeholders(st.container(key="answer"))


def show_answer(told: str) -> Placeholders:
    """Draw a page's answer, with what its words mean; return its place, where a better one is said."""
    place = answer_place()
    say(place, told)
    return place


def say(place: Placeholders, told: str) -> None:
    """Draw or replace an answer where it stands."""
    place.markdown("answer", told, help=defined(told) or None)


def body_and_foot() -> tuple[DeltaGenerator, Placeholders]:
    """Return the place of all that answers, and below it that of what the answer rests on."""
    return st.container(), Placeholders(st.container())


def stage() -> DeltaGenerator:
    """Return a container whose content is shown in presenter mode, too."""
    return st.container(key="stage")


class Placeholders:
    """The elements of a container by name: ``places.markdown("title", ...)`` draws or replaces "title".

    Words and numbers that are there already are not sent again: titles stay while answers get better.
    """

    def __init__(self, container: DeltaGenerator) -> None:
        self._container = container
        self._drawn: dict[str, DeltaGenerator] = {}
        self._said: dict[str, tuple[Any, ...]] = {}

    def __getattr__(self, command: str) -> Callable[..., None]:
        """Return a command of Streamlit that takes the name of the place before its own arguments."""

        def draw(name: str, *arguments: Any, **options: Any) -> None:
            said = command, *arguments, *options.items()
            if all(isinstance(one, (str, float)) for one in arguments) and self._said.get(name) == said:
                return
            self._said[name] = said
            place = self._drawn.get(name, self._container)
            self._drawn[name] = getattr(place, command)(*arguments, **options)

        return draw


# The only way from a page to the simulation: a shared pool of workers and a shared cache.

Made = TypeVar("Made")

#: Bytes of drawings and tables that are kept: sixty screens of Compare.
MADE_BYTES = 6 * 2**20


@once
def pool() -> Pool:
    """Return the workers that all sessions share; they refine nothing while a session waits to draw."""
    drawing = turns()
    return Pool(busy=lambda: drawing.wanted, ready=engines().ready, records=records())


@once
def records() -> Records:
    """Return what was computed beforehand."""
    return Records()


@once
def engines() -> Engines:
    """Return the engines, which are compiled once while pages are already served."""
    return Engines()


def made_once(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """Return what `make` makes, made once for all sessions and kept while there is room.

    Errors are not cached. A waiting session stops waiting when its visitor leaves the page.

    Parameters
    ----------
    key : tuple
        What it is and all it depends on: of text, numbers, and values that print exactly.
    make : callable
        Draws nothing on the page.
    """
    made: Made = _drawings().made(repr(key), make, look_up())
    return made


@once
def _drawings() -> ByteCache:
    """Return what is made once for all sessions: screens, charts, tables."""
    return ByteCache(MADE_BYTES, "drawn")
