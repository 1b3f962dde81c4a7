"""The tab Coded jobs: charts, cards and words against the formulas, and whatever is asked has an answer."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.formulas.coded import charts, words
from pages.formulas.coded.controls import OWN
from pages.formulas.coded.question import LOADS, Request
from tests.pages.made import checked, traces, trouble
from tests.pages.made import words as words_in
from tests.pages.visits import seen, visit
from tests.samples import to_float
from theory.coding import coded_cost
from theory.optimal_demand import optimal_demand
from theory.order_statistics import order_statistic_moment
from theory.response_time import redundant_load, response_time

#: One task of tail index 3, twice: by hand 6/5 of a task size instead of 3/2, and 12/5 of slot-time.
ALONE = Request(3.0, 1, 200, 0.5, 2.0, math.inf, 3.0)
ASKED = Request(3.0, 10, 200, 0.6, 2.0, 120.0, 3.0)
DEMANDS = next([*control.values.values] for control in OWN if control.name == "d")
QUESTIONS = st.builds(
    Request,
    tail=st.integers(22, 120).map(lambda n: n / 20),
    k=st.integers(1, 200),
    slots=st.integers(2, 50).map(lambda n: 10 * n),
    load=st.integers(1, 19).map(lambda n: n / 20),
    r=st.integers(11, 30).map(lambda n: n / 10),
    d=st.sampled_from(DEMANDS),
    size_tail=st.integers(11, 60).map(lambda n: n / 10),
)


def test_time_and_slot_time_of_the_job_are_those_of_the_formulas_over_no_extra_task() -> None:
    figure = checked(charts.job_chart(ASKED, False))
    n = np.arange(10, 31)
    for name, formula in (("time", order_statistic_moment), ("slot-time", coded_cost)):
        (curve,) = traces(figure, name=name)
        assert list(curve.x) == list(n)
        np.testing.assert_allclose(curve.y, formula(n, 10, 3.0) / formula(10, 10, 3.0))
        (chosen,) = traces(figure, name=f"{name}, as chosen")
        assert (chosen.x[0], chosen.y[0]) == (20, pytest.approx(curve.y[10]))


@pytest.mark.parametrize(
    ("name", "d"), [("no job", 0.0), ("jobs up to 120 s", 120.0), ("all jobs", math.inf)]
)
def test_a_curve_of_response_times_is_claim_1_for_the_jobs_it_is_called_by(name: str, d: float) -> None:
    figure = checked(charts.response_chart(ASKED, True))
    (curve,) = traces(figure, name=name)
    expected = response_time(d, 2.0, LOADS, 3.0, 3.0, capacity=200)
    np.testing.assert_allclose(curve.y, expected[: len(curve.y)])
    np.testing.assert_allclose(curve.x, LOADS[: len(curve.y)])
    (dot,) = traces(figure, name=f"{name}, at ρ₀")
    assert (dot.x[0], dot.y[0]) == pytest.approx((0.6, response_time(d, 2.0, 0.6, 3.0, 3.0, capacity=200)))


def test_the_cards_have_the_numbers_of_one_task_and_its_copy() -> None:
    time, cost, best, load = words.cards(ALONE)
    assert time[1:] == ("−20 %", "1.20 task sizes instead of 1.50")
    assert cost[1:] == ("+60 %", "2.40 task sizes instead of 1.50")
    assert best == ("Expand up to demand d*", "all jobs", "chosen: all jobs")
    assert load[1:] == ("0.80", "too much from ρ₀ = 0.625 on; chosen: 0.5")


def test_in_a_small_cluster_jobs_wait() -> None:
    small = Request(3.0, 10, 20, 0.6, 2.0, 120.0, 3.0)
    expected = response_time(120.0, 2.0, 0.6, 3.0, 3.0, capacity=20)
    assert small.choices["small jobs"] == pytest.approx(expected)
    assert expected > 1.1 * ASKED.choices["small jobs"]


def test_the_words_have_the_numbers_of_claim_1() -> None:
    star = float(optimal_demand(0.6, 2.0, 3.0, 3.0))
    times = {d: float(response_time(d, 2.0, 0.6, 3.0, 3.0)) for d in (0.0, star, 120.0, math.inf)}
    told = re.findall(r"([\d.]+) s", words.answer(ASKED))
    expected = [star, times[star], times[0.0], 120.0, times[120.0]]
    assert [to_float(one) for one in told] == pytest.approx(expected, rel=5e-3)
    alt = charts.response_alt(ASKED)
    for name, d in (("no job", 0.0), ("jobs up to 120 s", 120.0), ("all jobs", math.inf)):
        (found,) = re.findall(rf"for {name} ([\d.]+) s at load 0\.6", alt)
        assert to_float(found) == pytest.approx(times[d], rel=5e-3)
    assert "all jobs" in alt
    assert alt.endswith("and infinite at 0.9.")
    load = float(redundant_load(120.0, 2.0, 0.6, 3.0, 3.0))
    assert words.notices(ASKED)[2].endswith(f"it becomes {load:.2f}.")


def test_extra_tasks_that_cost_nothing_are_counted() -> None:
    heavy = Request(1.5, 10, 200, 0.6, 2.0, 120.0, 3.0)
    cost = coded_cost(np.arange(10, 31), 10, 1.5)
    most = 9 + int((cost <= cost[0]).sum())  # they grow once they have fallen
    assert f"Up to {most} tasks started cost no more slot-time than 10" in words.notices(heavy)[1]
    assert words.notices(ASKED)[1].startswith("Every extra task costs slot-time at β = 3")


@given(QUESTIONS)
@settings(max_examples=25, deadline=None)
def test_whatever_is_asked_words_and_charts_have_an_answer(asked: Request) -> None:
    told = [
        words.answer(asked),
        *words.notices(asked),
        *(text for card in words.cards(asked) for text in card),
    ]
    told += [charts.job_alt(asked), charts.response_alt(asked)]
    told.append(json.dumps(words.reading(asked), allow_nan=False))
    for figure in (charts.job_chart(asked, True), charts.response_chart(asked, False)):
        told += words_in(checked(figure))
    assert not trouble(told)
    best = float(asked.time(asked.star, asked.load))
    assert all(best <= time * (1 + 1e-9) for time in asked.choices.values())
    assert words.curves(asked)["load_offered"].count() == LOADS.size * len(asked.demands)


def test_where_claim_1_is_infinite_its_first_moments_are_drawn_and_it_is_said() -> None:
    said = "the second moment of the latency is infinite"
    assert all(said not in text for text in seen(visit("coded")))
    app = visit("coded", beta="2")
    assert any(said in text for text in seen(app))
    assert any("by Claim 1, from first moments" in text for text in seen(app))
    assert not app.exception


@pytest.mark.usefixtures("short_runs")
def test_coding_leads_to_the_formulas_at_its_own_rate_and_demand() -> None:
    app = visit("coding", jobs="5000", r="1.5", load="0.4")
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label == "The formulas: Coded jobs")
    assert link.query_string == "v=1&load=0.4&r=1.5&d=120"
