"""The first screen in a real browser: its cluster runs at once, and each hand and control has its effect."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from pages.animation.sandbox import Sandbox
from tests.browser.conftest import FIRST, Visit
from tests.browser.looks import assert_becomes
from tests.depth import some
from tests.pages.sandboxed import told

pytestmark = pytest.mark.browser

NOW = "document.querySelector('.sandbox').sandbox.cluster.now"
#: Where on the screen a task ends that will not do so soon; its lane, and when it ends.
TASK = """() => {
  const one = document.querySelector('.sandbox').sandbox, { cluster, canvas } = one;
  const alone = cluster.slots.filter(copy => copy && copy.task.copies.length === 1);
  const soon = alone.filter(copy => copy.end < cluster.now + 2).sort((a, b) => b.end - a.end);
  const copy = window.held = soon[0], box = canvas.getBoundingClientRect();
  const y = 46 + (copy.slot + 0.5) * one.lane;
  return [box.left + one.x(copy.end) * one.larger, box.top + y * one.larger, copy.end];
}"""
#: Whether that task has a second copy, or is the next to get one.
COPIED = """() => held.task.copies.length === 2
  || document.querySelector('.sandbox').sandbox.cluster.owed.includes(held.task)"""
#: Pictures in a second.
PICTURES = """() => new Promise(resolve => {
  const one = document.querySelector('.sandbox').sandbox, begin = performance.now();
  let pictures = 0;
  const draw = one.draw.bind(one);
  one.draw = () => { pictures++; draw(); };
  setTimeout(() => { one.draw = draw; resolve(1000 * pictures / (performance.now() - begin)); }, 2000);
})"""
#: Counts what is sent to the server from now on.
COUNT = """() => {
  const send = WebSocket.prototype.send;
  window.sent = 0;
  WebSocket.prototype.send = function (...given) { window.sent++; return send.apply(this, given); };
}"""
#: The engine of the page, on jobs of its own.
TIMES = """async (setting) => {
  const frame = [...document.scripts].find(one => one.src.endsWith('frame.js')).src;
  const { times, Draws } = await import(frame.replace('frame.js', 'sandbox-engine.js'));
  return times(new Draws(setting), setting, 200);
}"""


def wait_for_lanes(page: Page) -> None:
    expect(page.locator(".sandbox-lanes")).to_be_visible(timeout=FIRST)


def opened(visit: Visit) -> Page:
    page = visit(motion=True)
    wait_for_lanes(page)
    return page


def said(page: Page) -> str:
    return page.locator(".sandbox-said").inner_text()


def test_it_runs_at_once_is_set_without_the_server_and_says_when_copies_hurt(visit: Visit) -> None:
    page = opened(visit)
    before = page.evaluate(NOW)
    assert_becomes(lambda: page.evaluate(NOW) > before + 1, True)
    assert page.evaluate(PICTURES) > 20, "pictures in a second, on a machine without a graphics card"
    assert_becomes(lambda: bool(re.search(r"Jobs take \d\.\d\smin: each waits", said(page))), True)
    page.evaluate(COUNT)
    page.get_by_role("radio", name="Copies on").check(force=True)
    assert_becomes(lambda: bool(re.search(r"Copying every task shortens jobs by \d+\s%", said(page))), True)
    load = page.get_by_role("slider", name="Load")
    load.fill("0.6")
    assert_becomes(lambda: bool(re.search(r"Copying every task lengthens jobs by \d+\s%", said(page))), True)
    load.fill("0.9")
    assert_becomes(lambda: "overloads this cluster" in said(page), True)
    expect(page.locator(".sandbox-running")).to_contain_text("dashed: without copies")
    page.get_by_role("radio", name="Only stragglers").check(force=True)
    assert_becomes(lambda: bool(re.search(r"only stragglers shortens jobs by \d+\s%", said(page))), True)
    expect(page).to_have_url(re.compile(r"\?copies=late&load=0\.9$"))
    assert page.evaluate("window.sent") == 0, "nothing is asked of the server"
    page.reload()
    wait_for_lanes(page)
    expect(page.get_by_role("slider", name="Load")).to_have_value("0.9")
    expect(page.get_by_role("radio", name="Only stragglers")).to_be_checked()


def test_a_task_is_pulled_and_another_copied(visit: Visit) -> None:
    page = opened(visit)
    page.get_by_role("button", name="Pause").click()
    x, y, end = page.evaluate(TASK)
    page.mouse.move(x - 2, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.up()
    later = page.evaluate("held.end")
    scale = page.evaluate("(one => one.scale * one.larger)(document.querySelector('.sandbox').sandbox)")
    assert later == pytest.approx(end + 62 / scale, abs=3 / scale)
    x, y, _ = page.evaluate(TASK)
    page.mouse.click(x - 2, y)
    assert page.evaluate(COPIED), "now, or as soon as a slot is free"
    page.get_by_role("button", name="Slow a task").click()
    slots = "document.querySelector('.sandbox').sandbox.cluster.slots"
    assert page.evaluate(f"{slots}.some(one => one?.end > one?.lateAt)")


#: How often the page changes in two seconds in which the sandbox runs.
CHANGES = """() => new Promise(resolve => {
  let changes = 0;
  const root = document.getElementById('root');
  new MutationObserver(() => changes++).observe(root, { childList: true, subtree: true });
  setTimeout(() => resolve(changes), 2000);
})"""


def test_a_page_is_looked_at_while_its_cluster_runs(visit: Visit) -> None:
    """Terms, handles and films come when nothing has changed for a while: a picture is no change."""
    page = opened(visit)
    foreseen = "document.querySelector('.sandbox').sandbox.coming === null"
    assert_becomes(lambda: page.evaluate(foreseen), True)
    assert page.evaluate(CHANGES) < 15, "jobs end once in a second or so"


#: Tops of all that stands in and below the sandbox.
TOPS = """() => [...document.querySelectorAll('.sandbox-lanes, .sandbox-controls, [data-testid=stExpander]')]
  .map(one => one.getBoundingClientRect().top)"""
#: The jobs of whom a task runs, and those that have a place in the row of jobs.
SHOWN = """() => {
  const { cluster, jobs } = document.querySelector('.sandbox').sandbox;
  const running = new Set(cluster.slots.filter(Boolean).map(copy => copy.task.job));
  return [running.size, jobs.filter(job => running.has(job)).length, jobs.length];
}"""


def test_nothing_moves_when_the_sentence_becomes_longer(visit: Visit) -> None:
    page = visit(width=768, height=1024)
    wait_for_lanes(page)
    before = page.evaluate(TOPS)
    page.get_by_role("radio", name="Copies on").check(force=True)
    page.get_by_role("slider", name="Load").fill("0.95")
    assert_becomes(lambda: "overloads this cluster" in said(page), True)
    assert page.evaluate(TOPS) == pytest.approx(before, abs=4)


def test_after_hours_of_overload_the_row_shows_the_jobs_that_run(visit: Visit) -> None:
    page = visit("/?copies=on&load=0.95", width=390, height=844)
    wait_for_lanes(page)
    page.evaluate("document.querySelector('.sandbox').sandbox.go(1000)")
    running, shown, places = page.evaluate(SHOWN)
    assert running == shown
    assert places < 2 * 16, "not one for each of the hundreds that wait"
    page.get_by_role("button", name="Step").click()
    number, trace = (page.locator(f".sandbox-running {one}").bounding_box() for one in ("strong", "canvas"))
    assert number
    assert trace
    wide = page.evaluate(
        "(range => (range.selectNodeContents(document.querySelector('.sandbox-running strong')), "
        "range.getBoundingClientRect().width))(document.createRange())"
    )
    assert number["x"] + wide <= trace["x"], "a time of hundreds of minutes has room beside its trace"


def test_who_wants_less_motion_goes_step_by_step(visit: Visit) -> None:
    page = visit("/")  # which asks for less motion
    wait_for_lanes(page)
    before = page.evaluate(NOW)
    page.wait_for_timeout(700)
    assert page.evaluate(NOW) == before
    page.get_by_role("button", name="Step").click()
    assert page.evaluate(NOW) == pytest.approx(before + 0.5)


def test_the_engine_in_the_browser_is_the_one_that_is_tested(visit: Visit) -> None:
    """Bit for bit, whatever rule: `tests/pages/test_sandbox.py` holds it to the slot engine."""
    page = visit("/")
    for copies in ("off", "on", "late"):
        setting = Sandbox(copies=copies).setting
        here = told("return engine.times(new engine.Draws(given), given, 200);", setting)
        assert page.evaluate(TIMES, setting) == pytest.approx(here, rel=1e-12)


@pytest.mark.parametrize("address", some(["/?load=1e99&copies=two", "/?load=-3"], 0))
def test_a_broken_link_shows_the_page_all_the_same(visit: Visit, address: str) -> None:
    page = visit(address)
    wait_for_lanes(page)
    expect(page.get_by_role("slider", name="Load")).to_have_value("0.4")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_keyboard_reaches_the_first_control_in_four_keys(visit: Visit) -> None:
    page = visit()
    wait_for_lanes(page)
    stops = (
        ("Tab", page.get_by_role("button", name="Skip to the first slider")),
        ("Tab", page.get_by_test_id("stSkipToContent")),
        ("Enter", page.get_by_test_id("stMain")),
        ("Tab", page.get_by_role("radio", name="Copies off")),
    )
    for key, stop in stops:  # the next key only when the focus is there, as a person would
        page.keyboard.press(key)
        expect(stop).to_be_focused()


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
