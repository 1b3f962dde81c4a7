"""The charts of the report as values that Plotly draws: the check, the front, and the load."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.whatif.answer import Answer
from sim.whatif.pictures import Pictures
from sim.whatif.reach import Reach
from sim.whatif.remedies.judged import Remedies
from sim.whatif.setting_effect import SettingEffect
from theory.shown import shortened

_BLUE, _ORANGE, _GREY = "#2f6fb7", "#d1661f", "#8a8a8a"


def check_figure(pictures: Pictures) -> dict[str, Any]:
    """Draw the recorded time of each job over the model's band, the shortest first."""
    order = np.argsort(pictures.recorded)
    place = list(range(1, order.size + 1))
    low, high = pictures.low[order].tolist(), pictures.high[order].tolist()
    band = {"type": "scatter", "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    return {
        "data": [
            band | {"x": place, "y": low, "showlegend": False},
            band
            | {"x": place, "y": high, "name": "90 % of the model's times"}
            | {"fill": "tonexty", "fillcolor": "rgba(47, 111, 183, 0.3)"},
            _dots(place, pictures.recorded[order].tolist(), "recorded", _ORANGE),
        ],
        "layout": _layout("jobs, the shortest first", "job time (s)", "log"),
    }


def front_figure(answer: Answer, objective: str) -> dict[str, Any]:
    """Draw the change of job time over that of slot-time, an option a dot, with 95 % intervals."""
    data = []
    for text, option in answer.options.items():
        gain, extra = option.change[objective], option.change["slot_time"]
        best = answer.advice is not None and text == answer.advice.policy
        dot = _dots([100 * extra.value], [100 * gain.value], "advised" if best else "", _BLUE)
        dot["marker"]["color"] = _ORANGE if best else _GREY if text == answer.today else _BLUE
        data.append(
            dot
            | {"error_x": _error([extra]), "error_y": _error([gain]), "showlegend": False}
            | {"hovertext": [shortened(text)], "hoverinfo": "text+x+y"}
        )
    return {
        "data": data,
        "layout": _layout("change of slot-time (%)", f"change of the {objective} job time (%)"),
    }


def load_figure(reach: Reach) -> dict[str, Any]:
    """Draw the change of job time over the offered load, with 95 % intervals."""
    load = [point.load for point in reach.points]
    changes = [point.change[reach.objective] for point in reach.points]
    line = _dots(load, [100 * change.value for change in changes], "advised setting", _ORANGE)
    data = line | {"mode": "lines+markers", "error_y": _error(changes), "showlegend": False}
    named = f"change of the {reach.objective} job time (%)"
    return {"data": [data], "layout": _layout("offered load", named)}


def remedies_figure(remedies: Remedies) -> dict[str, Any]:
    """Draw by how much each remedy shortens the job time: what is reached, and the ceiling behind it."""
    first, named = remedies.first, [one.remedy.title for one in remedies.judged]
    most = [one.ceiling[remedies.objective] for one in remedies.judged]
    reached = [one.change[remedies.objective] if one.change else None for one in remedies.judged]
    bar = {"type": "bar", "orientation": "h", "y": named}
    colors = [_ORANGE if one is first else _BLUE for one in remedies.judged]
    data = [
        bar
        | {"x": [-100 * one.value for one in most], "width": 0.7, "name": "at most"}
        | {"marker": {"color": "rgba(128, 128, 128, 0.35)"}, "hoverinfo": "x+name"},
        bar
        | {"x": [-100 * one.value if one else None for one in reached], "width": 0.4, "name": "a setting"}
        | {"marker": {"color": colors}, "hoverinfo": "x+name", "error_x": _shorter(reached)},
    ]
    layout = _layout(f"{remedies.objective} job time shorter by (%)", "")
    layout["yaxis"] |= {"type": "category", "autorange": "reversed", "automargin": True}
    return {"data": data, "layout": layout | {"barmode": "overlay", "height": 300, "showlegend": False}}


def _shorter(changes: list[SettingEffect | None]) -> dict[str, Any]:
    """Return error bars of gains, whose signs are those of changes turned round."""
    return {
        "type": "data",
        "array": [100 * (one.value - one.low) if one else 0 for one in changes],
        "arrayminus": [100 * (one.high - one.value) if one else 0 for one in changes],
        "thickness": 1,
    }


def _dots(x: list[Any], y: list[Any], name: str, colour: str) -> dict[str, Any]:
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "name": name, "marker": {"color": colour}}


def _error(changes: list[SettingEffect]) -> dict[str, Any]:
    return {
        "type": "data",
        "array": [100 * (change.high - change.value) for change in changes],
        "arrayminus": [100 * (change.value - change.low) for change in changes],
        "thickness": 1,
    }


def _layout(x: str, y: str, scale: str = "linear") -> dict[str, Any]:
    axis = {"gridcolor": "rgba(128, 128, 128, 0.25)", "zerolinecolor": "rgba(128, 128, 128, 0.6)"}
    return {
        "xaxis": axis | {"title": {"text": x}},
        "yaxis": axis | {"title": {"text": y}, "type": scale},
        "margin": {"l": 64, "r": 16, "t": 32, "b": 56},
        "legend": {"orientation": "h", "y": 1.12},
        "height": 380,
    }
