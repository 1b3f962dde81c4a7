"""Exported lessons in a browser, from a disk: by keyboard, without a script, and judged as in Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pages.lessons import LESSONS
from pages.lessons.answers import solution
from pages.lessons.export.page import name_of, page, recorded, values
from pages.lessons.export.scripts import PLOTLY, plotly
from pages.lessons.export.site import index
from pages.lessons.export.site import sheet as written
from pages.lessons.lesson import Decision, Exercise
from pages.lessons.sheets import SHEETS
from sim.telling.palette import palette
from tests.browser.axe import ALL, found
from tests.browser.conftest import PATIENCE, listen
from tests.pages.lessons.test_export import few
from tests.pages.lessons.twins import assert_same, script

pytestmark = pytest.mark.browser

#: Minutes that a sandbox has run.
NOW = "one => one.sandbox.cluster.now"


def test_an_exported_lesson_is_taken_by_keyboard_from_a_disk(
    browser: Browser, tmp_path: Path, complaints: list[str]
) -> None:
    (tmp_path / "index.html").write_text(index(), encoding="utf-8")
    (tmp_path / PLOTLY).write_text(plotly(), encoding="utf-8")
    for number in (4, 5):
        (tmp_path / name_of(number)).write_text(
            page(recorded(number, LESSONS[number], few)), encoding="utf-8"
        )
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    view = context.new_page()
    listen(view, complaints, headers=False)
    view.goto((tmp_path / "index.html").as_uri())
    view.get_by_role("link", name=LESSONS[4].title).press("Enter")
    expect(view.get_by_text("The answer", exact=True)).to_be_hidden()
    expect(view.locator(".animation canvas:visible")).to_have_count(1)
    slider = view.get_by_role("slider", name="My prediction")
    sure = view.get_by_role("button", name="This is my prediction")
    expect(sure).to_be_disabled()
    expect(slider).to_have_attribute("aria-valuetext", "tap the line")
    slider.press("End")
    view.keyboard.press("Tab")
    view.keyboard.press("Enter")
    expect(view.get_by_text("You predicted 5 mean task times: 3.3 mean task times too high.")).to_be_visible()
    expect(view.locator("svg:visible").get_by_text("predicted: 5")).to_be_visible()
    expect(slider).to_be_hidden()
    moved = view.get_by_role("slider", name=LESSONS[4].variation.label)
    moved.press("ArrowRight")
    expect(moved).to_have_attribute("aria-valuetext", "2.1")
    told = LESSONS[4].find(2.1).told.replace("**", "").replace("\\*", "*")
    expect(view.locator(".told:visible")).to_have_text(told)
    expect(view.locator("#moved svg").first).to_be_visible()
    view.get_by_role("radio", name="1.5").press("Space")
    expect(view.locator("#moved")).to_be_hidden()
    view.get_by_role("radio", name="2", exact=True).press("Space")
    decision, first, _ = LESSONS[4].exercises
    assert isinstance(decision, Decision)
    assert isinstance(first, Exercise)
    box = view.locator(".exercise").first
    wrong = next(one for one in decision.options if one.key != decision.solve())
    for option, told in ((wrong.label, "Not so."), (solution(decision), "Right.")):
        box.get_by_role("radio", name=option).press("Space")
        expect(box.get_by_role("status")).to_have_text(told)
        expect(box.get_by_text(decision.hint)).to_be_visible()
        expect(box.get_by_text("Solution: ")).to_be_visible(visible=told == "Right.")
    box = view.locator(".exercise").nth(1)
    field = box.get_by_role("textbox")
    for text, told in (
        ("many", "Not accepted; give a number"),
        (f"{1.05 * first.solve()}", "nearly, but"),
        ("1/100", "too low"),
        (f"{first.solve():.6f} min", "Right."),
    ):
        field.fill(text)
        field.press("Enter")
        expect(box.get_by_role("status")).to_contain_text(told)
    expect(box.get_by_text(first.hint)).to_be_visible()
    expect(box.get_by_text("Solution: ")).to_be_visible()
    assert found(view, ALL) == []
    assert view.evaluate("document.documentElement.scrollWidth") <= 390
    view.get_by_role("link", name="Next lesson").press("Enter")
    cluster = view.locator(".sandbox").first
    expect(cluster.locator("canvas")).to_be_visible()
    before = cluster.evaluate(NOW)
    cluster.get_by_role("button", name="Step").press("Enter")
    assert cluster.evaluate(NOW) == pytest.approx(before + 0.5), "it runs without a server"
    for place, item in enumerate(("hopper", "srpt", "fair", "fifo")):
        expect(sure).to_be_disabled()
        view.get_by_role("combobox", name=f"{place + 1}.").select_option(item)
    sure.press("Enter")
    expect(view.get_by_text("You predicted “Hopper")).to_be_visible()
    view.locator(".sandbox-lanes:visible").scroll_into_view_if_needed()  # out of sight it says nothing
    expect(view.locator(".sandbox-said:visible")).to_contain_text("Jobs take", timeout=PATIENCE)
    assert found(view, ALL) == []
    assert_same(view.evaluate(script()))
    context.close()
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto((tmp_path / name_of(4)).as_uri())
    view.get_by_text("I have predicted: show the answer").press("Enter")
    expect(view.get_by_text("The least slot-time is used at").first).to_be_visible()
    expect(view.get_by_text("Animation of ").first).to_be_visible()
    expect(view.get_by_text("A script draws this chart. In words:").first).to_be_visible()
    expect(view.get_by_text("Slot-time falls to ").first).to_be_visible()
    context.close()


#: What a chart has drawn, its colours of letters and of a faded line, and its width.
DRAWN = "one => [one.data, one.layout.font.color, one.layout.xaxis.linecolor, one.layout.width]"
#: The same, of when a page is about to be printed.
PRINTED = (
    f"addEventListener('beforeprint', () => (window.printed = ({DRAWN})(document.querySelector('.chart'))))"
)


def test_charts_have_the_theme_of_the_reader_on_a_screen_and_the_light_one_on_paper(
    browser: Browser, tmp_path: Path, complaints: list[str]
) -> None:
    """And a page that has come without the script says so, where one that has it within draws them alone."""
    lesson = recorded(4, LESSONS[4], few)
    sheet = [*SHEETS["worksheet"](4, LESSONS[4])]
    (tmp_path / "sheet.html").write_text(written("Worksheet", sheet), encoding="utf-8")
    (tmp_path / PLOTLY).write_text(plotly(), encoding="utf-8")
    for dark in (False, True):
        context = browser.new_context(color_scheme="dark" if dark else "light")
        view = context.new_page()
        listen(view, complaints, headers=False)
        view.goto((tmp_path / "sheet.html").as_uri())
        chart = view.locator(".chart").first
        expect(chart.locator(".main-svg").first).to_be_visible()
        seen = chart.evaluate(DRAWN)
        assert seen[:3] == [values(LESSONS[4].scene(0, dark))["data"], palette(dark).ink, palette(dark).grid]
        view.evaluate(PRINTED)
        pages = view.pdf()
        assert len(re.findall(rb"/Type\s*/Page\b", pages)) == 2
        on_paper = values(LESSONS[4].scene(0, False))["data"]
        assert view.evaluate("window.printed") == [on_paper, palette(False).ink, palette(False).grid, 500]
        assert chart.evaluate(DRAWN) == seen, "as before, on the screen"
        context.close()
    (tmp_path / "alone").mkdir()
    for within in (False, True):
        (tmp_path / "alone" / name_of(4)).write_text(page(lesson, within=within), encoding="utf-8")
        view = browser.new_page()
        view.goto((tmp_path / "alone" / name_of(4)).as_uri())
        chart = view.locator(".chart").first
        if within:
            expect(chart.locator(".main-svg").first).to_be_visible()
        else:
            expect(chart).to_have_text(re.compile("The file plotly.min.js, which belongs beside this page, "))
            expect(view.get_by_text("What 10 tasks still take").first).to_be_visible()
        view.close()
