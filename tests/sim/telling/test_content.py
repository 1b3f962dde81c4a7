"""Prose in files: sections and values are found, and what is amiss is said with file, section and name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.telling.content import ContentError, fill, parse, read, tables

SOURCE = """short: A & B

## First

place: section 3
remark: yes

Right: one line,
broken; {{ share }} of them.

### How we know

By two
routes.

- one.py::test, which is
  long
- other.py::test

## Second

Told.
"""
KNOWN = SOURCE[SOURCE.index("By two") : SOURCE.index("\n## Second")]


def test_a_file_has_keys_sections_paragraphs_and_items() -> None:
    file = parse(SOURCE, "a.md")
    first, second = file.parts
    assert (file.key("short"), first.keys) == ("A & B", {"place": "section 3", "remark": "yes"})
    assert first.text == "Right: one line, broken; {{ share }} of them."
    assert first.filled({"share": "5 %"}).text == "Right: one line, broken; 5 % of them."
    known = first.part("How we know")
    assert known.paragraphs == "By two routes."
    assert known.items == ("one.py::test, which is long", "other.py::test")
    assert (second.title, second.text, second.keys, second.parts) == ("Second", "Told.", {}, ())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Told.\n", "", "a.md: Second: has no text"),
        ("Told.\n", "place: here\n", "a.md: Second: has no text"),
        (KNOWN, "", "a.md: First: How we know: has no text"),
        ("## Second", "## First", "a.md: two sections are called 'First'"),
        ("{{ share }}", "{{share }}", "a.md: no name in braces: broken; {{share }}"),
        ("{{ share }}", "{{", "a.md: no name in braces: broken; {{ of them"),
    ],
)
def test_what_is_no_section_is_refused_by_name(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(SOURCE.replace(old, new))
    with pytest.raises(ContentError, match=re.escape(said)):
        read(path)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "{{ share }} has no value"),
        ({"share": "5 %", "count": "3"}, "{{ count }} is computed and not used"),
    ],
)
def test_a_name_without_a_value_and_a_value_without_a_name_are_errors(
    values: dict[str, str], said: str
) -> None:
    with pytest.raises(ContentError, match=re.escape(f"a.md: First: {said}")):
        parse(SOURCE, "a.md").part("First").filled(values)


def test_a_value_is_text_whatever_it_holds() -> None:
    assert fill("{{ a.b }} and {{ c }}", {"a.b": r"\1 {{ c }}", "c": "d"}, "a.md") == r"\1 {{ c }} and d"


def test_what_is_missing_is_named_with_its_place() -> None:
    file = parse(SOURCE, "a.md")
    with pytest.raises(ContentError, match=r"a.md: First: has no section 'Printed'"):
        file.part("First").part("Printed")
    with pytest.raises(ContentError, match=r"a.md: Second: has no line 'place: ...'"):
        file.part("Second").key("place")


def test_tables_have_each_text_in_one_line_and_none_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[one]\nsaid = """\nTold in\ntwo lines."""\nnumber = 1.5\nwhy.not = "So."\n')
    assert tables(path) == {"one": {"said": "Told in two lines.", "number": 1.5, "why": {"not": "So."}}}
    path.write_text('[one]\nwhy.not = " "\n')
    with pytest.raises(ContentError, match=r"a.toml: one: why: not: has no text"):
        tables(path)
