"""The job of the first screen against a throw of dice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.start.charts import chart
from pages.start.question import one_job
from pages.start.words import notices
from tests.agreement import assert_mean

TASKS = st.integers(2, 50)
COPIES = st.integers(1, 3)
TAILS = st.floats(1.1, 4)


@pytest.mark.parametrize(("tasks", "copies"), [(1, 1), (7, 2), (20, 3)])
def test_simulated_copies_end_when_the_theory_says(tasks: int, copies: int) -> None:
    tail = 5 / copies  # the fastest copy has the same law, with moments enough for the test of a mean
    job = one_job(tasks, copies, tail)
    rng = np.random.default_rng([tasks, copies])
    factors = rng.uniform(size=(40_000, tasks, copies)) ** (-1 / tail)
    finish = np.sort(factors.min(axis=2), axis=1)
    for k in range(tasks):
        assert_mean(finish[:, k], job.finish[k])
    assert_mean(finish[:, -1], job.end)
    assert_mean(copies * factors.min(axis=2).mean(axis=1), job.slot_time)
    assert np.isclose(np.median(finish), job.typical, rtol=0.01)


@given(tasks=TASKS, copies=COPIES, tail=TAILS)
def test_tasks_end_in_order_and_the_job_with_the_last(tasks: int, copies: int, tail: float) -> None:
    job = one_job(tasks, copies, tail)
    assert np.all(np.diff(job.finish) > 0)
    assert job.finish[-1] == pytest.approx(job.end)
    assert job.end < job.end_doubled


@given(tasks=TASKS, copies=COPIES, tail=TAILS)
def test_another_copy_never_delays_the_job(tasks: int, copies: int, tail: float) -> None:
    assert one_job(tasks, copies + 1, tail).end < one_job(tasks, copies, tail).end


@given(tasks=TASKS, copies=COPIES)
def test_every_bar_is_within_the_axis(tasks: int, copies: int) -> None:
    job, single = one_job(tasks, copies, 1.5), one_job(tasks, 1, 1.5)
    figure = chart(job, single, longest=single.end, dark=False)
    assert max(np.max(bars.x) for bars in figure.data) <= figure.layout.xaxis.range[1]
    assert sum(bars.x.size for bars in figure.data) == tasks * (2 if copies > 1 else 1)


@given(tasks=TASKS, copies=COPIES)
def test_what_to_notice_speaks_of_copies_where_there_are_some(tasks: int, copies: int) -> None:
    job, single = one_job(tasks, copies, 1.5), one_job(tasks, 1, 1.5)
    told = notices(job, single, copies, 1.5)
    assert len(told) == 3 + (copies > 1)  # what they give, and up to which tail they cost nothing
    assert (f"instead of {single.end:.1f}" in told[2]) == (copies > 1)
