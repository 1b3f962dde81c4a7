"""Text of others in messages: whole, in one line, and short; and no message forgets to treat it so."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.model.fields import BadInput
from tests.foreign import HOSTILE, unseen
from theory.quoting import MOST, quoted, shortened, visible

ROOT = Path(__file__).resolve().parents[2]
REPR = ord("r")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_is_unseen_or_long(text: str) -> None:
    assert not unseen(visible(text) + quoted(text) + shortened(text))
    assert len(quoted(text)) <= MOST
    assert len(shortened(text)) <= MOST
    assert not unseen(str(BadInput(f"load: {text} is not accepted")))


@given(st.text())
def test_what_can_be_seen_stays_and_what_is_short_stays_whole(text: str) -> None:
    if text.isprintable():
        assert visible(text) == text
        if len(text) <= MOST:
            assert shortened(text) == text
        if len(repr(text)) <= MOST:
            assert quoted(text) == repr(text)
    assert not unseen(visible(text))


@given(st.text(min_size=MOST + 1))
def test_a_long_name_keeps_both_its_ends(text: str) -> None:
    shown = shortened(text)
    assert len(shown) == MOST
    assert "…" in shown
    assert shown[0] == visible(text)[0]
    assert visible(text[-1]).endswith(shown[-1])


def test_a_number_that_python_does_not_write_out_is_called_one() -> None:
    assert quoted(10**5000) == "a number of thousands of digits"


def values_as_they_are(source: str) -> list[int]:
    """Return the lines where a message has a value as Python writes it, whatever its length."""
    raised = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Raise) and node.exc]
    parts = [part for node in raised for part in ast.walk(node.exc or node)]
    return [part.lineno for part in parts if isinstance(part, ast.FormattedValue) and part.conversion == REPR]


def test_every_refused_value_is_quoted() -> None:
    for package in ("sim", "pages", "theory"):
        for path in sorted((ROOT / package).rglob("*.py")):
            assert not values_as_they_are(path.read_text()), path.relative_to(ROOT)


def test_a_value_that_is_not_quoted_would_be_noticed() -> None:
    assert values_as_they_are("raise BadInput(f'load: {value!r} is not accepted') from None") == [1]
    assert values_as_they_are("raise BadInput(f'load: {quoted(value)} is not accepted')") == []
