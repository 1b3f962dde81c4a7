"""The page Decentralised in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, wait_for_app_run

pytestmark = pytest.mark.browser

SMALL = "/decentralised?v=1&workers=20&length=20&tasks_max=5&schedulers=2"
CHARTS = ".js-plotly-plot"
#: Milliseconds for the first visitor, who may wait for a compiler.
FIRST = 400_000
ARROWS = (
    f"document.querySelectorAll('{CHARTS}')[4]._fullLayout.annotations.filter(one => one.showarrow).length"
)
RATIOS = f"document.querySelectorAll('{CHARTS}')[0]._fullData.map(one => [...one.y].join()).join(';')"


def opened(visit: Visit, path: str = SMALL, **look: object) -> Page:
    page = visit(path, wait=False, **look)
    expect(page.locator(CHARTS).nth(4)).to_be_visible(timeout=FIRST)
    wait_for_app_run(page, FIRST)
    return page


def test_a_first_visitor_sees_the_answer_without_scrolling_and_charts_that_speak(visit: Visit) -> None:
    page = opened(visit)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(page).to_have_title("Decentralised · straggler-lab")
    for card in page.get_by_test_id("stMetric").all():
        expect(card).to_be_in_viewport(ratio=1)
    expect(page.locator(CHARTS).first).to_be_in_viewport(ratio=0.3)
    for chart in page.get_by_role("figure").all():
        assert re.search(r"\d", chart.get_attribute("aria-label") or "")


def test_a_key_on_the_probes_changes_the_cards_and_the_link_which_shows_another_the_same(
    visit: Visit,
) -> None:
    page = opened(visit)
    before = page.get_by_test_id("stMetricValue").all_inner_texts()
    page.get_by_role("slider", name="Probes a task").press("ArrowLeft")
    expect(page).to_have_url(re.compile("probes=3"))
    wait_for_app_run(page, FIRST)
    after = page.get_by_test_id("stMetricValue").all_inner_texts()
    assert after[0] == before[0]  # one scheduler that knows everything sends no probes
    assert after != before
    other = opened(visit, page.url[page.url.index("/decentralised") :])
    assert other.get_by_test_id("stMetricValue").all_inner_texts() == after
    assert other.evaluate(RATIOS) == page.evaluate(RATIOS)


def test_the_keyboard_steps_through_a_decision(visit: Visit) -> None:
    page = opened(visit)
    assert page.evaluate(ARROWS) == 1
    expect(page.get_by_text("Probes out.")).to_be_visible()
    page.get_by_role("slider", name="Step").press("ArrowRight")
    expect(page.get_by_text(re.compile(r"^(Firm q|Q)uestion\."))).to_be_visible()
    page.wait_for_function(f"{ARROWS} === 2")


@pytest.mark.parametrize(("dark", "width"), [(False, 1366), (True, 1366), (False, 390)])
def test_nothing_is_wider_than_the_screen_and_every_curve_has_a_colour(
    visit: Visit, dark: bool, width: int
) -> None:
    page = opened(visit, width=width, dark=dark)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    widths = page.locator(CHARTS).evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert all(0 < one <= width for one in widths)
    colors = page.evaluate(f"document.querySelectorAll('{CHARTS}')[0]._fullData.map(one => one.line.color)")
    assert "undefined" not in str(colors)
