"""Originals and their second copies, and whether a copy of a slow task is slow, too."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.speculation import FEWEST_PAIRS, Speculation
from sim.telling.palette import faded
from sim.telling.plot import DOTTED, Plot
from sim.telling.scales import log_axis
from sim.telling.words import counted, number, percent, within

TITLE = "Originals and their second copies"
#: Pairs drawn at most, those with the slowest originals.
MOST = 1_000


def draw(one: Speculation, dark: bool) -> go.Figure:
    """Draw the ratio of each second copy against that of its original; killed copies would have run on."""
    plot = Plot("pairs", dark)
    pairs = one.pairs.nlargest(MOST, "original")
    pairs = pairs[(pairs["original"] > 0) & (pairs["copy"] > 0)]
    for name, won, color, symbol in (
        ("copy won, original killed", pairs["copy_won"], plot.colors.series[2], "triangle-right"),
        ("original won, copy killed", ~pairs["copy_won"], plot.colors.series[1], "triangle-up"),
    ):
        if won.any():
            x, y = (pairs[part][won].to_numpy(float) for part in ("original", "copy"))
            hover = f"{name}<br>original %{{x:.3~r}}, copy %{{y:.3~r}} times the median"
            look = {"size": 7, "symbol": symbol}
            plot.dots(x, y, name, faded(color, 0.75), hover, marker=look)
    first, second = (pairs[one].to_numpy(float) for one in ("original", "copy"))
    across = log_axis(max(first.min(), 1e-3), max(first.max(), 2.0))
    upwards = log_axis(max(second.min(), 1e-3), max(first.max(), second.max(), 2.0))
    ends = 10 ** np.array([max(axis["range"][end] for axis in (across, upwards)) for end in (0, 1)])
    ink = faded(plot.colors.ink, 0.7)
    plot.line(ends, ends, "as slow as its original", ink, line=DOTTED | {"width": 1.5})
    plot.axis("x", "original ÷ median of its stage", across, zoom=True)
    plot.axis("y", "second copy ÷ median of its stage", upwards, zoom=True)
    return figure(plot)


def alt(one: Speculation) -> str:
    """Say in words what `draw` shows."""
    return (
        f"{counted(len(one.pairs), 'pair')} of an original and its second copy as ratios to the median of "
        f"their stage, on logarithmic axes; {counted(int(one.pairs['copy_won'].sum()), 'copy', 'copies')} "
        f"won. {about_kept(one)}"
    )


def about_kept(one: Speculation) -> str:
    """Say how much of the slowness of an original its copy shares."""
    if one.kept is None:
        return (
            f"Whether a copy is as slow as its original is not known: that takes {FEWEST_PAIRS} pairs, and "
            "some originals and copies that were not killed."
        )
    return (
        f"A copy shares {within(*one.kept, percent)} of its original's "
        "slowness: at 0 % it is as fast as others, at 100 % it is as slow."
    )


def about(one: Speculation) -> str:
    """Return what stands below the chart."""
    launched = ""
    if one.launched is not None:
        first, middle, last = (number(value) for value in one.launched)
        launched = (
            f" Copies were launched {middle} times the median after their originals (80 %: {first} to "
            f"{last})."
        )
    return f"{about_kept(one)}{launched} A killed copy would have gone on: upwards, or to the right."
