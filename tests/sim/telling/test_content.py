"""Prose in files: sections and values are found, and what is amiss is said with file, section and name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sim.telling.content import ContentError, Piece, Section, check_used, parse, read, tables

SOURCE = """short: A & B

## First
place: section 3
remark: yes

Right: one line,
broken; {{ share|percent }} of them {{ how }} late.

1. {{ all.0 }} are
  slow
2. {{ all.1|short 1 }}

### How we know
note: by two
routes.

- one.py::test, which is
  long
- other.py::test

### slowly
{{ time|counted minute }}

## Second

Told.
"""
KNOWN = SOURCE[SOURCE.index("note: by two") : SOURCE.index("\n### slowly")]
VALUES: dict[str, Any] = {"share": 0.05, "how": lambda: Piece("slowly"), "time": 1, "all": (3, 2.5)}


def test_a_file_has_facts_sections_paragraphs_and_items() -> None:
    file = parse(SOURCE, "a.md")
    first, second = file.parts.values()
    assert (file.facts, first.facts) == ({"short": "A & B"}, {"place": "section 3", "remark": "yes"})
    assert first.text == "Right: one line, broken; {{ share|percent }} of them {{ how }} late."
    assert first.items == ("{{ all.0 }} are slow", "{{ all.1|short 1 }}")
    known = first.part("How we know")
    assert (known.facts, known.text) == ({}, "note: by two routes.")
    assert known.items == ("one.py::test, which is long", "other.py::test")
    assert second == Section("a.md: Second", "Second", text="Told.")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Told.\n", "", "a.md: Second: has no text"),
        ("Told.\n", "place: here\n", "a.md: Second: has no text"),
        (KNOWN, "", "a.md: First: How we know: has no text"),
        ("## Second", "## First", "a.md: First is there twice"),
        ("### slowly", "### How we know", "a.md: First: How we know is there twice"),
        ("remark: yes", "remark:", "a.md: First: remark: is no fact"),
        ("remark: yes", "place: yes", "a.md: First: place: yes is no fact"),
        ("{{ how }}", "{{how }}", "a.md: no name in braces: broken; {{ share"),
        ("{{ how }}", "{{", "a.md: no name in braces: broken; {{ share"),
    ],
)
def test_what_is_no_section_is_refused_by_name(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(SOURCE.replace(old, new))
    with pytest.raises(ContentError, match=re.escape(said.partition("broken")[0])):
        read(path)


def test_places_have_values_items_of_them_and_pieces_in_words() -> None:
    first = parse(SOURCE, "a.md").part("First")
    assert first.told(VALUES) == "Right: one line, broken; 5.0 % of them 1 minute late."
    assert first.told(VALUES | {"how": Piece("")}) == "Right: one line, broken; 5.0 % of them late."
    assert first.listed(VALUES) == ("3 are slow", "2")


def told(text: str, **values: Any) -> str:
    """Return a text filled with values."""
    return Section("a.md: One", text=text).told(values)


def test_a_value_is_text_whatever_it_holds() -> None:
    assert told("{{ a-b }} and {{ c.d }}", **{"a-b": r"\1 {{ c }}", "c": {"d": 3}}) == r"\1 {{ c }} and 3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ many }}", "{{ many }} has no value"),
        ("{{ pair.2 }}", "{{ pair.2 }} has no value"),
        ("{{ share.half }}", "{{ share.half }} has no value"),
        ("{{ share }}", "{{ share }} has to be written by one of counted, listed, number"),
        ("{{ share|per_cent }}", "{{ share|per_cent }} has to be written by one of counted"),
        ("{{ how }}", "slowly is missing"),
    ],
)
def test_a_place_that_cannot_be_filled_is_named(text: str, said: str) -> None:
    with pytest.raises(ContentError, match=re.escape(f"a.md: One: {said}")):
        told(text, share=0.05, pair=(1, 2), how=Piece("slowly"))


def test_a_value_that_no_section_shows_is_named() -> None:
    first, second = parse(SOURCE, "a.md").parts.values()
    check_used(VALUES, second, first)
    with pytest.raises(ContentError, match=r"^a.md: First: {{ few }} is computed and not used$"):
        check_used([*VALUES, "few"], first, second)


def test_what_is_missing_or_not_known_is_named_with_its_place() -> None:
    first = parse(SOURCE, "a.md").part("First")
    first.check(["place", "slowly"], ["remark", "How we know", "Printed"], text=True, items=True)
    with pytest.raises(ContentError, match=r"^a.md: First: Printed is missing$"):
        first.check(["Printed", "place"], text=True, items=True)
    with pytest.raises(ContentError, match=r"^a.md: First: remark is not known$"):
        first.check(["place"], ["slowly", "How we know"], text=True, items=True)
    with pytest.raises(ContentError, match=r"^a.md: First: slowly: has to be text and a list, and nothing"):
        first.part("slowly").check(text=True, items=True)


def test_tables_have_each_text_in_one_line_and_none_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[one]\nsaid = """\nTold in\ntwo lines."""\nnumber = 1.5\nwhy.not = "So."\n')
    assert tables(path) == {"one": {"said": "Told in two lines.", "number": 1.5, "why": {"not": "So."}}}
    path.write_text('[one]\nwhy.not = " "\n')
    with pytest.raises(ContentError, match=r"a.toml: one: why: not: has no text"):
        tables(path)
