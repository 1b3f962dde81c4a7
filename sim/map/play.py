"""The runs of a map: all policies of a cell on the same jobs, and the results that are stored."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sim.map.criterion import READ, SMALL
from sim.map.plane import Cell, Plane
from sim.model.result import Sample
from sim.running.experiment import expected_tasks


class Unit(NamedTuple):
    """One replication of a cell under some policies, by their places."""

    cell: Cell
    replication: int
    policies: tuple[int, ...]


#: Cell, place of a policy, replication -> what is kept of the run.
Samples = dict[tuple[Cell, int, int], Sample]
#: Nothing of these is kept.
_NONE = np.empty(0)


def slim(sample: Sample) -> Sample:
    """Return what a map reads of a sample; its series keeps the means of its quarters."""
    quarters = np.array([part.mean(axis=0) for part in np.array_split(sample.series, 4)])
    return replace(
        sample,
        values={name: value for name, value in sample.values.items() if name in READ},
        unreliable=sample.unreliable & READ,
        unreliable_differences=sample.unreliable_differences & READ,
        classes=sample.classes[: SMALL + 1],
        series=quarters,
        curves={},
        holding=_NONE,
        single={},
        log=_NONE.view(np.recarray),
    )


def cost(plane: Plane, unit: Unit) -> float:
    """Return the tasks that a unit completes, about."""
    experiment = plane.at(unit.cell)
    return expected_tasks(experiment) * len(unit.policies) / len(experiment.policies)
