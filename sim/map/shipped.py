"""Computes a map from its first run to its last, on any executor."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sim.engines.presets import preset
from sim.map.picture import SIMULATED, Picture, Square, picture
from sim.map.plane import LETTERS, PRESET, Axis, Cell, Plane, X, Y
from sim.map.standing import Standing
from sim.map.survey import Samples, Survey, Unit, slim
from sim.model.result import Sample
from sim.model.statistics import Estimate
from sim.papers.digest import computed
from sim.running.execution import ANY, Backend, Effort, Keeper, backend
from sim.running.experiment import Experiment
from sim.running.live.records import Records
from sim.running.parallel import Runs, as_they_end

# Maps that ship with the package: computed beforehand, stored with a digest of what made them.
#
# That of the page's own link is whole and stands here; those of its presets are among the first answers.

PATH = Path(__file__).parent / "shipped.json"
#: Modules that compute the map, besides the engines.
MODULES = tuple(f"sim.map.{name}" for name in ("axis", "criterion", "plane", "play", "standing", "survey"))


@cache
def default(*, full: bool = False) -> Plane:
    """Return the map that the page and the shell begin with."""
    start = preset(PRESET)
    asked = Experiment.of_texts(start.scenario, start.policies)
    return Plane(asked, Axis.read("x", X, start.engine), Axis.read("y", Y, start.engine), full=full)


def digest(plane: Plane | None = None) -> str:
    """Return sixteen digits that change when the question does, or how it is answered.

    The engines are not in it: that they still give the same numbers is found by computing a cell again.

    Parameters
    ----------
    plane : Plane, optional
        The question, if it is not that of the page's own link.
    """
    parts = [(plane or default(full=True)).key, *map(computed, MODULES)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def kept() -> dict[str, Any]:
    """Return what is kept, with its provenance; nothing if there is none."""
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}


@cache
def shipped() -> Picture | None:
    """Return the map that is kept; None where it is stale."""
    found = kept()
    if found.get("digest") != digest():
        return None
    return from_json(default(full=True), found["map"] | {"squares": found["squares"]}, found)


def beforehand(plane: Plane, records: Records) -> Picture | None:
    """Return the map of a plane that was computed beforehand; None where it was not, or is stale."""
    if plane.key == default().key:
        return shipped()
    data = records.read(f"map-{digest(plane)}")
    return None if data is None else from_json(plane, json.loads(data), records.about())


def recorded(found: Picture) -> tuple[str, bytes]:
    """Return a map as it is kept among the first answers, and its name there."""
    from sim.map.report import square

    simulated = {id(one.standing): cell for cell, one in found.squares.items() if one.known == SIMULATED}
    squares = []
    for cell, one in found.squares.items():
        known = one.standing
        more = (
            {"reliable": [known.gain.reliable, *(each.reliable for each in known.regrets)]}
            if one.known == SIMULATED
            else {"like": simulated[id(known)]}
        )
        squares.append(square(found.plane, cell, one) | more)
    told = {"runs": found.runs, "final": found.final, "squares": squares}
    return f"map-{digest(found.plane)}", json.dumps(told, separators=(",", ":"), allow_nan=False).encode()


def from_json(plane: Plane, told: Mapping[str, Any], made: Mapping[str, Any] | None = None) -> Picture:
    """Return the map of a plane from its JSON; a cell that is not simulated says which one it is `like`."""
    given = dict(zip(plane.cells, told["squares"], strict=True))
    squares = {cell: _square(one) for cell, one in given.items() if one["known"] == SIMULATED}
    for cell, one in given.items():
        if cell not in squares:
            around = tuple((i, j) for i, j in one["around"])
            like = squares[tuple(one["like"])].standing
            squares[cell] = Square(one["known"], like, one["gain"], tuple(one["regrets"]), around)
    ordered = {cell: squares[cell] for cell in plane.cells}
    return Picture(plane, ordered, told["runs"], told["final"], made or {})


def _square(told: Mapping[str, Any]) -> Square:
    policies = list(told["policies"].values())
    sure, *reliable = told.get("reliable", [True] * (1 + len(policies)))
    regrets = tuple(
        _estimate(one["above"], reliable=known) for one, known in zip(policies, reliable, strict=False)
    )
    best, second = (None if told[name] is None else LETTERS.index(told[name]) for name in ("best", "second"))
    standing = Standing(
        kind=told["kind"],
        values=tuple(_estimate(one, reliable=one["reliable"]) for one in policies),
        replications=tuple(one["replications"] for one in policies),
        unstable=tuple(one["unstable"] for one in policies),
        over=tuple(one["over"] for one in policies),
        best=best,
        second=second,
        gain=_estimate(told["saves"], reliable=sure),
        leaders=frozenset(LETTERS.index(letter) for letter in told["leaders"]),
        regrets=regrets,
    )
    return Square(SIMULATED, standing, told["gain"], tuple(told["regrets"]))


def _estimate(told: Mapping[str, Any], *, reliable: bool = True) -> Estimate:
    return Estimate(told["value"], told["low"], told["high"], reliable=reliable)


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
    >>> from sim.map.plane import Axis
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
