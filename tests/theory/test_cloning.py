"""Dolly: outlier probabilities of cloned jobs, copies for a target, and their inverses."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.agreement import assert_share
from theory.cloning import (
    capped_copies,
    job_level_copies,
    job_level_limit,
    job_level_tasks,
    job_outlier_probability,
    misread_task_level_copies,
    task_level_copies,
    task_level_limit,
    task_level_tasks,
    task_outlier_probability,
)

LEVELS = [
    pytest.param(job_outlier_probability, job_level_copies, job_level_tasks, job_level_limit, id="job"),
    pytest.param(task_outlier_probability, task_level_copies, task_level_tasks, task_level_limit, id="task"),
]
probabilities = st.floats(1e-6, 1 - 1e-6)
targets = st.floats(1e-6, 1 - 1e-6)
tasks = st.integers(1, 10_000)


def enumerated(p, n, c):
    """Both probabilities from all 2^(n c) outcomes: copy k of task j is an outlier or not."""
    job = task = 0.0
    for outcome in itertools.product([False, True], repeat=n * c):
        weight = math.prod(p if bad else 1 - p for bad in outcome)
        copies = [outcome[k * n : (k + 1) * n] for k in range(c)]
        job += weight * all(any(copy) for copy in copies)
        task += weight * any(all(copy[j] for copy in copies) for j in range(n))
    return job, task


# --- outlier probabilities -----------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.1, 0.37, 0.8])
@pytest.mark.parametrize(("n", "c"), [(1, 1), (1, 3), (3, 1), (2, 2), (4, 2), (2, 4), (3, 3)])
def test_outlier_probabilities_agree_with_all_outcomes(p, n, c):
    job, task = enumerated(p, n, c)
    assert job_outlier_probability(p, n, c) == pytest.approx(job, rel=1e-12)
    assert task_outlier_probability(p, n, c) == pytest.approx(task, rel=1e-12)


@given(probabilities, tasks, st.integers(1, 12))
def test_outlier_probabilities_agree_with_the_binomial_law(p, n, c):
    some = stats.binom.sf(0, n, p)
    assert job_outlier_probability(p, n, c) == pytest.approx(some**c, rel=1e-9)
    assert task_outlier_probability(p, n, c) == pytest.approx(stats.binom.sf(0, n, p**c), rel=1e-9)


@pytest.fixture(scope="module")
def simulated():
    """Of 200 000 jobs of 10 tasks in 2 copies, how many had an outlier with each way of cloning."""
    outlier = np.random.default_rng(7).random((200_000, 2, 10)) < 0.15
    return int(outlier.any(axis=2).all(axis=1).sum()), int(outlier.all(axis=1).any(axis=1).sum())


def test_simulated_jobs_have_the_outlier_probabilities(simulated):
    for hits, function in zip(simulated, (job_outlier_probability, task_outlier_probability), strict=True):
        assert_share(hits, 200_000, function(0.15, 10, 2))
        for wrong in (0.97, 1.03):
            with pytest.raises(AssertionError):
                assert_share(hits, 200_000, wrong * function(0.15, 10, 2))


@given(probabilities, tasks, st.integers(1, 12))
def test_cloning_tasks_is_at_least_as_good_as_cloning_the_job(p, n, c):
    job, task = job_outlier_probability(p, n, c), task_outlier_probability(p, n, c)
    assert task <= job * (1 + 1e-12)
    if c == 1 or n == 1:
        assert task == pytest.approx(job, rel=1e-12)


def test_small_probabilities_are_not_lost():
    assert task_outlier_probability(1e-9, 10, 3) == pytest.approx(1e-26, rel=1e-9)
    assert job_outlier_probability(1e-9, 10, 3) == pytest.approx(1e-24, rel=1e-7)


def test_certain_outliers_and_none():
    for function in (job_outlier_probability, task_outlier_probability):
        assert function(0.0, 5, 2) == 0.0
        assert function(1.0, 5, 2) == 1.0


# --- copies for a target -------------------------------------------------------------------------


@pytest.mark.parametrize(("probability", "copies", "_", "__"), LEVELS)
@given(p=probabilities, n=st.integers(1, 300), epsilon=targets)
def test_copies_meet_the_target_and_one_less_does_not(probability, copies, _, __, p, n, epsilon):
    c = copies(p, n, epsilon)
    if c > 1e9:  # p is nearly 1: float counts no longer tell c from c - 1
        return
    assert probability(p, n, c) <= epsilon * (1 + 1e-7)
    assert c == 1 or probability(p, n, c - 1) > epsilon * (1 - 1e-7)


@pytest.mark.parametrize(("probability", "copies", "_", "__"), LEVELS)
def test_copies_agree_with_counting_up(probability, copies, _, __):
    tried = 0
    for p, n, epsilon in itertools.product([0.02, 0.1, 0.4], [1, 7, 30], [0.3, 0.05, 0.001]):
        enough = probability(p, n, np.arange(1, 10_000)) <= epsilon * (1 + 1e-12)
        if enough.any():
            assert copies(p, n, epsilon) == 1 + np.argmax(enough), (p, n, epsilon)
            tried += 1
    assert tried >= 24


def test_a_count_that_is_whole_is_not_rounded_up():
    assert job_level_copies(0.1, 1, 0.01) == 2
    assert task_level_copies(0.1, 1, 0.01) == 2
    assert task_level_copies(0.1, 1, 0.001) == 3
    assert type(task_level_copies(0.1, 1, 0.001)) is int


def test_copies_without_outliers_and_with_nothing_else():
    for copies in (job_level_copies, task_level_copies, misread_task_level_copies):
        assert copies(0.0, 10, 0.05) == 1
        assert copies(1.0, 10, 0.05) == math.inf
    assert job_level_copies(0.5, 5000, 0.05) == math.inf  # about 2^5000
    assert math.isfinite(task_level_copies(0.5, 5000, 0.05))


def test_the_other_reading_of_pseudocode_1_misses_the_target():
    p, n, epsilon = 0.1, 10, 0.05
    assert task_outlier_probability(p, n, misread_task_level_copies(p, n, epsilon)) > 10 * epsilon
    assert task_outlier_probability(p, n, task_level_copies(p, n, epsilon)) <= epsilon


@given(st.floats(0.01, 0.5), st.integers(2, 200), st.floats(0.001, 0.4))
def test_the_other_reading_never_asks_for_more(p, n, epsilon):
    assert misread_task_level_copies(p, n, epsilon) <= task_level_copies(p, n, epsilon)


def test_the_other_reading_bounds_the_probability_of_no_outlier():
    for p, n, epsilon in itertools.product([0.5, 0.9], [2, 10], [0.2, 0.7]):
        c = misread_task_level_copies(p, n, epsilon)
        assert 1 - task_outlier_probability(p, n, c) >= epsilon * (1 - 1e-12)
        assert c == 1 or 1 - task_outlier_probability(p, n, c - 1) < epsilon


# --- inverses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("probability", "_", "largest", "__"), LEVELS)
@given(p=st.floats(1e-4, 1 - 1e-6), c=st.integers(1, 5), epsilon=targets)
def test_largest_job_meets_the_target_and_one_task_more_does_not(probability, _, largest, __, p, c, epsilon):
    n = largest(p, c, epsilon)
    assert n == 0 or probability(p, n, c) <= epsilon * (1 + 1e-7)
    if n < 1e9:  # beyond, one task more is within a rounding error
        assert probability(p, n + 1, c) > epsilon * (1 - 1e-7)


@pytest.mark.parametrize(("probability", "_", "__", "limit"), LEVELS)
@given(n=st.integers(1, 1000), c=st.integers(1, 8), epsilon=st.floats(1e-6, 0.999))
def test_largest_outlier_probability_meets_the_target_exactly(probability, _, __, limit, n, c, epsilon):
    p = limit(n, c, epsilon)
    assert 0 < p < 1
    assert probability(p, n, c) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize(("probability", "copies", "_", "limit"), LEVELS)
def test_at_its_limit_a_number_of_copies_is_just_enough(probability, copies, _, limit):
    for n, c, epsilon in itertools.product([1, 10, 100], [1, 2, 3, 5], [0.05, 0.3]):
        p = limit(n, c, epsilon)
        assert copies(0.999 * p, n, epsilon) <= c
        assert copies(1.001 * p, n, epsilon) == c + 1


def test_largest_job_at_the_edges():
    for largest in (job_level_tasks, task_level_tasks):
        assert largest(0.0, 2, 0.05) == math.inf
        assert largest(1.0, 2, 0.05) == 0
        assert largest(0.9, 1, 0.05) == 0


def test_three_replicas_carry_the_stated_jobs():
    # the printed claim is about n <= ln(0.95) / ln(1 - p^3); at p = 0.1 these are jobs of 51 tasks
    n = task_level_tasks(0.1, 3, 0.05)
    assert n == math.floor(math.log(0.95) / math.log(1 - 0.001))
    assert task_level_copies(0.1, n, 0.05) == 3
    assert task_level_copies(0.1, n + 1, 0.05) == 4


# --- the ceiling on utilisation ------------------------------------------------------------------


@given(st.integers(1, 20), st.integers(1, 50), st.integers(0, 300), st.integers(1, 300), st.floats(0, 1))
def test_capped_copies_fit_and_one_more_would_not(copies, n, running, slots, ceiling):
    c = capped_copies(copies, n, running, slots, ceiling)
    assert 1 <= c <= copies
    assert c == 1 or running + c * n <= ceiling * slots + 1e-6
    assert c == copies or running + (c + 1) * n > ceiling * slots - 1e-6


def test_the_ceiling_is_guarded_against_rounding():
    assert capped_copies(9, 10, running=0, slots=100, ceiling=0.7) == 7
    assert capped_copies(9, 1, running=0, slots=10, ceiling=0.7) == 7
    assert capped_copies(math.inf, 10, running=20, slots=100, ceiling=0.7) == 5


@given(st.integers(1, 20), st.integers(1, 50), st.integers(0, 70))
def test_the_printed_cap_never_binds_while_there_is_room(copies, n, running):
    assert capped_copies(copies, n, running, 100, 0.7, as_printed=True) == copies


def test_the_printed_cap_lets_clones_overfill_the_cluster():
    printed = capped_copies(5, 20, running=60, slots=100, ceiling=0.7, as_printed=True)
    assert 60 + printed * 20 > 100
    assert capped_copies(5, 20, running=60, slots=100, ceiling=0.7) == 1
    # beyond the ceiling it is (tau - U + c n) / n
    assert capped_copies(5, 20, 80, 100, 0.7, as_printed=True) == pytest.approx((70 - 80 + 100) / 20)


# --- shape and door ------------------------------------------------------------------------------


def test_arrays_agree_with_numbers():
    p, n, c = np.linspace(0, 1, 7), np.arange(1, 8), np.arange(1, 8) / 2 + 0.5
    for function in (job_outlier_probability, task_outlier_probability):
        expected = [function(*x) for x in zip(p.tolist(), n.tolist(), c.tolist(), strict=True)]
        np.testing.assert_allclose(function(p, n, c), expected, rtol=1e-14)
        assert function(p[:, None], n, 2).shape == (7, 7)
        assert type(function(0.1, 2, 2)) is float
    for function in (job_level_copies, task_level_copies, misread_task_level_copies):
        np.testing.assert_array_equal(
            function(p, n, 0.1), [function(*x, 0.1) for x in zip(p.tolist(), n.tolist(), strict=True)]
        )
    for function in (job_level_tasks, task_level_tasks):
        np.testing.assert_array_equal(
            function(p, c, 0.1), [function(*x, 0.1) for x in zip(p.tolist(), c.tolist(), strict=True)]
        )
    for function in (job_level_limit, task_level_limit):
        expected = [function(*x, 0.1) for x in zip(n.tolist(), c.tolist(), strict=True)]
        np.testing.assert_allclose(function(n, c, 0.1), expected, rtol=1e-14)
    np.testing.assert_array_equal(
        capped_copies(4, 3, np.arange(12), 20, 0.5), [capped_copies(4, 3, u, 20, 0.5) for u in range(12)]
    )


@pytest.mark.parametrize("bad", [-0.01, 1.01, math.nan])
def test_what_is_no_probability_is_refused(bad):
    for function in (job_outlier_probability, task_outlier_probability):
        with pytest.raises(ValueError, match="p must be"):
            function(bad, 2, 2)
    with pytest.raises(ValueError, match="ceiling must be"):
        capped_copies(2, 2, 0, 10, bad)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, -0.1, 1.2, math.nan])
def test_a_target_must_be_strictly_between_zero_and_one(epsilon):
    for function in (job_level_copies, task_level_copies, misread_task_level_copies):
        with pytest.raises(ValueError, match="epsilon must be"):
            function(0.1, 2, epsilon)
    for function in (job_level_tasks, task_level_tasks):
        with pytest.raises(ValueError, match="epsilon must be"):
            function(0.1, 2, epsilon)
    for function in (job_level_limit, task_level_limit):
        with pytest.raises(ValueError, match="epsilon must be"):
            function(2, 2, epsilon)


@pytest.mark.parametrize("n", [0, 1.5, -3, math.nan, math.inf])
def test_tasks_are_counted_from_one(n):
    for call in (
        lambda: job_outlier_probability(0.1, n, 2),
        lambda: task_outlier_probability(0.1, n, 2),
        lambda: job_level_copies(0.1, n, 0.1),
        lambda: task_level_copies(0.1, n, 0.1),
        lambda: task_level_limit(n, 2, 0.1),
        lambda: capped_copies(2, n, 0, 10, 0.5),
    ):
        with pytest.raises(ValueError, match="n must be"):
            call()


def test_copies_include_the_original():
    for c in (0, 0.5, -1, math.nan):
        for function in (job_outlier_probability, task_outlier_probability):
            with pytest.raises(ValueError, match="c must be"):
                function(0.1, 2, c)
        with pytest.raises(ValueError, match="copies must be"):
            capped_copies(c, 2, 0, 10, 0.5)
    with pytest.raises(ValueError, match="running must be"):
        capped_copies(2, 2, -1, 10, 0.5)
    with pytest.raises(ValueError, match="slots must be"):
        capped_copies(2, 2, 0, 0, 0.5)
