"""Charts of a log that the page Diagnose and Python draw."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sim.advice.diagnosis import Diagnosis
from sim.advice.diagnosis.account import STATES, is_made_up
from sim.advice.diagnosis.costs import STRAGGLER
from sim.logs.history import History
from sim.telling.figure import figure
from sim.telling.palette import Palette, faded, mixed
from sim.telling.plot import NAME, ROW, Part, Plot, in_chart, legend_rows, panels, rows
from sim.telling.scales import span, tidy
from sim.telling.words import (
    BESIDE,
    IN_WORDS,
    Unit,
    begun,
    clipped,
    counted,
    listed,
    percent,
    spell,
    unit_for,
)

if TYPE_CHECKING:
    from sim.telling.figure import Figure

# Bars of recorded times, split into what remains without stragglers and what these cost.


def split(plot: Plot, names: Sequence[str], without: ArrayLike, lost: ArrayLike, unit: Unit) -> None:
    """Draw a row for each name: its time with all tasks at the median, and what was lost."""
    first, second, *_ = plot.colors.series
    for part, values, color in (
        ("all tasks at the median", without, faded(first, 0.6)),
        ("lost to stragglers", lost, second),
    ):
        plot.bars(
            values,
            list(range(len(names))),
            part,
            color,
            f"%{{hovertext}}<br>{part}: %{{x:,.3~r}} {unit.sign}",
            across=True,
            hovertext=[in_chart(name) for name in names],
        )
    plot.axis("y", scale=rows(names))


# How jobs and stages of a log are called.


def title_of(kind: str, identifier: object, name: object, most: int = IN_WORDS) -> str:
    """Return how a job or stage is called, in so many characters: its name, and always its identifier.

    Examples
    --------
    >>> title_of("job", "7", "nightly"), title_of("job", "7", "")
    ('nightly (7)', 'job 7')
    >>> title_of("stage", "12", "count at App.java:46", 17)
    'count at Ap… (12)'
    """
    own = clipped(identifier, most - len(kind) - 1)
    if not name or name == identifier:
        return f"{kind} {own}"
    left = most - len(own) - 3
    return f"{clipped(name, left)} ({own})" if left > 2 else f"{kind} {own}"


# How states of the account look in charts and are explained below them, and accounts as rows of bars.

#: Share of the time from which a state is explained below the chart.
EXPLAINED = 0.02
#: Series of the colours of states, which all kinds of eyes tell apart; grey where nothing runs or waits.
_COLORS = {
    "no executor": 5,
    "behind other jobs": 6,
    "slot idle": 7,
    "starting": 8,
    "running": 0,
    "waiting for the last": 1,
}
#: Of states that a log does not tell apart, the one whose colour they have, hatched.
_LIKE = {
    "waiting": "no executor",
    "between stages or waiting": "between stages",
    "running or waiting": "running",
    "running or waiting for the last": "waiting for the last",
}


def color_of(colors: Palette, key: str) -> str:
    """Return the colour of a state."""
    place = _COLORS.get(_LIKE.get(key, key))
    return mixed(colors.ink, colors.paper, 0.4) if place is None else colors.series[place]


def look_of(plot: Plot, key: str) -> Part:
    """Return the edge of a bar, and the hatching of states that the log does not tell apart."""
    hatched = {"pattern": plot.hatch} if key in _LIKE else {}
    return {"line": {"color": plot.colors.paper, "width": 0.5}} | hatched


def occurring(accounts: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the states that occur in some of these accounts, in their order."""
    return [key for key in STATES if any(one.get(key) for one in accounts)]


def stacked(
    plot: Plot, names: Sequence[str], accounts: Sequence[Mapping[str, float]], scales: Sequence[float]
) -> None:
    """Draw a row for each account: the seconds of its states, one beside the other, times its scale."""
    for key in occurring(accounts):
        title = STATES[key].title
        told = [
            f"{in_chart(name)}<br>{title}: {spell(one.get(key, 0.0))}, "
            f"{percent(one.get(key, 0.0) / (sum(one.values()) or 1.0))}"
            for name, one in zip(names, accounts, strict=True)
        ]
        values = [scale * one.get(key, 0.0) for one, scale in zip(accounts, scales, strict=True)]
        places, color = list(range(len(names))), color_of(plot.colors, key)
        plot.bars(values, places, title, color, told, across=True, marker=look_of(plot, key))
    plot.axis("y", scale=rows(names))


def explained(account: Mapping[str, float]) -> str:
    """Say what the states are that took most of the time, the largest first, and what hatching is."""
    total = sum(account.values())
    large = {key: one for key, one in account.items() if one >= EXPLAINED * total}
    named = sorted(large, key=lambda key: -large[key])
    told = "; ".join(
        f"{STATES[key].title} {percent(large[key] / total)}: {STATES[key].meaning}" for key in named
    )
    hatched = " Hatched: what the log does not tell apart." if large.keys() & _LIKE.keys() else ""
    return f"{begun(told)}.{hatched}"


# Where the time of jobs went: a bar for all jobs and one for each of the longest, state by state.

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
        title, look = STATES[key].title, look_of(plot, key)
        share = percent(seconds / total)
        told = f"all jobs<br>{title}: {spell(seconds)}, {share}"
        where: Part = {"xaxis": "x2", "yaxis": "y2", "showlegend": False, "legendgroup": key}
        color = color_of(plot.colors, key)
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
    return f"{explained(found.account.states)}{made_up}{missing}"


# Bars of a Gantt chart of one job or stage: a lane for each slot, not for each task.


def gantt(history: History, *, job: int | None = None, stage: int | None = None) -> pd.DataFrame:
    """Return the copies of a job or a stage (rows of its table) as bars on lanes.

    Returns
    -------
    DataFrame
        lane, host, launch, end, stage (row), task, copy, fate, speculative, ratio (NaN without a median)
        and straggler, in order of launch. Copies on one lane do not overlap, and a lane stays on its host.
    """
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    copies = copies[copies["end"] >= copies["launch"]]
    duration = copies["end"] - copies["began"]
    median = duration[copies["complete"]].groupby(copies["stage"]).median()
    copies["ratio"] = duration / median.reindex(copies["stage"]).to_numpy(float)
    copies["straggler"] = copies["ratio"] > STRAGGLER
    if stage is not None:
        copies = copies[copies["stage"].eq(stage)]
    if job is not None:
        copies = copies[history.stages["job"].to_numpy()[copies["stage"]] == job]
    bars = copies.sort_values(["launch", "end"], ignore_index=True)
    bars["host"] = bars["host"].astype(str)
    bars.insert(0, "lane", lanes(bars))
    shown = [
        "lane",
        "host",
        "launch",
        "end",
        "stage",
        "task",
        "copy",
        "fate",
        "speculative",
        "ratio",
        "straggler",
    ]
    return bars[shown]


def lanes(bars: pd.DataFrame, slack: float = 0.0) -> np.ndarray:
    """Put each bar on the free lane of its host that was used last, hosts side by side.

    Parameters
    ----------
    bars : DataFrame
        host, launch and end, in order of launch.
    slack : float, optional
        By how much a bar may begin before the one on its lane ends.

    Examples
    --------
    >>> bars = pd.DataFrame({"host": list("baab"), "launch": [0, 0, 1, 2], "end": [2, 3, 2, 3]})
    >>> lanes(bars).tolist()
    [2, 0, 1, 2]
    >>> lanes(bars, slack=2.0).tolist()
    [1, 0, 0, 1]
    """
    free: dict[str, list[tuple[float, int]]] = {}
    used: dict[str, int] = {}
    own = np.empty(len(bars), int)
    for row, (host, launch, end) in enumerate(zip(bars["host"], bars["launch"], bars["end"], strict=True)):
        here = free.setdefault(host, [])
        if here and here[0][0] <= launch + slack:
            until, own[row] = here[0]
            heapq.heapreplace(here, (max(end, until), int(own[row])))
        else:
            own[row] = used[host] = used.get(host, -1) + 1
            heapq.heappush(here, (end, int(own[row])))
    first, base = 0, {}
    for host in sorted(used):
        base[host] = first
        first += used[host] + 1
    return own + np.array([base[host] for host in bars["host"]], int)
