"""The page Decentralised in a real browser."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import looks
from tests.browser.conftest import FIRST, Visit
from tests.browser.looks import (
    CHARTS,
    assert_becomes,
    cards,
    changed,
)

pytestmark = pytest.mark.browser

SMALL = "/decentralised?v=1&workers=20&length=20&tasks_max=5&schedulers=2"
ARROWS = (
    f"document.querySelectorAll('{CHARTS}')[4]._fullLayout.annotations.filter(one => one.showarrow).length"
)
RATIOS = f"document.querySelectorAll('{CHARTS}')[0]._fullData.map(one => [...one.y].join()).join(';')"


def opened(visit: Visit, path: str = SMALL, **look: object) -> Page:
    return looks.opened(visit, path, 5, FIRST, **look)


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_key_on_the_probes_changes_the_cards_and_the_link_which_shows_another_the_same(
    visit: Visit,
) -> None:
    page = opened(visit)
    before = cards(page)
    page.get_by_role("slider", name="Probes per task").press("ArrowLeft")
    expect(page).to_have_url(re.compile("probes=3"))
    changed(page, lambda: cards(page), before, FIRST)
    after = cards(page)
    assert after[0] == before[0]  # one scheduler that knows everything sends no probes
    other = opened(visit, page.url[page.url.index("/decentralised") :])
    assert_becomes(lambda: cards(other), after)
    assert_becomes(lambda: other.evaluate(RATIOS), page.evaluate(RATIOS))


@pytest.mark.slow  # tests/pages does the same without a browser
def test_more_phases_change_the_answer_the_curves_and_the_link(visit: Visit) -> None:
    page = opened(visit)
    before, curves = cards(page), page.evaluate(RATIOS)
    page.get_by_text("Phases of jobs").click()
    page.get_by_role("slider", name="Most phases per job").press("ArrowRight")
    expect(page).to_have_url(re.compile("phases=2"))
    expect(page.get_by_text(re.compile("Jobs have 2 phases in a chain"))).to_be_visible()
    changed(page, lambda: cards(page), before, FIRST)
    changed(page, lambda: page.evaluate(RATIOS), curves, FIRST)
    expect(page.get_by_role("slider", name="DAG weight")).to_be_visible()


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_link_with_every_control_puts_each_in_its_place(visit: Visit) -> None:
    chosen = (
        "&probes=5&refusals=1&load=0.6&beta=2&latency=0.1&tasks_max=10&per_worker=2&copies=2&benefit=0.5"
        "&phases=3&phases_law=uniform&shape=bushy&alpha=0.5&transfer_law=exponential&barrier=0.5"
        "&observe=age:0.25&rivals=hopper%2Bbudget;sparrow%2Bnone&seed=9&statistic=p50&against=latency"
    )
    path = "/decentralised?v=1&workers=20&length=20&schedulers=5" + chosen
    page = opened(visit, path)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    for name, value in (("Probes per task", "5"), ("Refusals", "1"), ("How busy", "0.6"), ("How wild", "2")):
        expect(page.get_by_role("slider", name=name).first).to_have_value(value)
    expect(page.get_by_text(re.compile("by delay$"))).to_be_visible()
    expect(page.get_by_test_id("stMetricValue")).to_have_count(3)
    assert set(parse_qs(urlsplit(page.url).query)) == set(parse_qs(urlsplit(path).query))
    other = opened(visit, page.url[page.url.index("/decentralised") :])
    expect(other).to_have_url(page.url)
    assert_becomes(lambda: cards(other), cards(page))


def test_a_bad_link_is_explained_and_the_page_works(visit: Visit) -> None:
    page = opened(visit, SMALL + "&probes=many&latency=0.2&colour=red")
    alerts = page.get_by_test_id("stAlert")
    expect(alerts).to_have_count(3)
    expect(alerts.filter(has_text="'many'")).to_have_count(1)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stMetricValue")).to_have_count(4)


@pytest.mark.slow  # tests/pages does the same without a browser
def test_the_keyboard_steps_through_a_decision(visit: Visit) -> None:
    page = opened(visit)
    assert_becomes(lambda: page.evaluate(ARROWS), 1)
    expect(page.get_by_text("Probes out.")).to_be_visible()
    page.get_by_role("slider", name="Step").press("ArrowRight")
    expect(page.get_by_text(re.compile(r"^Question\."))).to_be_visible()
    assert_becomes(lambda: page.evaluate(ARROWS), 2)
