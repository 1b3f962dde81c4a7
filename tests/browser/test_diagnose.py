"""The page Diagnose in a real browser: a log is dropped, and the answer is there."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from sim.advice.diagnosis import read_and_diagnose
from sim.logs.samples import slurm, spark
from sim.logs.source import Upload
from tests.browser import looks
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, assert_becomes, cards, changed, wait_until_idle

pytestmark = pytest.mark.browser

#: Seconds from the drop of a log of 1 MB to its answer.
GOAL_S = 1.5


def opened(visit: Visit, path: str = "/diagnose", **look: object) -> Page:
    return looks.opened(visit, path, 7, FIRST, **look)


def sentence(page: Page) -> str:
    return page.get_by_role("heading", level=2).first.inner_text().replace("\xa0", " ")


def drop(page: Page, *files: Upload) -> None:
    page.locator('input[type="file"]').set_input_files(
        [{"name": file.name, "mimeType": "application/octet-stream", "buffer": file.data} for file in files]
    )


def test_a_file_that_is_dropped_is_diagnosed_and_seen_by_nobody_else(visit: Visit) -> None:
    page = opened(visit)
    before = cards(page)
    drop(page, Upload("nightly-of-ann.zstd", spark(speculation=True).data))
    expect(page.get_by_text("nightly-of-ann.zstd · 26 jobs")).to_be_visible(timeout=FIRST)
    changed(page, lambda: cards(page), before, FIRST)
    assert_becomes(lambda: sentence(page), read_and_diagnose(spark(speculation=True)).first)
    expect(page.get_by_role("combobox", name="Or look at")).to_be_disabled()
    other = opened(visit)
    assert "nightly-of-ann" not in other.content()
    drop(other, Upload("nightly-of-bob.zstd", spark(speculation=True).data))
    expect(other.get_by_text("nightly-of-bob.zstd · 26 jobs")).to_be_visible(timeout=FIRST)
    assert "nightly-of-ann" not in other.content()
    assert "nightly-of-bob" not in page.content()


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_file_that_is_no_log_is_refused_with_line_and_reason(visit: Visit) -> None:
    page = opened(visit)
    drop(page, Upload("notes.txt", b"dear diary\n"))
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("notes.txt, line 1: 'dear diary", timeout=FIRST)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Remove|Delete")).first.click()
    expect(alert).to_have_count(0)
    expect(page.locator(CHARTS).nth(6)).to_be_visible(timeout=FIRST)


def test_the_keyboard_reaches_the_log_the_samples_and_the_stage(visit: Visit) -> None:
    page = opened(visit)
    told = looks.reached(page, 30)
    for name in ("Upload", "Or look at", "Which files?", "A stage"):
        assert name in told, told
    assert_a_table_is_one_stop(page)


def assert_a_table_is_one_stop(page: Page) -> None:
    """Keys reach a table's tools, then the table, then what is behind; arrow keys go to each tool."""
    table = page.get_by_test_id("stDataFrame").first
    tools, grid = table.get_by_role("button"), table.locator("canvas").first
    expect(grid).to_be_attached(timeout=FIRST)
    expect(tools.first).to_be_attached(timeout=FIRST)
    wait_until_idle(page)  # a table that is drawn again loses the focus
    grid.focus()
    page.keyboard.press("Shift+Tab")
    expect(tools.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tools.nth(1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(grid).to_be_focused()
    page.keyboard.press("Tab")
    expect(table.locator(":focus")).to_have_count(0)
    expect(page.locator(":focus")).to_have_count(1)


def test_a_job_is_chosen_by_keyboard(visit: Visit) -> None:
    page = opened(visit, "/diagnose?v=1&log=spark-copies")
    last = f"[...document.querySelectorAll('{CHARTS}')].at(-1)._fullData.map(one => one.x.length).join()"
    before = page.evaluate(last)
    box = page.get_by_role("combobox", name=re.compile("A stage"))
    box.press("ArrowDown")
    box.press("ArrowDown")
    box.press("Enter")
    changed(page, lambda: page.evaluate(last), before)


@pytest.mark.speed
def test_the_first_answer_of_a_log_of_1_mb_comes_soon(visit: Visit) -> None:
    """From the drop to the new sentence, each time; the process that reads was loaded with the page."""
    data = slurm(arrays=160).data
    assert 0.9e6 < len(data) < 1.2e6
    page, found = opened(visit), []
    for number in range(3):
        begun = time.perf_counter()
        drop(page, Upload(f"log-{number}.txt", data))
        expect(page.get_by_text(f"log-{number}.txt · 160 jobs")).to_be_visible(timeout=FIRST)
        found.append(time.perf_counter() - begun)
        wait_for_app_run(page)
        page.get_by_role("button", name=re.compile("Remove|Delete")).first.click()
        expect(page.get_by_text(f"log-{number}.txt ·")).to_have_count(0)
        wait_for_app_run(page)
    assert max(found) <= GOAL_S, found
