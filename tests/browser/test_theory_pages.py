"""The pages Threshold, Allocation and Errata in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, wait_for_app_run
from tests.browser.looks import CHARTS, assert_becomes, changed, choose
from tests.depth import some

pytestmark = pytest.mark.browser

PAGES = {"/threshold": 2, "/allocation": 2, "/coded": 2, "/errata": 5}
CURVE = f"document.querySelectorAll('{CHARTS}')[1]._fullData[0].y.join()"
DOT = f"document.querySelectorAll('{CHARTS}')[1]._fullData.map(one => one.x[0]).join()"
SEGMENTS = f"document.querySelectorAll('{CHARTS}')[0]._fullData.map(one => [...one.x].join()).join(';')"


def opened(visit: Visit, path: str, **look: object) -> Page:
    page = visit(path, **look)
    expect(page.locator(CHARTS).nth(PAGES[path.partition("?")[0].partition("#")[0]] - 1)).to_be_visible()
    wait_for_app_run(page)
    return page


def numbers(page: Page) -> list[str]:
    return page.get_by_test_id("stMetricValue").all_inner_texts()


@pytest.mark.parametrize(
    ("path", "slider", "drawn"),
    some(
        [
            ("/threshold", "Tail index", CURVE),
            ("/allocation", "Slots S", SEGMENTS),
            ("/coded", "Offered load", DOT),
        ],
        0,
    ),
)
def test_a_key_on_a_slider_changes_numbers_chart_and_link_and_the_link_restores_them(
    visit: Visit, path: str, slider: str, drawn: str
) -> None:
    page = opened(visit, path)
    before, curve = numbers(page), page.evaluate(drawn)
    page.get_by_role("slider", name=slider).press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"\?v=1&\w+="))
    changed(page, lambda: numbers(page), before)
    changed(page, lambda: page.evaluate(drawn), curve)
    other = opened(visit, page.url[page.url.index(path) :])
    assert_becomes(lambda: numbers(other), numbers(page))
    assert_becomes(lambda: other.evaluate(drawn), page.evaluate(drawn))
    expect(other).to_have_url(page.url)


def test_the_keyboard_reaches_every_control_of_the_sidebar(visit: Visit) -> None:
    page = opened(visit, "/threshold")
    reached = []
    for _ in range(20):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.getAttribute('aria-label') || ''"))
    sliders = [name for name in reached if name.startswith(("Tail", "Slots", "Tasks"))]
    assert len(sliders) == 5
    # after two links past the menus, the logo and its own help; the first link leads here (test_frame)
    assert reached.index("Tail index β of task times") <= 4


def type_tasks(page: Page, text: str) -> None:
    """Type into the first job's cell of tasks, as a person does: the editor opens, then keys arrive."""
    table = page.get_by_test_id("stDataFrame").first
    table.click(position={"x": 110, "y": 50})
    expect(table.locator('[role="gridcell"][aria-selected="true"]')).to_have_count(1)
    page.keyboard.press("Enter")
    editor = page.locator("#portal input")
    editor.focus()  # a page that is still being drawn may take the focus away
    editor.press("Control+a")
    editor.press_sequentially(text, delay=50)
    page.keyboard.press("Enter")


def test_a_cell_typed_into_changes_the_shares_and_is_kept(visit: Visit) -> None:
    page = opened(visit, "/allocation")
    before = page.evaluate(SEGMENTS)
    type_tasks(page, "25")
    expect(page).to_have_url(re.compile(r"jobs=25(,|%2C)20(,|%2C)50"))
    after = changed(page, lambda: page.evaluate(SEGMENTS), before)
    choose(page, "Formulas", "Threshold")
    expect(page).to_have_title("Threshold · straggler-lab")
    choose(page, "Formulas", "Allocation")
    expect(page).to_have_url(re.compile(r"jobs=25(,|%2C)20(,|%2C)50"))
    expect(page.locator(CHARTS).nth(1)).to_be_visible()
    wait_for_app_run(page)
    assert_becomes(lambda: page.evaluate(SEGMENTS), after)


@pytest.mark.slow  # tests/pages does the same without a browser
def test_a_bad_cell_is_named_and_stays_in_the_table(visit: Visit) -> None:
    page = opened(visit, "/allocation")
    type_tasks(page, "-7")
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    expect(page.get_by_test_id("stAlert")).to_contain_text("job A, T: -7.0 is not accepted")
    expect(page.locator(CHARTS)).to_have_count(2)
    wait_for_app_run(page)
    type_tasks(page, "7")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_a_link_to_a_finding_leads_to_it(visit: Visit) -> None:
    page = opened(visit, "/errata?v=1&paper=xu-lau#xu-lau-11")
    heading = page.get_by_role("heading", name="Two copies are not always best")
    expect(heading).to_be_in_viewport()
    expect(page.get_by_role("heading", level=1)).not_to_be_in_viewport()
