"""Hopper Fig. 5b: the same ratio over the number of refusals before a job must accept."""

from __future__ import annotations

from sim.papers.hopper.fig5 import LOADS, REFUSALS
from sim.papers.picture import Curve, Mark, Panel, Picture
from sim.papers.record import outcomes

KEY = "hopper-fig5b-two-refusals"


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each utilisation and number of refusals."""
    found = outcomes(KEY)
    return tuple(
        Curve(f"{load:.0%}", REFUSALS, tuple(found[f"{one} refusals, {load:.0%}"] for one in REFUSALS))
        for load in LOADS
    )


PICTURE = Picture(
    key="hopper-fig5b",
    paper="Hopper",
    place="Fig. 5b",
    title="How much longer jobs take than under the centralised scheduler, by the number of refusals",
    panels=(Panel("refusals before a job must accept", "mean flowtime ÷ centralised", ylim=(0.9, 1.3)),),
    draw=draw,
    marks=(Mark("1.10", x=2, y=1.10), Mark("1.15", x=3, y=1.15)),
    about="From the recorded claim, d = 4; a curve for each utilisation. The axis of the paper goes to 5.5.",
)
