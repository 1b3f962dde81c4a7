"""Boundaries that theory draws on a map: loads from which another policy pays, or a queue grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sim.map.plane import Plane
from sim.model.scenario import Scenario
from theory.cutoff import cloning_load_limit, cutoff_load
from theory.service_rate import threshold

#: Where quantiles of sizes are read for their second moment.
_SHARES = (np.arange(10_000) + 0.5) / 10_000
#: Laws of the straggle factor that have a Pareto tail.
PARETO = ("pareto", "bounded-pareto")


@dataclass(frozen=True)
class Boundary:
    """A line on a map: at each value of the other axis, a load.

    Attributes
    ----------
    key, title : str
        How files and people call it.
    about : str
        What it means, in a sentence, with its source.
    loads : tuple of float
        One for each value of the axis that is not the load.
    """

    key: str
    title: str
    about: str
    loads: tuple[float, ...]


def boundaries(plane: Plane) -> list[Boundary]:
    """Return the lines that apply and are within the map: there are none unless the load is an axis."""
    load = next((axis for axis in (plane.x, plane.y) if axis.name == "load"), None)
    if load is None:
        return []
    ends = load.values[0], load.values[-1]
    return [one for one in _all(plane) if any(ends[0] < value < ends[1] for value in one.loads)]


def _all(plane: Plane) -> Iterator[Boundary]:
    below, above = ("Left of", "Right of") if plane.x.name == "load" else ("Below", "Above")
    bounded = any(one.straggle == "bounded-pareto" for one in _scenarios(plane))
    but = " For straggle factors without an upper bound." if bounded else ""
    if all(one.straggle in PARETO for one in _scenarios(plane)):
        yield Boundary(
            "cutoff",
            "cutoff of cloning, a queue per slot",
            f"{below} it two copies of every task mean less delay than one if each machine is a queue of its "
            f"own (Xu and Lau, section III); the cells of the map have one queue.{but}",
            _along(plane, _cutoff),
        )
        yield Boundary(
            "threshold",
            "load 1/θ",
            f"{below} it the slots suffice for every job’s virtual size, θ = max(1, 2/β) slots per task "
            f"(Hopper).{but}",
            _along(plane, lambda one: 1 / float(threshold(one.straggle_tail))),
        )
        if copies := _clones(plane):
            yield Boundary(
                "clones",
                f"stability limit of {copies} copies",
                f"{above} it a cluster that clones every task is offered more than it can do "
                f"(Xu and Lau, condition 2).{but}",
                _along(plane, lambda one: float(cloning_load_limit(one.straggle_tail, copies))),
            )
    yield Boundary(
        "load",
        "stability limit without copies",
        f"{above} it a cluster that runs every task once is offered more than it can do.",
        _along(plane, lambda one: 1.0),
    )


def _along(plane: Plane, load: Callable[[Scenario], float]) -> tuple[float, ...]:
    return tuple(load(one) for one in _scenarios(plane))


def _scenarios(plane: Plane) -> list[Scenario]:
    """Return a scenario for each value of the axis that is not the load."""
    upright = plane.x.name == "load"
    other = plane.y if upright else plane.x
    cells = [(0, j) if upright else (j, 0) for j in range(len(other.values))]
    return [plane.at(cell).scenario for cell in cells]


def _cutoff(scenario: Scenario) -> float:
    sizes = scenario.size_law.quantile(_SHARES)
    return float(cutoff_load(scenario.straggle_tail, max(float((sizes**2).mean() / sizes.mean() ** 2), 1.0)))


def _clones(plane: Plane) -> int:
    """Return how many copies the policy makes that clones every task, 0 if none does."""
    for policy in plane.experiment.policies:
        for chosen in policy.rules.values():
            if chosen.key == "clone":
                return int(chosen.as_dict["copies"])
    return 0
