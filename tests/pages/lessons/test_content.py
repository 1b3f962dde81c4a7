"""What a lesson lacks, and what nothing needs of it, is named: the file, the section and the name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pages.lessons import FILES, LESSONS, content, lesson, slowest
from pages.lessons.content import BadContent, parsed
from pages.lessons.course import needed

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "sim" / "content" / "lessons" / "slowest.md").read_text()


def without(section: str) -> str:
    """Return the text of the first lesson without a section, its pieces included."""
    return re.sub(rf"^## {section}\n.*?(?=^## |\Z)", "", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((without(name), f"sections: {name} is missing") for name in lesson.SECTIONS[:8]),
        (without("Medium"), "sections: Medium is missing"),
        (TEXT.replace("### hint\nPut $n", "### clue\nPut $n"), "sections: Medium/clue is not known"),
        (
            TEXT.replace("### hint\nPut $n = 2$ into the formula: a product of two factors.\n", ""),
            "Medium/hint: is",
        ),
        (TEXT.replace("## Watch", "## Look"), "sections: Watch is missing"),
        (f"{TEXT}\n## Look\nAt it.\n", "sections: Look is not known"),
        (f"{TEXT}\n## Watch\nAgain.\n", "Watch: is there twice"),
        (without("Watch") + "\n## Watch\n\n", "Watch: is empty"),
        (TEXT.replace("minutes: 6\n", ""), "facts: minutes is missing"),
        (TEXT.replace("minutes: 6", "minutes:"), "facts: minutes: is not one"),
        (TEXT.replace("minutes: 6", "minutes: 6\nhours: 1"), "facts: hours is not known"),
        (TEXT.replace("predict: number", "predict: colour"), "predict: colour is not known"),
        (TEXT.replace("{{ TASKS }} such", "{{ TASK }} such"), "Prediction: {{ TASK }} is not known"),
        (
            TEXT.replace("{{ MEAN|plain }} minutes", "{{ MEAN|plane }} minutes"),
            "Prediction: {{ MEAN|plane }} has to",
        ),
        (TEXT.replace("{{ TAIL|plain }})", "{{ TAIL }})"), "Prediction: {{ TAIL }} has to be written by"),
        (TEXT.replace("## Watch\n", "## Watch\n- a list\n"), "Watch: has to be text, and nothing else"),
        (TEXT.replace("## Objectives\n", "## Objectives\nThey can\n\n"), "Objectives: has to be a list, and"),
        (TEXT.replace("---\n\n## Prediction", "---\nBefore.\n## Prediction"), "facts: are missing"),
        (f"{without('Variations')}\n## Variations\n- one\n", "Variations: VALUES of the module are 3, not 1"),
    ],
)
def test_what_is_missing_or_not_needed_is_named(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "read", lambda name: parsed(f"{name}.md", text))
    with pytest.raises(BadContent, match=re.escape(f"slowest.md: {said}")):
        lesson.made("slowest")


@pytest.mark.parametrize("name", lesson.FUNCTIONS)
def test_a_function_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(slowest, name)
    with pytest.raises(
        BadContent, match=rf"slowest.md: functions: {name} is missing in pages/lessons/slowest.py"
    ):
        lesson.made("slowest")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT.replace("{{ doubled|number }}", "some"), "Answer: doubled is computed and has no place"),
        (
            TEXT.replace("{{ doubled|number }}", "{{ halved|number }}"),
            "Answer: doubled is computed and has no place",
        ),
        (TEXT.replace("\n2. Half", " Half"), "Why: has to have three sentences, not 2"),
    ],
)
def test_an_answer_has_places_for_all_that_is_computed(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "read", lambda name: parsed(f"{name}.md", text))
    made = lesson.made("slowest")
    with pytest.raises(BadContent, match=re.escape(f"slowest.md: {said}")):
        made.find(2.0)


def test_a_mistake_says_why_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("**6 to 10 min.**", "6 to 10 min:")
    monkeypatch.setattr(lesson, "read", lambda name: parsed(f"{name}.md", text))
    with pytest.raises(BadContent, match=re.escape("slowest.md: Mistakes: 6 to 10 min: ")):
        lesson.made("slowest").plan.mistakes()


def test_a_lesson_without_its_text_is_named() -> None:
    with pytest.raises(BadContent, match=r"^none\.md: is missing in sim/content/lessons$"):
        content.read("none")


def test_a_lesson_builds_on_those_before_it() -> None:
    with pytest.raises(BadContent, match=r"^second_copy\.md: needs: slowest is no lesson before it$"):
        needed({1: LESSONS[2], 2: LESSONS[1]})


@pytest.mark.parametrize("name", FILES)
def test_a_module_has_nothing_that_neither_it_nor_its_text_needs(name: str) -> None:
    text, source = content.read(name), (ROOT / "pages" / "lessons" / f"{name}.py").read_text()
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
    optional = {"RANGE", "RANDOM", "QUERY", "SANDBOX", "FILES", "asks"}
    places = text.places(*(section.partition("/")[0] for section in text.sections))
    unused = found - optional - {*lesson.FUNCTIONS} - places
    assert {one for one in unused if len(re.findall(rf"\b{one}\b", "\n".join(code))) < 2} == set()
    pieces = {section.partition("/") for section in text.sections if "/" in section}
    named = {piece for section, _, piece in pieces if section not in lesson.EXERCISES}
    assert {piece for piece in named if f'"{piece}"' not in source} == set()
