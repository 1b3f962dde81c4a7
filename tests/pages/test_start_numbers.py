"""Every bar of the first screen is the task its name says, in the time its axis names."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from pages.start.charts import chart
from pages.start.question import one_job
from pages.start.words import notices
from tests.pages.made import checked, traces

TAIL = 1.5


def ends(tasks: int, tail: float) -> np.ndarray:
    """Mean end of the fastest, the second fastest, ... of independent tasks with a Pareto law, by gammas."""
    rank = np.arange(1, tasks + 1)
    left = tasks - rank + 1
    return np.exp(
        gammaln(tasks + 1) + gammaln(left - 1 / tail) - gammaln(left) - gammaln(tasks + 1 - 1 / tail)
    )


def drawn(tasks: int, copies: int):
    job, single = one_job(tasks, copies, TAIL), one_job(tasks, 1, TAIL)
    return checked(chart(job, single, longest=100.0, dark=False))


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("tasks", [2, 7, 50])
def test_each_bar_ends_when_the_task_of_its_rank_does(tasks, copies) -> None:
    figure, expected = drawn(tasks, copies), ends(tasks, copies * TAIL)
    (others,), (slowest,) = traces(figure, name="tasks"), traces(figure, name="the slowest task")
    np.testing.assert_allclose(others.x, expected[:-1])
    np.testing.assert_allclose(slowest.x, expected[-1:])
    assert [*others.y, *slowest.y] == list(range(1, tasks + 1))
    assert {bar.orientation for bar in figure.data} == {"h"}
    for bar in figure.data:
        assert bar.hovertemplate == f"{bar.name}<br>number %{{y}} to end, after %{{x:.1f}} min<extra></extra>"


def test_the_axes_say_minutes_and_the_fastest_on_top() -> None:
    figure = drawn(7, 2)
    assert figure.layout.xaxis.title.text == "time (min)"
    assert tuple(figure.layout.xaxis.range) == (0, 100)
    assert figure.layout.yaxis.title.text == "tasks, fastest first"
    assert figure.layout.yaxis.autorange == "reversed"


@pytest.mark.parametrize("copies", [2, 3])
def test_the_ghosts_are_the_same_tasks_with_one_copy_behind_the_bars(copies) -> None:
    figure = drawn(20, copies)
    (ghost,) = traces(figure, name="with one copy")
    np.testing.assert_allclose(ghost.x, ends(20, TAIL))
    assert list(ghost.y) == list(range(1, 21))
    assert ghost.zorder < 0
    assert figure.layout.barmode == "overlay"


def test_one_copy_has_no_ghosts() -> None:
    assert [bar.name for bar in drawn(20, 1).data] == ["tasks", "the slowest task"]


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_the_line_is_where_the_job_is_done(copies) -> None:
    figure, end = drawn(20, copies), ends(20, copies * TAIL)[-1]
    (line,), (told,) = figure.layout.shapes, figure.layout.annotations
    assert (line.x0, line.x1) == pytest.approx((end, end))
    assert told.text == f"job done: {end:.1f} min"


def test_the_words_beside_it_hold_the_numbers_of_the_bars() -> None:
    """Half of the tasks, the whole job, twice the tasks, and a slot's time per task, each computed anew."""
    tasks, copies = 20, 3
    fastest = copies * TAIL
    median, end = 2 ** (1 / fastest), ends(tasks, fastest)[-1]
    told = notices(one_job(tasks, copies, TAIL), one_job(tasks, 1, TAIL), copies, TAIL)
    assert told[0].startswith(f"Half of the tasks end within {median:.1f} minutes. ")
    assert f"needs {end / median:.1f} times as long" in told[0]
    assert f"it would take {ends(2 * tasks, fastest)[-1] / end:.1f} times as long" in told[1]
    assert f"after {end:.1f} minutes instead of {ends(tasks, TAIL)[-1]:.1f}." in told[2]
    slot_time = copies * fastest / (fastest - 1)
    assert f"for {slot_time:.1f} minutes, instead of {TAIL / (TAIL - 1):.1f}." in told[2]
