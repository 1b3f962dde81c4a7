"""Titles of charts in a real browser: all their lines are seen, wide or narrow."""

from __future__ import annotations

import json

import orjson
import pytest
from playwright.sync_api import Browser
from plotly.offline import get_plotlyjs

from pages.shared.charts.on_page import figure
from pages.shared.charts.serialized import LONGEST, SerializedFigure
from sim.telling.plot import Plot
from tests.browser import looks

pytestmark = pytest.mark.browser
LINE = "Which policy has the least mean flowtime here?"


def test_both_lines_of_a_title_are_seen(browser: Browser) -> None:
    """Drawn without a server, by the Plotly of the Python package."""
    assert 2 * len(LINE) > LONGEST
    plot = Plot("titled", dark=False)
    for i in range(5):
        plot.line([0, 1], [0, 1], f"policy {i}", "#000000", "")
    plot.axis("x", range=[0, 1])
    plot.axis("y", range=[0, 1])
    made = SerializedFigure(figure(plot), f"{LINE} {LINE}")
    drawn = json.loads(orjson.dumps(made.to_dict()))
    for width in (1000, 420):  # the font here may be wider than that of the pages
        page = browser.new_page(viewport={"width": width, "height": 600})
        page.set_content("<body style='margin: 0'><div id='chart'></div>")
        page.add_script_tag(content=get_plotlyjs())
        page.evaluate("figure => Plotly.newPlot('chart', figure.data, figure.layout)", drawn)
        assert page.locator(".gtitle tspan.line").count() == 2
        assert page.evaluate(looks.CUT) == []
        page.close()
