"""A document says the same as HTML and as text, runs nothing foreign, and is written in one place."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path

import pandas as pd
from markdown_it import MarkdownIt

from sim.telling.document import (
    Drawn,
    Folded,
    Head,
    Lines,
    Part,
    Said,
    Table,
    as_html,
    as_markdown,
    as_text,
    whole,
)
from tests.depth import each
from tests.foreign import HOSTILE, alive

ROOT = Path(__file__).resolve().parents[3]
FIGURE = {"data": [{"x": [1, 2], "y": [3, 4], "name": "</script><script>alert(1)</script>"}], "layout": {}}


def parts(text: str) -> list[Part]:
    """Return a part of each kind that has this text wherever it has any."""
    cell = text.encode(errors="replace").decode()  # Arrow, which holds tables, has no halves of letters
    table = pd.DataFrame({cell: [cell, 1.5], "more": ["", cell]})
    listed: list[Part] = [Head(text, 1), Head(text), Said(text), Said(text, small=True), Lines(text)]
    listed += [Table(table), Table(table, wraps=True, headed=False), Drawn("place", [FIGURE], text, text)]
    return [*listed, Folded(text, listed[:4])]


@each("text", HOSTILE.values() if isinstance(HOSTILE, dict) else HOSTILE)
def test_foreign_text_is_shown_letter_by_letter(text: str) -> None:
    page = as_html(text, parts(text))
    ours = page[: page.index("<script>")]
    tags = set(re.findall(r"</?([a-zA-Z!][\w-]*)", ours))
    assert tags <= {
        *("!doctype", "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "small", "pre"),
        *("div", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    }
    assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', "", ours))
    assert "\x1b" not in page + as_text(parts(text))


#: What a renderer makes of the parts: no link, image, HTML or emphasis but for a small heading.
MADE = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence"),
    *("table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close"),
    *("tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close"),
    *("text", "text_special", "code_inline", "strong_open", "strong_close", "softbreak"),
}


@each("text", HOSTILE.values())
def test_foreign_text_is_no_markup_in_markdown(text: str) -> None:
    found = as_markdown(parts(text))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(found)
    inside = [one for token in tokens for one in token.children or ()]
    assert {one.type for one in [*tokens, *inside]} <= MADE
    kinds = [one.type for one in tokens]
    # two tables of two columns, with two rows each below their heads
    assert (kinds.count("table_open"), kinds.count("th_open"), kinds.count("td_open")) == (2, 4, 8)
    assert (kinds.count("fence"), kinds.count("heading_open")) == (1, 4)
    assert [one.type for one in inside].count("strong_open") == 1  # of the parts that are folded
    lines = [line for line in found.splitlines() if not line.startswith(("#", "**", "|"))]
    outside = re.sub(r"^(`{3,})\n.*?^\1$", "", "\n".join(lines), flags=re.MULTILINE | re.DOTALL)
    assert not any(map(alive, outside.splitlines()))
    assert "\x1b" not in found


def test_a_document_in_markdown_has_all_its_parts() -> None:
    found = as_markdown([Head("a", 1), Head("b"), Head("c", 3), Said("d"), Folded("e", [Said("f")])])
    assert found.split("\n\n") == ["# a", "## b", "**c**", "d", "**e**", "f"]


def test_a_policy_lets_the_scripts_of_a_file_run_and_no_other() -> None:
    plain, drawn = as_html("", [Said("x")]), as_html("", [Drawn("x", [FIGURE, FIGURE], "alt")])
    assert "script-src" not in plain
    scripts = re.findall(r"<script>(.*?)</script>", drawn, re.DOTALL)
    assert len(scripts) == 2
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', drawn)
    assert re.search(r"script-src ([^;]*)", policy)[1] == " ".join(f"'sha256-{one}'" for one in digests)
    assert policy.startswith("default-src 'none'")
    style = re.search(r"<style>(.*?)</style>", plain, re.DOTALL)[1]
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in plain


def test_html_and_text_say_the_same_in_the_same_order() -> None:
    said = [f"part number {number}" for number in range(8)]
    table = pd.DataFrame({said[3]: [said[4]], "wide": ["not in a terminal"]})
    listed = [
        *(Head(said[0], 1), Said(said[1]), Lines(said[2]), Table(table, narrow=(said[3],))),
        Folded(said[5], [Said(said[6]), Head(said[7])]),
    ]
    page, text = html.unescape(as_html("", listed)), as_text(listed)
    for told in (page, text):
        places = [told.index(one) for one in said]
        assert places == sorted(places)
    assert "not in a terminal" in page
    assert "not in a terminal" not in text


def test_one_place_writes_whole_files_of_html() -> None:
    sources = [path for folder in ("sim", "pages", "theory") for path in (ROOT / folder).rglob("*")]
    found = [
        path.name
        for path in sources
        if path.suffix in (".py", ".jinja") and "<html lang=" in path.read_text()
    ]
    assert found == ["document.jinja"]
    assert whole("", "").startswith("<!doctype html>\n")
