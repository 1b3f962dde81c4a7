"""The jobs that lost most to stragglers: their recorded time, and their time without stragglers."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.logs.axes import rows
from pages.shared.charts.chart import chart, titled
from sim.telling.palette import faded, palette
from sim.telling.plot import in_chart
from sim.telling.scales import linear_axis
from sim.telling.words import BESIDE, counted, listed, spell, title_of
from sim.traces.diagnosis.replay import Lost
from sim.traces.unit import unit_for

TITLE = "Jobs that lost most"
#: Jobs shown.
MOST = 10


def draw(lost: Lost, dark: bool) -> go.Figure:
    """Draw the recorded time of the worst jobs, split into what remains and what stragglers cost."""
    colors, worst = palette(dark), lost.jobs.head(MOST)
    unit = unit_for(float(worst["recorded"].max()))
    names = [
        title_of("job", job, name, BESIDE) for job, name in zip(worst["job"], worst["name"], strict=True)
    ]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": (worst[column] / unit.seconds).to_numpy(float),
            "y": list(range(len(names))),
            "marker": {"color": color},
            "hovertext": [in_chart(one) for one in names],
            "hovertemplate": f"%{{hovertext}}<br>{name}: %{{x:,.3~r}} {unit.sign}<extra></extra>",
        }
        for name, column, color in (
            ("all tasks at the median", "without", faded(colors.series[0], 0.6)),
            ("lost to stragglers", "lost", colors.series[1]),
        )
    ]
    axes = {
        "xaxis": linear_axis(float(worst["recorded"].max()) / unit.seconds)
        | {"title": titled(f"time from submission to end ({unit.sign})", dark), "fixedrange": True},
        "yaxis": rows(names),
    }
    return chart(bars, axes, dark, name="jobs that lost most", barmode="stack", bargap=0.25)


def alt(lost: Lost) -> str:
    """Say in words what `draw` shows."""
    told = [
        f"{title_of('job', job, name)} lost {spell(gone)} of {spell(recorded)}"
        for job, name, recorded, gone in lost.jobs.head(3)[["job", "name", "recorded", "lost"]].itertuples(
            index=False
        )
    ]
    return f"Bars of the {min(MOST, len(lost.jobs))} jobs that lost most time to stragglers: {listed(told)}."


def about(lost: Lost) -> str:
    """Return what stands below the chart."""
    jobs = counted(min(MOST, len(lost.jobs)), "job")
    of = f" that lost most of {len(lost.jobs):,}" if len(lost.jobs) > MOST else ""
    return (
        f"Recorded time of the {jobs}{of}, and what it would be with every task at the median of its stage."
    )
