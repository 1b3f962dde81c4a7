"""AS section 4, E[C]: what a coded job costs by the tasks it starts, as printed and summed up."""

from __future__ import annotations

import numpy as np

from sim.claims.picture import Curve, Panel, Picture

#: Tasks that must finish, and tail indices of the slowdowns.
NEEDED, TAILS = 10, (1.5, 2.0, 3.0)
STARTED = np.arange(NEEDED, 3 * NEEDED + 1)
#: Where the sum is worked out: marks on the curve.
SUMMED = STARTED[::4]


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the closed form for each tail index, and the sum of the means of all tasks."""
    from theory.coding import coded_cost
    from theory.order_statistics import order_statistic_moment

    curves = []
    for tail in TAILS:
        summed = [
            sum(float(order_statistic_moment(n, min(i, NEEDED), tail)) for i in range(1, n + 1))
            for n in SUMMED.tolist()
        ]
        curves += [
            Curve.of_theory(f"α = {tail:g}, closed form", STARTED, coded_cost(STARTED, NEEDED, tail)),
            Curve.of_theory(f"α = {tail:g}, summed", SUMMED, summed),
        ]
    return tuple(curves)


PICTURE = Picture(
    key="as-cost",
    paper="AS",
    place="section 4, E[C]",
    title="The mean cost of a job of ten tasks, by the tasks that it starts",
    panels=(Panel("tasks started, n", "mean cost E[C] (task sizes)", xlim=(NEEDED, 3 * NEEDED)),),
    draw=draw,
    about="Any ten of the n tasks end the job and the others are removed: task i of n in order takes "
    "E[S] of the i-th to finish, at most of the tenth. Their sum lies on the closed form. With a heavy "
    "tail the first redundant tasks make the job cheaper.",
)
