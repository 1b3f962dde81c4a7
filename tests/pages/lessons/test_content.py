"""What a lesson lacks, and what nothing needs of it, is named: the file, the section and the name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pages.lessons import FILES, LESSONS, lesson, slowest
from pages.lessons.course import needed
from sim.telling.content import FOLDER, ContentError, parse, read

ROOT = Path(__file__).resolve().parents[3]
TEXT = (FOLDER / "lessons" / "slowest.md").read_text()


def without(section: str) -> str:
    """Return the text of the first lesson without a section, its pieces included."""
    return re.sub(rf"^## {section}\n.*?(?=^## |\Z)", "", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((without(name), f"{name} is missing") for name in (*lesson.SECTIONS, *lesson.EXERCISES)),
        (TEXT.replace("### hint\nPut $n", "### clue\nPut $n"), "Medium: hint is missing"),
        (f"{TEXT}\n### options\n- a\n", "Hard: options is not known"),
        (f"{TEXT}\n## Look\nAt it.\n", "Look is not known"),
        (TEXT.replace("## Watch\n", "## Watch\nplace: here\n\n"), "Watch: place is not known"),
        (TEXT.replace("minutes: 6\n", ""), "minutes is missing"),
        (TEXT.replace("minutes: 6", "minutes: 6\nhours: 1"), "hours is not known"),
        (TEXT.replace("predict: number", "predict: colour"), "predict: colour is not known"),
        (TEXT.replace("{{ TASKS }} such", "{{ TASK }} such"), "Prediction: {{ TASK }} has no value"),
        (TEXT.replace("## Watch\n", "## Watch\n- a list\n\n"), "Watch: has to be text, and nothing else"),
        (TEXT.replace("## Objectives\n", "## Objectives\nThey can\n\n"), "Objectives: has to be a list, and"),
        (TEXT.replace("\n## Prediction", "\nAbove.\n\n## Prediction"), "has to be headings, and"),
        (TEXT.replace("### hint\nPut", "### hint\n- Put"), "Medium: hint: has to be text, and nothing else"),
        (f"{without('Variations')}\n## Variations\n- one\n", "Variations: VALUES are 3, not 1"),
    ],
)
def test_what_is_missing_or_not_needed_is_named(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "read", lambda path: parse(text, path.name))
    with pytest.raises(ContentError, match=re.escape(f"slowest.md: {said}")):
        lesson.made("slowest")


@pytest.mark.parametrize("name", lesson.FUNCTIONS)
def test_a_function_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(slowest, name)
    with pytest.raises(ContentError, match=rf"slowest.md: {name} is missing in pages/lessons/slowest.py"):
        lesson.made("slowest")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("{{ doubled|number }}", "some"), "Answer: {{ doubled }} is computed and not used"),
        (TEXT.replace("\n2. Half", " Half"), "Why: has to have three sentences, not 2"),
    ],
)
def test_an_answer_has_places_for_all_that_is_computed(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "read", lambda path: parse(text, path.name))
    made = lesson.made("slowest")
    with pytest.raises(ContentError, match=re.escape(f"slowest.md: {said}")):
        made.find(2.0)


def test_a_mistake_says_why_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("**6 to 10 min.**", "6 to 10 min:")
    monkeypatch.setattr(lesson, "read", lambda path: parse(text, path.name))
    with pytest.raises(ContentError, match=re.escape("slowest.md: Mistakes: 6 to 10 min: ")):
        lesson.made("slowest").plan.mistakes()


def test_a_lesson_builds_on_those_before_it() -> None:
    with pytest.raises(ContentError, match=r"^second_copy\.md: needs: slowest is no lesson before it$"):
        needed({1: LESSONS[2], 2: LESSONS[1]})


@pytest.mark.parametrize("name", FILES)
def test_a_module_has_nothing_that_neither_it_nor_its_text_needs(name: str) -> None:
    file = read(FOLDER / "lessons" / f"{name}.md")
    source = (ROOT / "pages" / "lessons" / f"{name}.py").read_text()
    found = {
        one.id
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for one in ast.walk(target)
        if isinstance(one, ast.Name)
    }
    found |= {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    code = [line for line in source.splitlines() if not line.startswith("#:")]
    optional = {"RANGE", "RANDOM", "QUERY", "SANDBOX", "LIVE", "FINE", "FILES", "asks"}
    unused = found - optional - {*lesson.FUNCTIONS} - file.places
    assert {one for one in unused if len(re.findall(rf"\b{one}\b", "\n".join(code))) < 2} == set()
    own = [section for title, section in file.parts.items() if title not in lesson.EXERCISES]
    assert {piece for section in own for piece in section.parts if f'"{piece}"' not in source} == set()
