"""A room with three browsers: a teacher and two students."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pages.lessons import LESSONS
from pages.lessons.prediction import Order
from pages.room.question import OfLesson
from tests.browser.axe import ALL, SHAPE, found
from tests.browser.conftest import Visit, wait_for_app_run
from tests.browser.looks import assert_becomes, assert_fits, resize

pytestmark = pytest.mark.browser
#: Widths and heights of a phone, of a laptop, and of a projector.
PHONE, LAPTOP, PROJECTOR = (390, 844), (1366, 768), (1920, 1080)
SOON = 30_000
#: Pixels of the letters of a question, at least, on a projector.
LETTERS = 40
#: What can be seen and operated on a page, beside its cluster to play with.
OPERATED = """() => [...document.querySelectorAll('a, button, input, textarea, summary, [role="button"]')]
  .filter(one => one.checkVisibility() && !one.closest('.sandbox'))
  .filter(one => one.clientWidth > 1 && one.getBoundingClientRect().bottom > 0)
  .map(one => one.textContent || one.outerHTML)"""


def assert_looks(page: Page) -> None:
    """Assert that a page fits on both screens and shuts nobody out."""
    for width, height in (LAPTOP, PHONE):
        resize(page, width, height)
        assert_fits(page, width)
    assert_becomes(lambda: found(page, SHAPE), [], SOON)


def opened_stage(teacher: Page) -> Page:
    """Open the stage from the desk: another window of the same browser, on a projector."""
    with teacher.context.expect_page() as opened:
        teacher.get_by_role("link", name="Open the stage").click()
    stage = opened.value
    stage.set_viewport_size({"width": PROJECTOR[0], "height": PROJECTOR[1]})
    stage.emulate_media(reduced_motion="reduce")
    wait_for_app_run(stage)
    return stage


def code_width(stage: Page) -> float:
    box = stage.get_by_role("img", name="QR code").bounding_box()
    assert box
    return box["width"]


def assert_a_stage(stage: Page, question: str, told: str) -> None:
    """Assert that a projector shows question, picture, bars and a small code at once, and nothing else."""
    bars = stage.locator(".js-plotly-plot")
    for what in (stage.get_by_text(told), stage.locator(".sandbox canvas").first, bars):
        expect(what).to_be_in_viewport(ratio=1, timeout=SOON)
    heading = stage.get_by_role("heading", level=1)
    expect(heading).to_have_text(question)
    size = heading.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert size >= LETTERS
    assert code_width(stage) < PROJECTOR[0] / 6
    expect(stage.get_by_role("button", name="Play")).to_be_visible()
    assert_becomes(lambda: stage.evaluate(OPERATED), [], SOON)
    assert_becomes(lambda: found(stage, ALL), [], SOON)


def assert_ranked_as_pressed(teacher: Page, student: Page) -> None:
    """Assert that what is ranked has the order in which it was pressed, last and first of the list."""
    ranking = next(OfLesson(number) for number, one in LESSONS.items() if isinstance(one.prediction, Order))
    assert isinstance(ranking.prediction, Order)
    first, *_, last = (item.label for item in ranking.prediction.items)
    teacher.get_by_role("combobox", name="Next question").click()
    teacher.get_by_role("option", name=ranking.title).click()
    wait_for_app_run(teacher)
    teacher.get_by_role("button", name="Ask it").press("Enter")
    for place, label in enumerate((last, first), start=1):
        student.get_by_role("button", name=label).press("Enter")
        expect(student.get_by_role("listitem")).to_have_count(place, timeout=SOON)
    expect(student.get_by_role("listitem")).to_have_text([last, first])
    expect(student.get_by_role("button", name="Send")).to_be_disabled()


def test_answers_appear_at_the_front_and_the_right_one_at_all(visit: Visit) -> None:
    teacher = visit("/room")
    assert_looks(teacher)
    teacher.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
    teacher.get_by_role("button", name="Open a room").click()
    expect(teacher).to_have_url(re.compile(r"room=1[A-Z]{5}&teach=1$"))
    code = re.search(r"room=(\w+)", teacher.url)
    assert code
    stage = opened_stage(teacher)
    expect(stage.get_by_role("heading", level=1)).to_have_text(f"Room {code[1]}")
    assert code_width(stage) > PROJECTOR[0] / 3

    students = [
        visit(f"/room?room={code[1]}", width=PHONE[0], height=PHONE[1], dark=dark) for dark in (True, False)
    ]
    expect(teacher.get_by_text("2 here")).to_be_visible(timeout=SOON)
    teacher.get_by_role("button", name="Ask it").press("Enter")
    for place, student in enumerate(students, start=1):
        slider = student.get_by_role("slider")
        send = student.get_by_role("button", name="Send")
        expect(slider).to_have_attribute("aria-valuetext", "tap the line")
        expect(send).to_be_disabled()
        expect(student.locator(".ends span")).to_have_text(["0 min", "100 min"])
        if place == 1:
            slider.press("End")
        else:  # a tap on the ghost of the handle goes through it to the line
            ghost = student.get_by_test_id("stSliderThumbValue").locator("..").bounding_box()
            assert ghost
            student.mouse.click(ghost["x"] + ghost["width"] / 2, ghost["y"] + ghost["height"] / 2)
        expect(slider).to_have_attribute(
            "aria-valuetext", "100" if place == 1 else re.compile("^(49|50|51)$")
        )
        expect(send).to_be_enabled()
        send.press("Enter")
        sent = student.get_by_role("button", name="Sent ✓")
        expect(sent).to_have_text(re.compile(r"Sent ✓\s100\smin" if place == 1 else r"Sent ✓\s\d+\smin"))
        expect(sent).to_be_focused()
        expect(student.locator(".sandbox canvas").first).to_be_visible()
        expect(teacher.get_by_text(f"{place} of 2 {'has' if place == 1 else 'have'} answered")).to_be_visible(
            timeout=SOON
        )
    expect(teacher.locator(".js-plotly-plot")).to_be_in_viewport(ratio=1)

    students[1].reload()  # who comes again is known, and has no second vote
    expect(students[1].get_by_text("Sent: ")).to_be_visible()
    expect(teacher.get_by_text("2 of 2 have answered")).to_be_visible()
    assert_a_stage(stage, LESSONS[1].prediction.label, "2 of 2 have answered")
    teacher.get_by_role("button", name="Show the answer").press("Space")
    assert_a_stage(stage, LESSONS[1].prediction.label, "The job takes")
    for page in (teacher, *students):
        expect(page.get_by_text("The job takes").first).to_be_visible(timeout=SOON)
        expect(page.locator(".js-plotly-plot")).to_have_count(1)
        wait_for_app_run(page)
        assert_looks(page)
    expect(students[0].get_by_text(re.compile(r"Yours: 100\smin"))).to_be_visible()
    for student in students:  # whose link has the vote and nothing around it
        expect(student.get_by_role("navigation")).to_have_count(0)
        expect(student.locator("header:visible, #frame-bar:visible")).to_have_count(0)
        expect(student.get_by_text("Glossary")).to_have_count(0)
    assert_ranked_as_pressed(teacher, students[0])
