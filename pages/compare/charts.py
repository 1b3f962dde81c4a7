"""The charts of the Compare page that no other page has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts.on_page import figure
from sim.kernel.records import FATES
from sim.model.fields import BadInput
from sim.model.result import Comparison, PolicyResult, Sample
from sim.model.scenario import Scenario
from sim.model.workload import Workload
from sim.running.animation import MOST_SLOTS, expected
from sim.running.distribution import labels
from sim.telling.palette import faded
from sim.telling.plot import CLEAR, DASHED, FONT, NAME, Part, Plot, panels
from sim.telling.scales import linear_axis, named_ticks, span
from sim.telling.words import clipped, counted, fixed, number, percent, plain
from theory.service_rate import service_rate, threshold

# The row of three charts: as high as each other at every move, and drawn for a third of a laptop's width.

#: Height of each without its title, in pixels.
HEIGHT = 376
#: Pixels that a legend has.
WIDE = 270
#: Letters that a name has above a panel, and where a number stands behind it.
LONGEST, BESIDE = 40, 27


# The value of another slot to a job, and how many slots each policy lets a job have.
#
# Above: the service rate :math:`\mu(S)` of a job with T remaining tasks, with the threshold :math:`\theta
# T` beyond which another slot is worth less. Below, on the same axis: how the jobs of each policy were
# spread over the slots held per remaining task, counted at 200 instants of every replication.

#: Slots held per remaining task are counted in classes of this width; the last class is open.
STEP = 0.1
#: Steps of the curve, about.
POINTS = 80
#: Height of the curve at least, and of a policy's row with its name above it at most, in pixels.
CURVE, ROW = 120, 44
#: Height of the axis below the rows and the space above the curve, in pixels.
AROUND = 72


def typical_tasks(comparison: Comparison) -> int:
    """Return the mean number of tasks of the jobs that arrived, rounded."""
    samples = next(iter(comparison.policies.values())).samples
    return max(1, round(sum(s.tasks_arrived for s in samples) / sum(s.jobs for s in samples)))


@dataclass(frozen=True, slots=True)
class Threshold:
    r"""The threshold of a scenario, and what is known of the curve around it.

    Attributes
    ----------
    theta : float
        Slots per remaining task at which another slot begins to be worth less: max(1, 2 / `tail`).
    tail : float
        Tail index of the straggle factor, ``inf`` where the law has none.
    remark : str
        What the reader must know of the curve under this law.
    """

    theta: float
    tail: float
    remark: str

    @classmethod
    def of(cls, scenario: Scenario) -> Threshold:
        """Return the threshold of a scenario.

        Examples
        --------
        >>> from sim.engines.slots.scenario import SlotScenario
        >>> Threshold.of(SlotScenario(straggle_tail=1.25)).theta  # 2 / 1.25
        1.6
        >>> Threshold.of(SlotScenario(straggle="exponential")).theta
        1.0
        """
        tail = scenario.straggle_law.tail
        theta = float(threshold(tail)) if math.isfinite(tail) else 1.0
        return cls(theta, tail, _remark(scenario, tail, theta))

    def rate(self, slots: np.ndarray, tasks: int) -> np.ndarray:
        """Return the service rate of a job, NaN where no formula is known."""
        if math.isfinite(self.tail):
            return np.asarray(service_rate(slots, tasks, self.tail))
        return np.where(slots <= tasks, slots, np.nan)


def _remark(scenario: Scenario, tail: float, theta: float) -> str:
    """Say where theta comes from, and what the curve assumes that the scenario does not."""
    if math.isinf(tail):
        return (
            f"{scenario.straggle_law.kind.capitalize()} straggle factors have no power-law tail, as if β were"
            f" infinite: θ = max(1, 2/β) = 1, one slot per task. Beyond it the papers have no formula for "
            f"this law."
        )
    told = f"θ = max(1, 2/β) = {number(theta)}"
    if scenario.straggle == "bounded-pareto":
        limit = plain(scenario.straggle_max)
        return f"{told} for unbounded factors; here they end at {limit}, and copies gain less."
    if scenario.straggle == "outlier":
        share = percent(scenario.outlier_share)
        return f"{told} for copies that may all straggle; here {share} of them do."
    return f"{told}."


def threshold_plot(comparison: Comparison, dark: bool) -> go.Figure:
    """Draw the service rate against slots, the threshold, and where each policy holds its jobs."""
    tasks, at = typical_tasks(comparison), Threshold.of(comparison.scenario)
    called = labels(comparison)
    plot = Plot("threshold", dark, HEIGHT, bargap=0, barmode="overlay", showlegend=False)
    colors, inner = plot.colors.of(comparison.policies), HEIGHT - AROUND
    row = min(ROW, (inner - CURVE) / len(called)) - NAME
    top, *rows = panels([inner - (row + NAME) * len(called) - NAME, *[row] * len(called)], inner)
    most = next(iter(comparison.policies.values())).samples[0].holding.size * STEP
    high = _curve(plot, at, tasks, most)
    plot.panel("theory: tasks done per mean copy time", top)
    for domain, (first, name) in zip(rows, called.items(), strict=True):
        held = holding(comparison.policies[first])
        _held(plot, name, held, tasks, domain, colors[first])
        beyond = f"{percent(share_beyond(held, at.theta))} ≥ θT" if held.any() else "no job observed"
        plot.panel(f"<b>{clipped(name, BESIDE)}</b>: {beyond}", domain)
    slots = at.theta * tasks
    for low, end in (top, *rows):  # in every panel, but not through the words between them
        plot.up(slots, dash="dot", width=1.5, y0=low, y1=end)
    where = {"y": 0, "yref": "y", "xanchor": "left", "yanchor": "bottom", "xshift": 4}
    plot.note(f"θT = {number(slots)} slots", x=slots, bgcolor=CLEAR, **where)  # where the curve leaves room
    whole = range(int(most) + 1)
    multiples = [f"{k * tasks:,}<br>{_multiple(k)}" for k in whole]
    plot.axis(
        "x",
        f"slots of a job with T = {counted(tasks, 'task')} left",
        named_ticks([k * tasks for k in whole], multiples),
        anchor="y2",
        range=[0, most * tasks],
        zoom=True,
    )
    plot.axis("y", scale=linear_axis(high), domain=top, nticks=4, zoom=True)
    # of all rows, from the lowest to the top of the highest: a browser draws each further axis anew
    plot.axis("y2", domain=[0, rows[0][1]], range=[0, rows[0][1]], visible=False, zoom=True)
    return figure(plot)


def holding(result: PolicyResult) -> np.ndarray:
    """Return the share of the jobs in each class of slots held per remaining task; 0 if none was seen."""
    counts = np.sum([sample.holding for sample in result.samples], axis=0)
    return np.asarray(counts / max(counts.sum(), 1))


def share_beyond(held: np.ndarray, theta: float) -> float:
    """Return the share of the jobs in the classes that lie at or beyond the threshold.

    Examples
    --------
    >>> share_beyond(np.array([0.25] * 4), theta=0.15)  # classes from 0, 0.1, 0.2 and 0.3 on
    0.5
    """
    return float(held[edges(held) >= theta - 1e-9].sum())


def edges(held: np.ndarray) -> np.ndarray:
    """Return the smallest slots per remaining task of each class."""
    return np.arange(held.size) * STEP


def median(held: np.ndarray) -> float:
    """Return the class, by its smallest slots per remaining task, that holds the median job.

    Examples
    --------
    >>> round(median(np.array([0.3, 0.1, 0.6])), 1)
    0.2
    """
    return float(edges(held)[np.searchsorted(np.cumsum(held), 0.5 - 1e-9).clip(max=held.size - 1)])


def _multiple(k: int) -> str:
    return ("0", "T")[k] if k < 2 else f"{k}T"


def _curve(plot: Plot, at: Threshold, tasks: int, most: float) -> float:
    """Draw the service rate, dashed like all theory, in equal steps of which one is the threshold.

    Return the highest.
    """
    parts = max(round(at.theta / most * POINTS), 1)  # of the threshold
    slots = np.arange(math.ceil(most / at.theta * parts - 1e-9) + 1) * at.theta / parts * tasks
    rate = at.rate(slots, tasks)
    known = rate[np.isfinite(rate)]
    hover = "%{x:,.3~r} slots: μ = %{y:,.3~r} tasks<br>per mean copy time"
    steps = {"x0": 0, "dx": float(slots[1])}
    plot.line(None, known, "theory: service rate μ(S)", plot.colors.ink, hover, line=DASHED, **steps)
    return float(known.max())


def _held(plot: Plot, name: str, held: np.ndarray, tasks: int, row: list[float], color: str) -> None:
    """Draw one policy's row: the higher the bar, the more jobs; the highest fills the row.

    Where no job is there is no bar.
    """
    seen = np.flatnonzero(held)
    low = edges(held)[seen]
    classes = [f"{one:.1f} to {one + STEP:.1f}" for one in low]
    if held[-1]:
        classes[-1] = f"{low[-1]:.1f} or more"
    plot.bars(
        (low + STEP / 2) * tasks,
        held[seen] / (held.max() or 1) * (row[1] - row[0]),
        name,
        color,
        f"<b>{name}</b><br>%{{customdata:.3~%}} of jobs hold %{{hovertext}}<br>slots for each task left",
        base=row[0],
        width=STEP * tasks,
        yaxis="y2",
        marker={"line": {"width": 0}},
        customdata=held[seen],
        hovertext=classes,
    )


def threshold_alt(comparison: Comparison) -> str:
    """Say in words what `threshold_plot` shows, with its numbers."""
    tasks, at = typical_tasks(comparison), Threshold.of(comparison.scenario)
    point = number(at.theta * tasks)
    rate = number(float(at.rate(np.array([at.theta * tasks]), tasks)[0]))
    told = []
    for name, result in comparison.policies.items():
        held = holding(result)
        if not held.any():
            told.append(f"{name}: no job was observed.")
            continue
        told.append(
            f"{name}: the median job holds {median(held):.1f} slots for each task left, "
            f"{percent(float(held[0]))} hold hardly any, {percent(share_beyond(held, at.theta))} are at θT "
            f"or beyond."
        )
    return (
        f"Service rate of a job with {counted(tasks, 'task')} left against the slots it holds: {rate} tasks "
        f"per mean copy "
        f"time at θT = {point} slots; beyond, another slot is worth less. {at.remark} " + " ".join(told)
    )


# Slots in use over time, by kind of copy, and how many tasks wait for one.
#
# A panel for each policy shows the share of the slots that run original copies and, on top of it, extra
# copies; below, all policies share a panel for the tasks that wait. All are means over the replications.
# Policies that did the same share a panel.

#: Height of the panel of waiting tasks, in pixels.
QUEUE = 62
#: Height of the axis below the panels and the legend above them, in pixels.
AROUND_USAGE = 80
#: Opacity of the slots with original and with extra copies.
ORIGINAL, EXTRA = 0.35, 0.95


def usage(comparison: Comparison, dark: bool) -> go.Figure:
    """Draw busy slots, split into original and extra copies, and waiting tasks against time."""
    slots, unit = comparison.scenario.slots, comparison.scenario.time_unit
    called, results = labels(comparison), comparison.policies.values()
    plot = Plot("usage", dark, HEIGHT, wide=WIDE)
    names, colors = list(called), plot.colors.of(comparison.policies)
    inner = HEIGHT - AROUND_USAGE
    panel = (inner - QUEUE - NAME * (len(names) + 1)) / len(names)
    *domains, queue = panels([*[panel] * len(names), QUEUE], inner)
    last = _nth(len(names) + 1)
    for name, opacity in (("originals", ORIGINAL), ("extra copies", EXTRA)):
        look = {"symbol": "square", "size": 12}
        plot.dots([None], [None], name, faded(plot.colors.ink, opacity), "", marker=look)
    for place, (first, name) in enumerate(called.items(), start=1):
        result, domain, color = comparison.policies[first], domains[place - 1], colors[first]
        _areas(plot, result, name, _nth(place), slots, color, unit)
        hover = f"<b>{name}</b><br>at %{{x:,.3~r}} {unit}: %{{y:,.3~r}} tasks wait"
        where = _stretch(result, last)
        plot.line(None, result.series[:, 2], f"{name}, waiting tasks", color, hover, **where)
        _share_axis(plot, _nth(place), domain, panel)
        plot.panel(f"<b>{clipped(name, LONGEST)}</b>", domain)
    longest = max(float(result.series[:, 2].max()) for result in results)
    plot.axis(last, scale=linear_axis(longest), domain=queue, nticks=4, zoom=True)
    plot.panel("<b>waiting tasks</b>, all policies", queue)
    end = max(step(result) * len(result.series) for result in results)
    title = f"time to the last arrival ({comparison.scenario.time_unit})"
    plot.axis("x", title, span(0, end, anchor=last), zoom=True)
    return figure(plot)


def _nth(place: int) -> str:
    """Return the name of a panel's upward axis, from 1."""
    return "y" if place == 1 else f"y{place}"


def step(result: PolicyResult) -> float:
    """Return the length of the intervals whose means the series holds; the first begins at 0."""
    return float(np.mean([sample.span for sample in result.samples])) / len(result.series)


def _share_axis(plot: Plot, which: str, domain: list[float], pixels: float) -> None:
    """Set the axis of a policy's panel, with as many ticks as have room."""
    ticks = [0, 50, 100] if pixels >= 3 * FONT else [0, 100]
    shares = named_ticks(ticks, [f"{tick} %" for tick in ticks])
    plot.axis(which, scale=shares, domain=domain, range=[0, 102], zoom=True)


def _stretch(result: PolicyResult, which: str) -> Part:
    """Return where the means of a series lie, in a panel."""
    return {"x0": step(result) / 2, "dx": step(result), "yaxis": which, "showlegend": False}


def _areas(
    plot: Plot, result: PolicyResult, called: str, which: str, slots: int, color: str, unit: str
) -> None:
    """Draw the slots with original copies and, on top of them, those with extra copies, if any."""
    busy, extra = 100 * result.series[:, 0] / slots, 100 * result.series[:, 1] / slots
    told = f"<b>{called}</b><br>at %{{x:,.3~r}} {unit}: %{{y:.2~r}} % of the slots busy, "
    name, thin, where = f"{called}, busy", {"width": 1}, _stretch(result, which)
    below = where | {"fill": "tozeroy", "fillcolor": faded(color, ORIGINAL)}
    if not extra.any():
        plot.line(None, busy, name, color, f"{told}none with extra copies", line=thin, **below)
        return
    originals = f"{called}, original copies"
    plot.line(None, busy - extra, originals, color, line={"width": 0}, **below)
    above = where | {"fill": "tonexty", "fillcolor": faded(color, EXTRA), "customdata": extra}
    hover = f"{told}%{{customdata:.2~r}} % with extra copies"
    plot.line(None, busy, name, color, hover, line=thin, **above)


def usage_remark(comparison: Comparison) -> str:
    """Say why there is nothing to see where one job alone arrives; else nothing."""
    if any(sample.jobs > 1 for result in comparison.policies.values() for sample in result.samples):
        return ""
    return "Slots and jobs are observed until the last arrival: one job leaves nothing to see before it."


def usage_alt(comparison: Comparison) -> str:
    """Say in words what `usage` shows, with its numbers."""
    if remark := usage_remark(comparison):
        return remark
    slots = comparison.scenario.slots
    told = []
    for name, result in comparison.policies.items():
        _, extra, waiting, _ = result.series.mean(axis=0)
        last, busy = result.series[-1, 2], result.estimate("utilisation").value or 0.0  # as everywhere
        told.append(
            f"{name}: on average {percent(busy)} busy, {percent(extra / slots)} with extra copies, in the "
            f"end {percent(result.series[-1, 0] / slots)}; "
            f"{number(waiting)} tasks wait on average, {number(last)} at the last arrival."
        )
    return f"Busy slots (of {slots:,}) and waiting tasks against time. " + " ".join(told)


# The story of one copy in words: where it ran, for how long, and why it ended.

FINISHED, KILLED, RUNNING, DROPPED = range(len(FATES))


def stories(copies: pd.DataFrame, now: float, unit: str) -> list[str]:
    """Tell what happened to each copy by `now`."""
    typical = float(copies.expected.mean()) if len(copies) else 1.0
    return [story(copy, now, unit, _decimals(typical)) for copy in copies.itertuples()]


def _decimals(typical: float) -> int:
    """Decimals that show a hundredth of a typical duration."""
    return max(0, 2 - int(np.floor(np.log10(typical))))


def story(copy: Any, now: float, unit: str, decimals: int) -> str:
    """Tell what happened to a copy by `now`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> copy = SimpleNamespace(job=2, task=0, copy=1, start=1.0, end=4.0, fate=KILLED, expected=2.0, winner=0)
    >>> print(story(copy, 9.0, "s", 1).replace("<br>", chr(10)))
    <b>job 3, task 1, extra copy 1</b>
    started at 1.0 s
    cancelled after 3.0 s, because the original finished first
    (expected: 2.0 s)
    """
    ran = fixed(min(copy.end, now) - copy.start, decimals)
    if copy.end > now or copy.fate == RUNNING:
        ending = f"has run for {ran} {unit}"
    elif copy.fate == KILLED:
        ending = f"cancelled after {ran} {unit}, because the {_called(copy.winner)} finished first"
    elif copy.fate == DROPPED:
        ending = f"given up after {ran} {unit}, to make room or to start anew"
    else:
        ending = f"finished after {ran} {unit}"
        ending += ", before its siblings" if copy.copy > 0 else ""
    return "<br>".join(
        [
            f"<b>job {copy.job + 1}, task {copy.task + 1}, {_called(copy.copy)}</b>",
            f"started at {fixed(copy.start, decimals)} {unit}",
            ending,
            f"(expected: {fixed(copy.expected, decimals)} {unit})",
        ]
    )


def _called(copy: int) -> str:
    return f"extra copy {copy}" if copy > 0 else "original"


# The Gantt chart: the copies of a small cluster as bars, slot by slot, and the story of each.
#
# The bars of one replication under one policy. Originals are plain, extra copies hatched, both in the
# colour of their job; a copy that was cancelled because a sibling finished first is pale and ends in a
# cross.

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
