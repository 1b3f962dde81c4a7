"""Every page at both widths and in both themes: all of it fits, and all that is written can be read."""

from __future__ import annotations

import tomllib

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, FONTS, assert_becomes, assert_fits, opened
from tests.browser.server import ROOT

pytestmark = pytest.mark.browser

THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
#: Addresses, and the charts of each.
PAGES = {
    "/": 1,
    "/diagnose?v=1&log=spark-copies": 8,
    "/whatif?v=1&replications=20": 4,
    "/compare?v=1&preset=small&precision=10": 5,
    "/threshold": 2,
    "/allocation": 2,
    "/allocation?v=1&instance=many": 2,
    "/allocation?v=1&instance=gap": 2,
    "/cloning": 4,
    "/detection": 6,
    "/coding?v=1&jobs=5000&learned=1": 6,
    "/decentralised?v=1&workers=20&length=20&tasks_max=5&schedulers=2": 5,
    "/reproductions?v=1&claim=hopper-fig5a-plateau": 3,
    "/errata": 7,
}
#: Colours of all lines.
LINES = f"""() => [...document.querySelectorAll('{CHARTS}')]
  .flatMap(chart => chart._fullData.map(one => one.line?.color ?? ''))"""
COLORWAY = f"document.querySelector('{CHARTS}')._fullLayout.colorway"
#: Width and height of a phone and of a laptop.
SCREENS = ((390, 844), (1366, 768))


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(part) for part in bytes.fromhex(color[1:]))})"


@pytest.mark.parametrize("path", PAGES)
def test_all_fits_and_can_be_read_in_both_themes_and_on_a_phone(visit: Visit, path: str) -> None:
    page = opened(visit, path, PAGES[path], FIRST)
    expect(page.locator(CHARTS)).to_have_count(PAGES[path])
    expect(page.get_by_test_id("stException")).to_have_count(0)
    for theme in ("light", "dark"):
        if theme == "dark":  # the ink of a chart is that of the theme it was drawn in
            page.emulate_media(color_scheme="dark")
            page.reload()
            expect(page.locator(CHARTS)).to_have_count(PAGES[path], timeout=FIRST)
        assert_themed(page, THEMES[theme])
        if path == "/":  # whose bars take the colours of the theme in order
            assert page.evaluate(COLORWAY) == THEMES[theme]["chartCategoricalColors"]
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            assert_fits(page, width)


def assert_themed(page: Page, theme: dict[str, str]) -> None:
    """Assert that page and charts have the colours of a theme, and small print is of at least 12 px."""
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", rgb(theme["backgroundColor"]))
    wait_for_app_run(page, FIRST)
    assert_becomes(lambda: {color for _, color in page.evaluate(FONTS)}, {theme["textColor"]})
    assert min(size for size, _ in page.evaluate(FONTS)) >= 12
    assert "undefined" not in str(page.evaluate(LINES)), "the theme gives a curve no colour"
