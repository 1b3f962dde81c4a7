"""Hopper section 4.4: the mean flowtime by the share of jobs that may overtake for locality."""

from __future__ import annotations

from sim.model.statistics import Estimate
from sim.papers.hopper.section44 import PERCENTAGES
from sim.papers.picture import Curve, Mark, Panel, Picture
from sim.papers.record import outcomes

KEY = "hopper-section44-locality"


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each percentage, 5 % being 1."""
    found = outcomes(KEY)
    points = {float(one): found[f"{one} % against 5 %"] for one in PERCENTAGES} | {
        5.0: Estimate(1.0, 1.0, 1.0)
    }
    return (Curve("mean flowtime", tuple(sorted(points)), tuple(points[one] for one in sorted(points))),)


PICTURE = Picture(
    key="hopper-section44",
    paper="Hopper",
    place="section 4.4",
    title="The mean flowtime by the share k of the smallest jobs that may go first",
    panels=(Panel("k (% of the jobs)", "mean flowtime ÷ that at k = 5 %", xlim=(-2, 103), ylim=(0.8, 1.1)),),
    draw=draw,
    marks=(Mark("k of at most 5 % is enough", x=5.0, y=1.0),),
    about="The figure of the paper's section 7.4 is not in the text we have; drawn from the recorded claim.",
)
