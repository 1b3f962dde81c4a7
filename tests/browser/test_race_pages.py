"""The pages Cloning and Detection in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, changed
from tests.browser.test_theory_pages import numbers

pytestmark = pytest.mark.browser

PAGES = {"/cloning": 4, "/detection": 6}


def opened(visit: Visit, path: str, **look: object) -> Page:
    page = visit(path, wait=False, **look)
    wait_for_app_run(page, FIRST)
    expect(page.locator(CHARTS)).to_have_count(PAGES[path.partition("?")[0]])
    return page


@pytest.mark.parametrize("path", PAGES)
def test_a_first_visitor_sees_the_question_the_answer_and_charts_that_speak(visit: Visit, path: str) -> None:
    page = opened(visit, path)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    for card in page.get_by_test_id("stMetric").all()[:4]:
        expect(card).to_be_in_viewport(ratio=1)
    assert "…" not in numbers(page)
    expect(page.locator(CHARTS).first).to_be_in_viewport(ratio=0.9)
    for chart in page.get_by_role("figure").all():
        assert re.search(r"\d", chart.get_attribute("aria-label") or "")


def test_a_key_on_a_slider_changes_the_numbers_and_the_link(visit: Visit) -> None:
    page = opened(visit, "/cloning")
    before = numbers(page)
    page.get_by_role("slider", name="Probability p").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?v=1&p=0.1$"))
    changed(page, lambda: numbers(page), before, FIRST)
