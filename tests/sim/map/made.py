"""Maps made to order: runs whose values follow a rule, without a simulation; and a small simulated map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.engines.slots.scenario import SlotScenario
from sim.map.picture import SIMULATED, Picture, Square
from sim.map.plane import READ, Axis, Cell, Plane
from sim.map.survey import ALIKE, SURE, Samples, Standing, Survey, Unit
from sim.model.result import Sample, SizeClass
from sim.model.statistics import Estimate
from sim.running.experiment import Experiment

SMALL = SlotScenario(slots=20, jobs=80, tasks_max=5, straggle="bounded-pareto", straggle_max=20, warm_up=0)
POLICIES = ("srpt+none", "srpt+clone", "srpt+mantri")


def plane(
    x: str = "load=0.2:0.8:12", y: str = "beta=1.2:3:10", policies: Sequence[str] = POLICIES, **given: Any
) -> Plane:
    """Return a small map."""
    asked = Experiment.of_texts(given.pop("scenario", SMALL), policies)
    return Plane(asked, Axis.read("x", x, "slots"), Axis.read("y", y, "slots"), **given)


def run(value: float | None, *, waiting: Sequence[float] = (0, 0, 0, 0), resource: float = 1.0) -> Sample:
    """Return a run with this number under every criterion."""
    values = dict.fromkeys(READ, value) | {("resource", "mean"): resource}
    series = np.column_stack([np.full(4, 20.0), np.zeros(4), waiting, waiting])
    return Sample(
        values=values,
        curves={},
        classes=(SizeClass(10, value, value, value),),
        series=series,
        holding=np.empty(0),
        jobs=80,
        counted=80,
        unfinished=0,
        tasks_arrived=240,
        tasks=240,
        span=1.0,
        saturated=0.97,
        seconds=0.0,
        log=np.empty(0).view(np.recarray),
    )


def luck(cell: Cell, policy: int, replication: int) -> float:
    """Return noise that is the same whenever it is asked for; policies share most of it."""
    own = np.random.default_rng([*cell, policy, replication]).normal()
    shared = np.random.default_rng([*cell, replication]).normal()
    return float(0.05 * shared + 0.02 * own)


def surveyed(asked: Plane, value: Callable[[Cell, int], float]) -> Survey:
    """Return a survey of runs with these means, to its end."""

    def made(unit: Unit) -> Samples:
        cell, number, places = unit
        return {(cell, i, number): run(value(cell, i) * (1 + luck(cell, i, number))) for i in places}

    survey = Survey(asked)
    while True:
        for unit in survey.todo():
            survey.samples.update(made(unit))
        if not survey.advance():
            return survey


def around(value: float, half: float) -> Estimate:
    """Return an estimate with this half width."""
    return Estimate(value, value - half, value + half)


def stood(*regrets: float, half: float = 0.01, leaders: Sequence[int] = ()) -> Standing:
    """Return a cell with these regrets; its best is the one without, or some cannot be told apart."""
    best, second = (int(one) for one in np.argsort(regrets, kind="stable")[:2])
    count = len(regrets)
    return Standing(
        ALIKE if leaders else SURE,
        tuple(around(2 + one, half) for one in regrets),
        (7,) * count,
        (False,) * count,
        (False,) * count,
        best,
        second,
        gain=around(regrets[second] / (1 + regrets[second]), half),
        leaders=frozenset(leaders or {best}),
        regrets=tuple(around(one, half) for one in regrets),
    )


def simulated(standing: Standing) -> Square:
    """Return a cell that was simulated."""
    return Square(SIMULATED, standing, standing.gain.value, tuple(one.value for one in standing.regrets))


def unlike() -> Picture:
    """Return a map of 16 cells on which the least wrong on average is not the least wrong at worst.

    The first is 50 % above the best in one cell and nowhere else; the second 20 % in another, 15 % in most.
    In the cell on the lower left the two cannot be told apart.
    """
    asked = plane("load=0.2,0.4,0.6,0.8", "beta=1.5,2,2.5,3", POLICIES[:2])
    squares = {cell: simulated(stood(0.0, 0.15)) for cell in asked.cells}
    squares[0, 0] = simulated(stood(0.0, 0.15, leaders=(0, 1)))
    squares[3, 1] = simulated(stood(0.5, 0.0, half=0.03))
    squares[2, 2] = simulated(stood(0.0, 0.2, half=0.02))
    return Picture(asked, squares, 224, final=True)
