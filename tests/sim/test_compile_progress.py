"""The time that is left of a compilation: right for every engine, on a machine of any speed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.registry import ENGINES
from sim.running.compiled import EARLY, PARTS, POINTS, Counter, Estimate, Step, experiment, recorded

WRITE_ANEW = "record it anew: python -m tests.compile_times --record"


@pytest.mark.parametrize("key", ENGINES)
def test_the_record_has_every_policy_that_is_compiled(key: str) -> None:
    steps = recorded(key)
    assert list(steps) == [policy.text for policy in experiment(key).policies], WRITE_ANEW
    assert sum(step.share for step in steps.values()) == pytest.approx(1, abs=1e-3)
    for step in steps.values():
        assert len(step.shares) == POINTS + 1
        assert step.shares[0] == 0
        assert all(np.diff(step.shares) >= 0)


@given(
    counts=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=5),
)
def test_the_parts_of_a_step_add_up_whatever_is_compiled(counts: list[tuple[int, int]]) -> None:
    """The record may have more functions of a step, or fewer."""
    told: list[int] = []
    counter = Counter(told.append)
    for number, (said, compiled) in enumerate(counts, start=1):
        counter.begin(Step(said, (0.0, 1.0)) if said else None)
        for _ in range(compiled):
            counter.on_end(None)
            assert PARTS * (number - 1) <= sum(told) < PARTS * number
        counter.end()
        assert sum(told) == PARTS * number
    assert all(more > 0 for more in told)


def test_steps_that_follow_begin_by_themselves() -> None:
    told: list[int] = []
    counter = Counter(told.append)
    counter.begin(Step(2, (0.0, 0.5)), Step(4, (0.0, 0.5)))
    sums = []
    for _ in range(6):
        counter.on_end(None)
        sums.append(sum(told))
    assert sums == [500, 999, 1250, 1500, 1750, 1999]


@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("key", ENGINES)
def test_the_time_left_is_right_at_any_speed(key: str, speed: float) -> None:
    """A machine on which everything takes as much longer: at each point of the record, and between them."""
    steps = list(recorded(key).values())
    whole, now = 100 * speed, 0.0
    estimate = Estimate(steps, clock=lambda: now)
    estimate.begin()
    before, target = 0.0, len(steps) // 2 + 1
    end = whole * sum(step.share for step in steps[:target])
    for number, step in enumerate(steps[:target]):
        for point, share in enumerate(step.shares[:-1]):
            now = whole * (before + share)
            estimate.note(PARTS * number + PARTS * point // POINTS)
            left = estimate.left(target)
            if before + share < EARLY:
                assert left is None
                continue
            assert left == pytest.approx(end - now, rel=1e-6, abs=1e-6 * whole)
            assert estimate.share(target) == pytest.approx(now / end)
            now = (now + whole * (before + step.shares[point + 1])) / 2
            assert estimate.left(target) == pytest.approx(end - now, rel=1e-6, abs=1e-6 * whole)
        before += step.share
    now = end
    estimate.note(PARTS * target)
    assert estimate.left(target) == pytest.approx(0, abs=1e-6 * whole)
    assert estimate.share(target) == pytest.approx(1)


def test_what_takes_longer_than_recorded_waits_for_what_comes_next() -> None:
    now = 0.0
    estimate = Estimate([Step(10, (0.0, 0.2, 1.0))], clock=lambda: now)
    estimate.begin()
    now = 10.0
    estimate.note(PARTS // 10)
    known = estimate.share(1)
    now = 1e6
    assert known < estimate.share(1) < 1
    assert estimate.left(1) is not None
