"""Maps that ship with the package: computed beforehand, stored with a digest of what made them.

That of the page's own link is whole and stands here; those of its presets are among the first answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from sim.engines.registry import preset
from sim.map.picture import BETWEEN, GUESSED, SIMULATED, Picture, Regret, Square, picture
from sim.map.plane import LETTERS, PRESET, Axis, Cell, Plane, X, Y
from sim.map.survey import ALIKE, SURE, UNSTABLE, Samples, Standing, Survey, Unit, boundaries, slim
from sim.model.result import Sample
from sim.model.statistics import Estimate
from sim.papers.digest import computed
from sim.running.execution import ANY, Backend, Effort, Keeper, backend
from sim.running.experiment import Experiment
from sim.running.live.request import Records
from sim.running.parallel import Runs, as_they_end
from sim.telling.words import exact, printed

# A map as JSON, as a table, and as lines for a terminal.


def as_json(found: Picture) -> dict[str, Any]:
    """Return a map as JSON has it; what is not known is null, never NaN."""
    plane = found.plane
    texts = plane.experiment.texts
    return {
        "x": {"name": plane.x.name, "values": list(plane.x.values)},
        "y": {"name": plane.y.name, "values": list(plane.y.values)},
        "policies": dict(zip(LETTERS, texts, strict=False)),
        "criterion": plane.criterion,
        "budget": plane.budget,
        "precision": plane.precision,
        "time_unit": plane.experiment.scenario.time_unit,
        "seed": plane.experiment.scenario.seed,
        "cells": plane.size,
        "simulated": found.simulated,
        "runs": found.runs,
        "final": found.final,
        "regrets": {LETTERS[i]: _regret(plane, one) for i, one in enumerate(found.regrets)},
        "boundaries": {
            one.key: {"title": one.title, "about": one.about, "loads": list(one.loads)}
            for one in boundaries(plane)
        },
        "squares": [square(plane, cell, one) for cell, one in found.squares.items()],
    }


def square(plane: Plane, cell: Cell, one: Square) -> dict[str, Any]:
    """Return what is known of a cell."""
    i, j = cell
    told: dict[str, Any] = {
        "x": plane.x.values[i],
        "y": plane.y.values[j],
        "known": one.known,
        "kind": one.standing.kind,
        "gain": one.gain,
        "regrets": list(one.regrets),
    }
    if one.known in (BETWEEN, GUESSED):
        return told | {"around": [list(each) for each in one.around]}
    return told | {"jobs": plane.at(cell).scenario.jobs, **standing_as_dict(one.standing)}


def standing_as_dict(one: Standing) -> dict[str, Any]:
    """Return what is known of a simulated cell."""
    return {
        "best": _letter(one.best),
        "second": _letter(one.second),
        "leaders": "".join(LETTERS[i] for i in sorted(one.leaders)),
        "saves": one.gain.as_dict(),
        "policies": {
            LETTERS[i]: value.as_dict()
            | {
                "above": one.regrets[i].as_dict() if one.regrets else Estimate(None).as_dict(),
                "replications": one.replications[i],
                "unstable": one.unstable[i],
                "over": one.over[i],
                "reliable": value.reliable,
            }
            for i, value in enumerate(one.values)
        },
    }


def _letter(place: int | None) -> str | None:
    return None if place is None else LETTERS[place]


def _regret(plane: Plane, one: Regret) -> dict[str, Any]:
    where = None if one.where is None else plane.where(one.where)
    return {
        "worst": one.worst.as_dict(),
        "where": where,
        "mean": one.mean.as_dict(),
        "wins": one.wins,
        "unstable": one.unstable,
        "over": one.over,
    }


def table(found: Picture) -> pd.DataFrame:
    """Return a row for each cell and policy; numbers of cells that are not simulated are empty."""
    return pd.DataFrame(list(_rows(found)))


def _rows(found: Picture) -> Iterator[Mapping[str, object]]:
    plane = found.plane
    for (i, j), one in found.squares.items():
        standing = one.standing
        for place, text in enumerate(plane.experiment.texts):
            row: dict[str, object] = {
                plane.x.name: plane.x.values[i],
                plane.y.name: plane.y.values[j],
                "known": one.known,
                "kind": standing.kind,
                "letter": LETTERS[place],
                "policy": text,
                "wins": standing.kind == SURE and standing.best == place,
                "among_the_best": place in standing.leaders,
                "above_the_best": one.regrets[place] if one.regrets else None,
            }
            own = not one.around
            regret = standing.regrets[place] if own and standing.regrets else Estimate(None)
            value = standing.values[place] if own else Estimate(None)
            yield row | {
                "above_low": regret.low,
                "above_high": regret.high,
                "value": value.value,
                "low": value.low,
                "high": value.high,
                "replications": standing.replications[place] if own else None,
                "unstable": standing.unstable[place] if own else None,
                "over_budget": standing.over[place] if own else None,
            }


def as_text(found: Picture) -> str:
    """Return a map for a terminal: letters, the least value of y below, and the regrets."""
    plane = found.plane
    heads = [exact(value) for value in plane.y.values]
    width = max(map(len, heads))
    lines = [f"{plane.y.name} up, {plane.x.name} across; {plane.by.title}", ""]
    for j in reversed(range(len(heads))):
        cells = [mark(found.squares[i, j]) for i in range(len(plane.x.values))]
        lines.append(f"{heads[j]:>{width}}  {' '.join(f'{cell:<4}' for cell in cells)}".rstrip())
    across = " ".join(f"{exact(value)[:4]:<4}" for value in plane.x.values)
    lines += [f"{'':>{width}}  {across}".rstrip(), ""]
    for i, one in enumerate(found.regrets):
        lines.append(f"{LETTERS[i]}  {plane.experiment.texts[i]}: {_in_words(plane, one)}")
    return "\n".join([*lines, "", *_notes(found)])


def mark(one: Square) -> str:
    """Return the letters of a cell: of the winner, in small of those that cannot be told apart, or a sign."""
    standing = one.standing
    if standing.kind == SURE:
        return LETTERS[standing.best or 0]
    if standing.kind == ALIKE:
        return "".join(LETTERS[i] for i in sorted(standing.leaders)).lower()
    return "×" if standing.kind == UNSTABLE else "?"


def _in_words(plane: Plane, one: Regret) -> str:
    told = [f"best in {one.wins} of {plane.size} cells"]
    if one.worst.value is not None and one.where is not None and one.mean.value is not None:
        worst, mean = (printed(loss, "%", 100, 1) for loss in (one.worst, one.mean))
        told += [f"at worst {worst} above the best (at {plane.where(one.where)})", f"on average {mean}"]
    if one.unstable:
        told.append(f"its queue grows in {one.unstable}")
    if one.over:
        told.append(f"over the budget in {one.over}")
    return ", ".join(told)


def _notes(found: Picture) -> Iterator[str]:
    plane = found.plane
    yield (
        "small letters: a tie of these; ?: too few jobs, or unfinished ones; "
        "×: the queue grows under every policy."
    )
    yield (
        f"{found.simulated} of {plane.size} cells simulated in {found.runs:,} runs, seed "
        f"{plane.experiment.scenario.seed}; gains to ± {plane.precision:g} points, paired 95 % intervals."
    )


# Computes a map from its first run to its last, on any executor.

PATH = Path(__file__).parent / "shipped.json"
#: Modules that compute the map, besides the engines.
MODULES = tuple(f"sim.map.{name}" for name in ("plane", "survey"))


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
