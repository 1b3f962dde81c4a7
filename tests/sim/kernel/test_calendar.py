"""The calendar queue is a sorted list: equal and far-away times, withdrawals, longer and shorter days."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.kernel.calendar import (
    ENDLESS,
    look_ahead,
    next_item,
    next_item_by_day,
    resize_days,
    schedule,
    withdraw,
)
from sim.kernel.queue import ABSENT
from sim.kernel.records import CLUSTER, ITEM, SLOT, records

SLOTS = 6


class World(NamedTuple):
    """The arrays that the calendar needs."""

    cluster: Any
    items: Any
    buckets: Any
    front: Any
    slots: Any


class Calendar:
    """The calendar of a cluster of a few slots, and beside it a dictionary that should agree."""

    def __init__(self, days_per_time: float, days: int = 16, *, by_day: bool = False) -> None:
        self.cluster, self.slots, self.items = (
            records(1, CLUSTER),
            records(SLOTS, SLOT),
            records(2 * SLOTS + 1, ITEM),
        )
        self.buckets, self.front = np.full(days + 1, -1, np.int32), np.zeros(2 * SLOTS, np.int32)
        self.items.prev = ABSENT
        self.cluster.days_per_time, self.cluster.day, self.cluster.mask = days_per_time, -1, days - 1
        self.cluster.year = ENDLESS if by_day else days
        self.by_day = by_day
        backwards = np.arange(SLOTS)[::-1]  # so that the order of slots is not that of their copies
        self.slots.job, self.slots.task, self.slots.number = backwards // 4, backwards // 2 % 2, backwards % 2
        self.model: dict[int, float] = {}

    @property
    def world(self) -> World:
        return World(self.cluster, self.items, self.buckets, self.front, self.slots)

    @property
    def now(self) -> float:
        return float(self.cluster[0].now)

    def order(self, item: int) -> tuple:
        """Order of events: time, finishes before notices, job, task, copy."""
        slot = self.slots[item >> 1]
        return self.model[item], item & 1, int(slot.job), int(slot.task), int(slot.number)

    def schedule(self, item: int, time: float) -> None:
        if item not in self.model:
            schedule(self.world, item, time)
            self.model[item] = time

    def withdraw(self, item: int) -> None:
        withdraw(self.world, item)
        self.model.pop(item, None)

    def next_item(self, until: float) -> int:
        """Ask the calendar for the next event."""
        if self.by_day:
            return int(next_item_by_day(self.world, until, look_ahead))
        return int(next_item(self.world, until))

    def advance(self, until: float) -> None:
        """Let the next event happen, if it is not later than `until`; else just let time pass."""
        item = self.next_item(until)
        expected = min(self.model, key=self.order, default=-1)
        if item < 0:
            assert expected < 0 or self.model[expected] > until
        else:
            assert item == expected
            assert self.items[item].time == self.model[item]
        if item >= 0 and self.model[item] <= until:
            self.cluster.now = self.model[item]
            self.cluster.pops += 1
            self.withdraw(item)
        elif until < math.inf:
            self.cluster.now = until

    def resize(self, pops: int, visits: int) -> None:
        """Make days longer, or shorter, by the ratio of these counts."""
        self.cluster.pops, self.cluster.visits = pops, visits
        resize_days(self.world)


some_item = st.integers(0, 2 * SLOTS - 1)
delay = st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.125, 40.0, 1e6, 1e300]) | st.floats(0, 20)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("schedule"), some_item, delay),
        st.tuples(st.just("schedule"), some_item, delay),
        st.tuples(st.just("withdraw"), some_item),
        st.tuples(st.just("advance"), delay | st.just(math.inf)),
        st.tuples(st.just("resize"), st.integers(0, 50), st.integers(0, 50)),
    ),
    max_size=80,
)


@pytest.mark.small
@settings(max_examples=300)
@given(steps=steps, days_per_time=st.sampled_from([1e-3, 0.1, 1.0, 7.0, 1e4]), days=st.sampled_from([16, 64]))
@pytest.mark.parametrize("by_day", [False, True])
def test_the_next_event_is_always_the_first_in_order(by_day, steps, days_per_time, days):
    calendar = Calendar(days_per_time, days, by_day=by_day)
    for step, *values in steps:
        if step == "schedule":
            calendar.schedule(values[0], calendar.now + values[1])
        elif step == "advance":
            calendar.advance(calendar.now + values[0])
        else:
            getattr(calendar, step)(*values)
    while calendar.model:
        calendar.advance(math.inf)
    assert calendar.next_item(math.inf) == -1


@pytest.mark.small
def test_days_of_another_length_keep_the_order_of_what_was_already_near():
    calendar = Calendar(days_per_time=0.01)
    calendar.schedule(0, 50.0)
    calendar.schedule(2, 60.0)
    calendar.advance(0.0)  # the day of both is open now
    calendar.resize(pops=0, visits=40)
    calendar.resize(pops=40, visits=0)
    calendar.schedule(4, 10.0)
    for _ in range(3):
        calendar.advance(math.inf)
    assert calendar.now == 60.0


@pytest.mark.small
def test_what_is_filed_among_days_at_hand_comes_in_its_turn():
    calendar = Calendar(days_per_time=1.0, days=64)
    calendar.schedule(0, 20.5)
    calendar.schedule(2, 60.5)
    calendar.advance(math.inf)
    calendar.schedule(0, 25.5)
    calendar.advance(math.inf)
    assert calendar.now == 25.5


@pytest.mark.small
def test_what_is_more_than_a_year_away_comes_in_its_turn():
    calendar = Calendar(days_per_time=1.0, days=64)
    for item, time in ((0, 100.5), (2, 30.5), (4, 60.5), (6, 300.5), (8, 170.5)):
        calendar.schedule(item, time)
    for again in (90.5, 120.5):
        calendar.advance(math.inf)
        calendar.schedule(2 if again < 100 else 4, again)
    calendar.withdraw(6)  # the first of those that are far
    for _ in range(4):
        calendar.advance(math.inf)
    assert calendar.now == 170.5


@given(item=some_item)
def test_withdrawing_what_is_not_there_does_nothing(item):
    calendar = Calendar(days_per_time=1.0)
    calendar.withdraw(item)
    assert calendar.cluster[0].front == calendar.cluster[0].filed == 0
