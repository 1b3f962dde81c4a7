"""The menu: every page is in it once, in a group that is shown."""

from __future__ import annotations

from pages.frame.menu import MENU, entries, groups, named
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
