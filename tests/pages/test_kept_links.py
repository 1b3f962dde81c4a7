"""Links of the last release: each opens a page that says the same first, with the same limits.

The list was made with the code before the menu had doors: every page, each of its starts, and links in which
controls are moved, fixed and hidden. Of the preset ``light`` of Compare it has the policies of version 0.2.0,
which were named in its links; of What-if, the action and its gain: the rest of that sentence is now below it.
Of Reproductions, how many claims there are today.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1.element_tree import Block

from pages.frame.limits import LOCK, SHOW
from tests.depth import some
from tests.pages.test_first_lines import plain, shown
from tests.pages.visits import visit

pytestmark = [pytest.mark.usefixtures("short_runs"), pytest.mark.compiled]
KEPT: list[dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
PAGES = [kept["link"].partition("?")[0] for kept in KEPT]
#: Places of the links that are usually followed: the first of each page, and every fourth.
FOLLOWED = {*map(PAGES.index, PAGES), *range(0, len(KEPT), 4)}


def blocks(block: Any) -> Iterator[Any]:
    """All blocks of a page."""
    for child in block.children.values():
        if isinstance(child, Block):
            yield child
            yield from blocks(child)


def said(app: Any) -> str:
    """Return the first sentence of the answer; where there is no answer, that of the page."""
    answers = (one for one in blocks(app.main) if "answer" in getattr(one.proto, "id", ""))
    texts = [
        one.value
        for one in shown(next(answers, app.main))
        if getattr(one, "type", "") != "html" and hasattr(one, "value")
    ]
    told = next(plain(text) for text in texts if isinstance(text, str) and len(plain(text).split()) > 3)
    return re.split(r"(?<=[\w)%])[.] |\.$", told)[0]


@pytest.mark.parametrize("kept", some(KEPT, *FOLLOWED), ids=lambda kept: kept["link"])
def test_a_link_of_the_last_release_says_what_it_said(kept: dict[str, Any]) -> None:
    page, _, query = kept["link"].partition("?")
    name = page.strip("/") or "start"
    app = visit(name, **dict(parse_qsl(query)))
    assert not app.exception
    assert said(app).startswith(kept["said"])
    limits = app.session_state[f"{name}:limits"] if LOCK in kept or SHOW in kept else None
    if LOCK in kept:
        assert sorted(limits.fixed) == kept[LOCK]
    if SHOW in kept:
        assert sorted(limits.shown) == kept[SHOW]
