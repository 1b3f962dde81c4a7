"""Measurements of a page that the tests of several pages share."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Error, Page, expect

from tests.browser.conftest import PATIENCE, Visit, wait_for_app_run

CHARTS = ".js-plotly-plot"
#: Size and colour of everything that is written in a chart.
FONTS = f"""() => [...document.querySelectorAll('{CHARTS}')].flatMap(plot => {{
  const all = plot._fullLayout, axes = [all.xaxis, all.yaxis].filter(axis => axis.visible);
  const parts = [...axes.map(axis => axis.tickfont),
    ...all.annotations.filter(one => one.text).map(one => one.font),
    ...axes.filter(axis => axis.title.text).map(axis => axis.title.font)];
  const written = all.showlegend ? [...parts, all.legend.font] : parts;
  return written.filter(font => font).map(font => [font.size, font.color.toUpperCase()]);
}})"""


#: What is written in a chart and is cut off at its edge, titles that lie on labels, notes on each other.
CUT = f"""() => [...document.querySelectorAll('{CHARTS}')].flatMap(chart => {{
  const box = chart.getBoundingClientRect();
  const all = what => [...chart.querySelectorAll(what)]
    .map(text => [text.textContent, text.getBoundingClientRect()]).filter(([_, at]) => at.width);
  const labels = all('[class$=tick] text'), titles = all('[class^=g-x] text, [class^=g-y] text');
  const over = ([_, at]) =>
    Math.max(box.left - at.left, at.right - box.right, box.top - at.top, at.bottom - box.bottom);
  const hit = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const under = ([title, a]) =>
    labels.filter(([_, b]) => hit(a, b)).map(([label]) => `${{title}} on ${{label}}`);
  const legend = all('.legendtext'), head = all('.gtitle');
  const notes = all('.annotation-text');
  const crossed = notes.flatMap(([text, a], place) => notes.slice(place + 1)
    .filter(([_, b]) => hit(a, b)).map(([other]) => `${{text}} on ${{other}}`));
  const cut = [...labels, ...titles, ...legend, ...head].filter(one => over(one) > 0.5);
  const above = head.flatMap(([title, a]) => [...legend, ...labels].filter(([_, b]) => hit(a, b))
    .map(([text]) => `${{title}} on ${{text}}`));
  return [...cut.map(([text]) => text), ...titles.flatMap(under), ...above, ...crossed];
}})"""

#: Numbers whose unit, % or half width stands on the next line.
PARTED = """() => [...document.querySelectorAll('[data-testid="stMain"] :is(p, li, h1, h2)')].flatMap(one => {
  const found = [], walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
  if (one.getBoundingClientRect().width < 2) return [];  // for those who listen
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (const hit of node.data.matchAll(/\\d\\s(?:%|±|×|s\\b|min\\b)|±\\s\\d/g)) {
      const [first, last] = [hit.index, hit.index + hit[0].length - 1].map(at => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
      });
      if (last.top >= first.bottom - 1 && first.width) found.push(hit[0] + ' in ' + node.data.slice(0, 60));
    }
  }
  return found;
})"""
#: Widths of charts, and of their places where those differ, as they do until a page has been laid out again.
ILL_FITTING = f"""() => [...document.querySelectorAll('{CHARTS}')]
  .map(chart => [chart._fullLayout?.width ?? 0, chart.parentElement.clientWidth])
  .filter(([width, place]) => place && Math.abs(width - place) > 1)"""


def opened(visit: Visit, path: str, charts: int, patience: float, **look: object) -> Page:
    """Open a page as a new visitor; wait at most `patience` ms for each of its charts and its last answer."""
    page = visit(path, wait=False, **look)
    if charts:
        expect(page.locator(CHARTS).nth(charts - 1)).to_be_visible(timeout=patience)
    wait_for_app_run(page, patience)
    return page


def choose(page: Page, door: str, title: str) -> None:
    """Choose a door in the menu of a wide screen, and a page behind it if another one is open."""
    page.get_by_role("banner").get_by_role("link", name=door, exact=True).click()
    tab = page.get_by_role("navigation", name="Tabs").get_by_role("link", name=title, exact=True)
    tab.click()
    expect(tab).to_have_attribute("aria-current", "page")


def cards(page: Page) -> list[str]:
    """Return the numbers of the cards."""
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def changed(page: Page, read: Callable[[], object], before: object, patience: float = PATIENCE) -> object:
    """Wait until what is read differs from before and the page rests again; return what is read then.

    A key that was pressed has not started a run yet, and a run has ended before the browser has drawn it.
    """
    _wait(read, lambda now: now != before, patience)
    wait_for_app_run(page, patience)
    return read()


def steady(read: Callable[[], object], patience: float = PATIENCE) -> object:
    """Return what is read once it is the same twice, as where a thing is on a page that is laid out again."""
    seen: list[object] = []

    def again(now: object) -> bool:
        seen.append(now)
        return seen[-2:-1] == [now]

    _wait(read, again, patience)
    return seen[-1]


def resize(page: Page, width: int, height: int) -> None:
    """Give a page another screen; wait until its charts are as wide as their places again."""
    page.set_viewport_size({"width": width, "height": height})
    assert_becomes(lambda: page.evaluate(ILL_FITTING), [])


def assert_becomes(read: Callable[[], object], expected: object, patience: float = PATIENCE) -> None:
    """Assert that what is read is as expected, at the latest after `patience` ms."""
    _wait(read, lambda now: now == expected, patience)


def _wait(read: Callable[[], object], holds: Callable[[object], bool], patience: float) -> None:
    """Look again and again until what is read is right.

    A page that is being drawn again may lack what is read for a moment: that is "not yet", too.
    """
    end = time.monotonic() + patience / 1000
    while True:
        try:
            now = read()
        except Error as absent:
            now = absent.message
        else:
            if holds(now):
                return
        assert time.monotonic() < end, f"still {now}"
        time.sleep(0.05)


def wait_until_idle(page: Page) -> None:
    """Wait until the browser has drawn all it was asked to and has nothing left to do."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestIdleCallback(done)))")


def assert_fits(page: Page, width: int) -> None:
    """Assert that nothing is wider than a screen of this width, and nothing cut off in a chart."""
    main, charts = page.get_by_test_id("stMain"), page.locator(CHARTS)
    widths = "all => all.map(one => one.getBoundingClientRect().width)"
    assert_becomes(lambda: page.evaluate(f"document.documentElement.scrollWidth <= {width}"), True)
    assert_becomes(lambda: main.evaluate("main => main.scrollWidth <= main.clientWidth"), True)
    labels, wide = (
        page.get_by_test_id("stMetricLabel").locator("*"),
        "one => one.innerText && one.scrollWidth > one.clientWidth",  # an icon may stick out of its box
    )
    assert_becomes(lambda: labels.evaluate_all(f"all => all.filter({wide}).map(one => one.innerText)"), [])
    assert_becomes(lambda: all(0 < one <= width for one in charts.evaluate_all(widths)), True)
    assert_becomes(lambda: page.evaluate(CUT), [])
    assert_becomes(lambda: page.evaluate(PARTED), [])


def reached(page: Page, presses: int) -> str:
    """Press Tab so often; return what had the focus, by its names and texts."""
    focused = "(document.activeElement.getAttribute('aria-label') || '') + document.activeElement.innerText"
    told = []
    for _ in range(presses):
        page.keyboard.press("Tab")
        told.append(page.evaluate(focused))
    return " | ".join(told)
