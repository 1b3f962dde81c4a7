"""Sweeps over the threshold sigma, as recorded with the claims about its best value."""

from __future__ import annotations

from collections.abc import Callable

from sim.papers.picture import Curve
from sim.papers.record import outcomes
from sim.papers.xu_lau.best_sigma import SIGMAS


def draw_sigmas(key: str, system: str) -> Callable[[bool], tuple[Curve, ...]]:
    """Return what draws flowtime and resource over the threshold, and without backup beside."""

    def draw(quick: bool) -> tuple[Curve, ...]:
        curves = []
        for panel, measure in enumerate(("flowtime", "resource")):
            found = outcomes(f"{key}-{measure}")
            swept = tuple(found[f"sigma = {sigma:g}: mean"] for sigma in SIGMAS)
            curves.append(Curve(system, SIGMAS, swept, panel))
            none = found["no backup: mean"]
            curves.append(Curve("no backup", (SIGMAS[0], SIGMAS[-1]), (none, none), panel))
        return tuple(curves)

    return draw
