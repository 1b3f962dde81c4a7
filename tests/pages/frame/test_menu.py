"""The menu: every page is behind one of its doors, at its own address, and beside the others there."""

from __future__ import annotations

import dataclasses
import re
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from docs import check_links, generated
from pages.frame import foot as around
from pages.frame.menu import LAST, MENU, Entry, _made, door, entries, pages
from tests.pages.test_every_page import PAGES
from tests.pages.visits import visit
from tests.test_structure import ROOT


def test_the_menu_has_seven_doors_and_every_page_is_behind_one() -> None:
    folders = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    names = [entry.name for entry in entries()]
    assert {entry.package.split(".")[1] for entry in entries()} >= folders
    assert len({entry.title for entry in entries()}) == len({*names}) == len(names)
    assert len(MENU) <= 7
    assert all(MENU.values())


@pytest.mark.parametrize("left", ["fleet", ""])
@pytest.mark.parametrize("here", ["", *(entry.name for entry in entries())])
def test_each_door_is_one_line_of_the_menu_and_opens_where_the_visitor_is_or_left_it(
    here: str, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "Page", lambda file, **looks: SimpleNamespace(file=file, **looks))
    monkeypatch.setattr(st, "session_state", {LAST: {door(left): left}} if left else {})
    _made.cache_clear()
    try:
        made = pages(here)
    finally:
        _made.cache_clear()
    names = [page.url_path or "start" for page in made]
    assert names == [entry.name for entry in entries()]
    assert [vars(page)["default"] for page in made] == [name == "start" for name in names]
    shown = [(page.title, page.url_path or "start") for page in made if page.visibility == "visible"]
    opened = {title: listed[0].name for title, listed in MENU.items()}
    opened |= {door(name): name for name in (left, here) if name}
    assert shown == list(opened.items())


#: Links to pages whose answers take long, with which they take less.
LIGHT = PAGES | {"fleet": {"compute": "0"}}


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize("title", MENU)
def test_the_pages_of_a_door_are_tabs_of_each_of_them(title: str) -> None:
    names = [entry.name for entry in MENU[title]]
    for name in names:
        page = visit(name, **LIGHT.get(name, {})).main
        told = [one.proto.body for one in page.get("html") if "<nav" in one.proto.body]
        links = re.findall(r'<a href="(\w+)"( aria-current="page")?>([^<]+)</a>', "".join(told))
        expected = [(one.name, one.name == name, one.title) for one in MENU[title]]
        assert [(page, bool(now), text) for page, now, text in links] == expected * (len(names) > 1)


def has_chapter(entry: Entry) -> bool:
    """Whether the chapter of a page is a document, and has the heading, with its generated parts, too."""
    name, _, heading = entry.chapter.partition("#")
    document = ROOT / "docs" / f"{name}.md"
    if not document.is_file():
        return False
    text = generated.filled(document.read_text(encoding="utf-8")) if heading else ""
    return not heading or heading in {check_links.slug(one) for one in check_links.HEADING.findall(text)}


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_page_has_a_chapter_in_the_documents(entry: Entry) -> None:
    assert has_chapter(entry), entry.chapter


@pytest.mark.parametrize(
    "chapter", ["", "nowhere/at-all", "explanation/diagnosis#nowhere", "reference/theory#nowhere"]
)
def test_a_chapter_that_is_not_there_would_be_noticed(chapter: str) -> None:
    assert not has_chapter(dataclasses.replace(entries()[0], chapter=chapter))


def foot() -> None:
    from pages.frame.foot import show_chapter
    from pages.frame.menu import entry_of

    show_chapter(entry_of("whatif"))


@pytest.mark.parametrize("root", ["", "/lab/docs/", "https://lab.example.edu/docs/"])
def test_a_page_links_to_its_chapter_where_there_are_documents(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(around, "address_of_documents", lambda: root)
    shown = AppTest.from_function(foot).run()
    assert not shown.exception
    links = [(one.proto.label, one.proto.url) for one in shown.get("link_button")]
    assert links == [("What-if in the documents", f"{root}explanation/what-if.html")] * bool(root)


@pytest.mark.parametrize("is_open", [True, False])
def test_the_terms_are_sent_only_while_the_glossary_is_open(
    is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    box = SimpleNamespace(open=is_open, markdown=sent.append)
    monkeypatch.setattr(st, "expander", lambda *given, **named: box)
    around.show_glossary()
    assert bool(sent) is is_open
