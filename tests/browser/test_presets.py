"""A preset of every page is drawn, with ``-m slow`` all of them; `tests.pages.test_presets` runs each."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS
from tests.pages.test_presets import PANELS, assert_told, link

pytestmark = pytest.mark.browser

#: The last preset of each page, and the others of each.
LAST = [link(panel, list(panel.starts)[-1]) for panel in PANELS]
OTHERS = {panel.page: [link(panel, start) for start in list(panel.starts)[:-1]] for panel in PANELS}


def test_a_preset_of_every_page_is_drawn(visit: Visit) -> None:
    assert_drawn(visit, LAST)


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
