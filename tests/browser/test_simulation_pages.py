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


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_key_on_a_slider_changes_the_numbers_and_the_link(visit: Visit) -> None:
    page = opened(visit, "/cloning")
    before = numbers(page)
    page.get_by_role("slider", name="Probability p").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?v=1&p=0.1$"))
    changed(page, lambda: numbers(page), before, FIRST)
