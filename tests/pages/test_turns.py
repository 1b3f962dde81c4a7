"""Turns to draw: their order, nobody waits for ever, a session that leaves loses its place. No sleeps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.app import turns as turns_module
from pages.shared.app.turns import ANSWER, BETWEEN_DRAWS_S, PATIENCE_S, REST, Turns, Waiter


class Clock:
    """A clock that is set by hand; whoever sleeps moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += max(seconds, 1e-6)


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Visitors:
    """Visitors of turns, a thread each; each draws when it is let go on."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.order, self.threads = turns, [], []
        self._count = 0
        self._come = threading.Semaphore(0)
        self._may_end = threading.Semaphore(0)

    def come(self, name: str, rank: int = ANSWER) -> None:
        """Let one more wait; return when it is in the queue or has its turn."""

        def visit() -> None:
            self.turns._take(rank)
            self.order.append(name)
            self._come.release()
            self._may_end.acquire(timeout=20)
            self.turns._give()

        before = self.turns.waiting, self.turns._free
        thread = threading.Thread(target=visit, daemon=True)
        self.threads.append(thread)
        thread.start()
        until(lambda: (self.turns.waiting, self.turns._free) != before)

    def drawn(self, count: int) -> list[str]:
        """Let as many more draw; return all who have, in order."""
        for _ in range(count):
            assert self._come.acquire(timeout=20)
            self._may_end.release()
        self._count += count
        return self.order[: self._count]


def until(condition: Callable[[], Any]) -> None:
    tick = threading.Event()
    for _ in range(2000):
        if condition():
            return
        tick.wait(0.005)
    pytest.fail("it did not happen")


def test_who_waits_for_an_answer_goes_first_until_somebody_has_waited_long(clock: Clock) -> None:
    turns = Turns(1, clock, clock.sleep)
    visitors = Visitors(turns)
    visitors.come("draws")
    visitors.come("controls", REST)
    clock.now += PATIENCE_S - 1
    visitors.come("answer 1")
    visitors.come("answer 2")
    assert visitors.drawn(2) == ["draws", "answer 1"]
    until(lambda: len(visitors.order) == 3)
    clock.now += 1.5  # the controls have waited for longer than their patience, the newcomers have not
    visitors.come("answer 3")
    visitors.come("answer 4")
    assert visitors.drawn(4)[2:] == ["answer 2", "controls", "answer 3", "answer 4"]


def test_under_any_load_the_controls_arrive(clock: Clock) -> None:
    """Two more wait for an answer whenever one has drawn: twice what there is room for."""
    turns = Turns(1, clock, clock.sleep)
    visitors = Visitors(turns)
    visitors.come("first")
    visitors.come("controls", REST)
    count = 0
    while "controls" not in visitors.order:
        for _ in range(2):
            visitors.come(f"answer {count}")
            count += 1
        clock.now += 0.5
        visitors.drawn(1)
        until(lambda: turns._free == 0 and visitors._come._value == 1)
        assert count < 40, "the controls starve"
    assert count >= 10  # nor do they go before whom they need not


def test_the_rest_of_a_page_comes_a_moment_after_its_answer_and_no_later(clock: Clock) -> None:
    turns = Turns(1, clock, clock.sleep)
    with turns.taken():
        clock.now += 5
        answered = clock.now
        turns.yield_to_waiting()
        assert clock.now - answered == pytest.approx(BETWEEN_DRAWS_S)
        answered = clock.now
        with turns.lent(answered=True):
            clock.now += 0.01  # a piece of work has been done in another process, one of many
        assert clock.now - answered == pytest.approx(0.01)


orders = st.lists(st.tuples(st.sampled_from([ANSWER, REST]), st.floats(0, 10)), min_size=2, max_size=30)


@given(asked=orders, waited=st.floats(0, 10))
def test_the_order_is_that_of_asking_among_equals_and_among_the_patient(
    asked: list[tuple[int, float]], waited: float
) -> None:
    now, at, waiters = 0.0, 0.0, []
    for number, (rank, pause) in enumerate(asked):
        at += pause
        waiters.append(Waiter(rank, number, at))
    now = at + waited
    served = sorted(waiters, key=lambda waiter: waiter.order(now))
    long = [now - waiter.asked >= PATIENCE_S for waiter in served]
    assert long == sorted(long, reverse=True)
    for group in (True, False):
        of_group = [waiter for waiter, is_long in zip(served, long, strict=True) if is_long is group]
        keys = [(0 if group else waiter.rank, waiter.number) for waiter in of_group]
        assert keys == sorted(keys)


class Gone(Exception):
    """The run of a visitor who has moved on is ended."""


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of threads whose visitors have gone."""
    names: set[str] = set()

    def check() -> Callable[[], None]:
        def look() -> None:
            if threading.current_thread().name in names:
                raise Gone

        return look

    monkeypatch.setattr(turns_module, "look_up", check)
    monkeypatch.setattr(turns_module, "LOOK_UP_S", 0.01)
    return names


def visit(turns: Turns, name: str, drawn: list[str]) -> threading.Thread:
    def draw() -> None:
        with suppress(Gone), turns.taken():
            drawn.append(name)

    before = turns.waiting
    thread = threading.Thread(target=draw, name=name, daemon=True)
    thread.start()
    until(lambda: turns.waiting > before)
    return thread


def test_who_has_gone_leaves_the_queue_and_draws_nothing(gone: set[str]) -> None:
    turns, drawn = Turns(1), []
    with turns.taken():
        leaver, stayer = visit(turns, "leaver", drawn), visit(turns, "stayer", drawn)
        gone.add("leaver")
        leaver.join(10)
        assert not leaver.is_alive()
        assert turns.waiting == 1
    stayer.join(10)
    assert drawn == ["stayer"]
    with turns.taken():  # no turn was lost
        assert turns._free == 0
    assert turns._free == 1


def test_who_is_called_while_leaving_hands_the_turn_on(
    gone: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, drawn = Turns(1), []
    mine = Waiter(ANSWER, 0, 0.0)
    gone.add(threading.current_thread().name)
    turns._free -= 1  # the turn has just been handed to this one
    monkeypatch.setattr(mine.called, "wait", lambda seconds: False)
    with pytest.raises(Gone):
        turns._wait(mine)
    assert turns._free == 1
    gone.clear()
    with turns.taken():
        drawn.append("next")
    assert drawn == ["next"]


def test_a_crowd_that_goes_leaves_nobody_behind(gone: set[str]) -> None:
    turns, drawn = Turns(2), []
    with turns.taken(), turns.lent():
        turns._free -= 2
        crowd = [visit(turns, f"visitor {number}", drawn) for number in range(30)]
        gone.update(thread.name for thread in crowd)
        for thread in crowd:
            thread.join(10)
        assert turns.waiting == 0
        turns._free += 2
    assert drawn == []


def test_who_leaves_while_his_turn_is_lent_gets_none_again() -> None:
    turns = Turns(1)
    with suppress(Gone), turns.taken(), turns.lent():
        other = turns._mine
        taker = threading.Thread(target=turns._take, args=(ANSWER,))  # somebody who keeps it
        taker.start()
        taker.join(10)
        raise Gone
    assert not other.taken
    assert turns._free == 0  # the other one's


def test_who_waits_is_told_his_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "LOOK_UP_S", 0.01)
    turns = Turns(1)
    told: list[int] = []

    def told_enough() -> None:
        with turns.taken(lambda before, seconds: told.append(before)):
            pass

    with turns.taken():
        first = visit(turns, "first", [])
        second = threading.Thread(target=told_enough)
        second.start()
        until(lambda: told)
    first.join(10)
    second.join(10)
    assert told[0] == 1


def test_the_time_to_an_answer_is_told_once_a_run(clock: Clock) -> None:
    turns = Turns(1, clock, clock.sleep)
    told: list[float] = []
    turns.on_answer = told.append
    with turns.taken():
        clock.now += 2
        with turns.lent():
            clock.now += 1
        turns.yield_to_waiting()
        clock.now += 5
    assert told == [pytest.approx(3, abs=0.1)]
