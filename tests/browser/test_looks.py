"""Every page at both widths and in both themes: all of it fits, is readable and accessible."""

from __future__ import annotations

import re
import tomllib

import pytest
from playwright.sync_api import Page, expect

from pages.frame.menu import entries
from tests.browser.axe import ALL, COLOURS, SHAPE, found
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, FONTS, assert_becomes, assert_fits, opened, resize
from tests.browser.server import ROOT
from tests.browser.terms import assert_explains

pytestmark = pytest.mark.browser

THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
#: Addresses, and the charts of each.
PAGES = {
    "/": 0,
    "/learn?v=1&lesson=2": 1,
    "/diagnose?v=1&log=spark-copies": 9,
    "/whatif?v=1&replications=20": 5,
    "/beforeafter?v=1&runs=nightly": 4,
    "/fleet": 2,
    "/wait": 2,
    "/compare?v=1&preset=small&precision=10": 5,
    "/map": 1,
    "/threshold": 2,
    "/allocation": 2,
    "/allocation?v=1&instance=many": 2,
    "/cloning": 4,
    "/detection": 6,
    "/coded": 2,
    "/rollouts": 2,
    "/coding?v=1&jobs=5000&learned=1": 6,
    "/decentralised?v=1&workers=20&length=20&tasks_max=5&schedulers=2": 5,
    "/reproductions?v=1&claim=hopper-fig5a-plateau": 3,
    "/errata": 7,
    "/room": 0,
}
#: Screens of a phone above the first chart, at most.
DEEP = 1.5
#: What a page begins with; Start with its sandbox and its doors.
HEAD = ["[class*='st-key-answer']", "[data-testid='stMetric']", CHARTS]
START = [".sandbox canvas", ".sandbox-controls", ".st-key-doors a"]
#: Where the first of each of these ends, or all of them, in pixels from above.
BEGINS = """([whats, most]) => whats.flatMap(what => [...document.querySelectorAll(what)].slice(0, most))
  .map(one => one.getBoundingClientRect().bottom)"""
#: Cards that a first visitor sees whole on a laptop, where nothing is to be warned of.
CARDS = {
    "/compare": 1,
    "/threshold": 4,
    "/allocation": 4,
    "/cloning": 4,
    "/detection": 4,
    "/coded": 4,
    "/rollouts": 4,
    "/coding": 4,
    "/decentralised": 4,
    "/diagnose": 5,
    "/wait": 4,
}
TITLES = {entry.name: entry.title for entry in entries()}
#: Colours of all lines.
LINES = f"""() => [...document.querySelectorAll('{CHARTS}')]
  .flatMap(chart => chart._fullData.map(one => one.line?.color ?? ''))"""
#: What of a card is not seen, though nothing of it is a chart.
CUT_CARDS = """() => [...document.querySelectorAll('[data-testid="stMetric"]')]
  .map(one => one.closest('[data-testid="stVerticalBlock"]'))
  .flatMap(card => [...card.querySelectorAll(':scope > [data-testid="stElementContainer"] p')])
  .filter(one => !one.getClientRects().length).map(one => one.textContent)"""
#: Whether the chart whose turn it is can be seen, with the last headline before it.
OVER = """() => {
  const [shown, ...more] = document.querySelectorAll('[data-shown]');
  const heads = [...document.querySelectorAll('[data-testid="stMain"] h2')]
    .filter(one => one.compareDocumentPosition(shown) & Node.DOCUMENT_POSITION_FOLLOWING);
  const seen = [shown, ...heads.slice(-1)].every(one => one.getClientRects().length);
  return !more.length && seen;
}"""
#: Widths and heights of a phone and of a laptop.
PHONE, LAPTOP = (390, 844), (1366, 768)
#: What axe-core looks for: a theme changes colours only, and on a phone they are those seen before.
SOUGHT = {("light", LAPTOP): ALL, ("light", PHONE): SHAPE, ("dark", LAPTOP): COLOURS}
#: Milliseconds until what is marked after a change of the page has been marked.
SOON = 20_000


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(part) for part in bytes.fromhex(color[1:]))})"


@pytest.mark.parametrize("path", PAGES)
def test_all_fits_and_can_be_read_in_both_themes_and_on_a_phone(visit: Visit, path: str) -> None:
    page = opened(visit, path, PAGES[path], FIRST)
    expect(page.locator(CHARTS)).to_have_count(PAGES[path])
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert_speaks(page, path.partition("?")[0])
    assert_explains(page, path.partition("?")[0])
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # a page that is open asks for charts in the new ink
        assert_themed(page, THEMES[theme])
        for screen in (LAPTOP, PHONE):
            resize(page, *screen)
            assert_fits(page, screen[0])
            if sought := SOUGHT.get((theme, screen)):
                wait_for_app_run(page, FIRST)
                assert_becomes(lambda options=sought: found(page, options), [], SOON)
                if PAGES[path] or path == "/":
                    assert_begins(page, screen, path)
    assert_presents(page)


def assert_speaks(page: Page, name: str) -> None:
    """Assert that a first visitor sees the question and its answer, and that charts have numbers in words."""
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(page).to_have_title(f"{TITLES[name[1:] or 'start']} · straggler-lab")
    for chart in page.get_by_role("figure").all():
        expect(chart).to_have_attribute("aria-label", re.compile(r"\d"))
    if name in CARDS:
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
        for card in page.get_by_test_id("stMetric").all()[: CARDS[name]]:
            expect(card).to_be_in_viewport(ratio=1)
        assert_becomes(lambda: "…" in page.get_by_test_id("stMetricValue").all_inner_texts(), False)


def assert_begins(page: Page, screen: tuple[int, int], path: str) -> None:
    """Assert that a page begins with its result.

    A laptop shows answer, first card and first chart whole; of a phone the chart begins on the second screen.
    Of Start a laptop shows sandbox and doors; a phone begins with the sandbox.
    """
    start = path == "/"
    first = page.locator(START[0] if start else CHARTS).first
    if screen == PHONE:
        top = "one => one.getBoundingClientRect().top"
        assert_becomes(lambda: first.evaluate(top) <= DEEP * PHONE[1], True, SOON)
    else:
        what = [START, 99] if start else [HEAD, 1]
        assert_becomes(lambda: [one for one in page.evaluate(BEGINS, what) if one > LAPTOP[1]], [], SOON)


def assert_presents(page: Page) -> None:
    """Assert that presenter mode has whole cards, and over each chart the headline under which it stands."""
    page.evaluate("history.replaceState(null, '', new URL('?present=1', location))")
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert_becomes(lambda: page.evaluate(CUT_CARDS), [])
    for _ in page.locator(CHARTS).all():
        assert_becomes(lambda: page.evaluate(OVER), True)
        page.keyboard.press("ArrowRight")


def assert_themed(page: Page, theme: dict[str, str]) -> None:
    """Assert that page and charts have the colours of a theme, and small print is of at least 12 px."""
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", rgb(theme["backgroundColor"]))
    wait_for_app_run(page, FIRST)
    ink = {theme["textColor"]} if page.locator(CHARTS).count() else set()
    assert_becomes(lambda: {color for _, color in page.evaluate(FONTS)}, ink)
    assert_becomes(lambda: [size for size, _ in page.evaluate(FONTS) if size < 12], [])
    assert_becomes(lambda: "undefined" in str(page.evaluate(LINES)), False)  # each curve has a colour
