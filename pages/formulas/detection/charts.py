"""The theory charts of the Detection page: the cutoff, the threshold, and the solution of P2."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.formulas.detection.question import NAMES, VARIABILITY, Request, Solution
from pages.shared.charts.on_page import Chart, figure
from sim.telling.palette import faded
from sim.telling.plot import ABOVE, DASHED, DOTTED, Plot
from sim.telling.scales import tidy
from sim.telling.words import counted, listed, number, percent, plain
from theory.cutoff import cloning_load_limit, cutoff_load

ALPHAS = np.linspace(1.1, 5.0, 157)
SIGMAS = np.linspace(0.1, 4.0, 157)
HIGHEST_LOAD = 1.75
#: Slot-time beyond which a curve leaves the chart.
HIGHEST = 1.2


def cutoff_chart(asked: Request, dark: bool) -> go.Figure:
    """Draw the load up to which cloning everything pays against the tail index, and where the cluster is."""
    plot = Plot("cutoff", dark, 320)
    first, second, *_ = plot.colors.series
    cutoff = np.minimum(np.asarray(cutoff_load(ALPHAS, VARIABILITY)), HIGHEST_LOAD + 1)
    limit = np.asarray(cloning_load_limit(ALPHAS))
    hover = "β = %{x:.3~g}: %{y:.3~g}"
    below = {"fill": "tozeroy", "fillcolor": faded(first, 0.15)}
    plot.line(ALPHAS, cutoff, "cutoff ρ₀<sup>U</sup>", first, hover, line=DASHED, **below)
    known = ALPHAS >= 2
    plot.line(ALPHAS[known], limit[known], "overloaded if cloned", second, hover, line=DOTTED)
    _here(plot, [asked.alpha], [asked.load], "this cluster", "this cluster: β = %{x}, ρ₀ = %{y}", size=11)
    plot.across(1, dash="dot", width=1)
    where = {"x": 4.95, "y": 1, "xanchor": "right", "yanchor": "bottom"}
    plot.note("all slots busy even without copies", **where)
    plot.axis("x", "tail index β of task times", {"range": [1, 5], "nticks": 6})
    plot.axis("y", "offered load ρ₀", {"range": [0, HIGHEST_LOAD], "nticks": 6})
    return figure(plot)


def _here(plot: Plot, x: list[float], y: list[float], name: str, hover: str, size: int, **more: Any) -> None:
    """Mark what is chosen, whole also at the edge of the plot."""
    plot.dots(x, y, name, plot.colors.ink, hover, marker={"size": size}, cliponaxis=False, **more)


def cutoff_alt(asked: Request) -> str:
    """Say in words what `cutoff_chart` shows, with its numbers."""
    two, four = (number(float(cutoff_load(alpha, VARIABILITY))) for alpha in (2.0, 4.0))
    return (
        "With a queue at every slot: the load below which two copies of every task mean less delay than one, "
        "falling with the tail index β: "
        f"{two} at 2, {four} at 4. At β = {plain(asked.alpha)} it is {number(asked.cutoff)}; this cluster "
        f"has load {plain(asked.load)}, {'below' if asked.light else 'not below'} it."
    )


def resource_chart(asked: Request, dark: bool) -> go.Figure:
    """Draw the slot-time of a task against the threshold, for some numbers of copies and for ESE."""
    plot = Plot("threshold of detection", dark, 320, above=1.1)  # the legend is above the note
    series = plot.colors.series
    random = asked.random_look(SIGMAS)
    lows = [float(random.min())]
    for copies in shown_copies(asked):
        used = asked.resource(SIGMAS, copies)
        color = series[{2: 0, 3: 1}.get(copies, 3)]
        lows.append(float(used.min()))
        name, group = f"{copies} copies", {"legendgroup": str(copies)}
        plot.line(SIGMAS, used, name, color, f"{name}, σ = %{{x:.3~g}}: %{{y:.4~g}}", line=DASHED, **group)
        best = asked.best_sigma(copies)
        plot.dots(
            [best],
            [float(asked.resource(best, copies))],
            f"{name}, best",
            color,
            f"{name}, best threshold: %{{x:.3f}}, %{{y:.4~g}}",
            marker={"symbol": "circle-open", "size": 11, "line": {"width": 2}},
            showlegend=False,
            **group,
        )
    hover = "ESE, σ = %{x:.3~g}: %{y:.4~g}"
    plot.line(SIGMAS, random, "ESE, random look", series[2], hover, line={"dash": "dashdot"})
    chosen = f"σ = {plain(asked.sigma)}"
    told = f"as chosen: {chosen}, {asked.copies} copies: {number(asked.used, 4)}"
    _here(plot, [asked.sigma], [min(asked.used, HIGHEST)], "as chosen", told, size=10, showlegend=False)
    plot.across(1, dash="dot", width=1)
    plot.up(asked.sigma)
    plot.up(min(asked.mantri, 4), dash="dot")
    plot.note(chosen, x=asked.sigma, **ABOVE)
    plot.note(f"Mantri {number(asked.mantri)}", x=min(asked.mantri, 3.9), **ABOVE | {"yanchor": "top"})
    plot.note("no copies", x=4, y=1, xanchor="right", yanchor="bottom")
    plot.axis("x", "threshold σ on the remaining time (mean task times)", {"range": [0, 4], "nticks": 9})
    low = floor(20 * min(lows) - 0.1) / 20
    plot.axis("y", "slot-time per task, E[R]/E[x]", {"range": [low, HIGHEST], "nticks": 7})
    return figure(plot)


def shown_copies(asked: Request) -> list[int]:
    """Return the numbers of copies that have a curve: two, three, and what is chosen.

    Examples
    --------
    >>> shown_copies(Request(2.0, 0.25, 1.7, 5, 0.2, 0.25))
    [2, 3, 5]
    """
    return sorted({2, 3, asked.copies})


def resource_alt(asked: Request) -> str:
    """Say in words what `resource_chart` shows, with its numbers."""
    told = [
        f"{copies} copies use least, {number(float(asked.resource(asked.best_sigma(copies), copies)))}, "
        f"at σ = {number(asked.best_sigma(copies))}"
        for copies in shown_copies(asked)
    ]
    return (
        f"Slot-time per task in mean task times against the threshold σ, 1 without copies. "
        f"{listed(told)}. As chosen, {asked.copies} copies from σ = {plain(asked.sigma)} on use "
        f"{number(asked.used)}. Mantri's rule copies from σ = {number(asked.mantri)} on."
    )


def copies_chart(found: Solution, dark: bool) -> go.Figure:
    """Draw the best copies of each job, real and whole, and where the printed iteration ends."""
    plot = Plot("copies of P2", dark, 320, bargap=0.35, bargroupgap=0.1)
    first, second, *_ = plot.colors.series
    jobs = [f"{name}: {tasks}" for name, tasks in zip(NAMES, found.jobs.tasks, strict=True)]
    hover = "job %{x} tasks: %{y:.3~g} copies<extra>%{fullData.name}</extra>"
    no_edge = {"line": {"width": 0}}
    plot.bars(jobs, found.real.copies, "best real number", faded(first, 0.55), hover, marker=no_edge)
    plot.bars(jobs, found.whole.copies, "best whole number", first, hover, marker=no_edge)
    last = found.printed.copies[-1]
    name = f"iteration, round {len(found.printed.copies) - 1}"
    plot.dots(jobs, last, name, second, hover, marker={"symbol": "x", "size": 10}, cliponaxis=False)
    high = max(float(path.max()) for path in (found.whole.copies, last))
    plot.axis("x", "waiting job: its tasks", {"type": "category"})
    plot.axis("y", "copies of each task", {"range": [0, ceil(high + 0.2)], "dtick": 1})
    return figure(plot)


def copies_alt(found: Solution) -> str:
    """Say in words what `copies_chart` shows, with its numbers."""
    told = [
        f"job {name} with {counted(tasks, 'task')} {number(real)} ({int(whole)} as a whole number; the "
        f"iteration with a constant step is at {number(last)})"
        for name, tasks, real, whole, last in zip(
            NAMES,
            found.jobs.tasks,
            found.real.copies,
            found.whole.copies,
            found.printed.copies[-1],
            strict=True,
        )
    ]
    return f"Best number of copies of each task: {listed(told)}."


def path_chart(found: Solution, dark: bool) -> go.Figure:
    """Draw the slots that each round of the iteration asks for, as printed and mended."""
    plot = Plot("iteration of P2", dark, 320)
    first, second, *_ = plot.colors.series
    last = len(found.printed.copies) - 1
    wanted = [found.wanted(path) for path in (found.printed, found.mended)]
    for name, slots, color, dash in (
        (f"constant step {plain(found.step)}, as printed", wanted[0], second, "dot"),
        ("steps that shrink, mended", wanted[1], first, "solid"),
    ):
        hover = "round %{x}: %{y:.4~g} slots<extra>%{fullData.name}</extra>"
        look = {"mode": "lines+markers", "marker": {"size": 3}, "line": {"width": 1, "dash": dash}}
        plot.line(np.arange(last + 1), slots, name, color, hover, **look)
    machines = found.jobs.machines
    plot.across(machines, dash="dash")
    plot.note(f"N = {machines}", x=last, y=machines, xanchor="right", yanchor="bottom")
    high = max(float(slots.max()) for slots in wanted)
    plot.axis("x", "round k of the iteration", {"range": [0, last], "nticks": 6})
    plot.axis("y", "slots asked for, Σ m c", {"range": [0, tidy(1.05 * high)], "nticks": 6})
    return figure(plot)


def path_alt(found: Solution) -> str:
    """Say in words what `path_chart` shows, with its numbers."""
    last = [found.wanted(path)[-10:] for path in (found.printed, found.mended)]
    told = [
        f"{name} for {number(float(part.min()), 4)} to {number(float(part.max()), 4)}"
        for name, part in zip(
            (f"with a constant step of {plain(found.step)}", "with shrinking steps"), last, strict=True
        )
    ]
    return (
        f"Slots that the iteration asks for in each of {len(found.printed.copies) - 1} rounds; "
        f"{found.jobs.machines} are free. It asks in the last ten rounds, {listed(told)} slots."
    )


def saved(asked: Request) -> str:
    """Return what detection saves as chosen, in words.

    Examples
    --------
    >>> saved(Request(2.0, 0.25, 1.7, 2, 0.2, 0.25))
    'saves 8.8 % of the slot-time'
    """
    change = 1 - asked.used
    return (
        f"saves {percent(change)} of the slot-time"
        if change > 0
        else f"costs {percent(-change)} more slot-time"
    )


CUTOFF = Chart("Up to which load cloning pays, a queue per slot", cutoff_chart, cutoff_alt)
RESOURCE = Chart("When does copying a straggler pay?", resource_chart, resource_alt)
COPIES = Chart(
    lambda found: f"Copies for four waiting jobs on {found.jobs.machines} free slots",
    copies_chart,
    copies_alt,
)
PATH = Chart("The paper's iteration, as printed and mended", path_chart, path_alt)
