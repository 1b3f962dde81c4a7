"""The page Map in a real browser: a cell is pointed at, read by keyboard, and opened by a click."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from sim.map.shipped import default
from tests.browser import looks
from tests.browser.conftest import FIRST, Visit, wait_for_app_run

pytestmark = pytest.mark.browser

#: Where the middle of a cell is on the screen.
MIDDLE = """([i, j]) => {
  const chart = document.querySelector('.js-plotly-plot'), {xaxis, yaxis} = chart._fullLayout;
  const box = chart.getBoundingClientRect();
  return [box.x + xaxis._offset + xaxis.l2p(i), box.y + yaxis._offset + yaxis.l2p(j)];
}"""


def middle(page: Page, cell: tuple[int, int]) -> tuple[float, float]:
    page.locator(looks.CHARTS).first.scroll_into_view_if_needed()
    x, y = page.evaluate(MIDDLE, list(cell))
    return x, y


def test_a_cell_tells_its_numbers_and_opens_compare(visit: Visit) -> None:
    page = looks.opened(visit, "/map", 1, FIRST)
    expect(page.get_by_text("Computed beforehand")).to_be_visible()
    look = page.get_by_role("slider", name="How busy")  # by keyboard, below the map
    look.last.press("End")
    expect(page.get_by_text("load 0.9, β 1.2", exact=False).first).to_be_visible()
    wait_for_app_run(page)
    page.mouse.move(*looks.steady(lambda: middle(page, (11, 0))))
    tip = page.locator(".hoverlayer .hovertext")
    expect(tip).to_contain_text("load 0.9, β 1.2")
    expect(tip).to_contain_text("best: D Hopper")
    expect(tip).to_contain_text("4 replications")
    page.mouse.move(0, 0)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width, height in ((1366, 768), (390, 844)):
            looks.resize(page, width, height)
            looks.assert_fits(page, width)
    looks.resize(page, 1366, 768)
    wait_for_app_run(page)
    page.mouse.click(*looks.steady(lambda: middle(page, (11, 0))))
    expect(page).to_have_url(re.compile("/compare"), timeout=FIRST)
    scenario = default().at((11, 0)).scenario
    expect(page).to_have_url(re.compile(re.escape(f"load={scenario.load:g}")))
    expect(page).to_have_url(re.compile(f"jobs={scenario.jobs}"))
    expect(page.get_by_text("Hopper").first).to_be_visible(timeout=FIRST)


def test_a_projector_shows_all_cards_beside_the_map(visit: Visit) -> None:
    page = visit("/map?present=1", width=1920, height=1080)
    cards = page.locator(".st-key-beside [data-testid='stVerticalBlock']")
    expect(cards).to_have_count(4, timeout=FIRST)
    for card in cards.all():
        expect(card).to_be_in_viewport(ratio=1)
