"""The Coding page in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import looks
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, assert_becomes, cards, changed

pytestmark = pytest.mark.browser

SHORT = "/coding?v=1&jobs=5000"
LEARNED = f"{SHORT}&learned=1"
CURVES = f"""() => JSON.stringify(document.querySelectorAll('{CHARTS}')[0]._fullData
  .filter(one => one.mode === 'lines+markers').map(one => [one.name, [...one.y]]))"""
#: Of each map the rates in it, and how far from the top of the page it is.
MAPS = f"""() => [...document.querySelectorAll('{CHARTS}')]
  .flatMap(plot => plot._fullData.filter(one => one.type === 'heatmap').map(one => [
    [...new Set([...one.z].flatMap(row => [...row]))].sort(),
    Math.round(plot.getBoundingClientRect().top)]))"""
#: Pixels by which a chart's legend reaches into its panel.
OVERLAPS = f"""() => [...document.querySelectorAll('{CHARTS}')].map(plot =>
  plot.querySelector('[class*=legend]').getBoundingClientRect().bottom
  - plot.getBoundingClientRect().top - plot._fullLayout._size.t)"""


def opened(visit: Visit, path: str = SHORT, **look: object) -> Page:
    return looks.opened(visit, path, 4, FIRST, **look)


def test_keys_move_d_without_a_new_run_and_the_load_with_one_and_the_link_restores_both(visit: Visit) -> None:
    page = opened(visit)
    before, curves = cards(page), page.evaluate(CURVES)
    page.get_by_role("slider", name="Largest demand d").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"[?&]d=60"))
    changed(page, lambda: cards(page), before, FIRST)
    assert_becomes(lambda: page.evaluate(CURVES), curves)
    page.get_by_role("slider", name="How busy").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"load=0\.55"))
    seen = changed(page, lambda: page.evaluate(CURVES), curves, FIRST)
    other = opened(visit, page.url[page.url.index("/coding") :])
    assert_becomes(lambda: cards(other), cards(page))
    assert_becomes(lambda: other.evaluate(CURVES), seen)


@pytest.mark.slow  # test_looks opens the page with it, tests/pages switches it on
def test_the_learned_policy_is_switched_on_and_its_map_stands_beside_the_step(visit: Visit) -> None:
    page = opened(visit)
    curves = page.evaluate(CURVES)
    page.get_by_text("Show the learned policy, too").click()
    expect(page).to_have_url(re.compile(r"[?&]learned=1"))
    expect(page.locator(CHARTS)).to_have_count(6, timeout=FIRST)
    wait_for_app_run(page, FIRST)
    assert_becomes(lambda: page.evaluate(CURVES), curves)  # the same jobs with the same luck
    assert_becomes(lambda: [rates for rates, _ in page.evaluate(MAPS)], [[1, 2], [1, 1.5, 2, 3]])
    assert_becomes(lambda: len({top for _, top in page.evaluate(MAPS)}), 1)
    expect(page.get_by_text("small enough jobs, low enough load", exact=True)).to_be_visible()
    assert "Learned policy" in page.get_by_test_id("stMetricLabel").last.inner_text()
    page.get_by_text("Show the learned policy, too").click()
    expect(page.locator(CHARTS)).to_have_count(4, timeout=FIRST)


def test_no_legend_reaches_into_its_panel_on_a_screen_or_a_phone(visit: Visit) -> None:
    page = opened(visit, LEARNED)
    for width in (390, 1366):
        looks.resize(page, width, 844)
        assert_becomes(lambda: max(page.evaluate(OVERLAPS)) <= 0, True)
