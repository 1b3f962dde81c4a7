"""Charts that are read with a finger: what a pulled line says is what the curves have there."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import assert_becomes

pytestmark = pytest.mark.browser

#: The curves of the first chart, and the place of its line on their axis.
CURVES = """() => {
  const plot = document.querySelector('.js-plotly-plot'), { axes, value } = plot.reader;
  return [value, axes.curves.map(one => [one.name, [...one.x], [...one.y]])];
}"""


def handle(page: Page) -> Locator:
    return page.locator(".reader-handle").first


def pull(page: Page, by: float) -> None:
    """Pull the handle of the first chart by so many pixels."""
    handle(page).scroll_into_view_if_needed()
    box = handle(page).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=3)
    page.mouse.up()


#: By how many pixels each handle is off its place on the axis of its chart.
BESIDE = """() => [...document.querySelectorAll('.js-plotly-plot')].filter(plot => plot.reader).map(plot => {
  const { axes, share, handle } = plot.reader, { left, wide, top, high } = axes.box;
  const box = plot.getBoundingClientRect(), at = handle.getBoundingClientRect();
  const x = box.left + left + share * wide, y = box.top + top + high;
  return Math.max(Math.abs((at.left + at.right) / 2 - x), Math.abs((at.top + at.bottom) / 2 - y));
})"""


def test_handles_stay_on_their_axes_when_charts_change_their_size(visit: Visit) -> None:
    page = visit("/compare?v=1&preset=small")
    expect(handle(page)).to_be_visible(timeout=FIRST)
    wait_for_app_run(page, FIRST)
    for width in (1920, 1366, 390):
        page.set_viewport_size({"width": width, "height": 1000})
        assert_becomes(lambda: max(page.evaluate(BESIDE)) < 1, True)


def test_what_a_line_says_stays_within_a_phone(visit: Visit) -> None:
    page = visit("/compare?v=1&preset=small", width=390, height=844)
    expect(handle(page)).to_be_visible(timeout=FIRST)
    wait_for_app_run(page, FIRST)
    for by in (0, -20, 45):  # before it is read, in the middle, and where it stands on the other side
        pull(page, by)
        main = page.get_by_test_id("stMain")
        assert main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0


@pytest.mark.parametrize("by", [-60, 40])
def test_the_line_over_a_cdf_says_what_each_curve_has_there(visit: Visit, by: float) -> None:
    page = visit("/compare?v=1&preset=small&policies=fair%2Bnone;fair%2Blate")
    expect(handle(page)).to_be_visible(timeout=FIRST)
    wait_for_app_run(page, FIRST)
    handle(page).scroll_into_view_if_needed()
    top = page.locator(".js-plotly-plot").first.bounding_box()
    pull(page, by)
    at, curves = page.evaluate(CURVES)
    said = handle(page).get_attribute("aria-valuetext") or ""
    assert float(re.match(r"by ([\d.]+) s:", said)[1]) == pytest.approx(at, rel=0.01)
    assert len(curves) == 2
    for name, x, y in curves:
        share = round(float(np.interp(np.log(at), np.log(x), y)))
        assert any(f"{one} % with {name}" in said for one in (share - 1, share, share + 1)), said
    shown = page.locator(".reader-said").first.inner_text()
    assert all(name in shown for name, *_ in curves)
    assert page.locator(".js-plotly-plot").first.bounding_box() == top, "nothing else moves"
    handle(page).press("ArrowRight")
    later, _ = page.evaluate(CURVES)
    assert later > at


def test_the_slots_of_a_job_are_pulled_on_the_chart_itself(visit: Visit) -> None:
    page = visit("/threshold?v=1")
    slider = page.get_by_role("slider", name="Slots S")
    expect(slider).to_have_value("30", timeout=FIRST)
    expect(handle(page)).to_be_visible(timeout=FIRST)
    pull(page, 60)
    expect(slider).not_to_have_value("30")
    chosen = slider.input_value()
    expect(page).to_have_url(re.compile(rf"[?&]\w+={chosen}$"))
    expect(page.get_by_test_id("stMain")).to_contain_text(f"With {chosen} slots each")
    expect(handle(page)).to_have_attribute("aria-valuenow", chosen)
    handle(page).press("ArrowLeft")
    expect(slider).to_have_value(str(int(chosen) - 1))
