"""Hopper section 4.3: the share of jobs that are no slower than under fair sharing, by the unfairness."""

from __future__ import annotations

from sim.papers.picture import Curve, Mark, Panel, Picture
from sim.papers.record import outcomes

EPSILONS = (0.0, 0.1, 0.3, 0.5, 1.0)
KEY = "hopper-section43-fairness"


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each unfairness; the judged one is 0.3."""
    found = outcomes(KEY)
    return (
        Curve(
            "jobs that are no slower",
            EPSILONS,
            tuple(found["" if one == 0.3 else f"epsilon = {one:g}"] for one in EPSILONS),
        ),
    )


PICTURE = Picture(
    key="hopper-section43",
    paper="Hopper",
    place="section 4.3",
    title="The share of the jobs that end no later than under fair sharing, by the unfairness",
    panels=(Panel("unfairness ε", "share of the jobs", xlim=(-0.02, 1.05), ylim=(0.5, 1.02)),),
    draw=draw,
    marks=(Mark("nearly all, read as nine in ten", y=0.9),),
    about="The figure of the paper's section 7.3 is not in the text we have; drawn from the recorded claim.",
)
