"""Numbers as people type them: each spelling means its number, and what is no number is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.lessons.answers import BELOW_TWENTY, LONGEST, MINUTES, TENS, typed
from sim.model.fields import BadInput
from tests.depth import each

TWO = (
    *("2", "2.0", "2,00", " 2 ", "+2", "2e0", "20e-1", "4/2", "4 : 2", "4 ÷ 2", "200 %", "200 percent"),
    *("×2", "x2", "2x", "2 ×", "2 times", "times 2", "factor 2", "by a factor of 2", "2 times as long"),
    *("twice", "Twice as long", "double", "two", "TWO", "two times", "two fold", "one and two halves"),
    *("√4", "√ 4", "sqrt(4)", "sqrt 4", "SQRT(4)", "4^(1/2)", "4^½", "4**0.5", "√2^2", "√2²", "2√1"),
    *("1 + 1", "3 - 1", "3 − 1", "1½ + ½", "1 1/2 + 1/2", "2*1", "2·1", "2 x 1", "(2)", "((2))", "8/(2*2)"),
)
HALF = (
    "1²/2",
    "½",
    "1/2",
    "half",
    "a half",
    "one half",
    "0.5",
    ",5",
    ".5",
    "50 %",
    "√¼",
    "1-½",
    "2^-1",
    "-(-½)",
    "1²/2",
)
REFUSED = (
    *("", " ", "many", "1/0", "1.2.3", "nan", "inf", "infinity", "1e999", "1/1e-320", "--1", "16 €", "x"),
    *("2*", "/2", "(2", "2)", "()", "√", "√-4", "(-8)^0.5", "9^9^9^9", "2 two", "two 2", "forty-", "²", "__"),
    *(
        "1" * (LONGEST + 1),
        "(" * LONGEST,
        "√" * LONGEST,
        "exp(1)",
        "2;2",
        "and",
        "one and",
        "½½",
        "2⁴",
        "①",
    ),
)


def test_two_and_a_half_in_every_spelling() -> None:
    for text in TWO:
        assert typed(text, "") == pytest.approx(2, rel=1e-12), text
    for text in HALF:
        assert typed(text, "") == pytest.approx(0.5, rel=1e-12), text


@each("text", REFUSED)
@each("unit", ["", "%", "min", "slots"])
def test_what_is_no_number_is_refused(text: str, unit: str) -> None:
    with pytest.raises(BadInput, match=r"^answer: .*is not accepted; give a number"):
        typed(text, unit)


def test_units_of_time_are_read_where_minutes_are_asked_for() -> None:
    for text in (
        "2 h",
        "2h",
        "2 hours",
        "two hours",
        "120",
        "120 min",
        "1 h 60 min",
        "7200 s",
        "1.5 h 30 min",
    ):
        assert typed(text, "min") == pytest.approx(120), text
    assert typed("½ h", "min") == typed("half h", "min") == 30
    for text in ("2 %", "2 slots", "2 h 3", "2 x", "2 days"):
        with pytest.raises(BadInput):
            typed(text, "min")
    assert sorted({*MINUTES.values()}) == [1 / 60, 1, 60]


def test_a_unit_may_be_named_and_no_other() -> None:
    assert typed("16", "slots") == typed("16 slots", "slots") == typed("sixteen slots", "slots") == 16
    assert typed("1 slot", "slots") == 1
    assert typed("1.2 mean task times", "mean task times") == 1.2
    assert typed("37,5 %", "%") == typed("37.5 percent", "%") == typed("37½", "%") == 37.5
    for text, unit in (("16 min", "slots"), ("16 slots", "%"), ("16 %", "slots"), ("16 slots", "")):
        with pytest.raises(BadInput):
            typed(text, unit)


def test_numbers_in_words() -> None:
    for number in range(100):
        ten, one = number // 10 * 10, number % 10
        tens = {value: word for word, value in TENS.items()}
        words = BELOW_TWENTY[number] if number < 20 else tens[ten] + (f"-{BELOW_TWENTY[one]}" if one else "")
        assert typed(words, "") == number
        assert typed(words.replace("-", " "), "") == number
    said = {
        "a hundred": 100,
        "one hundred and four": 104,
        "two hundred twenty": 220,
        "two thirds": 2 / 3,
        "three quarters": 0.75,
        "one and a half": 1.5,
        "thrice": 3,
        "a third": 1 / 3,
    }
    for words, number in said.items():
        assert typed(words, "") == pytest.approx(number)


NUMBERS = st.integers(0, 99).map(str) | st.decimals(0, 99, places=1).map(str)
SUMS = st.recursive(
    NUMBERS,
    lambda parts: st.tuples(parts, st.sampled_from("+-*/"), parts).map("({0[0]}{0[1]}{0[2]})".format),
    max_leaves=6,
)


@given(SUMS)
def test_sums_and_products_are_those_of_python(text: str) -> None:
    try:
        expected = float(eval(text))
    except ZeroDivisionError:
        expected = math.nan
    if len(text) > LONGEST or not math.isfinite(expected):
        with pytest.raises(BadInput):
            typed(text, "")
    else:
        assert typed(text, "") == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.text(max_size=12) | st.text("0123456789.,/x×√²½()^*+-% eahlfimnost", max_size=LONGEST))
def test_any_text_is_a_finite_number_or_refused(text: str) -> None:
    for unit in ("", "%", "min", "slots"):
        try:
            assert math.isfinite(typed(text, unit))
        except BadInput:
            continue
