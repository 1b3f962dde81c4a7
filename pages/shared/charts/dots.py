"""A measure of a handful of jobs, too few for a distribution: a dot each, in a row for each policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import chart, titled
from pages.shared.charts.marks import points
from pages.shared.charts.palette import faded, palette
from pages.shared.charts.scales import log_axis
from pages.shared.words.numbers import counted, number
from sim.result import FEW, Comparison

#: Caption of such a chart.
ABOUT = f"A dot is a job of a replication: fewer than {FEW} jobs have no distribution to draw."


def few(comparison: Comparison) -> bool:
    """Return whether the replications have so few jobs that each is a dot."""
    return all(result.single("flowtime") is not None for result in comparison.policies.values())


def dots(comparison: Comparison, dark: bool, measure: str, title: str, unit: str) -> go.Figure:
    """Draw a measure of the jobs of all replications, the first policy in the highest row."""
    found = dict(_found(comparison, measure))
    ends = [end for one in found.values() if one.size for end in (one.min(), one.max())] or [1.0, 10.0]
    traces = [
        points(
            found[name],
            np.full(found[name].size, -float(row)),
            name,
            color,
            marker={"color": faded(color, 0.6), "size": 9, "line": {"color": color, "width": 1}},
            hovertemplate=f"<b>%{{fullData.name}}</b><br>a job: %{{x:,.3~r}} {unit}<extra></extra>",
        )
        for row, (name, color) in enumerate(palette(dark).of(found).items())
    ]
    axes = {
        "xaxis": log_axis(min(ends), max(ends)) | {"title": titled(f"{title} ({unit})", dark)},
        "yaxis": {"visible": False, "range": [0.5 - len(found), 0.5]},
    }
    return chart(traces, axes, dark, name=f"distribution of {measure}, dots", showlegend=True)


def dots_alt(comparison: Comparison, measure: str, title: str, unit: str) -> str:
    """Say in words what `dots` shows, with its numbers."""
    told = [
        f"{name}: {counted(one.size, 'job')} from {number(one.min())} to {number(one.max())} {unit}, "
        f"median {number(float(np.median(one)))} {unit}."
        if one.size
        else f"{name}: no job is done."
        for name, one in _found(comparison, measure)
    ]
    return f"A dot for each job by {title}, in {unit}. {' '.join(told)}"


def _found(comparison: Comparison, measure: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the values of each policy above 0, which have a place on the axis."""
    for name, result in comparison.policies.items():
        one = result.single(measure)
        assert one is not None
        yield name, one[one > 0]
