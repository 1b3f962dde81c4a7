"""The two charts of problem P2 on the page Detection show its solution and the rounds of its iteration."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import beta as beta_function

from pages.formulas.detection.charts import copies_alt, copies_chart, path_alt, path_chart
from pages.formulas.detection.question import LIMIT, SCALES, Waiting, solution
from tests.pages.made import checked, traces
from tests.samples import to_float
from theory.gradient_projection import gradient_projection

JOBS = Waiting(tasks=(10, 20, 5, 10), machines=100, alpha=2.0, gamma=0.01)
STEP = 0.2
ROUNDS = 120


@pytest.fixture(scope="module")
def found():
    return solution(JOBS, STEP)


def cost(copies) -> float:
    """Durations of the jobs and the weighted time of their machines, from the law of the fastest copy."""
    m, scale, tail = np.array(JOBS.tasks), np.array(SCALES), JOBS.alpha * np.asarray(copies, float)
    duration = scale * m * beta_function(m, 1 - 1 / tail)  # mean of the largest of m Pareto times
    machine_time = m * copies * scale * tail / (tail - 1)
    return float(np.sum(duration + JOBS.gamma * machine_time))


def best_real() -> np.ndarray:
    m = np.array(JOBS.tasks)
    return minimize(
        cost,
        np.full(4, 1.5),
        method="SLSQP",
        bounds=[(1, LIMIT)] * 4,
        constraints={"type": "ineq", "fun": lambda c: JOBS.machines - m @ c},
        options={"ftol": 1e-12},
    ).x


def best_whole() -> tuple[int, ...]:
    grid = itertools.product(range(1, LIMIT + 1), repeat=4)
    return min((c for c in grid if np.dot(JOBS.tasks, c) <= JOBS.machines), key=lambda c: cost(np.array(c)))


def path(decay: float):
    return gradient_projection(
        JOBS.tasks,
        SCALES,
        JOBS.alpha,
        JOBS.machines,
        LIMIT,
        JOBS.gamma,
        steps=(STEP, 0.3, 0.4),
        decay=decay,
        iterations=ROUNDS,
    ).copies


def test_the_bars_are_the_best_copies_found_by_another_search(found) -> None:
    figure = checked(copies_chart(found, False))
    assert figure.layout.xaxis.title.text == "waiting job: its tasks"
    assert figure.layout.yaxis.title.text == "copies of each task"
    (real,), (whole,) = traces(figure, name="best real number"), traces(figure, name="best whole number")
    for bars in (real, whole):
        assert list(bars.x) == ["A: 10", "B: 20", "C: 5", "D: 10"]
        assert bars.hovertemplate == "job %{x} tasks: %{y:.3~g} copies<extra>%{fullData.name}</extra>"
    np.testing.assert_allclose(real.y, best_real(), rtol=1e-3)
    assert tuple(whole.y) == best_whole()
    assert not np.allclose(real.y, whole.y, rtol=0.03)


def test_the_crosses_are_the_last_round_of_the_printed_iteration(found) -> None:
    (crosses,) = traces(copies_chart(found, False), name=f"iteration, round {ROUNDS}")
    np.testing.assert_allclose(crosses.y, path(0.0)[-1])
    assert not np.allclose(crosses.y, path(1.0)[-1], rtol=0.03)


@pytest.mark.parametrize(
    ("name", "decay"), [("constant step 0.2, as printed", 0.0), ("steps that shrink, mended", 1.0)]
)
def test_the_machines_asked_for_are_those_of_the_iteration_they_are_called_by(found, name, decay) -> None:
    figure = checked(path_chart(found, False))
    assert figure.layout.xaxis.title.text == "round k of the iteration"
    assert figure.layout.yaxis.title.text == "slots asked for, Σ m c"
    (curve,) = traces(figure, name=name)
    assert list(curve.x) == list(range(ROUNDS + 1))
    expected = [sum(m * c for m, c in zip(JOBS.tasks, row, strict=True)) for row in path(decay)]
    np.testing.assert_allclose(curve.y, expected)
    assert curve.hovertemplate == "round %{x}: %{y:.4~g} slots<extra>%{fullData.name}</extra>"


def test_the_line_is_the_machines_there_are(found) -> None:
    figure = path_chart(found, False)
    (line,), (told,) = figure.layout.shapes, figure.layout.annotations
    assert line.y0 == line.y1 == told.y == JOBS.machines
    assert told.text == "N = 100"


def test_the_words_of_the_copies_are_their_bars_and_crosses(found) -> None:
    told, real, last = copies_alt(found), best_real(), path(0.0)[-1]
    for place, whole in enumerate(best_whole()):
        numbers = re.search(
            rf"job {'ABCD'[place]} with {JOBS.tasks[place]} tasks ([\d.]+) \((\d+) as a whole number; "
            r"the iteration with a constant step is at ([\d.]+)\)",
            told,
        ).groups()
        assert to_float(numbers[0]) == pytest.approx(real[place], rel=5e-3)
        assert int(numbers[1]) == whole
        assert to_float(numbers[2]) == pytest.approx(last[place], rel=5e-3)


def test_the_words_of_the_iteration_are_its_last_ten_rounds(found) -> None:
    told = path_alt(found)
    assert f"in each of {ROUNDS} rounds; 100 are free." in told
    for name, decay in (("a constant step of 0.2", 0.0), ("shrinking steps", 1.0)):
        low, high = re.search(rf"with {name} for ([\d.]+) to ([\d.]+)", told).groups()
        wanted = path(decay)[-10:] @ np.array(JOBS.tasks)
        assert to_float(low) == pytest.approx(wanted.min(), rel=6e-4)
        assert to_float(high) == pytest.approx(wanted.max(), rel=6e-4)
