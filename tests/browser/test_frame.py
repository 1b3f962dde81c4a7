"""The frame of every page in a real browser: the bar, other screens, presenting, printing, history."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import ALL, found
from tests.browser.conftest import Visit, wait_for_app_run
from tests.browser.looks import CHARTS, assert_becomes, cards, changed
from tests.browser.terms import assert_tells
from tests.depth import some

pytestmark = pytest.mark.browser

LINK = "/threshold?v=1&beta=2&slots=40"
SLIDER = "Tail index β of task times"
#: Text that can be seen, with its size on the screen in pixels.
SIZES = """() => [...document.querySelectorAll('[data-testid="stApp"] *')].flatMap(one => {
  const own = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  const box = one.getBoundingClientRect();
  const apart = '[data-testid="stIconMaterial"], .katex, #frame-panel, [hidden]';
  if (!own || !box.width || one.closest(apart)) return [];
  const chart = one.closest('.js-plotly-plot'), style = getComputedStyle(one);
  const scale = chart ? chart.getBoundingClientRect().width / chart.offsetWidth : 1;
  if (style.visibility === 'hidden' || style.opacity === '0') return [];
  return [[one.textContent.trim().slice(0, 40), parseFloat(style.fontSize) * scale]];
})"""


def share(page: Page) -> None:
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("dialog", name="Share and save")).to_be_visible()


def saved(page: Page, button: str) -> bytes:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_bytes()


#: Whether a file that draws charts was asked for before what sliders need, which the first answer asks for.
DRAWER = """() => {
  const asked = (part) => performance.getEntriesByType('resource').filter(one => one.name.includes(part));
  return asked('PlotlyChart').map(one => one.startTime < asked('/Slider.')[0]?.startTime);
}"""


def test_what_draws_charts_is_asked_for_by_the_page_itself_and_once(visit: Visit) -> None:
    page = visit(LINK)
    expect(page.locator(f"{CHARTS} .main-svg").first).to_be_visible()
    assert page.evaluate(DRAWER) == [True]
    page.goto(page.url.partition("/threshold")[0] + "/room")
    wait_for_app_run(page)
    assert page.evaluate(DRAWER) == []


def test_a_page_below_the_first_finds_the_server_at_once(visit: Visit) -> None:
    page = visit(LINK)
    asked = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    home = page.url.partition("/threshold")[0]
    assert [address for address in asked if address.endswith("/health")] == [f"{home}/_stcore/health"]


def test_keys_reach_the_slider_and_the_bar_shares_saves_and_resets(visit: Visit) -> None:
    page = visit(LINK)
    expect(page.get_by_role("slider", name=SLIDER)).to_be_attached()
    expect(page.get_by_role("figure")).to_have_count(2)
    page.keyboard.press("Tab")  # the first thing that keys reach
    expect(page.get_by_role("button", name="Skip to the first slider")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider", name=SLIDER)).to_be_focused()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    share(page)
    expect(page.get_by_label("Link of this page and its settings")).to_have_value(page.url)
    page.get_by_role("button", name="Copy link").click()
    assert_becomes(lambda: page.evaluate("navigator.clipboard.readText()"), page.url)
    page.get_by_text("QR code", exact=True).click()
    code = page.get_by_alt_text("QR code of the link")
    expect(code).to_be_visible()
    assert_becomes(lambda: code.evaluate("one => one.naturalWidth > 0"), True)
    source = "decodeURIComponent(document.querySelector('#frame-panel img').src)"
    assert_becomes(lambda: page.url in page.evaluate(source), True)

    page.get_by_text("A link for a class", exact=True).click()
    page.get_by_role("button", name="Hide all").click()
    page.get_by_role("checkbox", name=f"{SLIDER}: fixed").check()
    expect(page.get_by_role("checkbox", name=f"{SLIDER}: hidden")).not_to_be_checked()
    page.get_by_role("checkbox", name="Slots S of each job: hidden").uncheck()
    link = page.get_by_label("Link of this page and its settings")
    expect(link).to_have_value(re.compile(r"&lock=beta&show=slots$"))
    assert_becomes(lambda: found(page, ALL), [])
    assert_becomes(lambda: link.input_value() in page.evaluate(source), True)

    svg = ElementTree.fromstring(saved(page, "What a job gets done: save as SVG"))
    texts = {"".join(one.itertext()) for one in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"What a job gets done", "job A, T = 10", "slots that a job holds", "S = 40"} <= texts
    drawn = page.locator(CHARTS).first.locator(".scatterlayer path.js-line").all()
    shapes = {path.get("d") for path in svg.iter("{http://www.w3.org/2000/svg}path")}
    assert {line.get_attribute("d") for line in drawn} <= shapes
    png = saved(page, "What a job gets done: save as PNG")
    assert png.startswith(b"\x89PNG")
    width, height = (int(float(svg.get(side) or 0) * 3) for side in ("width", "height"))
    assert struct.unpack(">II", png[16:24]) == (width, height)
    assert len(png) > 20_000  # an empty picture of that size has 5,000 bytes

    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile(r"/threshold\?v=1$"))
    page.keyboard.press("Escape")
    wait_for_app_run(page)
    assert_tells(page, "Hopper")
    expect(page.get_by_role("slider", name=SLIDER)).to_have_value("1.5")
    page.goto(f"{page.url}&beta=1.8&S=50&lock=beta&show=S")  # as an old link calls the slots
    expect(page.get_by_text(f"{SLIDER}: 1.8")).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(1)
    share(page)
    expect(page.get_by_role("checkbox", name=f"{SLIDER}: fixed")).to_be_checked()
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(re.compile(r"/threshold\?v=1&beta=1.8&lock=beta&show=slots$"))
    assert page.evaluate(
        "[...document.scripts].every(one => !one.src || one.src.startsWith(location.origin))"
    )


def test_moved_controls_cost_no_back_and_results_are_announced_when_final(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("link", name="Formulas", exact=True).click()
    expect(page).to_have_url(re.compile(r"/threshold\?v=1$"))
    expect(page.get_by_test_id("stMetric").first).to_be_visible()
    wait_for_app_run(page)
    told = page.locator("#frame-status")
    expect(told).to_contain_text(cards(page)[0])
    page.get_by_role("slider", name=SLIDER).focus()
    for _ in range(3):
        before = cards(page)
        page.keyboard.press("ArrowRight")
        changed(page, lambda: cards(page), before)
    expect(told).to_contain_text(cards(page)[0])
    expect(page).to_have_url(re.compile(r"beta=1\.65"))
    page.go_back()
    expect(page).to_have_title("Start · straggler-lab")
    page.go_forward()
    expect(page.get_by_role("slider", name=SLIDER)).to_have_value("1.65")
    for name in ("Formulas", "Threshold"):  # the door, and the tab
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")


def test_the_way_back_opens_a_page_with_its_own_parameters(visit: Visit) -> None:
    """The page that opens must not write its parameters into the address of the one that is left."""
    page = visit("/threshold")
    for door, address in (("Lab", r"/compare\?v=2$"), ("Formulas", r"/threshold\?v=1$")):
        wait_for_app_run(page)
        page.get_by_role("link", name=door, exact=True).click()
        expect(page).to_have_url(re.compile(address))
    wait_for_app_run(page)
    page.go_back()
    expect(page).to_have_url(re.compile(r"/compare\?v=2$"))
    wait_for_app_run(page)
    expect(page).to_have_url(re.compile(r"/compare\?v=2$"))


def test_start_is_marked_in_the_menu_by_either_name(visit: Visit) -> None:
    page = visit("/start?load=0.7")
    expect(page).to_have_url(re.compile(r"//[^/]+/\?load=0\.7$"))
    expect(page.get_by_role("link", name="Start", exact=True)).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("Start · straggler-lab")
    expect(page.get_by_role("slider", name="Load")).to_have_value("0.7")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_presenting_shows_few_large_charts_and_keys_step(visit: Visit) -> None:
    page = visit(f"{LINK}&present=1", width=1920, height=1080)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    shown = page.locator(f"[data-testid='stElementContainer'] {CHARTS}").filter(visible=True)
    names = page.get_by_role("figure").filter(visible=True)
    expect(shown).to_have_count(1)
    expect(page.locator("[class*='st-key-answer']")).to_be_visible()
    for gone in (
        page.get_by_test_id("stSidebar"),
        page.get_by_test_id("stHeader"),
        page.locator("#frame-bar"),
    ):
        expect(gone).not_to_be_visible()
    assert_becomes(lambda: min(size for _, size in page.evaluate(SIZES)) >= 16, True)
    box = shown.first.bounding_box()
    assert box is not None
    assert box["width"] > 1600
    assert box["height"] > 600
    assert box["y"] + box["height"] <= 1080
    titles = [
        page.get_by_text(text, exact=True) for text in ("What a job gets done", "Value of one more slot")
    ]
    expect(titles[0]).to_be_visible()
    expect(titles[1]).not_to_be_visible()
    first = names.first.get_attribute("aria-label")
    page.keyboard.press("PageDown")
    assert_becomes(lambda: names.first.get_attribute("aria-label") != first, True)
    expect(titles[1]).to_be_visible()
    expect(titles[0]).not_to_be_visible()
    page.keyboard.press("ArrowLeft")
    assert_becomes(lambda: names.first.get_attribute("aria-label"), first)
    page.keyboard.press("2")
    expect(shown).to_have_count(2)
    expect(page).to_have_url(re.compile(r"present=2"))
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).to_have_url(re.compile(r"slots=40$"))


@pytest.mark.parametrize("path", some(["/threshold", "/coding?v=1&jobs=5000"], 0))
def test_a_projector_has_no_text_below_16_pixels_and_paper_takes_one_sheet(visit: Visit, path: str) -> None:
    page = visit(path, width=1920, height=1080)
    assert_becomes(lambda: [one for one in page.evaluate(SIZES) if one[1] < 16], [])
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    assert_becomes(lambda: page.locator(".frame-picture").count(), 0)


def test_on_a_phone_controls_stay_beside_the_result(visit: Visit) -> None:
    page = visit(LINK, width=390, height=844)
    page.get_by_role("button", name="Controls").click()
    slider = page.get_by_role("slider", name=SLIDER)
    first = page.get_by_test_id("stMetric").first
    for seen in (page.get_by_test_id("stSlider").filter(has=slider), first):
        expect(seen).to_be_in_viewport(ratio=0.9)
    before = cards(page)
    slider.press("ArrowLeft")  # below 2 the threshold depends on it
    changed(page, lambda: cards(page), before)
    expect(first).to_be_in_viewport(ratio=0.9)
    page.get_by_role("button", name="Controls").click()
    expect(page.get_by_test_id("stSlider").first).not_to_be_in_viewport()
    heights = page.get_by_test_id("stMetric").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert max(heights) < 48
