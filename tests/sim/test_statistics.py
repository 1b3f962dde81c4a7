"""Intervals and censored quantiles against independent routes."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.model.statistics import inner, mean, quantiles, student


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(7)
    trials = 4000
    hits = sum((e := student(list(rng.normal(3.0, 2.0, 5)))).low <= 3.0 <= e.high for _ in range(trials))
    # 95 % of 4000 is 3800 with standard deviation 13.8; +-5 of them has a false alarm of 6e-7, and an
    # interval of a normal law instead of Student's would cover 88 %
    assert abs(hits - 0.95 * trials) < 5 * math.sqrt(trials * 0.95 * 0.05)


def test_one_replication_has_no_interval_and_a_censored_one_no_value():
    assert student([4.0]).value == 4.0
    assert student([4.0]).low is None
    assert student([4.0, None]).value is None
    assert student([]).value is None


def product_limit(values, censored, share):
    """Kaplan and Meier by the textbook: the survival falls by 1 - 1/at risk at each observed value."""
    survival = 1.0
    for x in sorted(set(values[~censored])):
        at_risk = int((values >= x).sum())
        survival *= 1 - int(((values == x) & ~censored).sum()) / at_risk
        if 1 - survival >= share - 1e-12:
            return x
    return None


@given(
    st.lists(st.tuples(st.integers(1, 8), st.booleans()), min_size=1, max_size=30),
    st.sampled_from([0.1, 0.5, 0.8, 0.95]),
)
def test_censored_quantiles_are_those_of_the_product_limit(pairs, share):
    values = np.array([float(x) for x, _ in pairs])
    censored = np.array([c for _, c in pairs])
    assert quantiles(values, censored, [share]) == [product_limit(values, censored, share)]


def test_without_censoring_a_quantile_is_the_smallest_value_with_that_share_below():
    values = np.array([4.0, 1.0, 3.0, 2.0])
    none = np.zeros(4, bool)
    assert quantiles(values, none, [0.25, 0.26, 0.75, 0.99]) == [1.0, 2.0, 3.0, 4.0]


def test_a_mean_is_refused_when_a_value_is_only_a_bound():
    assert mean(np.array([1.0, 5.0]), np.array([False, True])) is None
    assert mean(np.array([]), np.array([], bool)) is None
    assert mean(np.array([1.0, 5.0]), np.array([False, False])) == pytest.approx(3.0)


def test_an_inner_product_has_the_same_bits_on_one_core_as_on_all() -> None:
    code = (
        "import numpy as np; from sim.model.statistics import inner; "
        "one, other = np.random.default_rng(3).standard_normal((2, 300_000)); print(inner(one, other).hex())"
    )
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=alone, capture_output=True, text=True, check=True)
    one, other = np.random.default_rng(3).standard_normal((2, 300_000))
    assert inner(one, other).hex() == done.stdout.strip()
    assert inner(one, other) == pytest.approx(float(np.sum(one * other)))
    assert inner(one[:9_000], other[:9_000]) == float(one[:9_000] @ other[:9_000])
