"""The Gantt chart: the copies of a small cluster as bars, slot by slot, and the story of each.

The bars of one replication under one policy. Originals are plain, extra copies hatched, both in the
colour of their job; a copy that was cancelled because a sibling finished first is pale and ends in a cross.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.compare.words.story import DROPPED, FINISHED, KILLED, RUNNING, stories
from pages.shared.charts.chart import figure
from sim.model.fields import BadInput
from sim.model.result import Sample
from sim.model.scenario import Scenario
from sim.model.workload import Workload
from sim.running.animation import MOST_SLOTS, expected
from sim.telling.palette import faded
from sim.telling.plot import Plot
from sim.telling.scales import span
from sim.telling.words import counted, number

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
    seen, slots = window(line, start, most), line.scenario.slots
    now = seen.end if at is None else at
    copies = line.copies[(line.copies.end > seen.start) & (line.copies.start <= now)].head(seen.shown)
    plot = Plot(f"gantt {line.policy}", dark, 400, barmode="overlay", bargap=0.15)
    cancelled = copies.fate.isin([KILLED, DROPPED]) & (copies.end <= now)
    _bars(plot, copies, cancelled, now, line)
    ends = copies[cancelled]
    plot.crosses(ends.end.to_numpy(), (ends.slot + 1).to_numpy())
    _key(plot)
    if at is not None:
        plot.up(at, width=1.5, yref="y domain")
    plot.axis("x", f"time ({line.scenario.time_unit})", span(seen.start, seen.end, nticks=8), zoom=True)
    rows = {"tickmode": "array", "tickvals": _every(slots), "showgrid": False}
    plot.axis("y", "slot", rows, range=[slots + 0.5, 0.5], zoom=True)
    return figure(plot)


def _bars(plot: Plot, copies: pd.DataFrame, cancelled: pd.Series, now: float, line: Timeline) -> None:
    """Draw one bar a copy, as long as it has run by `now`; one that was cancelled is pale."""
    own = plot.colors.jobs
    paint = [
        faded(own[job % len(own)], PALE if pale else 1)
        for job, pale in zip(copies.job, cancelled, strict=True)
    ]
    hatch = plot.hatch | {"shape": np.where(copies["copy"] > 0, "/", "").tolist()}
    plot.bars(
        (np.minimum(copies.end, now) - copies.start).to_numpy(),
        (copies.slot + 1).to_numpy(),
        None,
        paint,
        stories(copies, now, line.scenario.time_unit),
        across=True,
        base=copies.start.to_numpy(),
        showlegend=False,
        marker={"line": {"width": 0.5, "color": plot.colors.paper}, "pattern": hatch},
    )


def _key(plot: Plot) -> None:
    """List in the legend what the bars look like, whatever job they belong to."""
    ink = faded(plot.colors.ink, 0.7)
    plot.bars([None], [None], "original", ink, "")
    plot.bars([None], [None], "extra copy", ink, "", marker={"pattern": plot.hatch})
    plot.crosses([None], [None], "cancelled", size=8)


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
