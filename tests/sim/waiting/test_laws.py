"""The laws that the siblings allow: exact where theory is, right on average, wide where little is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from sim.advice.waiting.laws import LEAST, laws
from tests.depth import each
from tests.sim.waiting.score import of_law, pooled
from tests.sim.waiting.worlds import LAWS
from theory.remaining_time import remaining_tail

times = st.lists(st.floats(0.1, 1e3), min_size=5, max_size=40).map(np.array)


def test_the_next_task_falls_between_two_siblings_with_equal_probability() -> None:
    """Of n + 1 exchangeable times each is as likely the i-th: P(longer than it) = 1 - i / (n + 1)."""
    done = np.arange(1.0, 41.0) ** 1.3
    body = done[: -LEAST - 1]
    found = laws(done, np.empty(0), draws=20_000).tail(body)
    expected = 1 - np.arange(1, body.size + 1) / (done.size + 1)
    # of a mean of 20,000 draws of a beta variable: 5 standard errors, a false alarm in 60,000
    assert np.abs(found.mean(axis=0) - expected).max() < 5 * 0.5 / np.sqrt(20_000 * (done.size + 2)) * 2
    spread = np.sqrt(expected * (1 - expected) / (done.size + 2))
    assert found.std(axis=0) == pytest.approx(spread, rel=0.05)


def test_running_tasks_count_as_at_risk_up_to_their_age() -> None:
    """By hand: the product-limit estimate with one more at risk; of 9 done and 2 running at 3.5."""
    done, running = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), np.array([3.5, 3.5])
    found = laws(done, running, draws=20_000).tail(np.array([1.0, 3.0, 4.0])).mean(axis=0)
    at_three = (11 / 12) * (10 / 11) * (9 / 10)
    assert found == pytest.approx([11 / 12, at_three, at_three * 6 / 7], abs=0.004)


def falls(tail: np.ndarray) -> None:
    assert (tail[:, 0] == 1).all()
    assert (np.diff(tail, axis=1) <= 1e-12).all()
    assert (tail >= 0).all()


@given(times, times)
@settings(max_examples=25, deadline=None)
def test_a_tail_falls_from_one_and_what_remains_does(done: np.ndarray, running: np.ndarray) -> None:
    found = laws(done, running, draws=20)
    grid = np.concatenate([[0.0], np.geomspace(1e-3, 1e5, 60)])
    tail = found.tail(grid)
    falls(tail)
    for age in running[:2]:
        left = found.remaining(float(age), grid)
        falls(left)


@given(times, st.floats(0.01, 100.0))
@example(np.array([1.0, 1.0, 1.0, np.nextafter(0.1, 1), 0.1]), 0.01171875)
@example(np.array([1.0, 1.0, 1.0, 0.1, np.nextafter(0.1, 0)]), 0.01171875)
@settings(max_examples=15, deadline=None)
def test_the_unit_of_time_does_not_matter(done: np.ndarray, scale: float) -> None:
    running, grid = done[:2] * 1.5, np.geomspace(1, 1e3, 9)
    one, other = (
        laws(done * x, running * x, draws=20).remaining(running[0] * x, grid * x) for x in (1, scale)
    )
    assert one == pytest.approx(other, abs=1e-6)


def test_of_many_siblings_the_law_is_learnt() -> None:
    """2,000 quantiles of a law: the mean of what is drawn is near the law, far beyond the threshold, too."""
    levels = (np.arange(2000) + 0.5) / 2000

    @each("scale, shape, start", [(1.0, 0.0, 1e-3), (0.5, 0.5, 1.0), (2 / 3, 2 / 3, 1.0), (1.0, -0.3, 0.1)])
    def near(scale: float, shape: float, start: float) -> None:
        done = start + stats.genpareto(shape, scale=scale).ppf(levels)
        age = float(done[-20])
        grid = np.array([0.5, 1.0, 2.0]) * float(remaining_mean_of(age - start, scale, shape))
        found = laws(done, np.array([age]), draws=400).remaining(age, grid).mean(axis=0)
        assert found == pytest.approx(remaining_tail(grid, age - start, scale, shape), abs=0.1)

    near()


def remaining_mean_of(age: float, scale: float, shape: float) -> float:
    return (scale + shape * age) / (1 - shape)


def test_few_siblings_give_wider_intervals() -> None:
    def width(count: int) -> float:
        done = stats.lognorm(0.5).ppf((np.arange(count) + 0.5) / count)
        low, high = np.quantile(laws(done, np.array([1.0])).remaining(1.0, np.array([0.3])), [0.05, 0.95])
        return float(high - low)

    assert width(8) > 1.5 * width(60) > 2 * width(1000)


def test_equal_times_and_two_siblings_have_an_answer() -> None:
    @each("done, age", [([1.0] * 20, 0.5), ([1.0] * 20, 50.0), ([1.0, 2.0], 9.0), ([1e-9, 1e9, 1.0], 1e10)])
    def bounded(done: list[float], age: float) -> None:
        left = laws(np.array(done), np.array([age])).remaining(age, np.array([0.0, 1.0, 100.0]))
        falls(left)

    bounded()


def test_what_is_said_with_a_probability_comes_true_as_often() -> None:
    """20 held out views of each law: of the probabilities of a tenth as many come true, within 5 points.

    Besides noise: views, not probabilities, are independent, and each has at most 5 probabilities of a
    tenth. 4 standard errors are exceeded in one of ten tenths in fewer than 1 of 1,000 runs.
    """
    scores = [of_law(name, 20, seed=5) for name in LAWS]
    every = pooled(scores)
    assert len(every.classes()) == 10
    for said, came, count in every.classes():
        noise = np.sqrt(said * (1 - said) / (count / 5))
        assert abs(came - said) < 0.05 + 4 * noise, f"{said:.2f}: {came:.2f} of {count}"
    assert sum(one.unknown for one in scores) < 0.3 * every.views
