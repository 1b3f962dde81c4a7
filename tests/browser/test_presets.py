"""A preset of every page is drawn, with ``-m slow`` all of them; `tests.pages.test_presets` runs each."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS
from tests.pages.test_presets import COMPARE, PANELS, assert_told, link

pytestmark = pytest.mark.browser

#: Widths of some texts in the field of the first choice, and the room there.
ROOM = """texts => {
  const field = document.querySelector('[data-testid="stSelectbox"] input');
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = getComputedStyle(field).font;
  return [texts.map(text => pen.measureText(text).width), field.clientWidth];
}"""
#: Names of chosen policies that are cut off, at their own edge or at that of their field.
TAGS = '[data-testid="stMultiSelectTagsContainer"] > span > span'
CUT_POLICIES = f"""() => [...document.querySelectorAll('{TAGS} > span')]
  .filter(one => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().bottom >
    one.closest('[data-testid="stMultiSelect"]').getBoundingClientRect().bottom)
  .map(one => one.textContent)"""
#: The last preset of each page, and the others of each.
LAST = [link(panel, list(panel.starts)[-1]) for panel in PANELS]
OTHERS = {panel.page: [link(panel, start) for start in list(panel.starts)[:-1]] for panel in PANELS}


def test_a_preset_of_every_page_is_drawn(visit: Visit) -> None:
    assert_drawn(visit, LAST)


def test_names_of_presets_and_of_five_policies_are_not_cut_off(visit: Visit) -> None:
    page = visit(link(COMPARE, "busy"))
    expect(page.locator(TAGS)).to_have_count(5, timeout=FIRST)
    titles = [start.title for panel in PANELS for start in panel.starts.values()]
    widths, room = page.evaluate(ROOM, titles)
    assert [title for title, width in zip(titles, widths, strict=True) if width > room] == []
    assert page.evaluate(CUT_POLICIES) == []


@pytest.mark.slow
@pytest.mark.parametrize("links", OTHERS.values(), ids=OTHERS)
def test_every_other_preset_of_a_page_is_drawn(visit: Visit, links: list[str]) -> None:
    assert_drawn(visit, links)


def assert_drawn(visit: Visit, links: list[str]) -> None:
    page = visit("/", wait=False)
    origin = page.url.rstrip("/")
    for address in links:
        page.goto(origin + address)
        expect(page.locator(CHARTS).first).to_be_visible(timeout=FIRST)
        wait_for_app_run(page, FIRST)
        assert page.get_by_test_id("stException").all_inner_texts() == [], address
        text = page.get_by_test_id("stMainBlockContainer").inner_text()
        assert_told(address[1:].partition("?")[0], page.get_by_test_id("stAlert").all_inner_texts(), text)
