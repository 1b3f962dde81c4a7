"""Remedies: how much each shortens jobs, and how much of the possible gain a setting reaches."""

from __future__ import annotations

from typing import Any

from sim.advice.whatif.charts.front import HEIGHT
from sim.advice.whatif.remedies.judged import Judged, Remedies
from sim.advice.whatif.setting_effect import FIGURES, SettingEffect
from sim.telling.palette import faded
from sim.telling.plot import MIDDLE, Plot, around, ends, rows
from sim.telling.scales import span

TITLE = "What each remedy gains"
#: Widths of bars, as shares of a row.
MOST, REACHED = 0.7, 0.36


def draw(found: Remedies | None, dark: bool) -> Plot:
    """Draw a row for each remedy: a wide bar at most, a narrow one for what is reached, with its interval."""
    plot = Plot("remedies", dark, HEIGHT, barmode="overlay")
    first, second, *_ = plot.colors.series
    judged = found.judged if found else ()
    objective = found.objective if found else "mean"
    if found is not None:
        most = [100 * -one.ceiling[objective].value for one in judged]
        _bars(plot, "at most", list(range(len(judged))), most, faded(plot.colors.ink, 0.25), width=MOST)
        for name, color, advised in (("a setting reaches", first, False), ("recommended", second, True)):
            reached = {
                place: one.change_of(objective)
                for place, one in enumerate(judged)
                if one.change and (one is found.first) == advised
            }
            if reached:
                gain, high, low = ends(reached.values(), -100)
                bars = around(gain, low, high, plot.colors.ink, width=4)
                _bars(plot, name, list(reached), gain.tolist(), color, width=REACHED, error_x=bars)
    plot.up(0)
    if found is None:
        plot.note("remedies follow after the settings", **MIDDLE)
    plot.axis("x", f"{FIGURES[objective]} shorter by (%)", span(*_ends(judged, objective)), showgrid=True)
    plot.axis("y", scale=rows([one.remedy.title for one in judged] or [" "]))
    return plot


def _bars(plot: Plot, name: str, y: list[int], x: list[float], color: str, **more: Any) -> None:
    told = "at most" if name == "at most" else "a setting reaches"
    plot.bars(x, y, name, color, f"{told} %{{x:.1f}} %", across=True, **more)


def _ends(judged: tuple[Judged, ...], objective: str) -> tuple[float, float]:
    """Return the ends of the axis, in percent: all bars, intervals of what is reached, and 0."""
    reached: list[SettingEffect] = [one.change[objective] for one in judged if one.change]
    values = [-100 * one.ceiling[objective].value for one in judged]
    values += [-100 * end for one in reached for end in (one.low, one.high)]
    low, high = min([0.0, *values]), max([5.0, *values])
    room = 0.05 * (high - low)
    return (low - room if low < 0 else 0.0), high + room


def alt(found: Remedies | None) -> str:
    """Say in words what `draw` shows."""
    if found is None:
        return "No remedy has been played yet: 0 of them are drawn."
    told = []
    for one in found.judged:
        reached = f"a setting {one.change[found.objective].told}" if one.change else "no setting"
        told.append(f"{one.remedy.title}: {reached}, at most {one.ceiling[found.objective].told}")
    return f"Change of the {FIGURES[found.objective]} by remedy. {'; '.join(told)}."
