"""Every preset of every page is opened once, on settings nobody has asked for before."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pages.coding.controls import PANEL as CODING
from pages.compare.controls import PANEL as COMPARE
from pages.formulas.allocation.controls import PANEL as ALLOCATION
from pages.formulas.cloning.controls import PANEL as CLONING
from pages.formulas.detection.controls import PANEL as DETECTION
from pages.frame.menu import entries
from pages.map.controls import PANEL as MAP
from pages.shared.controls.control import Panel
from pages.wait.controls import PANEL as WAIT
from tests.pages.visits import arrived, turn_to

ROOT = Path(__file__).resolve().parents[2]

#: Panels with presets, and what makes an answer quick and new: no other test has this seed.
PANELS: dict[Panel, dict[str, str]] = {
    COMPARE: {"precision": "10", "seed": "83"},
    CODING: {"jobs": "5000", "seed": "83"},
    CLONING: {"seed": "83"},
    DETECTION: {"seed": "83"},
    ALLOCATION: {},
    WAIT: {},
    MAP: {"xs": "0.3:0.6:4", "ys": "1.5:2:4", "jobs": "300", "seed": "83"},
}
#: Jobs of a run, at most: a preset of 60,000 is drawn as one of 500 is.
MOST = 500
#: What a preset may be told that is larger than what a server runs.
SHORTENED = "The command line has no such limit."
STARTS = [(panel, start) for panel in PANELS for start in panel.starts]


def query(panel: Panel, start: str) -> dict[str, str]:
    """Return the parameters of a page at one of its presets, with fewer jobs where it has many."""
    version = {"v": str(panel.version)} if panel.version else {}
    jobs = panel.starts[start].values.get("jobs")
    fewer = {"jobs": str(MOST)} if isinstance(jobs, int) and jobs > MOST else {}
    return version | {next(iter(panel.controls)): start} | fewer | PANELS[panel]


def link(panel: Panel, start: str) -> str:
    """Return the address of a page at one of its presets."""
    return f"/{panel.page}?" + urlencode(query(panel, start))


def assert_told(page: str, alerts: list[str], text: str) -> None:
    """Assert that a page has an answer in words, and no warning but that it runs less than was asked."""
    assert all(SHORTENED in one for one in alerts), alerts
    assert "What to notice" in text or page in (MAP.page, WAIT.page)
    assert "1.0 times as long" not in text


def test_every_page_with_presets_is_visited() -> None:
    panels = {entry.name: import_module(f"{entry.package}.controls") for entry in entries()}
    with_starts = {page for page, one in panels.items() if hasattr(one, "PANEL") and one.PANEL.starts}
    assert with_starts == {panel.page for panel in PANELS}


@pytest.mark.compiled
@pytest.mark.parametrize(("panel", "start"), STARTS, ids=[f"{panel.page}-{start}" for panel, start in STARTS])
def test_every_preset_has_an_answer(panel: Panel, start: str) -> None:
    app = arrived()
    for name, value in query(panel, start).items():
        app.query_params[name] = value
    turn_to(app, panel.page).run()
    assert not app.exception
    assert app.get("plotly_chart") or (panel.page, start) == (
        WAIT.page,
        "few",
    )  # of which nothing can be told
    alerts = [one.value for one in (*app.warning, *app.error, *app.info, *app.success)]
    assert_told(panel.page, alerts, "\n".join(block.value for block in (*app.markdown, *app.caption)))
