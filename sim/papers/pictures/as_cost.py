"""AS section 4, E[C]: the cost of a coded job by the number of tasks it starts."""

from __future__ import annotations

import numpy as np

from sim.papers.picture import Curve, Panel, Picture

#: Tasks that must finish, and tail indices of the slowdowns.
NEEDED, TAILS = 10, (1.5, 2.0, 3.0)
STARTED = np.arange(NEEDED, 3 * NEEDED + 1)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the closed form for each tail index."""
    from theory.coding import coded_cost

    return tuple(
        Curve.of_theory(f"α = {tail:g}", STARTED, coded_cost(STARTED, NEEDED, tail)) for tail in TAILS
    )


PICTURE = Picture(
    key="as-cost",
    paper="AS",
    place="section 4, E[C]",
    title="The mean cost of a job of ten tasks, by the tasks that it starts",
    panels=(Panel("tasks started, n", "mean cost E[C] (task sizes)", xlim=(NEEDED, 3 * NEEDED)),),
    draw=draw,
    about="The closed form; any ten of the n tasks end the job, and the others are removed. With heavy tails "
    "the first redundant tasks make a job cheaper: they shorten its slowest tasks by more than they take.",
)
