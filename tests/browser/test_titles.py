"""Titles of charts in a real browser: all their lines are seen, wide or narrow."""

from __future__ import annotations

import json

import orjson
import pytest
from playwright.sync_api import Browser
from plotly.offline import get_plotlyjs

from pages.shared.charts.chart import chart, curve
from pages.shared.charts.serialized import LONGEST, SerializedFigure
from tests.browser import looks

pytestmark = pytest.mark.browser
LINE = "Which policy has the least mean flowtime here?"


def test_both_lines_of_a_title_are_seen(browser: Browser) -> None:
    """Drawn without a server, by the Plotly of the Python package."""
    assert 2 * len(LINE) > LONGEST
    traces = [curve([0, 1], [0, 1], f"policy {i}", "#000000") for i in range(5)]
    axes = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [0, 1]}}
    made = SerializedFigure(chart(traces, axes, False, name="titled"), f"{LINE} {LINE}")
    figure = json.loads(orjson.dumps(made.to_dict()))
    for width in (1000, 420):  # the font here may be wider than that of the pages
        page = browser.new_page(viewport={"width": width, "height": 600})
        page.set_content("<body style='margin: 0'><div id='chart'></div>")
        page.add_script_tag(content=get_plotlyjs())
        page.evaluate("figure => Plotly.newPlot('chart', figure.data, figure.layout)", figure)
        assert page.locator(".gtitle tspan.line").count() == 2
        assert page.evaluate(looks.CUT) == []
        page.close()
