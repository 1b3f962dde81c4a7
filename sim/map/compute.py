"""Computes a map from its first run to its last, on any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from sim.map.picture import Picture, picture
from sim.map.plane import Cell, Plane
from sim.map.play import Samples, Unit, slim
from sim.map.shipped import default
from sim.map.survey import Survey
from sim.model.result import Sample
from sim.running.effort import ANY, Effort, Keeper
from sim.running.execution import Backend, backend
from sim.running.experiment import Experiment
from sim.running.parallel import Runs, as_they_end


def compute(
    plane: Plane,
    effort: Effort = ANY,
    *,
    samples: Samples | None = None,
    tell: Callable[[Picture], object] = lambda known: None,
    **options: Any,
) -> Picture:
    """Return the map of a plane.

    Parameters
    ----------
    plane : Plane
    effort, **options
        Who makes the runs, as of `sim.running.experiment.compare`; how many there are the plane says.
    samples : dict, optional
        Of runs that are there; what is learned is added to it.
    tell : callable, optional
        Called with what is known after each round, before the next is decided on.

    Examples
    --------
    >>> from sim.running.experiment import Experiment
    >>> from sim.map.axis import Axis
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> few = SlotScenario(slots=20, jobs=60, tasks_max=5, straggle="exponential")
    >>> asked = Experiment.of_texts(few, ["fifo+none", "srpt+clone"])
    >>> axes = Axis("load", (0.2, 0.9)), Axis("tasks_max", (2, 5))
    >>> found = compute(Plane(asked, *axes, most=4), threads=1)
    >>> found.simulated, sorted(found.squares)
    (4, [(0, 0), (0, 1), (1, 0), (1, 1)])
    """
    survey, effort = Survey(plane, samples), replace(effort, **options)
    with backend(effort, all_needed=True) as chosen:
        for known in steps(survey, lambda units: played(plane, units, chosen, effort.keeper)):
            if not known.final:
                tell(known)
    return known


def steps(survey: Survey, play: Callable[[Sequence[Unit]], Samples]) -> Iterator[Picture]:
    """Yield what is known whenever runs are there; the last is final.

    Parameters
    ----------
    survey : Survey
    play : callable
        Makes the runs of some units, or of the first of them.
    """
    while True:
        while units := survey.todo():
            survey.samples.update(play(units))
            yield picture(survey)
        if not survey.advance():
            break
    yield picture(survey, final=True)


class Look(Experiment):
    """What is compared in a cell; of each run only that is kept which a map reads."""

    @classmethod
    def at(cls, plane: Plane, cell: Cell) -> Look:
        """Return that of a cell."""
        one = plane.at(cell)
        return cls(one.scenario, one.policies, one.trace)

    def run(self, *arguments: Any, **named: Any) -> Sample:
        """Run one policy once."""
        return slim(super().run(*arguments, **named))


class _Cell(Runs):
    """The runs of a cell."""

    def __init__(self, plane: Plane, cell: Cell) -> None:
        super().__init__(Look.at(plane, cell))
        self.cell = cell


def played(plane: Plane, units: Sequence[Unit], chosen: Backend, keep: Keeper | None = None) -> Samples:
    """Make the runs of several units.

    Parameters
    ----------
    plane : Plane
    units : sequence of Unit
    chosen : Backend
        Who makes them.
    keep : Keeper, optional
        Where samples are taken from and put.
    """
    pieces = (
        (runs, unit.replication, place)
        for unit in units
        for runs in [_Cell(plane, unit.cell)]
        for place in unit.policies
    )
    with closing(as_they_end(pieces, chosen, keep)) as found:
        return {(runs.cell, place, replication): sample for runs, replication, place, sample in found}


def played_here(
    plane: Plane, units: Sequence[Unit], progress: Callable[[int], object] = lambda tasks: None
) -> Samples:
    """Make the runs of several units on all cores of this machine, for a process of its own."""
    with backend(Effort(progress=progress), all_needed=True) as here:
        return played(plane, units, here)


def loaded(progress: Callable[[int], object] = lambda tasks: None) -> None:
    """Load the engine of the default map, in a process that will make runs."""
    few = default().experiment.few()
    few.run(few.policies[0], 0, few.jobs(0))
