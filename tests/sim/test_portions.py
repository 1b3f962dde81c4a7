"""Portions of an answer: each is bounded, and together they are the answer."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.model.fields import BadInput
from sim.shell.mcp.portions import MORE, MOST, WHOLE, Said, cost, portion

#: Texts as a name in a log may be, with what JSON escapes and what has dots.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a.b", "a", "b", ".", MORE, "\0" * 700, "line\n" * 190, "ä" * 1000, "\x85", '"' * 999, "0"]
)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
shapes = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
#: A value, and how often it comes: what does not fit a page is mostly a long list.
parts = st.tuples(shapes, st.sampled_from([1, 1, 12])).map(lambda pair: [pair[0]] * pair[1])
answers = st.dictionaries(texts, parts, max_size=5)


def size(said: Said) -> int:
    """Characters of what is sent."""
    return cost(said.text) + (cost(json.loads(said.values)) if said.values else 0)


def pages(said: Said, part: str | None = None) -> str:
    """All pages of a part or of the text, joined."""
    told: list[str] = []
    for page in count(1):
        try:
            one = portion(said, part, page)
        except BadInput:
            return "".join(told)
        assert size(one) <= MOST
        told.append(one.text.rpartition("\n\nPage ")[0] if part is None else one.text.partition("\n")[2])
    raise AssertionError


@settings(max_examples=100, deadline=None)
@given(answers, texts)
def test_all_pages_of_all_parts_give_back_the_whole(values: dict[str, Any], text: str) -> None:
    said = Said(text * 30, json.dumps(values))
    for part in values:
        assert json.loads(pages(said, part)) == values[part]
    assert WHOLE in values or json.loads(pages(said, WHOLE)) == values
    first = portion(said)
    assert size(first) <= MOST
    shown = json.loads(first.values)
    if first == said or (shown == values and first.text == said.text):
        return
    assert pages(said) == said.text
    parts = shown.pop(MORE)["parts"]
    if sum(map(cost, values)) < 200:  # all names have room
        assert all(name in parts or shown[name] == values[name] for name in values)
    for name in shown.keys() & parts.keys():
        assert shown[name] == values[name] or shown[name].items() <= values[name].items()


def test_what_to_do_is_in_the_first_portion() -> None:
    findings = [{"action": "Try second copies for an hour.", "seconds": number} for number in range(20)]
    others = {f"part {number}": "x" * 500 for number in range(20)}
    said = Said("line\n" * 900, json.dumps(others | {"findings": findings, "advice": "y" * 600}))
    shown = json.loads(portion(said).values)
    assert (shown["findings"], shown["advice"]) == (findings, "y" * 600)
    assert shown[MORE]["pages"] > 1
    assert size(portion(said)) > 0.8 * MOST


def test_lists_are_cut_between_items_and_plain_fields_of_a_large_part_are_shown() -> None:
    rows = [{"job": f"nightly {number}", "seconds": 1.5} for number in range(400)]
    said = Said("Two sentences.", json.dumps({"lost": {"share": 0.5, "jobs": rows}, "sentence": "Two."}))
    shown = json.loads(portion(said).values)
    assert shown["lost"] == {"share": 0.5}
    assert shown["sentence"] == "Two."
    assert shown[MORE]["parts"].keys() == {"lost", WHOLE}
    assert "lost (" in portion(said).text
    second = portion(said, "lost.jobs", 2).text.splitlines()
    assert second[0] == "lost.jobs, page 2 of 3"
    assert all(json.loads(line.removesuffix(",")) in rows for line in second[1:])
    assert json.loads(portion(said, "lost.share").values) == {"part": "lost.share", "value": 0.5}


@pytest.mark.parametrize(
    ("part", "page", "why"),
    [
        ("lots", 1, "part: 'lots' is not known; did you mean 'lost'"),
        (3, 1, "part: a text is accepted"),
        ("lost", 2, "page: give a whole number from 1 to 1"),
        ("lost.4", 1, "part: 'lost.4' is not known"),
        (None, 0, "page: give a whole number from 1 to 1"),
        (None, "2", "page: give"),
    ],
)
def test_what_is_not_there_is_refused_by_name(part: Any, page: Any, why: str) -> None:
    with pytest.raises(BadInput) as refused:
        portion(Said("", '{"lost": [1, 2]}'), part, page)
    assert str(refused.value).startswith(why)
