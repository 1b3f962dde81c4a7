"""Charts of the page: when the task is done, and how its mean rest depends on its age."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.on_page import Chart, figure
from pages.wait.question import Answer
from sim.advice.waiting.answer import COPY, RESTART, WAIT
from sim.advice.waiting.report import chance
from sim.telling.palette import faded
from sim.telling.plot import ABOVE, DASHED, DOTTED, Plot, in_chart
from sim.telling.scales import log_axis, shares
from sim.telling.words import clipped, listed, spell, unit_for

#: Pixels of both, and where their legends begin, above the notes.
HEIGHT, LEGEND = 340, 1.1
#: What each way to go on is called in a legend, and its line.
LINES = {WAIT: ("wait", {}), COPY: ("copy", DASHED), RESTART: ("restart", DOTTED)}
#: How the ages of rules are marked, whose colour is that of waiting.
SYMBOLS = ("circle-open", "diamond-open", "square-open", "triangle-up-open")


def draw_done(seen: Answer, dark: bool) -> go.Figure:
    """Draw the probability that the task is done by a time from now, for each way to go on."""
    plot = Plot("probability done", dark, HEIGHT, above=LEGEND)
    unit = unit_for(max(seen.horizons))
    x = seen.times / unit.seconds
    low, high = seen.band
    around = np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])
    plot.area(*around, "wait, 90 % band", faded(plot.colors.series[0]))
    for (name, line), y, color in zip(
        LINES.values(), seen.chances.values(), plot.colors.series, strict=False
    ):
        plot.line(x, y, name, color, f"{name}: %{{y:.0%}} within %{{x:.3~g}} {unit.sign}", line=line)
    for horizon in seen.horizons:
        plot.up(horizon / unit.seconds, dash="dot")
        plot.note(spell(horizon, 2), x=np.log10(horizon / unit.seconds), **ABOVE)
    plot.axis("x", f"time from now ({unit.sign})", log_axis(float(x[0]), float(x[-1])))
    plot.axis("y", "probability that the task is done", shares())
    return figure(plot)


def alt_done(seen: Answer) -> str:
    """Say in words what `draw_done` shows, with its numbers."""
    told = []
    for name, (called, _) in LINES.items():
        parts = [
            f"{chance(float(np.interp(one, seen.times, seen.chances[name])))} within {spell(one, 2)}"
            for one in seen.horizons
        ]
        told.append(f"{called} {listed(parts)}")
    return (
        f"Probability that {in_chart(clipped(seen.task.name))} is done by a time from now: "
        f"{'; '.join(told)}. With a band of 90 % for waiting."
    )


def draw_rest(seen: Answer, dark: bool) -> go.Figure:
    """Draw the mean rest against the age of the task, and from which age on each rule copies it."""
    plot = Plot("rest by age", dark, HEIGHT, above=LEGEND)
    ages = np.array([one.age for one in seen.profile])
    rests = {name: np.array([getattr(one, name) for one in seen.profile]) for name in LINES}
    whole = np.concatenate(list(rests.values()))
    across, up = unit_for(seen.task.age), unit_for(float(np.median(whole)))
    for (name, (called, line)), color in zip(LINES.items(), plot.colors.series, strict=False):
        hover = f"{called} at an age of %{{x:.3~g}} {across.sign}: %{{y:.3~g}} {up.sign} more"
        plot.line(ages / across.seconds, rests[name] / up.seconds, called, color, hover, line=line)
    for (rule, age), symbol in zip(seen.rules.items(), SYMBOLS, strict=True):
        if age is not None:
            y = float(np.interp(np.log(age), np.log(ages), rests[WAIT]))
            look = {"symbol": symbol, "size": 11, "line": {"width": 2}}
            told = f"{rule} copies from an age of %{{x:.3~g}} {across.sign}"
            name = rule.removeprefix("Spark ")  # of short names three fit into a row
            plot.dots([age / across.seconds], [y / up.seconds], name, plot.colors.ink, told, marker=look)
    now = seen.task.age / across.seconds
    plot.up(now)
    plot.note("now", x=np.log10(now), **ABOVE)
    plot.axis("x", f"age of the task ({across.sign})", log_axis(*_ends(ages / across.seconds)))
    plot.axis("y", f"mean rest ({up.sign})", log_axis(*_ends(whole / up.seconds)))
    return figure(plot)


def _ends(values: np.ndarray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def alt_rest(seen: Answer) -> str:
    """Say in words what `draw_rest` shows, with its numbers."""
    first, last = seen.profile[0], seen.profile[-1]
    told = [
        f"{called} {spell(getattr(first, name), 3)} to {spell(getattr(last, name), 3)}"
        for name, (called, _) in LINES.items()
    ]
    rules = [f"{rule} at {spell(age, 3)}" if age else f"{rule} never" for rule, age in seen.rules.items()]
    return (
        f"Mean rest against the age of the task, from {spell(first.age, 3)} to {spell(last.age, 3)}: "
        f"{listed(told)}. It is {spell(seen.task.age, 3)} old now. Rules copy it from these ages: "
        f"{listed(rules)}."
    )


DONE = Chart("When is it done?", draw_done, alt_done)
REST = Chart("How does its age change the answer?", draw_rest, alt_rest)
