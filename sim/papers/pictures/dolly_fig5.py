"""Dolly Fig. 5: the probability that a job has an outlier, by its copies."""

from __future__ import annotations

from sim.papers.picture import Curve, Mark, Panel, Picture

#: Tasks of a job; probability that a task is an outlier. Neither is printed.
TASKS, PROBABILITY = (10, 50), 0.09
COPIES = tuple(range(1, 11))


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return both formulas for two jobs."""
    from theory.cloning import job_outlier_probability, task_outlier_probability

    rules = {"whole jobs cloned": job_outlier_probability, "each task cloned": task_outlier_probability}
    return tuple(
        Curve.of_theory(f"{name}, {tasks} tasks", COPIES, rule(PROBABILITY, tasks, COPIES))
        for name, rule in rules.items()
        for tasks in TASKS
    )


PICTURE = Picture(
    key="dolly-fig5",
    paper="Dolly",
    place="Fig. 5",
    title="The probability that a job has an outlier, by its copies",
    panels=(
        Panel("copies, the original included", "probability of an outlier", xlim=(0.8, 10.2), ylim=(0, 1.02)),
    ),
    draw=draw,
    marks=(Mark("at most 5 % with 3 copies, for 96 % of the jobs", x=3, y=0.05),),
    about=f"Outlier probability {PROBABILITY} of a task, jobs of 10 and 50 tasks; the paper prints neither.",
)
