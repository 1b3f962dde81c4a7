"""AS Fig. 1: a job of two tasks with a redundant one; any two are enough."""

from __future__ import annotations

import numpy as np

from sim.papers.picture import Curve, Panel, Picture

TAIL = 3.0
TIMES = np.linspace(1, 6, 201)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the probability that the job still runs, with two tasks and with three."""
    from theory.order_statistics import order_statistic_tail

    return tuple(
        Curve.of_theory(name, TIMES, order_statistic_tail(TIMES, n, 2, TAIL))
        for name, n in (("both of two tasks", 2), ("any two of three tasks", 3))
    )


PICTURE = Picture(
    key="as-fig1",
    paper="AS",
    place="Fig. 1",
    title="A job of two tasks with a redundant one: the probability that it still runs",
    panels=(Panel("time (task sizes)", "probability that the job still runs", xlim=(1, 6), ylim=(0, 1.02)),),
    draw=draw,
    about="The paper's figure is a sketch of the system; here is what the redundant task of that sketch is "
    f"worth with slowdowns of tail index {TAIL:g}.",
)
