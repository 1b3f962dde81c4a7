"""Charts of a class's answers: each answer is in a bar, the right one and one's own are named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.lessons.prediction import Choice, Number, Option, Order
from pages.room.charts import OTHERS, alt, counted, draw
from tests.pages.made import checked, trouble, words

OPTIONS = tuple(Option(key, f"Option {key} with a name of some length") for key in "abcd")
CHOICE, ORDER = Choice("choice", "Which?", OPTIONS), Order("order", "In which order?", OPTIONS)
NUMBER = Number("number", "How many?", 0, 100, 1, "min")
ANSWERS = {
    CHOICE: st.sampled_from("abcd"),
    ORDER: st.permutations("abcd").map(tuple),
    NUMBER: st.integers(0, 100).map(float),
}


@pytest.mark.parametrize("asked", ANSWERS, ids=lambda asked: asked.key)
@settings(max_examples=20)
@given(data=st.data())
def test_every_answer_is_in_a_bar_and_the_right_one_is_marked(
    asked: Choice | Number | Order, data: st.DataObject
) -> None:
    one = ANSWERS[asked]
    answers = tuple(data.draw(st.lists(one, max_size=12)))
    right, mine = data.draw(st.none() | one), data.draw(st.none() | one)
    figure = checked(draw(asked, answers, right, mine, False))
    (bars,) = figure.data
    votes = bars.y if isinstance(asked, Number) else bars.x
    assert sum(votes) == len(answers)
    assert not trouble(words(figure))
    told = "\n".join([*bars.text, *(one.text for one in figure.layout.annotations)])
    assert ("right" in told) == (right is not None)
    assert ("yours" in told) == (mine is not None)


def test_a_number_is_between_the_ends_of_its_bar() -> None:
    figure = draw(NUMBER, (0.0, 4.0, 5.0, 100.0), 62.5, 5.0, False)
    (bars,) = figure.data
    among = [(x, x + bars.width, y) for x, y in zip(bars.x, bars.y, strict=True) if y]
    assert among == [(0.0, 5.0, 2), (5.0, 10.0, 1), (100.0, 105.0, 1)]
    assert {(line.x0, line.x1) for line in figure.layout.shapes} == {(62.5, 62.5), (5.0, 5.0)}
    assert [one.text for one in figure.layout.annotations] == ["right: 62.5 min", "yours: 5 min"]


def test_of_many_orders_the_most_frequent_ones_and_the_right_one_have_bars() -> None:
    orders = [tuple(order) for order in ("abcd", "abdc", "acbd", "acdb", "adbc", "adcb", "bacd")]
    answers = tuple(order for place, order in enumerate(orders) for _ in range(7 - place))
    right = tuple("dcba")
    counts = counted(ORDER, answers, right)
    assert [one.votes for one in counts] == [7, 6, 5, 4, 3, 0, 3]
    assert counts[5].key == "d,c,b,a"
    assert counts[-1].label == OTHERS
    named = draw(ORDER, answers, right, None, False).data[0]
    assert named.text[5] == "0 · right"
    assert named.y[0].startswith("1. Option a")


def test_what_the_chart_shows_is_said() -> None:
    assert alt(CHOICE.counts(("a", "a"))) == "Bars of the answers. Option a with a name of some length: 2."
    assert "none yet" in alt(CHOICE.counts(()))
