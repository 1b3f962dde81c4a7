"""XL Fig. 1: the copies of each job's tasks along the gradient projection, with the printed steps."""

from __future__ import annotations

from sim.papers.picture import Curve, Panel, Picture

TASKS, SCALES = (10, 20, 5, 10), (1.0, 2.0, 1.0, 2.0)
ITERATIONS = 60
#: Steps of the two panels; in the second the price's is small enough.
PRINTED, SMALL = (0.2, 0.3, 0.4), (0.002, 0.3, 0.4)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the copies of each job by iteration, as printed and with a small step of the price."""
    from theory.gradient_projection import gradient_projection

    curves = []
    for panel, steps in enumerate((PRINTED, SMALL)):
        path = gradient_projection(
            TASKS, SCALES, 2.0, 100, 8, 0.01, steps=steps, iterations=ITERATIONS
        ).copies
        for job in range(len(TASKS)):
            curves.append(Curve.of_theory(f"job {job + 1}", range(len(path)), path[:, job], panel))
    return tuple(curves)


ACROSS, UPWARDS, YLIM = "iteration", "copies of each task", (0.0, 8.5)
PICTURE = Picture(
    key="xl-fig1",
    paper="XL",
    place="Fig. 1",
    title="The gradient projection: copies of each task, by iteration",
    panels=(
        Panel(ACROSS, UPWARDS, "Steps 0.2, 0.3, 0.4, as printed", ylim=YLIM),
        Panel(ACROSS, UPWARDS, f"Step {SMALL[0]} of the price", ylim=YLIM),
    ),
    draw=draw,
    about="The four jobs of the paper on 100 machines, r = 8, γ = 0.01 (not printed). The paper says that "
    "the iteration converges very fast; with the printed steps it does not converge.",
)
