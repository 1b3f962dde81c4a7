"""The Gantt chart: the copies of a small cluster as bars, slot by slot, and the story of each.

The bars of one replication under one policy. Originals are plain, extra copies hatched, both in the
colour of their job; a copy that was cancelled because a sibling finished first is pale and ends in a cross.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.compare.words.story import DROPPED, FINISHED, KILLED, RUNNING, stories
from pages.shared.charts.chart import chart, titled
from sim.animation import MOST_SLOTS, expected
from sim.fields import BadInput
from sim.result import Sample
from sim.scenario import Scenario
from sim.telling.palette import Palette, faded, palette
from sim.telling.words import counted, number
from sim.workload import Workload

#: Bars of one picture: more neither fit nor load quickly.
MOST_BARS = 600
#: Opacity of a copy that was cancelled.
PALE = 0.45


@dataclass(frozen=True)
class Timeline:
    """The copies of one replication under one policy.

    Attributes
    ----------
    policy : str
        As it was asked for.
    scenario : Scenario
        Where it ran.
    copies : DataFrame
        One row per copy, by start: job, task, copy, slot, start, end, fate (`FATES`), expected duration,
        and the copy that finished its task (-1: none yet).
    recorded : float
        Until when every copy that ended is in `copies`; ``inf`` if none is missing.
    """

    policy: str
    scenario: Scenario
    copies: pd.DataFrame
    recorded: float


def timeline(policy: str, sample: Sample, scenario: Scenario, workload: Workload) -> Timeline:
    """Return the copies of a replication that was run with a log (`Experiment.replicate`).

    Parameters
    ----------
    policy : str
    sample : Sample
        Of that policy, with its log.
    scenario : Scenario
    workload : Workload
        The jobs of the same replication, for the durations that were to be expected.

    Raises
    ------
    BadInput
        If the cluster has more than `MOST_SLOTS` slots, or no copy was logged.
    """
    if scenario.slots > MOST_SLOTS:
        raise BadInput(
            f"slots: {scenario.slots} is not accepted by the Gantt chart; give at most {MOST_SLOTS}"
        )
    if not sample.log.size:
        raise BadInput(
            "log: 0 is not accepted by the Gantt chart; run the replication with the log of its copies"
        )
    copies = pd.DataFrame({name: sample.log[name] for name in sample.log.dtype.names or ()})
    copies["expected"] = expected(scenario, workload, sample.log)
    won = copies[copies.fate == FINISHED].set_index(["job", "task"])["copy"]
    keys = pd.MultiIndex.from_frame(copies[["job", "task"]])
    copies["winner"] = won.reindex(keys).fillna(-1).to_numpy(dtype=int)
    complete = sample.tasks == len(won)
    recorded = np.inf if complete else float(copies.end.max())
    return Timeline(policy, scenario, copies.sort_values(["start", "slot"], ignore_index=True), recorded)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time; every recorded copy in it is shown: `shown` bars of `recorded` in all."""

    start: float
    end: float
    shown: int
    recorded: int


def window(line: Timeline, start: float = 0.0, most: int = MOST_BARS) -> Window:
    """Return the longest stretch of time from `start` on in which at most `most` copies run."""
    seen = line.copies[line.copies.end > start]
    over = len(seen) > most
    end = float(seen.start.iloc[most] if over else seen.end.max()) if len(seen) else start
    return Window(start, end, min(len(seen), most), len(line.copies))


def window_note(line: Timeline, start: float = 0.0, most: int = MOST_BARS) -> str:
    """Say which copies are shown, and which are not."""
    seen, unit = window(line, start, most), line.scenario.time_unit
    told = (
        f"First replication: {seen.shown:,} of {counted(seen.recorded, 'copy', 'copies')}, "
        f"from {number(seen.start)} to {number(seen.end)} {unit}."
    )
    if np.isfinite(line.recorded):
        told += f" Copies that ended after {number(line.recorded)} {unit} were not recorded and are missing."
    return told


def gantt(
    line: Timeline, dark: bool, *, start: float = 0.0, at: float | None = None, most: int = MOST_BARS
) -> go.Figure:
    """Draw the copies of a small cluster as bars.

    Parameters
    ----------
    line : Timeline
        Of at most `MOST_SLOTS` slots.
    dark : bool
        Whether the reader's theme is the dark one.
    start : float
        Where the stretch of time that is shown begins.
    at : float, optional
        The moment that is looked at: what happens after it is not shown. Unless given, all is.
    most : int
        Bars of one picture.
    """
    colors, seen = palette(dark), window(line, start, most)
    now = seen.end if at is None else at
    copies = line.copies[(line.copies.end > seen.start) & (line.copies.start <= now)].head(seen.shown)
    slots = line.scenario.slots
    axes = {
        "xaxis": {
            "title": titled(f"time ({line.scenario.time_unit})", dark),
            "range": [seen.start, seen.end],
            "nticks": 8,
            "tickformat": ",~r",
        },
        "yaxis": {
            "title": titled("slot", dark),
            "range": [slots + 0.5, 0.5],
            "tickmode": "array",
            "tickvals": _every(slots),
            "showgrid": False,
        },
    }
    return chart(
        [_bars(copies, now, line, colors), _crosses(copies, now, colors), *_key(colors)],
        axes,
        dark,
        name=f"gantt {line.policy}",
        height=400,
        barmode="overlay",
        bargap=0.15,
        shapes=[] if at is None else [_now(at, colors.ink)],
    )


def _now(at: float, ink: str) -> dict[str, Any]:
    """Return the line at the moment that is looked at."""
    line = {"color": ink, "width": 1.5}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def _bars(copies: pd.DataFrame, now: float, line: Timeline, colors: Palette) -> dict[str, Any]:
    """Return one bar a copy, as long as it has run by `now`."""
    cancelled = copies.fate.isin([KILLED, DROPPED]) & (copies.end <= now)
    own = colors.jobs
    paint = [
        faded(own[job % len(own)], PALE if pale else 1)
        for job, pale in zip(copies.job, cancelled, strict=True)
    ]
    return {
        "type": "bar",
        "x": (np.minimum(copies.end, now) - copies.start).to_numpy(),
        "base": copies.start.to_numpy(),
        "y": (copies.slot + 1).to_numpy(),
        "orientation": "h",
        "showlegend": False,
        "marker": {
            "color": paint,
            "line": {"width": 0.5, "color": colors.paper},
            "pattern": _hatch(colors) | {"shape": np.where(copies["copy"] > 0, "/", "").tolist()},
        },
        "hovertext": stories(copies, now, line.scenario.time_unit),
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _hatch(colors: Palette) -> dict[str, Any]:
    """Return the hatch of extra copies, over the colour of their job."""
    return {"shape": "/", "fillmode": "overlay", "fgcolor": colors.paper, "size": 5, "solidity": 0.35}


def _crosses(copies: pd.DataFrame, now: float, colors: Palette) -> dict[str, Any]:
    """Return the ends of the copies that were cancelled."""
    ends = copies[copies.fate.isin([KILLED, DROPPED]) & (copies.end <= now)]
    return {
        "type": "scatter",
        "x": ends.end.to_numpy(),
        "y": (ends.slot + 1).to_numpy(),
        "mode": "markers",
        "marker": {"symbol": "x-thin", "size": 5, "line": {"width": 1.5, "color": colors.ink}},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _key(colors: Palette) -> list[dict[str, Any]]:
    """Return the entries of the legend: what the bars look like, whatever job they belong to."""
    bar = {"type": "bar", "x": [None], "y": [None]}
    plain = {"color": faded(colors.ink, 0.7)}
    cross = {"symbol": "x-thin", "size": 8, "line": {"width": 1.5, "color": colors.ink}}
    return [
        bar | {"name": "original", "marker": plain},
        bar | {"name": "extra copy", "marker": plain | {"pattern": _hatch(colors)}},
        {
            "type": "scatter",
            "x": [None],
            "y": [None],
            "name": "cancelled",
            "mode": "markers",
            "marker": cross,
        },
    ]


def _every(slots: int) -> list[int]:
    """Return the slots that are named on the axis."""
    step = 1 if slots <= 12 else 5
    return sorted({1, *range(step, slots + 1, step)})


def gantt_alt(line: Timeline, *, start: float = 0.0, at: float | None = None, most: int = MOST_BARS) -> str:
    """Say in words what `gantt` shows, with its numbers."""
    seen, unit = window(line, start, most), line.scenario.time_unit
    now = seen.end if at is None else at
    copies = line.copies[(line.copies.end > seen.start) & (line.copies.start <= now)].head(seen.shown)
    ended = copies[copies.end <= now]
    extra = copies["copy"] > 0
    won = ((ended.fate == FINISHED) & (ended["copy"] > 0)).sum()
    told = (
        f"Bars of the copies under {line.policy} on {line.scenario.slots} slots, from {number(seen.start)} "
        f"to {number(now)} {unit}: {counted(len(copies), 'copy', 'copies')} of "
        f"{counted(copies.job.nunique(), 'job')}, {extra.sum()} of them extra; {won} extra copies finished "
        f"first, {ended.fate.isin([KILLED, DROPPED]).sum()} copies were cancelled."
    )
    if at is not None:
        running = copies[(copies.end > at) | (copies.fate == RUNNING)]
        extra = (running["copy"] > 0).sum()
        told += f" At {number(at)} {unit} {len(running)} slots are busy, {extra} with extra copies."
    return told
