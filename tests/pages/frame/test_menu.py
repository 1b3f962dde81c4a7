"""The menu: every page is in it once, in a group that is shown."""

from __future__ import annotations

import dataclasses

import pytest
from streamlit.testing.v1 import AppTest

from docs import check_links, generated
from pages.frame import foot as around
from pages.frame.menu import MENU, Entry, entries, groups, named
from pages.server.frame import _made, pages
from tests.test_structure import NO_PAGES, ROOT


def test_every_page_has_a_line_and_every_line_a_page() -> None:
    folders = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")} - set(NO_PAGES)
    names = [entry.name for entry in entries()]
    assert sorted(names) == sorted(folders)
    assert len({entry.title for entry in entries()}) == len(names)


def test_a_group_without_pages_is_not_shown_and_the_first_page_stands_alone() -> None:
    assert set(MENU) - set(groups()) == {group for group, listed in MENU.items() if not listed}
    assert next(iter(groups().values())) == (entries()[0],)


def test_the_navigation_has_the_groups_with_their_pages() -> None:
    try:
        assert {group: len(made) for group, made in pages().items()} == {
            group: len(listed) for group, listed in groups().items()
        }
    finally:
        _made.cache_clear()  # what is made without an app is of no use to one


def test_what_is_linked_by_name_is_what_there_is() -> None:
    assert [entry.name for entry in named(("errata", "no-such-page", "compare"))] == ["compare", "errata"]


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

    show_chapter("whatif")


@pytest.mark.parametrize("root", ["", "/lab/docs/", "https://lab.example.edu/docs/"])
def test_a_page_links_to_its_chapter_where_there_are_documents(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(around, "documents", lambda: root)
    shown = AppTest.from_function(foot).run()
    assert not shown.exception
    links = [(one.proto.label, one.proto.url) for one in shown.get("link_button")]
    assert links == [("What-if in the documents", f"{root}explanation/what-if.html")] * bool(root)
