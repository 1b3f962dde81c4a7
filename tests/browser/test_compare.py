"""The Compare page in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import looks
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import (
    CHARTS,
    assert_becomes,
    cards,
    changed,
    wait_until_idle,
)

pytestmark = pytest.mark.browser

SMALL = "/compare?v=1&preset=small&precision=10"
CURVES = f"""() => JSON.stringify(document.querySelectorAll('{CHARTS}')[0]._fullData
  .filter(one => one.mode === 'lines').map(one => [...one.x]))"""


#: What is looked at of an answer, and the menu that has it.
LOOKS = {"Lead with": ("Mean", "Median", "p95"), "Distributions as": ("CDF", "Tail")}
#: The stops of the keyboard and the words, numbers included, on the first screen, without menu and bar.
FIRST_SIGHT = """() => {
  const bar = 'nav.tabs, [data-testid="stHeader"], #frame-bar, #frame-skip, [data-testid="stLogoLink"]';
  const seen = box => box.width > 1 && box.height > 1 && box.top < innerHeight && box.bottom > 0;
  const shown = one => one.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && !one.closest('details:not([open]) > :not(summary)');
  const stops = [...document.querySelectorAll('a[href], button, input, [tabindex], summary')].filter(one =>
    one.tabIndex >= 0 && !one.disabled && !one.closest(bar) && one.checkVisibility()
    && !one.matches('[data-testid="stMain"]') && seen(one.getBoundingClientRect()));
  const walker = document.createTreeWalker(document.getElementById('root'), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const host = walker.currentNode.parentElement, range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    if (!host.closest(bar + ', [data-testid="stIconMaterial"], style') && shown(host)
        && seen(range.getBoundingClientRect()))
      words += walker.currentNode.textContent.split(/\\s+/).filter(one => /[\\p{L}\\p{N}]/u.test(one)).length;
  }
  return [stops.map(one => one.ariaLabel ?? one.textContent), words];
}"""


#: Counts how often a chart that is there is drawn again.
COUNT_AGAIN = f"""() => {{
  window.again = {{}};
  const listened = new WeakSet(document.querySelectorAll('{CHARTS}'));
  const listen = chart => {{
    listened.add(chart);
    window.again[chart._fullLayout.uirevision] ??= 0;
    chart.on('plotly_beforeplot', () => window.again[chart._fullLayout.uirevision]++);
  }};
  new MutationObserver(() => [...document.querySelectorAll('{CHARTS}')]
    .filter(chart => chart.on && chart._fullLayout && !listened.has(chart)).forEach(listen)
  ).observe(document.body, {{subtree: true, childList: true, attributes: true}});
}}"""


def opened(visit: Visit, path: str = SMALL, **look: object) -> Page:
    return looks.opened(visit, path, 4, FIRST, **look)


def choose(page: Page, choice: str) -> None:
    """Choose what is looked at of the answer."""
    (menu,) = (name for name, offered in LOOKS.items() if choice in offered)
    page.locator(".st-key-looks").get_by_role("combobox", name=menu).click()
    page.get_by_role("option", name=choice, exact=True).click()


def test_the_first_screen_has_at_most_20_stops_of_the_keyboard_and_300_words(visit: Visit) -> None:
    page = opened(visit, "/compare?precision=10", width=1366, height=768)
    stops, words = page.evaluate(FIRST_SIGHT)
    assert {"Start from", "Lead with"} <= {*stops}
    assert len(stops) <= 20, stops
    assert 100 < words <= 300


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_key_on_the_load_slider_changes_cards_chart_and_link(visit: Visit) -> None:
    page = opened(visit)
    before, curves = cards(page), page.evaluate(CURVES)
    page.get_by_role("slider", name="How busy").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"load=0\.75"))
    changed(page, lambda: cards(page), before)
    changed(page, lambda: page.evaluate(CURVES), curves)


def test_a_chart_that_changes_is_drawn_once(visit: Visit) -> None:
    page = opened(visit, "/compare?v=2&preset=light&precision=10")
    page.evaluate(COUNT_AGAIN)
    before = cards(page)
    page.get_by_role("slider", name="How busy").press("ArrowLeft")
    changed(page, lambda: cards(page), before, FIRST)
    wait_until_idle(page)
    names = ("distribution of flowtime, body", "usage", "threshold", "distribution of resource, body")
    assert page.evaluate("window.again") == dict.fromkeys(names, 0)


def test_a_shared_link_shows_another_visitor_the_same(visit: Visit) -> None:
    five = "fair%2Blate;hopper%2Bbudget;srpt%2Bnone;fair%2Bmantri;fifo%2Bnone"
    page = opened(visit, SMALL + f"&load=0.6&policies={five}&epsilon=0.5")
    looks.assert_fits(page, 1366)
    before = cards(page)
    page.get_by_role("slider", name="How wild").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"beta=1\.6"))
    seen = changed(page, lambda: cards(page), before)
    other = opened(visit, page.url[page.url.index("/compare") :])
    assert_becomes(lambda: cards(other), seen)
    assert_becomes(lambda: other.evaluate(CURVES), page.evaluate(CURVES))
    expect(other).to_have_url(page.url)


def test_a_bad_link_is_explained_and_the_page_works(visit: Visit) -> None:
    page = opened(visit, SMALL + "&load=fast&slots=3&colour=red")
    alerts = page.get_by_test_id("stAlert")
    expect(alerts).to_have_count(3)
    expect(alerts.filter(has_text="'fast'")).to_have_count(1)
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.slow  # tests/pages does the same without a browser
def test_an_upload_is_simulated(visit: Visit) -> None:
    page = opened(visit)
    before = cards(page)
    rows = "job_id,submit,tasks\n" + "".join(f"j{i},{2 * i},{1 + i % 9}\n" for i in range(40))
    page.get_by_test_id("stExpander").filter(has_text="More").first.locator("summary").first.click()
    page.get_by_text("Your own jobs").click()
    page.locator('input[type="file"]').set_input_files(
        {"name": "jobs.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    expect(page.get_by_text("the arrivals are recorded").first).to_be_visible(timeout=FIRST)
    changed(page, lambda: cards(page), before, FIRST)


def test_the_answer_gets_better_while_one_looks(visit: Visit) -> None:
    page = visit("/compare?v=2&preset=light&seed=4321&precision=0.5", wait=False)
    expect(page.get_by_text(re.compile("First answer|Replication"))).to_be_visible(timeout=FIRST)
    expect(
        page.get_by_text(re.compile(r"\b\d+ replications, ([\d,]+ of )?[\d,]+ jobs counted")).first
    ).to_be_visible(timeout=FIRST)
    wait_for_app_run(page, FIRST)
    expect(page.get_by_text(re.compile("First answer"))).to_have_count(0)


def test_the_keyboard_steps_through_the_small_cluster(visit: Visit) -> None:
    page = opened(visit)
    bars = f"document.querySelectorAll('{CHARTS}')[4]._fullData[0].y.length"
    assert_becomes(lambda: page.evaluate(f"({bars}) > 0"), True)  # it is drawn after the four above it
    before = page.evaluate(bars)
    slider = page.get_by_role("slider", name="Time (s)")
    slider.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(CHARTS).nth(4)).to_be_visible()
    assert_becomes(lambda: page.evaluate(f"({bars}) < {before}"), True)


#: Collects where the row of charts and the one below it begin, as often as the browser draws.
TOPS = """() => {
  window.tops = [];
  const places = ['.st-key-abreast', '.st-key-beneath'].map(one => `${one} [data-testid="stPlotlyChart"]`);
  const look = () => {
    const seen = places.map(one => document.querySelector(one)?.getBoundingClientRect().top);
    if (seen.every(one => one !== undefined)) window.tops.push(seen);
    requestAnimationFrame(look);
  };
  look();
}"""
ROW = ".st-key-abreast .js-plotly-plot"
#: Where the charts of the row begin and end.
PLACES = f"""() => {{
  const boxes = [...document.querySelectorAll('{ROW}')].map(one => one.getBoundingClientRect());
  return [boxes.map(one => Math.round(one.top)), boxes.map(one => Math.round(one.bottom))];
}}"""
#: Sliders, and the key that moves each.
SLIDERS = (
    ("How busy", "ArrowLeft"),
    ("How wild", "ArrowRight"),
    ("Slots in", "ArrowLeft"),
    ("How unfair", "ArrowLeft"),
    ("How busy", "ArrowRight"),
)


@pytest.mark.parametrize("screen", [(1366, 768), (1920, 1080)])
def test_three_charts_share_a_row_and_stay_there_when_ten_controls_are_moved(
    visit: Visit, screen: tuple[int, int]
) -> None:
    page = opened(visit, "/compare?v=2&preset=light&precision=10", width=screen[0], height=screen[1])
    expect(page.locator(ROW)).to_have_count(3)
    tops, ends = looks.steady(lambda: page.evaluate(PLACES))
    assert len(set(tops)) == 1
    assert max(ends) <= screen[1]
    title = page.get_by_role("heading", level=1)
    assert title.evaluate("one => one.offsetHeight < 2 * parseFloat(getComputedStyle(one).fontSize)")
    page.evaluate(TOPS)

    def seen() -> list[str]:
        return [page.url, page.evaluate(CURVES)]

    for name, key in SLIDERS:
        before = seen()
        page.get_by_role("slider", name=name).press(key)
        changed(page, seen, before, FIRST)
    for choice in ("Mean", "p95", "Median", "Tail", "CDF"):
        before = seen()
        choose(page, choice)
        changed(page, seen, before, FIRST)
    collected = list(zip(*page.evaluate("window.tops"), strict=True))
    assert len(collected[0]) > 10
    assert [max(each) - min(each) for each in collected] == pytest.approx([0, 0], abs=4)


#: Where the row of charts and the one below it begin.
BEGIN = """() => ['.st-key-abreast', '.st-key-beneath']
  .map(one => document.querySelector(one).getBoundingClientRect().top)"""


def test_charts_stand_where_they_did_when_no_change_of_a_policy_is_known(visit: Visit) -> None:
    """Means of so heavy a tail have no interval, and the five policies no change: their lines are as high."""
    page = opened(visit, "/compare?v=2&preset=busy&precision=10")
    before = looks.steady(lambda: page.evaluate(BEGIN))
    choose(page, "Mean")
    expect(page.locator(".st-key-policies").get_by_text("± ?").first).to_be_visible()
    wait_for_app_run(page)
    assert looks.steady(lambda: page.evaluate(BEGIN)) == pytest.approx(before, abs=4)


@pytest.mark.parametrize(("preset", "idle"), [("light", ["α"]), ("busy", ["α"]), ("hopper-dag", [])])
def test_policies_and_every_symbol_are_seen_beside_the_charts_on_a_projector(
    visit: Visit, preset: str, idle: list[str]
) -> None:
    page = opened(visit, f"/compare?v=2&preset={preset}&jobs=300&precision=10", width=1920, height=1080)
    expect(page.get_by_test_id("stMultiSelect")).to_be_in_viewport(ratio=1)
    for label, symbol in (("How busy", "ρ₀"), ("How wild", "β"), ("How unfair", "ε"), ("Weight of", "α")):
        slider = page.get_by_test_id("stSlider").filter(has_text=label)
        expect(slider).to_be_in_viewport(ratio=1)
        expect(slider).to_contain_text(symbol)
        assert slider.get_by_role("slider").is_disabled() == (symbol in idle)
    expect(page.get_by_test_id("stSlider").filter(has_text="Slots in")).to_be_in_viewport(ratio=1)
