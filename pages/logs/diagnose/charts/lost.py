"""The jobs that lost most to stragglers: their recorded time, and their time without stragglers."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.charts import split, title_of
from sim.advice.diagnosis.replay import Lost
from sim.telling.plot import Plot
from sim.telling.scales import linear_axis
from sim.telling.words import BESIDE, counted, listed, spell, unit_for

TITLE = "Jobs that lost most"
#: Jobs shown.
MOST = 10


def draw(lost: Lost, dark: bool) -> go.Figure:
    """Draw the recorded time of the worst jobs, split into what remains and what stragglers cost."""
    worst = lost.jobs.head(MOST)
    unit = unit_for(float(worst["recorded"].max()))
    names = [
        title_of("job", job, name, BESIDE) for job, name in zip(worst["job"], worst["name"], strict=True)
    ]
    plot = Plot("jobs that lost most", dark, barmode="stack", bargap=0.25)
    without, gone = ((worst[part] / unit.seconds).to_numpy(float) for part in ("without", "lost"))
    split(plot, names, without, gone, unit)
    longest = float(worst["recorded"].max()) / unit.seconds
    plot.axis("x", f"time from submission to end ({unit.sign})", linear_axis(longest))
    return figure(plot)


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
