"""Numbers in words: close to the number, and never with the wrong sign."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.model.statistics import Estimate
from sim.telling.words import changed, fixed, listed, measured, number, percent, percent_unsigned, spread

ROOT = Path(__file__).resolve().parents[2]
SHARE = r"[−+]?[\d,.]+"
FINITE = st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-9 or x == 0)
POSITIVE = st.floats(1e-6, 1e9)


def read(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


@given(value=FINITE)
def test_a_number_is_read_back_to_three_digits(value: float) -> None:
    assert read(number(value)) == pytest.approx(value, rel=0.0051, abs=0)


@given(log=st.floats(-2, 2), wide=st.floats(1e-4, 2))
def test_a_change_tells_an_interval_that_holds_0_only_if_its_own_does(log: float, wide: float) -> None:
    """A half width is not what is meant where the interval is lopsided: then its ends are told."""
    share = Estimate(*(math.expm1(log + by * wide) for by in (0, -1, 1)))
    text = changed(share)
    digit = 10.0 ** -len(re.match(r"[−+]?[\d,]+\.?(\d*)", text)[1])
    if found := re.fullmatch(rf"({SHARE}) ± ({SHARE}) %", text):
        value, half = map(read, found.groups())
        low, high = value - half, value + half
        room = digit + 10 * (share.high - share.low)
        assert (low, high) == pytest.approx((100 * share.low, 100 * share.high), abs=room)
    else:
        low, high = map(read, re.fullmatch(rf"{SHARE} % \(({SHARE}) to ({SHARE}) %\)", text).groups())
    assert not (low > digit and share.sign <= 0)
    assert not (high < -digit and share.sign >= 0)
    assert not (low < -digit and share.sign > 0)
    assert not (high > digit and share.sign < 0)
    assert "−" not in percent_unsigned(share) or share.sign == 0


@given(value=FINITE, half=POSITIVE)
def test_an_interval_is_read_back_to_two_digits_of_its_half_width(value: float, half: float) -> None:
    texts = spread(value, half).split(" ± ")
    if len(texts) == 2:
        assert read(texts[1]) == pytest.approx(half, rel=0.051)
        assert read(texts[0]) == pytest.approx(value, abs=0.051 * half)
    else:
        assert half < 1e-8 * abs(value)


@given(share=st.floats(0, 1))
def test_a_percentage_says_zero_or_hundred_only_when_it_is(share: float) -> None:
    text = percent(share)
    assert (text == "0 %") == (share == 0)
    assert (text == "100 %") == (share == 1)
    told = float(re.search(r"[\d.]+", text).group()) / 100  # type: ignore[union-attr]
    assert told == pytest.approx(share, abs=0.0051)


@given(value=FINITE | st.none(), half=st.floats(0, 1e9) | st.none(), scale=st.sampled_from([1.0, 100.0]))
def test_an_estimate_never_shows_nan_or_infinity(value, half, scale) -> None:
    low, high = (None, None) if half is None or value is None else (value - half, value + half)
    text = measured(Estimate(value, low, high), "s", scale)
    assert not re.search("nan|inf|None|e[+-]", text)
    assert ("unknown" in text) == (value is None)
    if value is not None:
        assert text.endswith(" s")


def test_rounding_that_carries_over_keeps_the_digits() -> None:
    assert number(9.999) == "10.0"
    assert spread(12.0, 0.0999) == "12.00 ± 0.10"
    assert spread(2.0, math.inf) == "2.00"


def test_names_are_joined_as_in_a_sentence() -> None:
    assert listed(["a", "b"], "or") == "a or b"
    assert fixed(-1234.5, 1) == "−1,234.5"


#: Sayings, and what is said instead on every page; Errata keeps the words of the papers.
SAID_ONCE = {
    "machine time": "slot-time",
    "times of tasks": "task times",
    "per cent": "%",
    "seed of all": "random seed",
    "jobs a unit": "jobs per unit",
    "1.0 times as": "as",
    "from when on": "when",
}


def shown(path: Path) -> list[str]:
    """Return what a file may show: its strings, but those that only describe it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [one.value for one in strings if isinstance(one.value, str) and id(one) not in described]


#: Constructions over which operators stumbled, and how they read it at once.
STUMBLED = {
    r"could at best mend": "could save at most",
    r"draws? (the luck )?anew,": "does not repeat",
    r"goes along with": "depends on",
    r"has a (chance|probability) of": "is unlikely",
    r"in at most .*of histories": "left out, or once in the notes",
    r"would tell, if": "two runs of each would tell more",
    r"cannot be told: the": "what is missing, first",
    r"which is too few": "only",
    r": not above": "limit",
    r"^by theory \**[a-z]": "the answer itself",
    r"starts ⌈": "starts more tasks than it needs",
}


def found_in(folders: tuple[str, ...], patterns: Iterable[str]) -> set[tuple[str, str]]:
    """Return the files, but those of Errata, that may show what one of these finds."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    files = [path for path in paths if not {"errata", "claims"} & set(path.parts)]
    assert len(files) > 100
    return {
        (path.name, one)
        for path in files
        for text in shown(path)
        for one in patterns
        if re.search(one, text.lower())
    }


def test_one_thing_is_called_by_one_word() -> None:
    assert not found_in(("pages",), map(re.escape, SAID_ONCE))


def test_no_sentence_is_built_as_those_over_which_operators_stumbled() -> None:
    assert not found_in(("sim", "pages"), STUMBLED)
