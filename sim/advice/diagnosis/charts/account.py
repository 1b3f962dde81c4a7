"""Where the time of jobs went: a bar for all jobs and one for each of the longest, state by state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from sim.advice.diagnosis import Diagnosis
from sim.advice.diagnosis.account import STATES, is_made_up
from sim.advice.diagnosis.charts import states
from sim.advice.diagnosis.charts.names import title_of
from sim.telling.figure import figure
from sim.telling.margins import ROW
from sim.telling.margins import rows as legend_rows
from sim.telling.plot import NAME, Part, Plot, in_chart, panels, rows
from sim.telling.scales import span, tidy
from sim.telling.unit import unit_for
from sim.telling.words import BESIDE, counted, listed, percent, spell

if TYPE_CHECKING:
    from sim.telling.figure import Figure

TITLE = "Where the time went"
#: Jobs shown: with more, a laptop would not show the whole chart below the answer.
MOST = 8
#: Pixels of the bar of all jobs, of that of a job and of one with room, of all but the legend at
#: least, of the axis and margins, and of the legend across.
WHOLE, LANE, THICK, LOWEST, AROUND, WIDE = 22, 16, 28, 290, 82, 480


def draw(found: Diagnosis, dark: bool) -> Figure:
    """Draw the share of each state in the time of all jobs, and its time in each of the longest jobs."""
    worst = longest(found)
    unit = unit_for(float(worst["recorded"].max()))
    names = titles(found, worst, BESIDE)
    lanes = max(LANE * len(worst), LOWEST - AROUND - WHOLE - 2 * NAME)
    inner = lanes + WHOLE + 2 * NAME
    legend = ROW * legend_rows([STATES[key].title for key in found.account.states], WIDE)
    plot = Plot("account", dark, AROUND + legend + inner, wide=WIDE, barmode="stack", bargap=0.15)
    above, below = panels([WHOLE, lanes], inner)
    total = sum(found.account.states.values())
    for key, seconds in found.account.states.items():
        title, look = STATES[key].title, states.look(plot, key)
        share = percent(seconds / total)
        told = f"all jobs<br>{title}: {spell(seconds)}, {share}"
        where: Part = {"xaxis": "x2", "yaxis": "y2", "showlegend": False, "legendgroup": key}
        color = states.color_of(plot.colors, key)
        plot.bars([100 * seconds / total], [0], title, color, [told], across=True, marker=look, **where)
        stories = [
            f"{in_chart(name)}<br>{title}: {spell(one)}, {percent(one / whole)}"
            for name, one, whole in zip(names, worst[key], worst["recorded"], strict=True)
        ]
        values, places = (worst[key] / unit.seconds).to_numpy(float), list(range(len(worst)))
        plot.bars(values, places, title, color, stories, across=True, marker=look, legendgroup=key)
    plot.panel(f"{_all(found)}: shares of {spell(total)}", above)
    plot.panel(_which(found), below)
    plot.axis("x2", scale={"range": [0, 100], "visible": False}, anchor="y2")
    plot.axis("y2", scale=rows(["all"]), domain=above, anchor="x2")
    longest_one = tidy(float(worst["recorded"].max()) / unit.seconds)
    plot.axis("x", f"time from submission to end ({unit.sign})", span(0, longest_one))
    plot.axis("y", scale=rows(names), domain=below, range=[max(len(names), lanes / THICK) - 0.5, -0.5])
    return figure(plot)


def longest(found: Diagnosis) -> pd.DataFrame:
    """Return the rows of the longest jobs in the account, the longest first."""
    return found.account.jobs.sort_values("recorded", ascending=False, kind="stable").head(MOST)


def titles(found: Diagnosis, jobs: pd.DataFrame, most: int) -> list[str]:
    """Return what jobs are called, in so many characters."""
    named = found.history.jobs.take(jobs.index.to_numpy()).select(["job", "name"]).to_pylist()
    return [title_of("job", one["job"], one["name"], most) for one in named]


def _which(found: Diagnosis) -> str:
    many = len(found.account.jobs)
    return f"the {MOST} longest jobs" if many > MOST else "each job, the longest first"


def _all(found: Diagnosis) -> str:
    many = len(found.account.jobs)
    return f"all {many:,} jobs" if many > 1 else "1 job"


def alt(found: Diagnosis) -> str:
    """Say in words what `draw` shows."""
    total, worst = sum(found.account.states.values()), longest(found)
    told = [
        f"{STATES[key].title} {percent(seconds / total)} (at most {spell(float(worst[key].max()))} in one)"
        for key, seconds in found.account.states.items()
    ]
    return f"Where {spell(total)} of {_all(found)} went, and those of {_which(found)}: {listed(told)}."


def about(found: Diagnosis) -> str:
    """Return what stands below the chart: what the states are that took most, and jobs without an account."""
    left_out = found.account.left_out
    missing = f" {counted(left_out, 'job')} without both times or tasks left out." if left_out else ""
    made_up = " Starts are not recorded: these are made up." if is_made_up(found.history) else ""
    return f"{states.explained(found.account.states)}{made_up}{missing}"
