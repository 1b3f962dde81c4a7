"""Shares of the slots: a row for each rule, and one rule as water poured into jobs as wide as their tasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from pages.formulas.allocation.question import Request, Scene, Share
from pages.shared.charts.on_page import Chart, figure
from sim.telling.palette import faded
from sim.telling.plot import DASHED, MIDDLE, Part, Plot
from sim.telling.scales import tidy
from sim.telling.words import counted_slots, in_slots, number, percent, plain

#: Rules judged by the weighted sum of rates, which they are made for, and those that keep the guarantee.
WEIGHTED = ("Algorithm 3", "Exact optimum")
GUARANTEEING = ("Algorithm 2", "Projection")
#: Pixels of one rule's row, and of what is around all of them.
ROW, AROUND = 40, 60
HEIGHT = 340
#: A job that takes less than these shares of a row has no name, or no number, written into it.
NAMED, NUMBERED = 0.05, 0.16
#: Opacity of what is filled; text on it keeps its contrast.
FILL = 0.4


def below_best(share: float) -> str:
    """Say how far a sum is below the best one.

    Examples
    --------
    >>> below_best(0.0), below_best(0.0123), below_best(1e-12)
    ('the best', '1.2 % below', 'the best')
    """
    return "the best" if share < 1e-9 else f"{percent(share)} below"


def bars(seen: Scene, dark: bool) -> go.Figure:
    """Draw how each rule divides the slots, a row per rule, the jobs by size; what is left blank is idle."""
    asked, shares = seen.asked, list(seen.found.values())
    rows = [_row(asked, share) for share in shares]
    height = AROUND + ROW * len(rows)
    plot = Plot("shares", dark, height, barmode="stack", bargap=0.25, showlegend=False)
    for job in _by_size(asked):
        slots = [0.0 if share.slots is None else float(share.slots[job]) for share in shares]
        name = asked.jobs.names[job]
        wanted = number(float(asked.wanted[job]))
        plot.bars(
            slots,
            rows,
            f"job {name}",
            faded(_color(plot, job), FILL),
            f"job {name}: %{{x:,.4~g}} of {counted_slots(asked.slots)}; it wants {wanted}",
            across=True,
            text=[_inside(name, s, s / asked.slots) for s in slots],
            insidetextanchor="middle",
            **_written(plot),
        )
    for row, share in zip(rows, shares, strict=True):
        if share.slots is None:
            plot.note(share.case, x=0, xanchor="left", y=row, yref="y")
    plot.axis("x", "slots", {"range": [0, asked.slots], "nticks": 6, "tickformat": ","})
    order = {"type": "category", "categoryorder": "array", "categoryarray": rows[::-1]}
    plot.axis("y", "", order, range=[-0.5, len(rows) - 0.5], showgrid=False, ticks="")
    return figure(plot)


def _written(plot: Plot) -> Part:
    """Return how the texts in bars, and the edges of these, look."""
    edge = {"line": {"color": plot.colors.paper, "width": 1}}
    return {"textposition": "inside", "textangle": 0, "textfont": plot.font, "marker": edge}


def _row(asked: Request, share: Share) -> str:
    """Return the name of a rule's row, with the distance of its sum from the best one."""
    judged = share.weighted if asked.jobs.weighted and share.rule.name in WEIGHTED else share.rate
    return f"{share.rule.name}<br>{below_best(judged.shortfall) if judged else 'no answer'}"


def _by_size(asked: Request) -> list[int]:
    """Return the jobs, smallest first."""
    return [int(job) for job in np.argsort(asked.jobs.T, kind="stable")]


def _color(plot: Plot, job: int) -> str:
    """Return the colour of a job, the same in both charts."""
    return plot.colors.series[job % len(plot.colors.series)]


def _inside(name: str, slots: float, share: float) -> str:
    """Return what fits into a segment of this share of the row."""
    if share < NAMED:
        return ""
    return name if share < NUMBERED else f"{name} {in_slots(slots)}"


def water(seen: Scene, dark: bool) -> go.Figure:
    """Draw one rule's slots per task: the area of a job is its slots, the common height the water level."""
    asked, share = seen.asked, seen.poured
    plot = Plot("water", dark, HEIGHT)
    order = [job for job in _by_size(asked) if asked.jobs.T[job] > 0]
    tasks, names = asked.jobs.T[order], [asked.jobs.names[i] for i in order]
    height = np.zeros(tasks.size) if share.slots is None else share.slots[order] / tasks
    edges = np.concatenate([[0.0], np.cumsum(tasks)])
    middle, high = (edges[:-1] + edges[1:]) / 2, _ceiling(asked, height)
    plot.bars(
        middle,
        np.minimum(height, high),
        "slots",
        [faded(_color(plot, job), FILL) for job in order],
        "job %{customdata[0]}: %{customdata[3]:,.4~g} slots for "
        "%{customdata[1]:,.4~g} tasks, %{customdata[2]:,.3~g} per task",
        width=tasks,
        showlegend=False,
        text=[f"{in_slots(float(h))} ↑" if h > high else "" for h in height],
        insidetextanchor="end",
        customdata=list(zip(names, tasks, height, height * tasks, strict=True)),
        **_written(plot),
    )
    if share.rule.name in GUARANTEEING and asked.epsilon < 1:  # the guarantee, in slots per task of each job
        guarantee = np.minimum(asked.regime(asked.epsilon).guarantee / tasks, high)
        x, y = np.repeat(edges, 2)[1:-1], np.repeat(guarantee, 2)
        plot.line(x, y, "guarantee F/T", plot.colors.ink, line=DASHED, showlegend=True)
    for text, at, dash, side in _levels(seen):
        plot.across(at, dash=dash)
        plot.note(f"{text} ", x=1, xref="paper", xanchor="right", y=at, yanchor=side)
    if share.slots is None:
        plot.note(f"{share.rule.name}: {share.case}", **MIDDLE)
    wide = [i for i, t in enumerate(tasks) if t >= NAMED * edges[-1]]
    ticks = {"tickvals": [middle[i] for i in wide], "ticktext": [names[i] for i in wide]}
    plot.axis("x", "jobs, smallest first, as wide as their tasks", ticks, range=[0, edges[-1]])
    plot.axis("y", "slots per task", {"range": [0, high], "nticks": 6})
    return figure(plot)


def _levels(seen: Scene) -> Iterator[tuple[str, float, str, str]]:
    """Yield lines across with their labels, the water level above and then the threshold below its line."""
    poured, theta = water_level(seen), seen.asked.theta
    if poured is not None:
        yield f"water level {number(poured)}", poured, "solid", "bottom"
    yield f"threshold θ = {number(theta)}", theta, "dot", "bottom" if poured is None else "top"


def water_level(seen: Scene) -> float | None:
    """Return the level to which slots beyond the thresholds fill all jobs, None if there is none."""
    asked, share = seen.asked, seen.poured
    epsilon = 1.0 if share.rule.name == "Algorithm 1" else asked.epsilon
    guaranteed = share.rule.name in GUARANTEEING and not (asked.printed and epsilon < 1)
    if share.slots is None or not (guaranteed or share.rule.name == "Algorithm 1"):
        return None
    regime = asked.regime(epsilon)
    return None if regime.constrained else regime.level


def _ceiling(asked: Request, height: np.ndarray) -> float:
    """Return the end of the vertical axis; a small job that drowns in slots is cut there."""
    fair = max(asked.theta, asked.slots / max(float(asked.jobs.T.sum()), 1e-9))
    tallest = float(height.max(initial=0.0))
    return tidy(1.2 * min(max(tallest, fair), 4 * fair))


def bars_alt(seen: Scene) -> str:
    """Say in words what `bars` shows, with its numbers."""
    told = []
    for share in seen.found.values():
        if share.slots is None:
            told.append(f"{share.rule.name}: {share.case}.")
            continue
        slots = ", ".join(
            f"{name} {in_slots(float(s))}" for name, s in zip(seen.asked.jobs.names, share.slots, strict=True)
        )
        told.append(f"{share.rule.name}: {slots}.")
    return f"Slots of each job out of {plain(seen.asked.slots)}, a row for each rule. " + " ".join(told)


def water_alt(seen: Scene) -> str:
    """Say in words what `water` shows, with its numbers."""
    asked, share = seen.asked, seen.poured
    if share.slots is None:
        return f"{share.rule.name} gives no shares: {share.case}."
    told = [
        f"{asked.jobs.names[i]} {number(float(share.slots[i] / asked.jobs.T[i]))}"
        for i in _by_size(asked)
        if asked.jobs.T[i] > 0
    ]
    level = water_level(seen)
    poured = f" The water level is {number(level)}." if level is not None else ""
    return (
        f"Slots per task under {share.rule.name}, smallest job first: {', '.join(told)}. "
        f"The threshold is {number(asked.theta)}.{poured}"
    )


def pouring(seen: Scene) -> str:
    """Say what the water chart is of, and the case of its rule."""
    return f"The area of a job is its slots. {seen.pour}: {seen.poured.case}."


SHARES = Chart("Which job gets which slots", bars, bars_alt)
WATER = Chart("Slots of each task", water, water_alt, pouring)
