"""The first line of every page: its answer or its invitation, subject first, short, and no bookkeeping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1.element_tree import Block, Markdown

from pages.frame.menu import entries
from tests.pages.visits import visit

pytestmark = [pytest.mark.usefixtures("short_runs"), pytest.mark.compiled]
#: Words of a first sentence at most, numbers with their units and intervals aside.
MOST = 20
#: Words with which a sentence begins whose subject comes later.
LATER = re.compile(
    r"(After|Against|At|Because|Beyond|By|For|From|If|In|Of|On|Since|Under|Up|When|Where|While|With|Without) "
)
BOOKKEEPING = re.compile(r"replication|warm-up|\bseed\b|:material/check|jobs counted")
#: Blocks that are folded, or beside the page.
FOLDED = {"expander", "popover", "dialog"}


def shown(block: Any) -> Iterator[Any]:
    """Elements of a page in their order, but for those that are folded."""
    for child in block.children.values():
        if isinstance(child, Block):
            if child.type not in FOLDED:
                yield from shown(child)
        else:
            yield child


def plain(text: str) -> str:
    """Return Markdown as it is read."""
    return re.sub(r"\*\*|\$|:\w+\[|\]", "", re.sub(r"\s+", " ", text)).strip()


def first_sentence(text: str) -> str:
    """Return the first sentence: a colon, too, ends what is said first."""
    return re.split(r"(?<=[\w)%])[.:;] |\.$", plain(text))[0]


@pytest.mark.parametrize("page", [entry.name for entry in entries()])
def test_the_first_line_is_short_begins_with_its_subject_and_counts_nothing(page: str) -> None:
    app = visit(page)
    assert not app.exception
    texts = [one.value for one in shown(app.main) if isinstance(one, Markdown) or one.type == "caption"]
    first = next(plain(text) for text in texts if len(plain(text).split()) > 3)
    sentence = first_sentence(first)
    numbers = re.sub(r"\([^)]*\)", "", sentence)  # an interval
    assert len(numbers.split()) <= MOST, sentence
    assert not LATER.match(sentence), sentence
    assert not BOOKKEEPING.search(first), first
