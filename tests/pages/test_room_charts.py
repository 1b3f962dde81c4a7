"""Charts of a class's answers: each answer is in a bar, the right one and one's own are named."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pages.lessons.prediction import Choice, Number, Option, Order
from pages.room.charts import OTHERS, Posed, alt, bars, draw
from pages.room.question import Amount
from sim.model.fields import BadInput
from tests.pages.made import checked, trouble, words

OPTIONS = tuple(Option(key, f"Option {key} with a name of some length") for key in "abcd")
CHOICE, ORDER = Choice("choice", "Which?", OPTIONS), Order("order", "In which order?", OPTIONS)
NUMBER = Number("number", "How many?", 0, 100, 1, "min")
AMOUNT = Amount("amount", "How many?", -3, 17.5, "<b>s</b>")
ANSWERS = {
    CHOICE: st.sampled_from("abcd"),
    ORDER: st.permutations("abcd").map(tuple),
    NUMBER: st.integers(0, 100).map(float),
    AMOUNT: st.floats(-3, 17.5).map(AMOUNT.checked),
}


@pytest.mark.parametrize("asked", ANSWERS, ids=lambda asked: asked.key)
@settings(max_examples=20)
@given(data=st.data())
def test_every_answer_is_in_a_bar_and_the_right_one_is_marked(asked: Posed, data: st.DataObject) -> None:
    one = ANSWERS[asked]
    votes = data.draw(st.lists(st.lists(one, max_size=12).map(tuple), min_size=1, max_size=2).map(tuple))
    right, mine = data.draw(st.none() | one), data.draw(st.none() | one)
    assume(any(votes))  # without one an order has no bar, and one empty trace
    figure = checked(draw(asked, votes, right, mine, False))
    for answers, drawn in zip(votes, figure.data, strict=True):
        assert sum(drawn.y if isinstance(asked, (Number, Amount)) else drawn.x) == len(answers)
    assert not trouble(words(figure))
    assert "<b>" not in "".join(words(figure))
    told = "\n".join([*figure.data[-1].text, *(one.text for one in figure.layout.annotations)])
    assert ("right" in told) == (right is not None)
    assert ("yours" in told) == (mine is not None)


def test_a_number_is_between_the_ends_of_its_bar() -> None:
    figure = draw(NUMBER, ((0.0, 4.0, 5.0, 100.0),), 62.5, 5.0, False)
    (drawn,) = figure.data
    among = [(x, x + drawn.width, y) for x, y in zip(drawn.x, drawn.y, strict=True) if y]
    assert among == [(0.0, 5.0, 2), (5.0, 10.0, 1), (100.0, 105.0, 1)]
    assert {(line.x0, line.x1) for line in figure.layout.shapes} == {(62.5, 62.5), (5.0, 5.0)}
    assert [one.text for one in figure.layout.annotations] == ["right: 62.5 min", "yours: 5 min"]


def test_of_many_orders_the_most_frequent_ones_and_the_right_one_have_bars() -> None:
    orders = [tuple(order) for order in ("abcd", "abdc", "acbd", "acdb", "adbc", "adcb", "bacd")]
    answers = tuple(order for place, order in enumerate(orders) for _ in range(7 - place))
    right = tuple("dcba")
    shown = bars(ORDER, (answers,), right)
    assert [one.votes for one in shown] == [(7,), (6,), (5,), (4,), (3,), (0,), (3,)]
    assert shown[5].key == "d,c,b,a"
    assert shown[-1].label == OTHERS
    named = draw(ORDER, (answers,), right, None, False).data[0]
    assert named.text[5] == "0 · right"
    assert named.y[0].startswith("1. Option a")


def test_the_items_of_an_order_are_short_at_their_bar() -> None:
    rules = Option("fifo", "FIFO: first come, first served"), Option("fair", "Fair shares: the same for all")
    asked = Order("rules", "Which first?", rules)
    (drawn,) = draw(asked, ((("fair", "fifo"),),), None, None, False).data
    assert drawn.y == ("1. Fair shares<br>2. FIFO",)


def test_what_the_chart_shows_is_said() -> None:
    name = "Option a with a name of some length"
    assert alt(bars(CHOICE, (("a", "a"),))) == f"Bars of the answers. {name}: 2."
    assert alt(bars(CHOICE, (("a",), ("a", "a")))).endswith(f"in the second. {name}: 1 then 2.")
    assert "none yet" in alt(bars(CHOICE, ((),)))


def test_the_first_vote_is_drawn_beside_the_second_paler_and_hatched() -> None:
    first, second = draw(CHOICE, (("a", "b"), ("b", "b")), "b", "a", False).data
    assert (first.name, second.name) == ("first vote", "second vote")
    assert (list(first.x), list(second.x)) == ([1, 1, 0, 0], [0, 2, 0, 0])
    assert (first.text[1], second.text[:2]) == ("1", ("0 · yours", "2 · right"))
    assert first.marker.opacity < 1
    assert first.marker.pattern.shape
    assert first.marker.color == second.marker.color


@settings(max_examples=50)
@example(low=0.0, width=5e-324, data=None)
@given(low=st.floats(-1e9, 1e9), width=st.floats(0, 2e9), data=st.data())
def test_typed_numbers_of_any_range_are_among_few_bars(low: float, width: float, data: st.DataObject) -> None:
    try:
        asked = Amount("amount", "How many?", low, low + width)
    except BadInput:
        assert width <= max(2e-6 * max(abs(low), abs(low + width)), 1e-300)
        return
    answers = data.draw(st.lists(st.floats(low, low + width), max_size=5))
    counts = asked.counts(answers)
    assert 2 <= len(counts) <= 22
    assert len({one.key for one in counts}) == len(counts)
    assert sum(one.votes for one in counts) == len(answers)
