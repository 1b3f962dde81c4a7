"""The tab Rollouts: charts, cards and words against the formulas, and whatever is asked has an answer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.formulas.rollouts import charts, words
from pages.formulas.rollouts.controls import EXAMPLE
from pages.formulas.rollouts.layout import lengths
from sim.advice.rollouts import LIST, Lengths, Rollouts
from tests.pages.made import checked, traces, trouble
from tests.pages.made import words as words_in
from tests.pages.visits import link, notices, seen, visit
from theory.rollouts import exponential_step_time

#: By hand: 8 exponential lengths of 30 s take 30 H_8 = 81.5 s, and 11 take 30 (H_11 - H_3) = 35.6 s.
ASKED = Rollouts(8, Lengths("exponential", (30.0,)), 3.0)
#: Lists with a few values, all the same, or far apart.
LISTS = st.lists(st.sampled_from([1.0, 2.0, 30.0, 1e5]), min_size=5, max_size=30)


def test_the_curves_are_the_formula_and_the_cost_of_its_slots() -> None:
    figure, k = checked(charts.time_chart(ASKED, False)), charts.shown(ASKED)
    time = exponential_step_time(8, k, 30.0)
    for name, expected in (("time of a step", time), ("with the price of its slots", time * (1 + 3 * k / 8))):
        (curve,) = traces(figure, name=name)
        np.testing.assert_allclose(curve.y, expected)
        (dot,) = traces(figure, name=f"{name}, best")
        assert (dot.x[0], dot.y[0]) == (ASKED.best, expected[ASKED.best])
    (wasted,) = traces(checked(charts.wasted_chart(ASKED, True)), name="thrown away")
    np.testing.assert_allclose(wasted.y, k * time / 240)  # without memory the slot-time is 8 means


def test_answers_that_are_carried_over_have_an_age_instead() -> None:
    carried = Rollouts(8, Lengths("exponential", (30.0,)), 2.5, carry_over=True)
    (age,) = traces(checked(charts.wasted_chart(carried, False)), name="age")
    np.testing.assert_allclose(age.y, np.asarray(age.x) / 8)
    assert ("Mean age of an answer", f"{carried.best / 8:.2f} steps") in [
        one[:2] for one in words.cards(carried)
    ]


def test_the_words_have_the_numbers_of_the_formula() -> None:
    asked = Rollouts(8, Lengths("exponential", (30.0,)), 2.5, most=3)
    assert asked.best == 3
    assert words.answer(asked).startswith(
        "**Start 3 more than the 8 you wait for**: a step takes 36 s instead"
    )
    assert [value for _, value, _ in words.cards(asked)][:2] == ["3", "35.6 s"]
    first = 1 - exponential_step_time(8, 1) / exponential_step_time(8, 0)
    assert f"takes {100 * first:.0f} % off" in words.notices(asked)[0]


def test_laws_have_the_mean_that_is_chosen() -> None:
    values = {"mean": 90, "beta": 1.5, "sigma": 0.8, "list": EXAMPLE}
    for law in ("pareto", "lognormal", "exponential"):
        assert lengths({**values, "law": law}).mean == pytest.approx(90)


def test_a_list_that_is_pasted_is_used_and_a_wrong_one_is_said() -> None:
    app = visit("rollouts", law=LIST, list="12 13 90 14 15", N="4")
    assert any("The list has 5 lengths" in text for text in seen(app))
    app.text_area(key="rollouts.list").set_value("12, 13, 1:30\n14 15 16").run()
    assert "The list has 6 lengths" in notices(app)
    assert link(app)["list"] == "12 13 1:30 14 15 16"
    app.text_area(key="rollouts.list").set_value("12 and 13").run()
    assert [one.value for one in app.warning if "'and' is not accepted" in one.value]
    assert f"The list has {len(EXAMPLE.split())} lengths" in notices(app)


@given(
    awaited=st.integers(2, 20),
    law=st.sampled_from(["pareto", "lognormal", "exponential", LIST]),
    few=LISTS,
    price=st.sampled_from([0.0, 1.0, 10.0]),
    carry=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_whatever_is_asked_words_and_charts_have_an_answer(awaited, law, few, price, carry) -> None:
    text = " ".join(f"{one:g}" for one in few).replace("1e+05", "100000")
    values = {"law": law, "mean": 60, "beta": 1.1, "sigma": 2.0, "list": text}
    found = Rollouts(awaited, lengths(values), price, carry)
    told = [
        words.answer(found),
        *words.notices(found),
        *(part for card in words.cards(found) for part in card),
    ]
    told += [charts.time_alt(found), charts.wasted_alt(found)]
    told.append(json.dumps(words.reading(found), allow_nan=False))
    for figure in (charts.time_chart(found, True), charts.wasted_chart(found, False)):
        told += words_in(checked(figure))
    assert not trouble(told)
    assert len(words.table(found)) == len(found.extra)
