"""Learning the outlier probability of a machine, and outliers of Pareto durations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal, stats

from tests.agreement import assert_share
from theory.outliers import learned_outlier_probability, slow_task_probability

shares = st.floats(0, 1)


@given(shares, st.lists(shares, min_size=1, max_size=30))
def test_learning_is_a_filter_of_half_weight(start, observed):
    expected = signal.lfilter([0.5], [1, -0.5], observed, zi=[0.5 * start])[0][-1]  # y = x / 2 + last y / 2
    assert learned_outlier_probability(start, observed) == pytest.approx(expected, abs=1e-12)


@given(shares, st.lists(shares, max_size=20))
def test_the_last_windows_weigh_a_half_a_quarter_and_so_on(start, observed):
    weights = 0.5 ** np.arange(len(observed), 0, -1)
    expected = start * 0.5 ** len(observed) + float(np.sum(weights * observed))
    assert learned_outlier_probability(start, observed) == pytest.approx(expected, abs=1e-12)


@given(shares, st.lists(st.none() | shares, max_size=20))
def test_a_window_without_tasks_keeps_the_old_value(start, observed):
    seen = [share for share in observed if share is not None]
    assert learned_outlier_probability(start, observed) == learned_outlier_probability(start, seen)


def test_single_windows_and_none_at_all():
    assert learned_outlier_probability(0.2, 0.4) == pytest.approx(0.3)
    assert learned_outlier_probability(0.2, []) == 0.2
    assert learned_outlier_probability(0.2, None) == 0.2
    assert learned_outlier_probability(0.2, np.array([0.4])) == pytest.approx(0.3)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_a_share_is_between_zero_and_one(bad):
    with pytest.raises(ValueError, match="observed must be"):
        learned_outlier_probability(0.2, [0.1, bad])
    with pytest.raises(ValueError, match="start must be"):
        learned_outlier_probability(bad, [0.1])


@pytest.mark.parametrize("alpha", [0.5, 1.2, 2.0, 5.0])
@pytest.mark.parametrize("f", [0.3, 0.9, 1.0, 1.5, 2.0, 40.0])
def test_slow_tasks_are_counted_from_the_median(alpha, f):
    law = stats.pareto(alpha, scale=3.7)
    assert slow_task_probability(f, alpha) == pytest.approx(law.sf(f * law.median()), rel=1e-12)


def test_simulated_tasks_are_slow_as_often():
    times = 1 + np.random.default_rng(3).pareto(1.6, 100_001)
    slow = int(np.sum(times > 2 * np.median(times)))
    assert_share(slow, times.size, slow_task_probability(2.0, 1.6))
    for wrong in (0.95, 1.05):
        with pytest.raises(AssertionError):
            assert_share(slow, times.size, wrong * slow_task_probability(2.0, 1.6))


def test_less_than_half_the_median_progress_rate_is_the_outlier_of_the_text():
    # "less than 2x the median progress rate", as printed, would make most tasks outliers
    rates = 1 / (1 + np.random.default_rng(4).pareto(1.6, 100_001))
    assert_share(int(np.sum(rates < np.median(rates) / 2)), rates.size, slow_task_probability(2.0, 1.6))
    assert np.mean(rates < 2 * np.median(rates)) > 0.5 > slow_task_probability(2.0, 1.6)


def test_limits_arrays_and_door():
    assert slow_task_probability(1e-300, 5.0) == 1.0
    assert slow_task_probability(math.inf, 2.0) == 0.0
    f = np.linspace(0.1, 5, 9)
    np.testing.assert_allclose(
        slow_task_probability(f, 2.0), [slow_task_probability(x, 2.0) for x in f.tolist()], rtol=1e-14
    )
    assert type(slow_task_probability(2.0, 2.0)) is float
    for bad in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="f must be"):
            slow_task_probability(bad, 2.0)
        with pytest.raises(ValueError, match="alpha must be"):
            slow_task_probability(2.0, bad)
