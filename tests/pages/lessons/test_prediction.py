"""Predictions: what they accept, and how the answers of a class are counted."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.lessons import LESSONS
from pages.lessons.prediction import Choice, Number, Option, Order, Prediction
from sim.model.fields import BadInput

A, B, C = (Option(key, key.upper()) for key in "abc")
CHOICE = Choice("choice", "Which?", (A, B, C))
NUMBER = Number("number", "How many?", 0, 5, 0.1)
ORDER = Order("order", "In which order?", (A, B, C))


def answers(prediction: Prediction) -> st.SearchStrategy[Any]:
    """Return what somebody may predict."""
    match prediction:
        case Choice():
            return st.sampled_from([option.key for option in prediction.options])
        case Number():
            steps = round((prediction.high - prediction.low) / prediction.step)
            return st.integers(0, steps).map(lambda place: prediction.low + place * prediction.step)
        case Order():
            return st.permutations([item.key for item in prediction.items]).map(tuple)


@pytest.mark.parametrize("prediction", [CHOICE, NUMBER, ORDER], ids=lambda one: one.key)
@given(data=st.data())
def test_every_answer_is_counted_once_where_it_says_and_survives_a_link(
    prediction: Prediction, data: st.DataObject
) -> None:
    given = data.draw(st.lists(answers(prediction), max_size=8))
    counts = {count.key: count for count in prediction.counts(given)}
    assert sum(count.votes for count in counts.values()) == len(given)
    for answer in given:
        same = [one for one in given if prediction.counted_as(one) == prediction.counted_as(answer)]
        assert counts[prediction.counted_as(answer)].votes == len(same)
        assert prediction.read(prediction.write(answer)) == prediction.checked(answer)


@pytest.mark.parametrize(
    ("prediction", "answer"),
    [
        *((CHOICE, answer) for answer in ("d", "", "A", None, 1, ["a"])),
        *((NUMBER, answer) for answer in (-0.1, 5.1, 0.05, math.nan, math.inf, True, "1", None, 10**400)),
        *((ORDER, answer) for answer in ("abc", ["a", "b"], ["a", "b", "b"], ["a", "b", 3], None)),
    ],
)
def test_what_is_no_answer_is_refused_by_name(prediction: Prediction, answer: object) -> None:
    with pytest.raises(BadInput, match=f"^{prediction.key}: .* is not accepted; give "):
        prediction.checked(answer)


@pytest.mark.parametrize("text", ["nan", "1e999", "five", "0.05", "<b>", "a,b,b", "a,b,c,a"])
def test_a_link_may_say_anything(text: str) -> None:
    for prediction in (CHOICE, NUMBER, ORDER):
        with pytest.raises(BadInput, match=f"^{prediction.key}: "):
            prediction.read(text)


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_a_computed_answer_has_a_place_among_the_counts(value: float) -> None:
    assert NUMBER.counted_as(value) in {count.key for count in NUMBER.counts([])}


@pytest.mark.parametrize(
    "made",
    [
        lambda: Choice("one", "", (A,)),
        lambda: Order("twice", "", (A, A)),
        lambda: Option("two words", ""),
        lambda: Number("none", "", 1, 1, 1),
        lambda: Number("uneven", "", 0, 1, 0.3),
        lambda: Number("many", "", 0, 1, 0.001),
        lambda: Number("nan", "", 0, math.nan, 1),
    ],
)
def test_what_cannot_be_asked_is_refused(made: Any) -> None:
    with pytest.raises(BadInput):
        made()


def test_predictions_of_lessons_have_names_of_their_own() -> None:
    assert len({lesson.prediction.key for lesson in LESSONS.values()}) == len(LESSONS)
