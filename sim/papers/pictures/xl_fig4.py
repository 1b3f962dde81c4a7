"""XL Fig. 4: the resource of a task under ESE, by the threshold and the tail index."""

from __future__ import annotations

import numpy as np

from sim.papers.picture import Curve, Mark, Panel, Picture

TAILS = (2.0, 3.0, 4.0, 5.0)
SIGMAS = np.linspace(0.1, 6, 119)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return equation (30) to (33) for each tail index."""
    from theory.ese import ese_resource

    return tuple(Curve.of_theory(f"α = {tail:g}", SIGMAS, ese_resource(SIGMAS, tail)) for tail in TAILS)


PICTURE = Picture(
    key="xl-fig4",
    paper="XL",
    place="Fig. 4",
    title="The mean resource of a task under ESE, by the threshold and the tail index α of task times",
    panels=(Panel("threshold σ (mean task times)", "E[R] / E[x]", xlim=(0, 6), ylim=(0.94, 1.3)),),
    draw=draw,
    marks=(Mark("smallest at 1.7 for α = 2", x=1.7), Mark("very close to 2 for α ≥ 3", x=2.0)),
    about="Equations (30) to (33) in closed form.",
)
