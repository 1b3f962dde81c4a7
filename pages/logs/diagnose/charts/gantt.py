"""The Gantt chart: the copies of one job or stage as bars on slots, as the log recorded them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.costs import STRAGGLER
from sim.logs.history import FAILED, KILLED
from sim.telling.palette import faded
from sim.telling.plot import Part, Plot, in_chart
from sim.telling.scales import named_ticks, span
from sim.telling.words import BESIDE, clipped, counted, number, spell, unit_for

#: Bars of one picture; of more the first are shown, by launch.
MOST = 5_000
#: Pixels of a slot, where there is room, and of the picture at least and at most.
LANE, LEAST_HEIGHT, MOST_HEIGHT = 16, 300, 800
#: Height of a bar, in slots.
WIDTH = 0.88
#: Bars from which their outlines are left out: they would cover short ones.
CROWDED = 400
KINDS = ("task", f"straggler (> {STRAGGLER:g} × median)", "second copy")
ENDED = "killed or failed"


def gantt_chart(bars: pd.DataFrame, stages: list[str], dark: bool) -> go.Figure:
    """Draw bars of `sim.advice.diagnosis.charts` slot by slot; `stages` names the stages by row."""
    shown = bars.head(MOST)
    first = float(shown["launch"].min())
    last = float(shown["end"].max())
    unit = unit_for(last - first)
    lanes = int(shown["lane"].max()) + 1
    height = int(np.clip(120 + LANE * lanes, LEAST_HEIGHT, MOST_HEIGHT))
    plot = Plot("gantt of a log", dark, height, barmode="overlay", showlegend=True)
    colors, kinds = plot.colors, kinds_of(shown)
    edge = {"width": 0 if len(shown) > CROWDED else 0.5, "color": colors.paper}
    for kind, color in enumerate((faded(colors.series[0], 0.55), colors.series[1], colors.series[2])):
        if (chosen := kinds == kind).any():
            some = shown[chosen]
            plot.bars(
                ((some["end"] - some["launch"]) / unit.seconds).to_numpy(float),
                some["lane"].to_numpy(),
                KINDS[kind],
                color,
                stories(some, stages),
                across=True,
                base=((some["launch"] - first) / unit.seconds).to_numpy(float),
                width=WIDTH,
                marker={"line": edge} | ({"pattern": plot.hatch} if kind == 2 else {}),
            )
    ended = shown[shown["fate"].isin([KILLED, FAILED])]
    if len(ended):
        x = ((ended["end"] - first) / unit.seconds).to_numpy(float)
        plot.crosses(x, ended["lane"].to_numpy(), ENDED, size=6)
    whole = span(0, (last - first) / unit.seconds or 1, nticks=8)
    plot.axis("x", f"time since the first launch ({unit.sign})", whole, zoom=True)
    lanes_shown = {"range": [lanes - 0.5, -0.5], "showgrid": False}
    plot.axis("y", scale=_hosts(shown, lanes) | lanes_shown, zoom=True)
    return figure(plot)


def kinds_of(bars: pd.DataFrame) -> np.ndarray:
    """Return the place in `KINDS` of each bar."""
    return np.select([bars["speculative"].to_numpy(bool), bars["straggler"].to_numpy(bool)], [2, 1], 0)


def stories(bars: pd.DataFrame, stages: list[str]) -> list[str]:
    """Return what is told of each bar when it is pointed at."""
    held = bars["end"] - bars["launch"]
    return [
        f"stage {in_chart(clipped(stages[stage]))}, task {task}, "
        f"{'second copy' if speculative else f'copy {copy + 1}'} on "
        f"{in_chart(clipped(host)) or 'a host without a name'}<br>{spell(seconds)}, {fate}"
        + (f"; {number(ratio)} times the median" if ratio == ratio else "")
        for stage, task, copy, speculative, host, fate, ratio, seconds in zip(
            bars["stage"],
            bars["task"],
            bars["copy"],
            bars["speculative"],
            bars["host"],
            bars["fate"],
            bars["ratio"],
            held,
            strict=True,
        )
    ]


def _hosts(bars: pd.DataFrame, lanes: int) -> Part:
    """Return an axis that names each host once, in the middle of its slots, as far as there is room."""
    middle = bars.groupby("host")["lane"].agg(["min", "max"]).mean(axis=1).sort_values()
    most_names = max(1, int(MOST_HEIGHT / 20))
    named = middle.iloc[:: int(np.ceil(len(middle) / most_names))] if len(middle) else middle
    if list(middle.index) == [""]:
        return named_ticks([0, lanes - 1], ["slot 1", f"slot {lanes}"])
    return named_ticks(
        named.to_numpy(float), [in_chart(clipped(host, BESIDE)) or "?" for host in named.index]
    )


def gantt_alt(bars: pd.DataFrame, what: str) -> str:
    """Say in words what `gantt_chart` shows; `what` is the job or stage."""
    return f"Bars of {clipped(what, 60)}: {about_gantt(bars)}"


def about_gantt(bars: pd.DataFrame) -> str:
    """Return what stands below the chart."""
    shown = bars.head(MOST)
    part = (
        f"the first {MOST:,} of {len(bars):,} copies, by launch"
        if len(bars) > MOST
        else counted(len(bars), "copy", "copies")
    )
    lanes, hosts = shown["lane"].nunique(), shown["host"].nunique()
    where = (
        f"{counted(lanes, 'slot')} of {counted(hosts, 'host')}"
        if set(shown["host"]) != {""}
        else counted(lanes, "slot")
    )
    stragglers, second = int(shown["straggler"].sum()), int(shown["speculative"].sum())
    return (
        f"{part} on {where} within {spell(float(shown['end'].max() - shown['launch'].min()))}; "
        f"{counted(stragglers, 'straggler')}, {counted(second, 'second copy', 'second copies')}. A slot is a "
        "line on which copies of one host follow each other: logs do not number the slots of a host."
    )
