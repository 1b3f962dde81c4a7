"""An answer is said in one place: no two modules have a sentence of their own that begins alike."""

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
    r"pages/(errata|frame|lessons|start|server)/|controls\.py|sim/(traces/formats|claims|slots|probes|gang|contract)/"
    r"|command\.py|theory/"
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
    assert len(answers) > 250
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
