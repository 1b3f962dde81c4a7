"""Everybody can use every page: axe-core finds nothing, on a laptop in both themes and on a phone."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS, assert_becomes

pytestmark = pytest.mark.browser

#: Pages, and how many phone screens above its first chart each may have: Errata and Reproductions are texts
#: and tables with some charts.
PAGES = {
    "/": 1.5,
    "/diagnose": 1.5,
    "/whatif?v=1&replications=20": 1.5,
    "/compare?v=1&preset=small&precision=10": 1.5,
    "/threshold": 1.5,
    "/allocation": 1.5,
    "/cloning": 1.5,
    "/detection": 1.5,
    "/coding?v=1&jobs=5000": 1.5,
    "/decentralised?v=1&length=20": 1.5,
    "/reproductions?v=1&claim=xl-fig4-alpha2": 2.0,
    "/errata": 3.0,
}
#: Pages that begin with a place to drop files.
DROPPED = ("/diagnose", "/whatif")
#: Of axe-core: rules that it leaves out unless asked (targets of 24 px), and no more told than is used.
ALL = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
#: A theme changes colours only; on a phone they are those that have been looked at.
COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
SHAPE = {"resultTypes": ["violations"], "rules": ALL["rules"] | {"color-contrast": {"enabled": False}}}  # type: ignore[operator]
PHONE = {"width": 390, "height": 844}
#: Milliseconds until what is marked after a change of the page has been marked.
SOON = 20_000


def found(page: Page, options: dict[str, Any] = ALL) -> list[str]:
    """Return what axe-core finds. Nothing is excused, of Streamlit's own elements neither."""
    violations: list[dict[str, Any]] = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for one in violations
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("path", PAGES)
def test_nothing_shuts_anybody_out(visit: Visit, path: str) -> None:
    page = visit(path, wait=False)
    expect(page.locator(CHARTS).first).to_be_visible(timeout=FIRST)
    wait_for_app_run(page, FIRST)
    assert_becomes(lambda: found(page), [], SOON)
    if path != "/errata" and not path.startswith("/reproductions"):
        for seen in (page.get_by_test_id("stMetric").first, page.locator(CHARTS).first):
            expect(seen).to_be_in_viewport(ratio=0.3 if path.startswith(DROPPED) else 0.5, timeout=20_000)
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    wait_for_app_run(page, FIRST)
    assert_becomes(lambda: found(page, COLOURS), [], SOON)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    wait_for_app_run(page, FIRST)
    assert_becomes(lambda: found(page, SHAPE), [], SOON)
    top = page.locator(CHARTS).first.evaluate("one => one.getBoundingClientRect().top")
    assert top <= PAGES[path] * PHONE["height"]


def test_what_shuts_people_out_would_be_noticed(visit: Visit) -> None:
    page = visit("/")
    page.evaluate(
        """document.querySelector('[data-testid="stMarkdownContainer"]').innerHTML =
          '<p style="color: #aaa; background: #fff">pale</p><button id="bare"></button>'"""
    )
    assert sorted(one.partition(":")[0] for one in found(page)) == ["button-name", "color-contrast"]
    assert [one.partition(":")[0] for one in found(page, COLOURS)] == ["color-contrast"]
    assert [one.partition(":")[0] for one in found(page, SHAPE)] == ["button-name"]
