"""The page What-if in a real browser: from the drop of a log to the lines to paste."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from sim.advice.whatif.systems import SPARK
from sim.logs.samples import slurm, spark
from tests.browser import looks
from tests.browser.conftest import FIRST, Visit

pytestmark = pytest.mark.browser

PATH = "/whatif?v=1&replications=40"
#: Seconds from the check to the first option, and from the drop to the whole answer: 10,000 tasks.
FIRST_S, WHOLE_S = 3.0, 60.0


def opened(visit: Visit, path: str = PATH) -> Page:
    page = looks.opened(visit, path, 5, FIRST)
    expect(lines(page)).to_be_visible(timeout=FIRST)
    return page


def lines(page: Page) -> object:
    return page.get_by_test_id("stCode").filter(has_text="spark.speculation true")


def test_an_operator_drops_a_log_on_diagnose_and_pastes_a_setting(visit: Visit) -> None:
    page = looks.opened(visit, "/diagnose", 7, FIRST)
    data = spark(speculation=False).data
    page.locator('input[type="file"]').set_input_files(
        [{"name": "nightly.zstd", "mimeType": "application/octet-stream", "buffer": data}]
    )
    expect(page.get_by_text("nightly.zstd · 26 jobs")).to_be_visible(timeout=FIRST)
    page.get_by_role("link", name=re.compile("Which setting should you switch on")).click()
    expect(page.get_by_text("nightly.zstd · 26 jobs")).to_be_visible(timeout=FIRST)
    expect(page.locator('[class*="st-key-answer"]')).to_contain_text(
        re.compile("switch on speculation", re.IGNORECASE), timeout=FIRST
    )
    page.get_by_role("link", name="Lines to paste").press("Enter")
    expect(lines(page)).to_be_in_viewport()  # type: ignore[arg-type]


def test_the_page_is_used_by_keyboard_alone(visit: Visit) -> None:
    page = opened(visit)
    budget = page.get_by_role("slider", name="Budget: extra slot-time (%)")
    budget.press("ArrowRight")
    expect(page).to_have_url(re.compile("budget=6"), timeout=FIRST)
    told = looks.reached(page, 60)
    for name in ("Upload", "Or look at", "Lines to paste", "Report (HTML)"):
        assert name in told, told


def test_it_can_be_left_and_come_back_to(visit: Visit) -> None:
    page = opened(visit)
    answer = page.locator('[class*="st-key-answer"]').inner_text()
    looks.choose(page, "Formulas", "Threshold")
    expect(page).to_have_title(re.compile("Threshold"))
    looks.choose(page, "Your logs", "What-if")
    expect(page.locator('[class*="st-key-answer"]')).to_contain_text(answer[:60], timeout=FIRST)


@pytest.mark.speed
def test_ten_thousand_tasks_are_answered_soon(visit: Visit) -> None:
    page = looks.opened(visit, "/whatif?v=1&replications=100&system=spark", 5, FIRST)
    data = slurm(arrays=157).data
    begun = time.perf_counter()
    page.locator('input[type="file"]').set_input_files(
        [{"name": "large.txt", "mimeType": "text/plain", "buffer": data}]
    )
    expect(page.get_by_text("large.txt · 157 jobs")).to_be_visible(timeout=FIRST)
    answer = page.locator('[class*="st-key-answer"]')
    none = f"0 of {1 + len(SPARK.options)} settings"
    expect(answer).to_contain_text(none, timeout=FIRST)
    checked = time.perf_counter()
    expect(answer).not_to_contain_text(none, timeout=FIRST)
    assert time.perf_counter() - checked <= FIRST_S
    expect(page.get_by_text("100 replications, and 100 others")).to_be_visible(timeout=1000 * WHOLE_S)
    assert time.perf_counter() - begun <= WHOLE_S
