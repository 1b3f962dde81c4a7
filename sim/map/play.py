"""The runs of a map: all policies of a cell on the same jobs, and what is kept of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sim.experiment import expected_tasks
from sim.map.criterion import READ, SMALL
from sim.map.plane import Cell, Plane
from sim.result import Sample


class Unit(NamedTuple):
    """One replication of a cell under some policies, by their places."""

    cell: Cell
    replication: int
    policies: tuple[int, ...]


#: Cell, place of a policy, replication -> what is kept of the run.
Samples = dict[tuple[Cell, int, int], Sample]
#: Nothing of these is kept.
_NONE = np.empty(0)


def play(plane: Plane, unit: Unit, progress: Callable[[int], object] = lambda tasks: None) -> Samples:
    """Make the runs of a unit, for any process."""
    experiment = plane.at(unit.cell)
    jobs = experiment.jobs(unit.replication)
    return {
        (unit.cell, place, unit.replication): slim(
            experiment.run(experiment.policies[place], unit.replication, jobs, progress)
        )
        for place in unit.policies
    }


def play_all(
    plane: Plane, units: Sequence[Unit], progress: Callable[[int], object] = lambda tasks: None
) -> Samples:
    """Make the runs of several units on all cores, run by run, for a process of its own."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        drawn = [pool.submit(plane.at(unit.cell).jobs, unit.replication) for unit in units]

        def run(unit: Unit, jobs: Future[Any], place: int) -> Sample:
            experiment = plane.at(unit.cell)
            policy = experiment.policies[place]
            return slim(experiment.run(policy, unit.replication, jobs.result(), progress))

        begun = {
            (unit.cell, place, unit.replication): pool.submit(run, unit, jobs, place)
            for unit, jobs in zip(units, drawn, strict=True)
            for place in unit.policies
        }
        return {key: future.result() for key, future in begun.items()}


def on(executor: Executor, plane: Plane, units: Sequence[Unit]) -> Samples:
    """Make the runs of several units on an executor."""
    found: Samples = {}
    for future in [executor.submit(play, plane, unit) for unit in units]:
        found |= future.result()
    return found


def slim(sample: Sample) -> Sample:
    """Return what a map reads of a sample; its series keeps the means of its quarters."""
    quarters = np.array([part.mean(axis=0) for part in np.array_split(sample.series, 4)])
    return replace(
        sample,
        values={name: value for name, value in sample.values.items() if name in READ},
        unknowable=sample.unknowable & READ,
        unknowable_apart=sample.unknowable_apart & READ,
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
