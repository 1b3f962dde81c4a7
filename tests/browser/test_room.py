"""A room with three browsers: a teacher and two students."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pages.lessons import LESSONS
from pages.lessons.prediction import Order
from pages.room.question import OfLesson
from tests.browser.axe import SHAPE, found
from tests.browser.conftest import Visit, wait_for_app_run
from tests.browser.looks import assert_becomes, assert_fits, resize

pytestmark = pytest.mark.browser
#: Widths and heights of a phone, of a laptop, and of a projector.
PHONE, LAPTOP, PROJECTOR = (390, 844), (1366, 768), (1920, 1080)
SOON = 30_000


def assert_looks(page: Page) -> None:
    """Assert that a page fits on both screens and shuts nobody out."""
    for width, height in (LAPTOP, PHONE):
        resize(page, width, height)
        assert_fits(page, width)
    assert_becomes(lambda: found(page, SHAPE), [], SOON)


def assert_projected(teacher: Page) -> None:
    """Assert that a teacher who projects has all of the room on the screen, and nothing else."""
    teacher.set_viewport_size({"width": PROJECTOR[0], "height": PROJECTOR[1]})
    teacher.goto(f"{teacher.url}&present=1")
    for what in (
        teacher.get_by_role("button", name="Show the answer"),
        teacher.get_by_role("button", name="Ask it"),
        teacher.get_by_role("img", name="QR code"),
        teacher.get_by_text("2 of 2 have answered"),
        teacher.locator(".js-plotly-plot"),
    ):
        expect(what).to_be_in_viewport(ratio=1, timeout=SOON)
    expect(teacher.locator("#frame-bar")).to_be_hidden()


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
    expect(teacher.get_by_role("img", name="QR code")).to_be_in_viewport()

    students = [
        visit(f"/room?room={code[1]}", width=PHONE[0], height=PHONE[1], dark=dark) for dark in (True, False)
    ]
    expect(teacher.get_by_text("2 here")).to_be_visible(timeout=SOON)
    teacher.get_by_role("button", name="Ask it").press("Enter")
    for place, student in enumerate(students, start=1):
        slider = student.get_by_role("slider")
        send = student.get_by_role("button", name="Send")
        expect(slider).to_have_attribute("aria-valuetext", "nowhere yet")
        expect(send).to_be_disabled()
        slider.press("End" if place == 1 else "ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", "100" if place == 1 else "0")
        expect(send).to_be_enabled()
        send.press("Enter")
        expect(student.get_by_text("Sent: ")).to_be_visible()
        expect(teacher.get_by_text(f"{place} of 2 {'has' if place == 1 else 'have'} answered")).to_be_visible(
            timeout=SOON
        )
    expect(teacher.locator(".js-plotly-plot")).to_be_in_viewport(ratio=1)

    students[1].reload()  # who comes again is known, and has no second vote
    expect(students[1].get_by_text("Sent: ")).to_be_visible()
    expect(teacher.get_by_text("2 of 2 have answered")).to_be_visible()
    assert_projected(teacher)
    teacher.get_by_role("button", name="Show the answer").press("Space")
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
