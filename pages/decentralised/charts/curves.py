"""The curves of the page: the ratio to the centralised run against a control, and against its price."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from pages.decentralised.answer import Points
from pages.decentralised.question import Axis
from pages.decentralised.setting import CENTRAL, Setting
from pages.shared.charts.chart import chart, curve, legend, level, note, titled, upright
from pages.shared.live.cards import SHORT
from pages.shared.words.winner import are_stable
from sim.result import Comparison
from sim.statistics import Estimate
from sim.telling.palette import faded, palette
from sim.telling.plot import FONT, LINE, Part
from sim.telling.scales import linear_axis, ticked_log
from sim.telling.words import listed, measured, plain, spread

#: Statistics of the flowtimes that are compared, and their names.
STATISTICS = SHORT
#: Ends and ticks of the axis of ratios, which is logarithmic: twice as long is as far everywhere. The wider
#: the axis, the fewer of the ticks have room.
ENDS = (0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
TICKS = {
    3: (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3),
    10: (0.5, 0.7, 1, 1.2, 1.5, 2, 3, 5, 10),
    ENDS[-1]: (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
}
SYMBOLS = ("circle", "square", "diamond", "cross", "x")
#: What Hopper, Fig. 5, reports of decentralised Hopper with enough probes and refusals.
REPORTED = 1.15


def ratio_chart(
    points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str = "mean"
) -> go.Figure:
    """Draw the ratio to the centralised run against a control, one curve a protocol, as far as it is known.

    Parameters
    ----------
    points : mapping
        In any order; those that are missing leave a gap.
    axis : Axis
    setting : Setting
        Its value on this axis is marked.
    dark : bool
        Whether the reader's theme is the dark one.
    statistic : str
        One of `STATISTICS`.
    """
    tried = axis.tried(setting)
    place = {value: value if axis.even else float(i) for i, value in enumerate(tried)}
    traces: list[Part] = []
    for name, color, symbol in _styled(setting, dark):
        found = [(place[v], _ratio(points[v], name, statistic), v) for v in tried if _has(points, v, name)]
        traces += _curve(name, [one for one in found if one[1].value is not None], axis, color, symbol)
    here = place[getattr(setting, axis.field)]
    ends = list(place.values())
    margin = (ends[-1] - ends[0]) * 0.04
    across = {
        "title": titled(axis.title, dark),
        "range": [ends[0] - margin, ends[-1] + margin],
        "tickmode": "array",
        "tickvals": ends,
        "ticktext": [plain(value) for value in tried],
    }
    ink = palette(dark).ink
    lines = [level(1, ink, width=1), upright(here, ink, dash="dot")]
    if ratio_remark(axis, statistic):
        lines.append(level(REPORTED, ink, dash="dot", width=1))
    axes = {"xaxis": across, "yaxis": ratio_axis(points, setting, statistic, dark)}
    return chart(
        traces,
        axes,
        dark,
        name=f"ratio against {axis.field}",
        height=280,
        shapes=lines,
        annotations=[_chosen(here, axis, setting, dark)],
        showlegend=True,
        legend=legend(dark) | {"y": 1.1},  # above the note
    )


def ratio_remark(axis: Axis, statistic: str) -> str:
    """Say what the dotted level of the chart is, where it has one; below it, for curves may lie upon it.

    Examples
    --------
    >>> from pages.decentralised.question import AXES
    >>> ratio_remark(AXES["refusals"], "mean")
    'Dotted: at most 1.15, which the paper reports for Hopper.'
    """
    if axis.field not in ("probes", "refusals") or statistic != "mean":
        return ""
    return f"Dotted: at most {REPORTED}, which the paper reports for Hopper."


def not_drawn(points: Points, axis: Axis, setting: Setting, statistic: str) -> str:
    """Say which of the known points have no ratio to be drawn, and why; empty if all have one."""
    told, tried = [], axis.tried(setting)
    for stable, why in ((False, "a queue grows there"), (True, "jobs are unfinished there")):
        places: dict[str, list[str]] = {}  # values -> the policies without a ratio there
        for name in list(setting.policies)[1:]:
            gone = [
                axis.in_words(value)
                for value in tried
                if _has(points, value, name)
                and _ratio(points[value], name, statistic).value is None
                and are_stable(points[value], name, CENTRAL) == stable
            ]
            if gone:
                where = listed(gone) if len(gone) < len(tried) else "all values"
                places.setdefault(where, []).append(name)
        if places:
            parts = [f"{listed(names)} at {where}" for where, names in places.items()]
            told.append(f"Not drawn, since {why}: {'; '.join(parts)}.")
    return " ".join(told)


def _styled(setting: Setting, dark: bool) -> list[tuple[str, str, str]]:
    """Return the decentralised policies with the colour and the mark they have on all charts."""
    colors = palette(dark).of(setting.policies)
    return [
        (name, colors[name], SYMBOLS[place % len(SYMBOLS)])
        for place, name in enumerate(colors)
        if name != CENTRAL
    ]


def _has(points: Points, value: float, name: str) -> bool:
    return value in points and name in points[value].policies


def _ratio(comparison: Comparison, name: str, statistic: str) -> Estimate:
    """Return a ratio; none where a queue grows, under the policy or the reference."""
    if not are_stable(comparison, name, CENTRAL):
        return Estimate(None)
    return comparison.ratio(name, "flowtime", statistic)


def _curve(
    name: str, found: list[tuple[float, Estimate, float]], axis: Axis, color: str, symbol: str
) -> list[Part]:
    """Return a curve with its 95 % band; it is there before it has points, so that the legend stays."""
    x = [one[0] for one in found]
    y = [one[1].value or 0.0 for one in found]
    sure = [(x, e.low, e.high) for x, e, _ in found if e.low is not None and e.high is not None]
    traces: list[Part] = []
    if len(sure) > 1:
        traces.append(_band(name, sure, color))
    told = [f"<b>{name}</b><br>{axis.in_words(v)}: {spread(e.value or 0, e.half)}" for _, e, v in found]
    return [
        *traces,
        curve(
            x,
            y,
            name,
            color,
            mode="lines+markers",
            legendgroup=name,
            hovertext=told,
            hovertemplate="%{hovertext}<extra></extra>",
            marker={"color": color, "size": 8, "symbol": symbol},
        ),
    ]


def _band(name: str, sure: list[tuple[float, float, float]], color: str) -> Part:
    """Return the 95 % band through (x, low, high)."""
    return {
        "type": "scatter",
        "mode": "none",
        "x": [one[0] for one in sure] + [one[0] for one in sure[::-1]],
        "y": [max(one[1], ENDS[0]) for one in sure] + [one[2] for one in sure[::-1]],
        "fill": "toself",
        "fillcolor": faded(color),
        "showlegend": False,
        "legendgroup": name,
        "hoverinfo": "skip",
        "name": f"{name}, 95 % band",
    }


def _chosen(x: float, axis: Axis, setting: Setting, dark: bool) -> Part:
    """Name the chosen value, above the line that marks it."""
    return note(
        f"chosen: {plain(getattr(setting, axis.field))}",
        dark,
        x=x,
        y=1,
        yref="paper",
        yanchor="bottom",
        bgcolor="rgba(0, 0, 0, 0)",
    )


def ratio_axis(points: Points, setting: Setting, statistic: str, dark: bool) -> dict[str, Any]:
    """Return a logarithmic axis of ratios from about 0.9, with round ticks and room for all points.

    Examples
    --------
    >>> ratio_axis({}, Setting(), "mean", False)["ticktext"]
    ['1', '1.1', '1.2', '1.5', '2', '3']
    """
    known = [
        value
        for comparison in points.values()
        for name in comparison.policies
        if name != CENTRAL
        for value in (_ratio(comparison, name, statistic).value,)
        if value is not None
    ]
    high = next((end for end in ENDS if end >= 1.1 * max([2.1, *known])), ENDS[-1])
    low = next((end for end in ENDS[::-1] if end <= min([0.95, *known])), ENDS[0])
    dense = next(most for most in TICKS if most >= high)
    ticks = [tick for tick in TICKS[dense] if low < tick <= high]
    title = titled(f"{STATISTICS[statistic]} ÷ {CENTRAL}’s", dark)
    return ticked_log(low, high, ticks) | {"title": title}


def price_chart(points: Points, setting: Setting, dark: bool, statistic: str = "mean") -> go.Figure:
    """Draw the ratio to the centralised run against the messages per task, along the probes per task."""
    priced = {one[0]: _priced(points, one[0], statistic) for one in _styled(setting, dark)}
    traces = [
        _price_curve(name, priced[name], color, symbol, dark)
        for name, color, symbol in _styled(setting, dark)
    ]
    most = max([10.0, *(messages.value or 0 for one in priced.values() for _, messages, _ in one)])
    across = linear_axis(most) | {"title": titled("messages per task (numbers: probes per task, d)", dark)}
    axes = {"xaxis": across, "yaxis": ratio_axis(points, setting, statistic, dark)}
    shapes = [level(1, palette(dark).ink, width=1)]
    name = "ratio against messages"
    return chart(traces, axes, dark, name=name, height=280, shapes=shapes, showlegend=True)


def _priced(points: Points, name: str, statistic: str) -> list[tuple[float, Estimate, Estimate]]:
    """Return probes per task, messages per task and the ratio, where they are known."""
    found = []
    for value in sorted(points):
        if _has(points, value, name):
            messages = points[value].policies[name].estimate("messages_per_task")
            ratio = _ratio(points[value], name, statistic)
            if messages.value is not None and ratio.value is not None:
                found.append((value, messages, ratio))
    return found


def _price_curve(
    name: str, found: list[tuple[float, Estimate, Estimate]], color: str, symbol: str, dark: bool
) -> Part:
    told = [
        f"<b>{name}</b>, d = {plain(value)}<br>{measured(messages)} messages per task<br>"
        f"ratio {measured(ratio)}"
        for value, messages, ratio in found
    ]
    return curve(
        [messages.value or 0.0 for _, messages, _ in found],
        [ratio.value or 0.0 for _, _, ratio in found],
        name,
        color,
        mode="lines+markers+text",
        text=[plain(value) for value, _, _ in found],
        textposition="top center",
        textfont={"color": palette(dark).ink, "size": FONT},
        line={"width": LINE / 2},
        marker={"color": color, "size": 8, "symbol": symbol},
        hovertext=told,
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def ratio_alt(points: Points, axis: Axis, setting: Setting, statistic: str = "mean") -> str:
    """Say in words what `ratio_chart` shows, with its numbers."""
    told = []
    for name in list(setting.policies)[1:]:
        values = [
            f"{measured(_ratio(points[v], name, statistic))} at {axis.in_words(v)}"
            for v in axis.tried(setting)
            if _has(points, v, name) and _ratio(points[v], name, statistic).value is not None
        ]
        if values:
            told.append(f"{name}: {listed(values)}.")
    known = f"{len(points)} of {len(axis.tried(setting))} points are known."
    what = f"Ratio of the {STATISTICS[statistic]} to that of {CENTRAL} against {axis.title}."
    return " ".join([what, *told, known])


def price_alt(points: Points, setting: Setting, statistic: str = "mean") -> str:
    """Say in words what `price_chart` shows, with its numbers."""
    told = []
    for name in list(setting.policies)[1:]:
        values = [
            f"{measured(one.policies[name].estimate('messages_per_task'))} messages and ratio "
            f"{measured(_ratio(one, name, statistic))} at d = {plain(value)}"
            for value, one in sorted(points.items())
            if name in one.policies and _ratio(one, name, statistic).value is not None
        ]
        if values:
            told.append(f"{name}: {listed(values)}.")
    what = f"Ratio of the {STATISTICS[statistic]} to that of {CENTRAL} against messages per task."
    return " ".join([what, *told, f"{len(points)} values of d are known."])
