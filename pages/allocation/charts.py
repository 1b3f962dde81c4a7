"""Shares of the slots: a row for each rule, and one rule as water poured into jobs as wide as their tasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from pages.allocation.question.shares import Question, Scene, Share
from pages.shared.charts.chart import FONT, chart, titled
from pages.shared.charts.marks import Part, curve, level, note, tidy
from pages.shared.charts.on_page import Chart
from pages.shared.charts.palette import Palette, faded, palette
from pages.shared.words.numbers import counted_slots, in_slots, number, percent, plain

#: Rules judged by the weighted sum of rates, which they are made for, and those that keep the guarantee.
WEIGHTED = ("Algorithm 3", "Exact optimum")
GUARANTEEING = ("Algorithm 2", "Projection")
#: Pixels of one rule's row, and of what is around all of them.
ROW, AROUND = 40, 60
HEIGHT = 340
#: A job that takes less than these shares of a row has no name, or no number, written into it.
NAMED, NUMBERED = 0.05, 0.16
#: Opacity of what is filled; text on it keeps its contrast.
FILL = 0.4


def below_best(share: float) -> str:
    """Say how far a sum is below the best one.

    Examples
    --------
    >>> below_best(0.0), below_best(0.0123), below_best(1e-12)
    ('the best', '1.2 % below', 'the best')
    """
    return "the best" if share < 1e-9 else f"{percent(share)} below"


def bars(seen: Scene, dark: bool) -> go.Figure:
    """Draw how each rule divides the slots, a row per rule, the jobs by size; what is left blank is idle."""
    asked, shares = seen.asked, list(seen.found.values())
    colors, rows = _job_colors(asked, dark), [_row(asked, share) for share in shares]
    traces = [_segments(asked, shares, rows, job, colors, dark) for job in _by_size(asked)]
    silent = [
        note(share.case, dark, x=0, xanchor="left", y=row, yref="y")
        for row, share in zip(rows, shares, strict=True)
        if share.slots is None
    ]
    across: Part = {"title": titled("slots", dark), "range": [0, asked.slots], "nticks": 6, "tickformat": ","}
    downwards: Part = {
        "title": titled("", dark),
        "type": "category",
        "categoryorder": "array",
        "categoryarray": rows[::-1],
        "range": [-0.5, len(rows) - 0.5],
        "showgrid": False,
        "ticks": "",
    }
    axes = {"xaxis": across | {"fixedrange": True}, "yaxis": downwards | {"fixedrange": True}}
    looks: Part = {"barmode": "stack", "bargap": 0.25, "showlegend": False, "annotations": silent}
    return chart(traces, axes, dark, name="shares", height=AROUND + ROW * len(rows), **looks)


def _row(asked: Question, share: Share) -> str:
    """Return the name of a rule's row, with the distance of its sum from the best one."""
    judged = share.weighted if asked.jobs.weighted and share.rule.name in WEIGHTED else share.rate
    return f"{share.rule.name}<br>{below_best(judged.shortfall) if judged else 'no answer'}"


def _by_size(asked: Question) -> list[int]:
    """Return the jobs, smallest first."""
    return [int(job) for job in np.argsort(asked.jobs.T, kind="stable")]


def _job_colors(asked: Question, dark: bool) -> list[str]:
    """Return a colour for each job, the same in both charts."""
    series = palette(dark).series
    return [series[place % len(series)] for place in range(len(asked.jobs.names))]


def _segments(
    asked: Question, shares: list[Share], rows: list[str], job: int, colors: list[str], dark: bool
) -> Part:
    """Return what one job gets from every rule."""
    slots = [0.0 if share.slots is None else float(share.slots[job]) for share in shares]
    name = asked.jobs.names[job]
    return {
        "type": "bar",
        "orientation": "h",
        "y": rows,
        "x": slots,
        "name": f"job {name}",
        "marker": {"color": faded(colors[job], FILL), "line": {"color": palette(dark).paper, "width": 1}},
        "text": [_inside(name, s, s / asked.slots) for s in slots],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": palette(dark).ink, "size": FONT},
        "hovertemplate": f"job {name}: %{{x:,.4~g}} of {counted_slots(asked.slots)}; "
        f"it wants {number(float(asked.wanted[job]))}<extra></extra>",
    }


def _inside(name: str, slots: float, share: float) -> str:
    """Return what fits into a segment of this share of the row."""
    if share < NAMED:
        return ""
    return name if share < NUMBERED else f"{name} {in_slots(slots)}"


def water(seen: Scene, dark: bool) -> go.Figure:
    """Draw one rule's slots per task: the area of a job is its slots, the common height the water level."""
    asked, share, colors = seen.asked, seen.poured, palette(dark)
    order = [job for job in _by_size(asked) if asked.jobs.T[job] > 0]
    tasks, names = asked.jobs.T[order], [asked.jobs.names[i] for i in order]
    height = np.zeros(tasks.size) if share.slots is None else share.slots[order] / tasks
    edges = np.concatenate([[0.0], np.cumsum(tasks)])
    middle, high = (edges[:-1] + edges[1:]) / 2, _ceiling(asked, height)
    fills = [_job_colors(asked, dark)[job] for job in order]
    traces = [_columns(names, middle, tasks, height, high, fills, dark)]
    if share.rule.name in GUARANTEEING and asked.epsilon < 1:
        traces.append(_floor(asked, edges, tasks, high, colors))
    lines, notes = [], []
    for text, at, dash, side in _levels(seen):
        lines.append(level(at, colors.ink, dash=dash))
        notes.append(note(f"{text} ", dark, x=1, xref="paper", xanchor="right", y=at, yanchor=side))
    if share.slots is None:
        middle_of = {"x": 0.5, "xref": "paper", "y": 0.5, "yref": "paper"}
        notes.append(note(f"{share.rule.name}: {share.case}", dark, **middle_of))
    wide = [i for i, t in enumerate(tasks) if t >= NAMED * edges[-1]]
    ticks = {"tickvals": [middle[i] for i in wide], "ticktext": [names[i] for i in wide]}
    across: Part = {
        "title": titled("jobs, smallest first, as wide as their tasks", dark),
        "range": [0, edges[-1]],
    }
    upwards: Part = {"title": titled("slots per task", dark), "range": [0, high], "nticks": 6}
    axes = {"xaxis": across | ticks | {"fixedrange": True}, "yaxis": upwards | {"fixedrange": True}}
    return chart(traces, axes, dark, name="water", height=HEIGHT, shapes=lines, annotations=notes)


def _levels(seen: Scene) -> Iterator[tuple[str, float, str, str]]:
    """Yield lines across with their labels, the water level above and then the threshold below its line."""
    poured, theta = water_level(seen), seen.asked.theta
    if poured is not None:
        yield f"water level {number(poured)}", poured, "solid", "bottom"
    yield f"threshold θ = {number(theta)}", theta, "dot", "bottom" if poured is None else "top"


def water_level(seen: Scene) -> float | None:
    """Return the level to which slots beyond the thresholds fill all jobs, None if there is none."""
    asked, share = seen.asked, seen.poured
    epsilon = 1.0 if share.rule.name == "Algorithm 1" else asked.epsilon
    guaranteed = share.rule.name in GUARANTEEING and not (asked.printed and epsilon < 1)
    if share.slots is None or not (guaranteed or share.rule.name == "Algorithm 1"):
        return None
    regime = asked.regime(epsilon)
    return None if regime.constrained else regime.level


def _ceiling(asked: Question, height: np.ndarray) -> float:
    """Return the end of the vertical axis; a small job that drowns in slots is cut there."""
    fair = max(asked.theta, asked.slots / max(float(asked.jobs.T.sum()), 1e-9))
    tallest = float(height.max(initial=0.0))
    return tidy(1.2 * min(max(tallest, fair), 4 * fair))


def _columns(
    names: list[str],
    middle: np.ndarray,
    tasks: np.ndarray,
    height: np.ndarray,
    high: float,
    fills: list[str],
    dark: bool,
) -> Part:
    return {
        "type": "bar",
        "x": middle,
        "width": tasks,
        "y": np.minimum(height, high),
        "name": "slots",
        "showlegend": False,
        "marker": {
            "color": [faded(fill, FILL) for fill in fills],
            "line": {"color": palette(dark).paper, "width": 1},
        },
        "text": [f"{in_slots(float(h))} ↑" if h > high else "" for h in height],
        "textposition": "inside",
        "insidetextanchor": "end",
        "textangle": 0,
        "textfont": {"color": palette(dark).ink, "size": FONT},
        "customdata": list(zip(names, tasks, height, height * tasks, strict=True)),
        "hovertemplate": "job %{customdata[0]}: %{customdata[3]:,.4~g} slots for "
        "%{customdata[1]:,.4~g} tasks, %{customdata[2]:,.3~g} per task<extra></extra>",
    }


def _floor(asked: Question, edges: np.ndarray, tasks: np.ndarray, high: float, colors: Palette) -> Part:
    """Return the guarantee, in slots per task of each job."""
    guarantee = np.minimum(asked.regime(asked.epsilon).guarantee / tasks, high)
    look = {"line": {"dash": "dash"}, "showlegend": True, "hoverinfo": "skip"}
    return curve(np.repeat(edges, 2)[1:-1], np.repeat(guarantee, 2), "guarantee F/T", colors.ink, **look)


def bars_alt(seen: Scene) -> str:
    """Say in words what `bars` shows, with its numbers."""
    told = []
    for share in seen.found.values():
        if share.slots is None:
            told.append(f"{share.rule.name}: {share.case}.")
            continue
        slots = ", ".join(
            f"{name} {in_slots(float(s))}" for name, s in zip(seen.asked.jobs.names, share.slots, strict=True)
        )
        told.append(f"{share.rule.name}: {slots}.")
    return f"Slots of each job out of {plain(seen.asked.slots)}, a row for each rule. " + " ".join(told)


def water_alt(seen: Scene) -> str:
    """Say in words what `water` shows, with its numbers."""
    asked, share = seen.asked, seen.poured
    if share.slots is None:
        return f"{share.rule.name} gives no shares: {share.case}."
    told = [
        f"{asked.jobs.names[i]} {number(float(share.slots[i] / asked.jobs.T[i]))}"
        for i in _by_size(asked)
        if asked.jobs.T[i] > 0
    ]
    level = water_level(seen)
    poured = f" The water level is {number(level)}." if level is not None else ""
    return (
        f"Slots per task under {share.rule.name}, smallest job first: {', '.join(told)}. "
        f"The threshold is {number(asked.theta)}.{poured}"
    )


def pouring(seen: Scene) -> str:
    """Say what the water chart is of, and the case of its rule."""
    return f"The area of a job is its slots. {seen.pour}: {seen.poured.case}."


SHARES = Chart("Which job gets which slots", bars, bars_alt)
WATER = Chart("Slots of each task", water, water_alt, pouring)
