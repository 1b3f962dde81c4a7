"""The theory charts of the Detection page: the cutoff, the threshold, and the solution of P2."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
import plotly.graph_objects as go

from pages.detection.question.detection import VARIABILITY, Question
from pages.detection.question.smart_cloning import NAMES, Solution
from pages.shared.charts.chart import chart, curve, legend, level, note, points, titled, upright
from pages.shared.charts.on_page import Chart
from sim.telling.palette import faded, palette
from sim.telling.plot import Part
from sim.telling.scales import tidy
from sim.telling.words import counted, listed, number, percent, plain
from theory.cutoff import cloning_load_limit, cutoff_load

ALPHAS = np.linspace(1.1, 5.0, 157)
SIGMAS = np.linspace(0.1, 4.0, 157)
HIGHEST_LOAD = 1.75
#: Slot-time beyond which a curve leaves the chart.
HIGHEST = 1.2
QUIET: Part = {"hoverinfo": "skip"}
DASH: Part = {"dash": "dash"}


def cutoff_chart(asked: Question, dark: bool) -> go.Figure:
    """Draw the load up to which cloning everything pays against the tail index, and where the cluster is."""
    colors = palette(dark)
    cutoff = np.asarray(cutoff_load(ALPHAS, VARIABILITY))
    limit = np.asarray(cloning_load_limit(ALPHAS))
    hover = "β = %{x:.3~g}: %{y:.3~g}<extra></extra>"
    traces = [
        curve(
            ALPHAS,
            np.minimum(cutoff, HIGHEST_LOAD + 1),
            "cutoff ρ₀<sup>U</sup>",
            colors.series[0],
            line=DASH,
            fill="tozeroy",
            fillcolor=faded(colors.series[0], 0.15),
            hovertemplate=hover,
        ),
        curve(
            ALPHAS[ALPHAS >= 2],
            limit[ALPHAS >= 2],
            "overloaded if cloned",
            colors.series[1],
            line={"dash": "dot"},
            hovertemplate=hover,
        ),
        points(
            [asked.alpha],
            [asked.load],
            "this cluster",
            colors.ink,
            marker={"size": 11},
            hovertemplate="this cluster: β = %{x}, ρ₀ = %{y}<extra></extra>",
            cliponaxis=False,
        ),
    ]
    axes = {
        "xaxis": {
            "title": titled("tail index β of task times", dark),
            "range": [1, 5],
            "nticks": 6,
            "fixedrange": True,
        },
        "yaxis": {
            "title": titled("offered load ρ₀", dark),
            "range": [0, HIGHEST_LOAD],
            "nticks": 6,
            "fixedrange": True,
        },
    }
    full = note("all slots busy even without copies", dark, x=4.95, y=1, xanchor="right", yanchor="bottom")
    shapes = [level(1, colors.ink, dash="dot", width=1)]
    return chart(traces, axes, dark, name="cutoff", height=320, shapes=shapes, annotations=[full])


def cutoff_alt(asked: Question) -> str:
    """Say in words what `cutoff_chart` shows, with its numbers."""
    two, four = (number(float(cutoff_load(alpha, VARIABILITY))) for alpha in (2.0, 4.0))
    return (
        f"Load below which two copies of every task mean less delay than one, falling with the tail index β: "
        f"{two} at 2, {four} at 4. At β = {plain(asked.alpha)} it is {number(asked.cutoff)}; this cluster "
        f"has load {plain(asked.load)}, {'below' if asked.light else 'not below'} it."
    )


def resource_chart(asked: Question, dark: bool) -> go.Figure:
    """Draw the slot-time of a task against the threshold, for some numbers of copies and for ESE."""
    colors = palette(dark)
    traces, lows = [], []
    for copies in shown_copies(asked):
        used = asked.resource(SIGMAS, copies)
        color = colors.series[{2: 0, 3: 1}.get(copies, 3)]
        lows.append(float(used.min()))
        traces.append(
            curve(
                SIGMAS,
                used,
                f"{copies} copies",
                color,
                line=DASH,
                legendgroup=str(copies),
                hovertemplate=f"{copies} copies, σ = %{{x:.3~g}}: %{{y:.4~g}}<extra></extra>",
            )
        )
        best = asked.best_sigma(copies)
        traces.append(
            points(
                [best],
                [float(asked.resource(best, copies))],
                f"{copies} copies, best",
                color,
                marker={"symbol": "circle-open", "size": 11, "line": {"width": 2}},
                showlegend=False,
                legendgroup=str(copies),
                hovertemplate=f"{copies} copies, best threshold: %{{x:.3f}}, %{{y:.4~g}}<extra></extra>",
            )
        )
    random = asked.random_look(SIGMAS)
    lows.append(float(random.min()))
    traces.append(
        curve(
            SIGMAS,
            random,
            "ESE, random look",
            colors.series[2],
            line={"dash": "dashdot"},
            hovertemplate="ESE, σ = %{x:.3~g}: %{y:.4~g}<extra></extra>",
        )
    )
    traces.append(
        points(
            [asked.sigma],
            [min(asked.used, HIGHEST)],
            "as chosen",
            colors.ink,
            showlegend=False,
            marker={"size": 10},
            cliponaxis=False,
            hovertemplate=f"as chosen: σ = {plain(asked.sigma)}, {asked.copies} copies: "
            f"{number(asked.used, 4)}<extra></extra>",
        )
    )
    low = floor(20 * min(lows) - 0.1) / 20
    axes = {
        "xaxis": {
            "title": titled("threshold σ on the remaining time (mean task times)", dark),
            "range": [0, 4],
            "nticks": 9,
            "fixedrange": True,
        },
        "yaxis": {
            "title": titled("slot-time per task, E[R]/E[x]", dark),
            "range": [low, HIGHEST],
            "nticks": 7,
            "fixedrange": True,
        },
    }
    notes = [
        note(f"σ = {plain(asked.sigma)}", dark, x=asked.sigma, y=1, yref="paper", yanchor="bottom"),
        note(
            f"Mantri {number(asked.mantri)}", dark, x=min(asked.mantri, 3.9), y=1, yref="paper", yanchor="top"
        ),
        note("no copies", dark, x=4, y=1, xanchor="right", yanchor="bottom"),
    ]
    lines = [
        level(1, colors.ink, dash="dot", width=1),
        upright(asked.sigma, colors.ink),
        upright(min(asked.mantri, 4), colors.ink, dash="dot"),
    ]
    return chart(
        traces,
        axes,
        dark,
        name="threshold of detection",
        height=320,
        shapes=lines,
        annotations=notes,
        legend=legend(dark) | {"y": 1.1},  # above the note
    )


def shown_copies(asked: Question) -> list[int]:
    """Return the numbers of copies that have a curve: two, three, and what is chosen.

    Examples
    --------
    >>> shown_copies(Question(2.0, 0.25, 1.7, 5, 0.2, 0.25))
    [2, 3, 5]
    """
    return sorted({2, 3, asked.copies})


def resource_alt(asked: Question) -> str:
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
    colors = palette(dark)
    jobs = [f"{name}: {tasks}" for name, tasks in zip(NAMES, found.jobs.tasks, strict=True)]
    hover = "job %{x} tasks: %{y:.3~g} copies<extra>%{fullData.name}</extra>"
    bars = [
        {
            "type": "bar",
            "x": jobs,
            "y": values,
            "name": name,
            "hovertemplate": hover,
            "marker": {"color": color, "line": {"width": 0}},
        }
        for name, values, color in (
            ("best real number", found.real.copies, faded(colors.series[0], 0.55)),
            ("best whole number", found.whole.copies, colors.series[0]),
        )
    ]
    last = points(
        jobs,
        found.printed.copies[-1],
        f"iteration, round {len(found.printed.copies) - 1}",
        colors.series[1],
        marker={"symbol": "x", "size": 10},
        hovertemplate=hover,
        cliponaxis=False,
    )
    high = max(float(path.max()) for path in (found.whole.copies, found.printed.copies[-1]))
    axes = {
        "xaxis": {"title": titled("waiting job: its tasks", dark), "type": "category", "fixedrange": True},
        "yaxis": {
            "title": titled("copies of each task", dark),
            "range": [0, ceil(high + 0.2)],
            "fixedrange": True,
            "dtick": 1,
        },
    }
    return chart([*bars, last], axes, dark, name="copies of P2", height=320, bargap=0.35, bargroupgap=0.1)


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
    colors = palette(dark)
    rounds = np.arange(len(found.printed.copies))
    traces = [
        curve(
            rounds,
            found.wanted(path),
            name,
            color,
            mode="lines+markers",
            marker={"size": 3},
            line={"width": 1, "dash": dash},
            hovertemplate="round %{x}: %{y:.4~g} slots<extra>%{fullData.name}</extra>",
        )
        for name, path, color, dash in (
            (f"constant step {plain(found.step)}, as printed", found.printed, colors.series[1], "dot"),
            ("steps that shrink, mended", found.mended, colors.series[0], "solid"),
        )
    ]
    high = max(float(trace["y"].max()) for trace in traces)
    still = {"nticks": 6, "fixedrange": True}
    axes: dict[str, Part] = {
        "xaxis": {"title": titled("round k of the iteration", dark), "range": [0, len(rounds) - 1]} | still,
        "yaxis": {"title": titled("slots asked for, Σ m c", dark), "range": [0, tidy(1.05 * high)]} | still,
    }
    there = note(
        f"N = {found.jobs.machines}",
        dark,
        x=len(rounds) - 1,
        y=found.jobs.machines,
        xanchor="right",
        yanchor="bottom",
    )
    line = level(found.jobs.machines, colors.ink, dash="dash")
    return chart(
        traces,
        axes,
        dark,
        name="iteration of P2",
        height=320,
        shapes=[line],
        annotations=[there],
        legend=legend(dark),
    )


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


def saved(asked: Question) -> str:
    """Return what detection saves as chosen, in words.

    Examples
    --------
    >>> saved(Question(2.0, 0.25, 1.7, 2, 0.2, 0.25))
    'saves 8.8 % of the slot-time'
    """
    change = 1 - asked.used
    return (
        f"saves {percent(change)} of the slot-time"
        if change > 0
        else f"costs {percent(-change)} more slot-time"
    )


CUTOFF = Chart("Up to which load cloning everything pays", cutoff_chart, cutoff_alt)
RESOURCE = Chart("When does copying a straggler pay?", resource_chart, resource_alt)
COPIES = Chart(
    lambda found: f"Copies for four waiting jobs on {found.jobs.machines} free slots",
    copies_chart,
    copies_alt,
)
PATH = Chart("The paper's iteration, as printed and mended", path_chart, path_alt)
