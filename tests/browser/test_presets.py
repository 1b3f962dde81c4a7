"""Every preset of every page is opened once, on settings nobody has asked for before."""

from __future__ import annotations

from glob import glob
from importlib import import_module
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages.allocation.controls import PANEL as ALLOCATION
from pages.cloning.controls import PANEL as CLONING
from pages.coding.controls import PANEL as CODING
from pages.compare.controls import PANEL as COMPARE
from pages.detection.controls import PANEL as DETECTION
from pages.map.controls import PANEL as MAP
from pages.shared.controls.panel import Panel
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import CHARTS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.browser

#: Panels with presets, and what makes an answer quick and new: no other test has this seed.
PANELS: dict[Panel, dict[str, str]] = {
    COMPARE: {"precision": "10", "seed": "83"},
    CODING: {"jobs": "5000", "seed": "83"},
    CLONING: {"seed": "83"},
    DETECTION: {"seed": "83"},
    ALLOCATION: {},
    MAP: {"xs": "0.3:0.6:4", "ys": "1.5:2:4", "jobs": "300", "seed": "83"},
}


#: Jobs of a run, at most: a preset of 60,000 is drawn as one of 2,000 is.
MOST = 2000


def link(panel: Panel, start: str) -> str:
    """Return the address of a page at one of its presets, with fewer jobs where it has many."""
    version = {"v": panel.version} if panel.version else {}
    jobs = panel.starts[start].values.get("jobs")
    fewer = {"jobs": str(MOST)} if isinstance(jobs, int) and jobs > MOST else {}
    chosen = {next(iter(panel.controls)): start} | fewer | PANELS[panel]
    return f"/{panel.page}?" + urlencode(version | chosen)


#: What a preset may be told that is larger than what a server runs.
SHORTENED = "The command line has no such limit."
LINKS = {panel.page: [link(panel, start) for start in panel.starts] for panel in PANELS}


def test_every_page_with_presets_is_visited() -> None:
    pages = {Path(module).parts[-2] for module in glob("pages/*/controls.py", root_dir=ROOT)}
    panels = {page: import_module(f"pages.{page}.controls") for page in pages}
    with_starts = {page for page, one in panels.items() if hasattr(one, "PANEL") and one.PANEL.starts}
    assert with_starts == {panel.page for panel in PANELS}


@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS)
def test_every_preset_of_a_page_is_drawn(visit: Visit, links: list[str]) -> None:
    page = visit("/", wait=False)
    origin = page.url.rstrip("/")
    for address in links:
        page.goto(origin + address)
        expect(page.locator(CHARTS).first).to_be_visible(timeout=FIRST)
        wait_for_app_run(page, FIRST)
        assert page.get_by_test_id("stException").all_inner_texts() == [], address
        alerts = page.get_by_test_id("stAlert").all_inner_texts()
        assert all(SHORTENED in one for one in alerts), (address, alerts)
        told = page.get_by_test_id("stMainBlockContainer").inner_text()
        assert "What to notice" in told or address.startswith("/map?"), address
        assert "1.0 times as long" not in told, address
