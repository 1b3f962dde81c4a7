"""A lesson in a real browser: by keyboard alone, on both screens, with nothing left of what was asked."""

from __future__ import annotations

import re
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.lessons import LESSONS
from tests.browser.axe import ALL, found
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, assert_becomes, assert_fits, opened, resize

pytestmark = pytest.mark.browser


#: Times that Tab is pressed until all of a page has been passed.
ROUND = 90


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until one of these has the focus, as a reader does who has no mouse."""
    wanted.first.wait_for()
    for _ in range(ROUND):
        page.keyboard.press("Tab")
        if wanted.evaluate_all("all => all.includes(document.activeElement)"):
            return
    raise AssertionError(f"no key leads to {wanted}")


def test_a_lesson_is_done_by_keyboard_alone_on_a_laptop_and_a_phone(visit: Visit) -> None:
    """Nothing is clicked, and only Tab moves the focus, until the next lesson is there."""
    page = opened(visit, "/learn?v=1&lesson=2", 1, FIRST)
    keys = page.keyboard
    sure = page.get_by_role("button", name="This is my prediction")
    expect(sure).to_be_disabled()
    reach(page, page.get_by_role("radio"))
    keys.press("Space")
    expect(sure).to_be_enabled()
    reach(page, sure)
    keys.press("Enter")
    expect(page.locator(CHARTS)).to_have_count(3)
    wait_for_app_run(page)
    expect(page.get_by_role("radio", name="Twice as much")).to_have_count(0)
    answer = page.locator("[class*=st-key-answer]")
    expect(answer).to_contain_text("no slot-time at all")
    expect(answer).to_be_focused()
    reach(page, page.get_by_test_id("stButtonGroup").get_by_role("radio"))  # the first; the second is chosen
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(answer).not_to_contain_text("no slot-time at all")
    wait_for_app_run(page)
    reach(page, page.get_by_role("textbox", name="Your answer"))
    for text, told in (("100", "is too high"), ("99", LESSONS[2].exercises[1].hint)):
        keys.press("ControlOrMeta+A")
        keys.type(text)
        keys.press("Enter")
        expect(page.get_by_text(told)).to_be_visible()
    wait_for_app_run(page)
    reach(page, page.get_by_role("button", name="Show the solution"))
    keys.press("Enter")
    expect(page.get_by_text("Solution: 1.60")).to_be_visible()
    for size in ((1366, 768), (390, 844)):
        resize(page, *size)
        assert_fits(page, size[0])
    assert_becomes(lambda: found(page, ALL), [], 20_000)
    resize(page, 1366, 768)
    reach(page, page.get_by_role("button", name="Next lesson: Clone everything"))
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Up to which load does it pay to run every task twice?"
    )
    expect(page.locator(".sandbox-lanes")).to_be_visible()
    expect(page).to_have_url(re.compile("lesson=3$"))
    page.get_by_role("switch", name="For the teacher").press("Space")
    expect(page.get_by_test_id("stTable")).to_have_count(1)
    wait_for_app_run(page)
    assert_fits(page, 1366)
    assert_becomes(lambda: found(page, ALL), [], 20_000)
    page.get_by_role("switch", name="For the teacher").press("Space")
    expect(page.get_by_test_id("stTable")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("teacher"))
    assert_projected(page)


def explained(page: Page, name: str) -> bool:
    """Point at a choice; return whether it is explained."""
    page.mouse.move(0, 0)
    page.get_by_test_id("stButtonGroup").get_by_role("button").filter(has_text=name).hover()
    return page.locator("#frame-term").is_visible()


def test_the_meaning_of_a_choice_lies_on_none_of_the_others(visit: Visit) -> None:
    """FIFO and SRPT are explained where they are chosen: the next choice can be pressed at once."""
    page = visit("/learn?lesson=5")
    choices = page.get_by_test_id("stButtonGroup").get_by_role("button")
    tip = page.locator("#frame-term")
    for name in ("FIFO", "Shortest first"):
        assert_becomes(partial(explained, page, name), True)  # a page is looked through once it is quiet
        box = tip.bounding_box()
        assert box
        for other in choices.all():
            at = other.bounding_box()
            assert at
            apart = box["y"] + box["height"] <= at["y"] or at["y"] + at["height"] <= box["y"]
            assert apart, other.inner_text()


def assert_projected(page: Page) -> None:
    """Assert that a lesson can be given from the projector: question and cluster, answer, animation."""
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{page.url}&present=1")
    cluster = page.locator(".sandbox canvas").first
    expect(cluster).to_be_in_viewport(ratio=1)
    assert_becomes(lambda: cluster.evaluate("one => one.clientWidth > 0.9 * innerWidth"), True, 20_000)
    question = page.get_by_test_id("stSlider").get_by_test_id("stWidgetLabel").locator("p")
    expect(question).to_be_in_viewport(ratio=1)
    assert question.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") >= 40
    expect(page.get_by_test_id("stSlider")).to_be_in_viewport(ratio=1)
    sure = page.get_by_role("button", name="This is my prediction")
    expect(sure).to_be_disabled()  # of a slider that nobody has touched
    page.get_by_test_id("stSlider").get_by_role("slider").press("End")
    expect(sure).to_be_enabled()
    sure.press("Space")
    expect(page.get_by_text("Now try: ")).to_be_in_viewport(ratio=1)
    expect(page.locator(".animation canvas")).to_have_count(2)
    wait_for_app_run(page)
    page.locator("h1").click()
    for _ in range(3):  # past the cluster and the scene
        page.keyboard.press("PageDown")
    expect(page.locator(".animation canvas").last).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("sheet", "pages"), [("worksheet", 2), ("solutions", 1)])
def test_a_worksheet_takes_two_pages_and_the_solutions_one(visit: Visit, sheet: str, pages: int) -> None:
    page = opened(visit, f"/learn?v=1&lesson=4&teacher=1&sheet={sheet}", int(sheet == "worksheet"), FIRST)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == pages
