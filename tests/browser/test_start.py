"""The first screen in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from sim.presets import PRESETS
from tests.browser.conftest import Visit
from tests.browser.looks import changed
from tests.depth import some

pytestmark = pytest.mark.browser


def metric(page: Page, label: str) -> str:
    """Return the figure that the card of this label shows."""
    card = page.get_by_test_id("stMetric").filter(has_text=label)
    return card.get_by_test_id("stMetricValue").inner_text()


def wait_for_chart(page: Page, bars: int) -> None:
    expect(page.locator(".js-plotly-plot .point path")).to_have_count(bars)


def test_a_key_press_on_the_slider_moves_numbers_chart_and_link(visit: Visit) -> None:
    page = visit()
    wait_for_chart(page, bars=20)
    before = metric(page, "The job takes")
    page.get_by_role("slider", name="Tasks in the job").press("ArrowRight")
    wait_for_chart(page, bars=21)
    expect(page).to_have_url(re.compile(r"\?job_tasks=21$"))
    after = changed(page, lambda: metric(page, "The job takes"), before)
    assert float(str(after).split()[0]) > float(before.split()[0])


def test_the_keyboard_reaches_the_first_move_in_four_keys(visit: Visit) -> None:
    page = visit()
    wait_for_chart(page, bars=20)
    expect(page.get_by_role("button", name="Play")).to_have_count(3)
    stops = (
        ("Tab", page.get_by_role("button", name="Skip to the first slider")),
        ("Tab", page.get_by_test_id("stSkipToContent")),
        ("Enter", page.get_by_test_id("stMain")),
        ("Tab", page.get_by_role("button", name="Play").first),
    )
    for key, stop in stops:  # the next key only when the focus is there, as a person would
        page.keyboard.press(key)
        expect(stop).to_be_focused()


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_link_restores_what_its_sender_saw(visit: Visit) -> None:
    page = visit("/?job_tasks=8&job_copies=2")
    wait_for_chart(page, bars=16)  # eight tasks before the eight of a single copy
    expect(page.get_by_role("slider", name="Tasks in the job")).to_have_value("8")
    expect(page.get_by_role("radio", name="2")).to_be_checked()


@pytest.mark.parametrize("address", some(["/?job_tasks=1e99&job_copies=two", "/?job_tasks=-3"], 0))
def test_a_broken_link_shows_the_page_all_the_same(visit: Visit, address: str) -> None:
    page = visit(address)
    wait_for_chart(page, bars=20)
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize(
    ("door", "preset"),
    some([("Watch every slot", "small"), ("Slots to spare", "light"), ("A crowded cluster", "busy")], 0),
)
def test_a_door_leads_to_the_comparison_it_promises(visit: Visit, door: str, preset: str) -> None:
    assert preset in PRESETS
    page = visit()
    wait_for_chart(page, bars=20)  # which moves what is below it
    page.get_by_role("link", name=door).click()
    expect(page).to_have_title("Compare · straggler-lab")
    expect(page.get_by_role("combobox", name="Start from")).to_have_value(PRESETS[preset].title)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()  # the first answer, before it is refined
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_an_error_or_a_request_to_another_machine_would_be_noticed(
    visit: Visit, complaints: list[str]
) -> None:
    page = visit()
    page.evaluate("fetch('http://example.org/').catch(() => console.error('alas'))")
    assert "console error: alas" in complaints
    assert any("Content Security Policy" in one for one in complaints)
    with page.expect_request("http://example.org/"):
        page.evaluate("location.assign('http://example.org/')")  # which no policy of the page forbids
    page.close()
    assert "request to another machine: http://example.org/" in complaints
    complaints.clear()
