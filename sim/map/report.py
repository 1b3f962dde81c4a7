"""A map as JSON, as a table, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.map.picture import BETWEEN, GUESSED, Picture, Regret, Square
from sim.map.plane import LETTERS, Cell, Plane
from sim.map.standing import ALIKE, SURE, UNSTABLE, Standing, boundaries
from sim.model.statistics import Estimate
from sim.telling.words import exact, printed


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
