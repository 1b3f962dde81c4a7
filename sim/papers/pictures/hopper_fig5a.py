"""Hopper Fig. 5a: how much longer jobs take than under the centralised scheduler, by the number of probes."""

from __future__ import annotations

from sim.papers.hopper.fig5 import HEADLINE, LOADS, OF_PROBES, PROBES, hopper, runs
from sim.papers.picture import Curve, Mark, Panel, Picture

#: Probes of Sparrow that are tried; it was built with two.
SPARROW = (2, 4)
ACROSS, UPWARDS = "probes per task, d", "mean flowtime ÷ centralised"


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the ratios of both systems at each utilisation, Hopper in the first panel."""
    curves = []
    for load in LOADS:
        found = runs(load, quick, HEADLINE, OF_PROBES)
        name = f"{load:.0%}"
        curves.append(Curve(name, PROBES, tuple(found.ratio(hopper(d)) for d in PROBES)))
        sparrow = (found.ratio("sparrow" if d == 2 else f"sparrow:probes={d}") for d in SPARROW)
        curves.append(Curve(name, SPARROW, tuple(sparrow), 1))
    return tuple(curves)


PICTURE = Picture(
    key="hopper-fig5a",
    paper="Hopper",
    place="Fig. 5a",
    title="How much longer jobs take than under the centralised scheduler, by the number of probes",
    panels=(
        Panel(ACROSS, UPWARDS, "Hopper", xlim=(1.5, 10.5), ylim=(0.9, 2.3)),
        Panel(ACROSS, UPWARDS, "Sparrow", xlim=(1.5, 10.5), ylim=(0.9, 2.3)),
    ),
    draw=draw,
    marks=(
        Mark("at most 1.15 from d = 4 on", x=4, y=1.15),
        Mark("more than 2 at medium utilisation", x=2, y=2.0, panel=1),
    ),
    simulated=True,
    about="A curve for each utilisation, taken as the load offered without copies; tasks known to be "
    "slow are copied.",
)
