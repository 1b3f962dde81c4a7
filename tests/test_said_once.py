"""An answer is said in one place: no two modules make one sentence, and one writes shares and times."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Words from which on a text is a sentence.
WORDS = 6
#: Sources of other things than answers: a title of Errata is how a claim names it, the menu has the questions
#: of pages, controls and rules say what a number is, readers what they left out, refusals what is accepted.
OTHERS = re.compile(
    r"pages/(errata|frame|lessons|start|server)/|controls\.py|sim/(logs/formats|papers|engines|running/contract|shell)/"
    r"|theory/"
)


def texts(source: str) -> Iterator[str]:
    """Yield the texts of a source that are no docstrings, with a mark for each value in them."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield " ".join(node.value.split())


def said_twice(sources: dict[str, str]) -> dict[str, set[str]]:
    """Return the sentences that several of these sources have, with their names."""
    found = defaultdict(set)
    for name, source in sources.items():
        for text in texts(source):
            if len(re.findall(r"[A-Za-z]+", text)) >= WORDS and text[:1].isupper():
                found[text].add(name)
    return {text: names for text, names in found.items() if len(names) > 1}


def test_no_two_modules_say_the_same() -> None:
    paths = [path for folder in ("sim", "pages") for path in (ROOT / folder).rglob("*.py")]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    answers = {name: path.read_text() for name, path in names.items() if not OTHERS.search(name)}
    assert len(answers) > 200
    assert said_twice(answers) == {}


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ('def f(value):\n    return f"The mean of all job times is {value} s."', True),
        ('def f(value):\n    return f"The median of all job times is {value} s."', False),
        ('def f(value):\n    """The mean of all job times is"""', False),
    ],
)
def test_a_sentence_that_is_made_twice_is_found(second: str, found: bool) -> None:
    first = 'TOLD = f"The mean of all job times is {now:.1f} seconds."'
    assert bool(said_twice({"first": first, "second": second})) == found


#: A percent sign or a unit of time behind a value.
UNIT = re.compile(r" ?%|\s(?:ms|s|min|h|d)\b")
#: Helpers that may write a share themselves, and why.
BY_HAND = {
    "pages/room/details.py:_rows": "the width of a bar in CSS",
}


def by_hand(source: str) -> Iterator[str]:
    """Yield the private helpers of a source that write a share in percent, or a time, by hand."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_"):
            inside = list(ast.walk(node))
            written = (one for one in inside if isinstance(one, ast.JoinedStr))
            chosen = any(isinstance(one, ast.Name) and one.id == "unit_for" for one in inside)
            says = node.returns is not None and ast.unparse(node.returns) == "str"
            if any(map(_is_by_hand, written)) or (chosen and says):
                yield node.name


def _is_by_hand(text: ast.JoinedStr) -> bool:
    """Whether a value with a format of its own is a share, or has a unit of time behind it."""
    for value, behind in zip(text.values, [*text.values[1:], ast.Constant("")], strict=True):
        if isinstance(value, ast.FormattedValue) and value.format_spec is not None:
            follows = behind.value if isinstance(behind, ast.Constant) else ""
            if "%" in ast.unparse(value.format_spec) or UNIT.match(str(follows)):
                return True
    return False


def test_shares_and_times_are_written_by_one_module() -> None:
    paths = [path for folder in ("sim", "pages") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    del names["sim/telling/words.py"]
    found = {f"{name}:{one}" for name, path in names.items() for one in by_hand(path.read_text())}
    assert found == BY_HAND.keys()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('return f"{100 * share:.0f} %"', True),
        ('return f"a tail of {share:.1%}, or less"', True),
        ('return f"it takes {time:,.1f} s"', True),
        ("return number(time / unit_for(time).seconds)", True),
        ('return f"{in_percent(share)} of the jobs, {time:.2f} times as long"', False),
        ('return f"{spell(time)} so far"', False),
    ],
)
def test_a_share_or_a_time_that_is_written_by_hand_is_found(body: str, found: bool) -> None:
    assert bool([*by_hand(f"def _told(share: float, time: float) -> str:\n    {body}")]) == found
    assert [*by_hand(f"def told(share: float, time: float) -> str:\n    {body}")] == []
