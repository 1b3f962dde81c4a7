"""A map computed at once, on whatever executor."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext

from sim.map.picture import Picture, picture
from sim.map.plane import Plane
from sim.map.play import Samples, on
from sim.map.survey import Survey


def compute(
    plane: Plane,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    samples: Samples | None = None,
    tell: Callable[[Picture], object] = lambda known: None,
) -> Picture:
    """Return the map of a plane.

    Parameters
    ----------
    plane : Plane
    threads : int, optional
        Runs at a time, as many as there are cores unless given.
    executor : Executor, optional
        Who makes the runs, in place of threads of this process. The map is the same.
    samples : dict, optional
        Of runs that are there; what is learned is added to it.
    tell : callable, optional
        Called with what is known after each round.

    Examples
    --------
    >>> from sim.experiment import Experiment
    >>> from sim.map.axis import Axis
    >>> from sim.slots.scenario import SlotScenario
    >>> few = SlotScenario(slots=20, jobs=60, tasks_max=5, straggle="exponential")
    >>> asked = Experiment.of_texts(few, ["fifo+none", "srpt+clone"])
    >>> axes = Axis("load", (0.2, 0.9)), Axis("tasks_max", (2, 5))
    >>> found = compute(Plane(asked, *axes, most=4), threads=1)
    >>> found.simulated, sorted(found.squares)
    (4, [(0, 0), (0, 1), (1, 0), (1, 1)])
    """
    survey = Survey(plane, samples)
    own = ThreadPoolExecutor(threads or os.cpu_count() or 1) if executor is None else nullcontext(executor)
    with own as pool:
        while True:
            survey.samples.update(on(pool, plane, survey.todo()))
            if not survey.advance():
                return picture(survey, final=True)
            tell(picture(survey))
