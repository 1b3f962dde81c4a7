"""Dolly Fig. 6: how much cloning shortens the mean flowtime against LATE and Mantri."""

from __future__ import annotations

from sim.model.statistics import Estimate
from sim.papers.picture import Curve, Mark, Panel, Picture
from sim.papers.record import outcomes

#: Bar -> the claim of the panel it is read from, against LATE and against Mantri.
BARS = {
    "each task, all jobs": ("dolly-fig6-task-late", "dolly-fig6-task-mantri"),
    "whole jobs, all jobs": ("dolly-fig6-job-late", "dolly-fig6-job-mantri"),
    "each task, small jobs": ("dolly-fig6-small-late", "dolly-fig6-small-mantri"),
    "small only, all jobs": ("dolly-fig6-overall-late", "dolly-fig6-overall-mantri"),
}
#: What the paper reports of them, in per cent.
REPORTED = ((44.0, 31.0, 47.0, 40.0), (35.0, 26.0, 39.0, 33.0))
BASELINES = ("LATE", "Mantri")


def in_percent(share: Estimate) -> Estimate:
    """Return a share in per cent.

    Examples
    --------
    >>> in_percent(Estimate(0.5, 0.25, 0.75))
    Estimate(value=50.0, low=25.0, high=75.0, reliable=True)
    """
    ends = (None if one is None else 100 * one for one in (share.value, share.low, share.high))
    return Estimate(*ends)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claims, a bar each, in per cent."""
    curves = []
    for panel, baseline in enumerate(BASELINES):
        keys = {name: pair[panel] for name, pair in BARS.items()}
        found = tuple(in_percent(outcomes(key)[""]) for key in keys.values())
        curves.append(Curve(f"saved against {baseline}", tuple(keys), found, panel))
    return tuple(curves)


PICTURE = Picture(
    key="dolly-fig6",
    paper="Dolly",
    place="Fig. 6",
    title="What cloning saves of the mean flowtime",
    panels=tuple(
        Panel("what is cloned", "saved of the mean flowtime (%)", f"Against {one}", ylim=(-230.0, 60.0))
        for one in BASELINES
    ),
    draw=draw,
    marks=tuple(
        Mark(f"{share:g} %", x=name, y=share, panel=panel)
        for panel, reported in enumerate(REPORTED)
        for name, share in zip(BARS, reported, strict=True)
    ),
    about="From the recorded claims; our jobs have the shares of the paper's trace, which is not public.",
)
