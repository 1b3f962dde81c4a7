"""The threshold plot against the formula and a count by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.compare.charts import (
    Threshold,
    holding,
    median,
    share_beyond,
    threshold_alt,
    threshold_plot,
    typical_tasks,
)
from sim.engines.slots.scenario import SlotScenario
from tests.pages.made import checked, luck, made, one, traces

PARETO = SlotScenario(slots=100, straggle="pareto", straggle_tail=1.5, warm_up=0)
#: 30 jobs with no slot, 20 with one a task, 50 with two a task.
SPREAD = {0: 30, 10: 20, 20: 50}


def spread(count: int = 1, scenario: SlotScenario = PARETO):
    samples = [one(luck(1 + k), tasks=[9] * 200, holding=SPREAD, scenario=scenario) for k in range(count)]
    return made({f"p{k}": [sample] * 2 for k, sample in enumerate(samples)}, scenario)


def test_the_curve_is_the_service_rate_of_the_paper() -> None:
    (curve,) = traces(checked(threshold_plot(spread(), False)), name="theory: service rate μ(S)")
    assert curve.line.dash == "dash"
    x = across(curve)
    at = int(np.argmin(np.abs(x - 12)))  # theta T = 2 / 1.5 * 9; below it each slot gives 9 / 8
    assert (x[at], curve.y[at]) == pytest.approx((12, 13.5))
    assert x[-1] == pytest.approx(4.1 * 9, abs=curve.dx)
    beyond = x > 12 + 1e-9
    np.testing.assert_allclose(curve.y[~beyond], 9 / 8 * x[~beyond])
    np.testing.assert_allclose(curve.y[beyond], 27 - 2 * 81 / x[beyond])  # 3 T - 2 T^2 / S


def across(curve: go.Scatter) -> np.ndarray:
    """Return the slots of the points of the curve."""
    return np.asarray(curve.x0 + curve.dx * np.arange(len(curve.y)))


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_threshold_is_a_labelled_line_in_every_panel(count: int) -> None:
    figure = checked(threshold_plot(spread(count), True))
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([12.0] * (count + 1))
    assert "θT = 12.0 slots" in [note.text for note in figure.layout.annotations]
    assert 300 <= figure.layout.height <= 400
    top, *rows = [(shape.y0, shape.y1) for shape in figure.layout.shapes]
    assert top == figure.layout.yaxis.domain
    for (low, _), (_, high) in pairwise([top, *rows]):
        assert low > high
    assert figure.layout.yaxis2.domain == figure.layout.yaxis2.range == (0, rows[0][1])
    for k, (low, high) in enumerate(rows):
        (bars,) = traces(figure, name=f"p{k}")
        assert (bars.base, bars.base + max(bars.y)) == pytest.approx((low, high))


def test_the_share_above_a_row_is_that_beyond_the_threshold() -> None:
    """With θ = 4/3 these are the 50 % who hold two slots a task, and not the 20 % who hold one."""
    texts = [note.text for note in threshold_plot(spread(), False).layout.annotations]
    assert "<b>p0</b>: 50 % ≥ θT" in texts


def test_bars_stand_where_the_jobs_are() -> None:
    (bars,) = traces(checked(threshold_plot(spread(), False)), name="p0")
    shares = dict(zip(np.round(bars.x / 9 - 0.05, 3), bars.customdata, strict=True))
    assert (shares[0.0], shares[1.0], shares[2.0]) == pytest.approx((0.3, 0.2, 0.5))
    assert sum(bars.customdata) == pytest.approx(1)
    told = dict(zip(np.round(bars.x / 9 - 0.05, 3), bars.hovertext, strict=True))
    assert (told[0.0], told[1.0], told[2.0]) == ("0.0 to 0.1", "1.0 to 1.1", "2.0 to 2.1")
    assert list(bars.y / bars.y.max()) == pytest.approx([0.6, 0.4, 1])  # of the most, 50 %


def test_the_last_bar_is_open() -> None:
    """Class 40, from 4.0 slots a task on, has no end; the class before it ends there."""
    sample = one(luck(1), tasks=[9] * 200, holding={39: 30, 40: 20}, scenario=PARETO)
    (bars,) = traces(checked(threshold_plot(made({"a": [sample]}, PARETO), False)), name="a")
    assert list(bars.hovertext) == ["3.9 to 4.0", "4.0 or more"]


def test_shares_and_median_count_the_jobs() -> None:
    held = holding(spread().policies["p0"])
    assert [share_beyond(held, theta) for theta in (0.5, 1.0, 4 / 3, 2.5)] == pytest.approx(
        [0.7, 0.7, 0.5, 0]
    )
    assert median(held) == pytest.approx(1.0)


def test_the_words_hold_the_numbers() -> None:
    told = threshold_alt(spread())
    assert "9 tasks left" in told
    assert "13.5 tasks per mean copy time at θT = 12.0 slots" in told
    assert "the median job holds 1.0 slots for each task left, 30 % hold hardly any, 50 % are at θT" in told


def test_the_job_of_the_plot_is_the_mean_job() -> None:
    assert typical_tasks(made({"a": [one(luck(1, 4), tasks=[1, 1, 1, 40])]})) == 11


@pytest.mark.parametrize("law", ["exponential", "lognormal", "deterministic"])
def test_without_a_tail_index_theta_is_one_and_no_curve_is_made_up(law: str) -> None:
    scenario = PARETO.replace(straggle=law)
    figure = checked(threshold_plot(spread(scenario=scenario), False))
    (curve,) = traces(figure, name="theory: service rate μ(S)")
    np.testing.assert_allclose(curve.y, across(curve))
    assert max(curve.y) == pytest.approx(9)
    assert "one slot per task" in Threshold.of(scenario).remark


def test_a_light_tail_has_one_slot_a_task_and_a_kink() -> None:
    at = Threshold.of(PARETO.replace(straggle_tail=3.0))
    assert at.theta == 1
    assert at.rate(np.array([9.0, 18.0]), 9) == pytest.approx([9.0, 11.25])  # 3/2 T - 1/2 T^2 / S


@pytest.mark.parametrize("law", ["bounded-pareto", "outlier"])
def test_where_the_formula_is_for_another_law_it_says_so(law: str) -> None:
    assert "; here " in Threshold.of(PARETO.replace(straggle=law)).remark
    assert "; here " not in Threshold.of(PARETO).remark


def test_a_policy_whose_jobs_were_never_seen_has_an_empty_row() -> None:
    comparison = made({"a": [one(luck(1), holding={0: 0.0})]}, PARETO)
    (bars,) = traces(checked(threshold_plot(comparison, False)), name="a")
    assert bars.y.size == 0
