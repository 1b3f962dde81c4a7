"""Questions of a teacher's own: bounded, visible, the same again from their file; and their results."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.room.details import Recorded, csv_text, page_text, recorded, table
from pages.room.question import (
    FILE_BYTES,
    LONGEST,
    LONGEST_OPTION,
    LONGEST_UNIT,
    MARK,
    Asked,
    OfLesson,
    Own,
    as_file,
    described,
    read,
    read_file,
    right_of,
)
from pages.server.room import MOST_KEPT
from pages.server.vote import Result
from sim.model.fields import BadInput
from tests.depth import each
from tests.foreign import AWAY, HOSTILE, unseen

TEXT = st.text(min_size=1, max_size=8)
NUMBER = {"low": 0, "high": 10}


@st.composite
def questions(draw: st.DrawFn) -> Own:
    """Draw a question as somebody may write it."""
    kind = draw(st.sampled_from(["slider", "choice", "ranking", "number"]))
    one: dict[str, Any] = {"kind": kind, "question": draw(TEXT)}
    if kind in ("choice", "ranking"):
        one["options"] = draw(st.lists(TEXT, min_size=2, max_size=6))
        places = draw(st.permutations(range(1, len(one["options"]) + 1)))
        right: Any = places[0] if kind == "choice" else places
    else:
        low, steps = draw(st.integers(-1000, 1000)), draw(st.integers(1, 200))
        one |= {"low": low, "high": low + 0.5 * steps, "unit": draw(st.text(max_size=LONGEST_UNIT))}
        one |= {"step": 0.5} if kind == "slider" else {}
        right = low + 0.5 * draw(st.integers(0, steps))
    one |= {"right": right} if draw(st.booleans()) else {}
    try:
        return read(one)
    except BadInput:  # of texts that are nothing, the same, or too long once all of them can be seen
        return draw(questions())


@settings(max_examples=20, deadline=None)
@given(st.lists(questions(), min_size=1, max_size=5))
def test_questions_are_the_same_again_from_their_file(written: list[Own]) -> None:
    content = as_file(written).encode()
    assert read_file(content) == tuple(written)
    for one in written:
        texts = [text for text in strings(described(one)) if text]
        assert not [text for text in texts if unseen(text) or len(text) > LONGEST]


def test_the_largest_questions_fit_into_a_file() -> None:
    longest = {"kind": "ranking", "options": [chr(0x4E00 + place) * LONGEST_OPTION for place in range(6)]}
    one = read({**longest, "question": "\U0001f40c" * LONGEST, "right": [6, 5, 4, 3, 2, 1]})
    assert len(as_file([one] * MOST_KEPT).encode()) < FILE_BYTES


def strings(thing: Any) -> Iterator[str]:
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, (list, dict)):
        for part in thing.values() if isinstance(thing, dict) else thing:
            yield from strings(part)


@each("name", HOSTILE)
def test_a_hostile_text_is_one_visible_line_or_refused(name: str) -> None:
    given = {"kind": "choice", "question": HOSTILE[name], "options": ["a", "b"]}
    if len(HOSTILE[name]) > LONGEST:
        with pytest.raises(BadInput, match=r"^question: .{,140}$"):
            read(given)
        return
    one = read(given)
    assert not unseen(one.prediction.label)
    assert len(one.title) < len(one.prediction.label) or one.title == one.prediction.label


CHOICE = {"kind": "choice", "question": "Which?", "options": ["a", "b"]}
SLIDER = {"kind": "slider", "question": "How many?", "low": 0, "high": 10, "step": 1}
WRONG: dict[str, Any] = {
    "no kind": {"question": "Which?"},
    "another kind": {**CHOICE, "kind": "essay"},
    "a kind that is a list": {**CHOICE, "kind": ["choice"]},
    "another field": {**CHOICE, "script": "x"},
    "a field of another kind": {**CHOICE, "step": 1},
    "no question": {**CHOICE, "question": "  "},
    "a question that is a number": {**CHOICE, "question": 7},
    "a long question": {**CHOICE, "question": "x" * (LONGEST + 1)},
    "a very long question of spaces": {**CHOICE, "question": "x" + " " * 10_000},
    "one option": {**CHOICE, "options": ["a"]},
    "the same option": {**CHOICE, "options": ["a", " A "]},
    "seven options": {**CHOICE, "options": [*"abcdefg"]},
    "options in a text": {**CHOICE, "options": "ab"},
    "a long option": {**CHOICE, "options": ["a", "b" * (LONGEST_OPTION + 1)]},
    "a right option that is not there": {**CHOICE, "right": 3},
    "a right option that is true": {**CHOICE, "right": True},
    "an order with one twice": {**CHOICE, "kind": "ranking", "right": [1, 1]},
    "an order that is short": {**CHOICE, "kind": "ranking", "right": [1]},
    "nothing between the ends": {**SLIDER, "high": 0},
    "ends the other way": {**SLIDER, "low": 11},
    "not a number": {**SLIDER, "high": float("nan")},
    "no end": {**SLIDER, "high": float("inf")},
    "a huge number": {**SLIDER, "high": 10**400},
    "a text for a number": {**SLIDER, "low": "0"},
    "steps that do not divide": {**SLIDER, "step": 3},
    "too many steps": {**SLIDER, "step": 0.01},
    "steps that cannot be told apart": {**SLIDER, "low": 1e9 - 1e-4, "high": 1e9, "step": 1e-5},
    "a right number between the steps": {**SLIDER, "right": 1.5},
    "a right number outside": {"kind": "number", "question": "How many?", **NUMBER, "right": 11},
    "a long unit": {**SLIDER, "unit": "m" * (LONGEST_UNIT + 1)},
}


@each("name", WRONG)
def test_what_cannot_be_asked_is_refused_in_a_line(name: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(WRONG[name])
    assert len(str(refused.value)) < 250
    with pytest.raises(BadInput, match="question 2: "):
        read_file(json.dumps({"file": MARK, "questions": [CHOICE, WRONG[name]]}).encode())


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff\xfe", b"null", b"[]", b"{}", b'{"file": 1}', b"[" * 60_000, b"9" * 60_000),
        json.dumps({"file": MARK, "questions": []}).encode(),
        json.dumps({"file": MARK, "questions": {"a": 1}}).encode(),
        json.dumps({"file": MARK, "questions": [7]}).encode(),
        json.dumps({"file": MARK, "questions": [CHOICE] * (MOST_KEPT + 1)}).encode(),
        json.dumps({"file": MARK, "questions": [CHOICE]}).encode() + b" " * FILE_BYTES,
    ],
    ids=lambda content: repr(content[:30]),
)
def test_a_file_that_is_none_is_refused_in_a_line(content: bytes) -> None:
    with pytest.raises(BadInput) as refused:
        read_file(content)
    assert len(str(refused.value)) < 250


def test_what_a_form_says_is_right_is_read_or_refused() -> None:
    assert read({**CHOICE, "right": right_of("choice", "2")}).right == "2"
    assert read({**CHOICE, "kind": "ranking", "right": right_of("ranking", "2 > 1")}).right == ("2", "1")
    assert read({**SLIDER, "right": right_of("slider", "7/2 + ½")}).right == 4.0
    assert right_of("ranking", "  ") is None
    for text in ("b", "1 2", "²", "-1"):
        with pytest.raises(BadInput):
            read({**CHOICE, "right": right_of("choice", text)})


# Results ----------------------------------------------------------------------------------------------------


def saved(asked: Asked, *votes: tuple[Any, ...], shown: bool = True) -> Recorded:
    """Return what is saved of a question, whose answer has been shown or not."""
    (one,) = recorded([Result(asked, votes, shown)])
    return one


def test_a_table_counts_each_answer_of_each_vote_and_names_nobody() -> None:
    choice, number = (
        read({**CHOICE, "right": 2}),
        read({"kind": "number", "question": "=1+1", "low": -9, "high": 9}),
    )
    order = read({**CHOICE, "kind": "ranking"})
    rows = [
        *csv.DictReader(
            io.StringIO(
                csv_text(
                    [
                        saved(choice, ("1", "1", "2"), ("2", "2", "2")),
                        saved(number, (-5.0, 2.5, -5.0)),
                        saved(order, (("2", "1"),), shown=False),
                    ]
                )
            )
        )
    ]
    assert [(row["question"], row["vote"], row["answer"], row["votes"], row["right"]) for row in rows] == [
        ("1", "first", "a", "2", "no"),
        ("1", "first", "b", "1", "yes"),
        ("1", "second", "a", "0", "no"),
        ("1", "second", "b", "3", "yes"),
        ("2", "first", "'-5", "2", ""),
        ("2", "first", "2.5", "1", ""),
        ("3", "first", "b → a", "1", ""),
    ]
    assert [row["number"] for row in rows[4:6]] == ["-5.0", "2.5"]
    assert rows[4]["asked"] == "'=1+1"  # which no spreadsheet runs
    assert not {*rows[0]} & {"student", "visitor", "name", "time", "address"}


def test_the_table_of_no_questions_has_its_head() -> None:
    assert csv_text([]).split(",")[0] == "question"
    assert table([]).empty


def test_a_page_to_print_loads_nothing_and_obeys_nobody() -> None:
    hostile = " ".join(HOSTILE["html"].split())[:LONGEST_OPTION]
    asked = read({"kind": "choice", "question": hostile, "options": ["a", hostile], "right": 2})
    page = page_text("1KTWXB", "2026-01-31", [saved(asked, ("1", "2"), ("2", "2"))])
    assert not re.search(r"<(?:script|img|link|a|b|iframe)\b|url\(", page)
    assert f"<img src=http://{AWAY}" not in page
    assert page.count('class="bar') == 4
    assert "First vote: 2 answers; second vote: 2 answers." in page
    assert "default-src 'none'" in page


def test_the_right_answer_is_in_what_is_saved_only_once_it_is_shown() -> None:
    asked = read({**CHOICE, "right": 2})
    for shown in (True, False):
        page = page_text("1KTWXB", "2026-01-31", [saved(asked, ("1",), shown=shown)])
        assert ("Right: b" in page) is shown
        assert ("yes" in csv_text([saved(asked, ("1",), shown=shown)])) is shown


def test_a_question_of_a_lesson_is_recorded_with_its_own_words() -> None:
    lesson = OfLesson(3)
    page = page_text("1KTWXB", "2026-01-31", [saved(lesson, (35.0,), shown=False)])
    assert "β = 3" in page
