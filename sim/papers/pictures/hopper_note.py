"""The theory note on Hopper, equations (3) and (4): the value of another slot, with its threshold."""

from __future__ import annotations

import numpy as np

from sim.papers.picture import Curve, Mark, Panel, Picture

#: Tail index of task times, and tasks of three jobs.
BETA, TASKS = 1.5, (10, 20, 40)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the service rate and its slope for three jobs."""
    from theory.service_rate import marginal_rate, service_rate

    slots = np.linspace(0.5, 100, 400)
    curves = []
    for tasks in TASKS:
        name = f"{tasks} tasks left"
        curves.append(Curve.of_theory(name, slots, service_rate(slots, tasks, BETA)))
        curves.append(Curve.of_theory(name, slots, marginal_rate(slots, tasks, BETA), 1))
    return tuple(curves)


PICTURE = Picture(
    key="hopper-note",
    paper="Hopper",
    place="theory note, (3) and (4)",
    title="The service rate of a job, and the value of one more slot, by its slots",
    panels=(
        Panel("slots that the job holds", "service rate μ (plain slots)"),
        Panel("slots that the job holds", "value of one more slot", ylim=(0, 1.3)),
    ),
    draw=draw,
    marks=(
        Mark("threshold 2T/β of 10 tasks", x=40 / 3, panel=1),
        Mark("of 20", x=80 / 3, panel=1),
        Mark("of 40", x=160 / 3, panel=1),
    ),
    about=f"Pareto task times of tail index β = {BETA}; upright lines are the thresholds of the three jobs.",
)
