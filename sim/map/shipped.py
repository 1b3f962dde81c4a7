"""The map that ships with the package: computed beforehand, stored with a digest of what made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sim.claims.digest import computed
from sim.experiment import Experiment
from sim.map.axis import Axis
from sim.map.picture import SIMULATED, Picture, Square
from sim.map.plane import LETTERS, Plane
from sim.map.standing import Standing
from sim.map.start import PRESET, X, Y
from sim.presets import preset
from sim.statistics import Estimate

PATH = Path(__file__).parent / "shipped.json"
#: Modules that compute the map, besides the engines.
MODULES = tuple(f"sim.map.{name}" for name in ("axis", "criterion", "plane", "play", "standing", "survey"))


@cache
def default(*, full: bool = False) -> Plane:
    """Return the map that the page and the shell begin with."""
    start = preset(PRESET)
    asked = Experiment.of_texts(start.scenario, start.policies)
    return Plane(asked, Axis.read("x", X, start.engine), Axis.read("y", Y, start.engine), full=full)


def digest() -> str:
    """Return sixteen digits that change when the question does, or how it is answered.

    The engines are not in it: that they still give the same numbers is found by computing a cell again.
    """
    parts = [default(full=True).key, *map(computed, MODULES)]
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
    return from_json(default(full=True), found["map"] | {"squares": found["squares"]})


def from_json(plane: Plane, told: Mapping[str, Any]) -> Picture:
    """Return the map of a plane, all of whose cells are simulated, from its JSON."""
    squares = {cell: _square(one) for cell, one in zip(plane.cells, told["squares"], strict=True)}
    return Picture(plane, squares, told["runs"], told["final"])


def _square(told: Mapping[str, Any]) -> Square:
    policies = list(told["policies"].values())
    regrets = tuple(_estimate(one["above"]) for one in policies)
    best, second = (None if told[name] is None else LETTERS.index(told[name]) for name in ("best", "second"))
    standing = Standing(
        kind=told["kind"],
        values=tuple(_estimate(one, reliable=one["reliable"]) for one in policies),
        replications=tuple(one["replications"] for one in policies),
        unstable=tuple(one["unstable"] for one in policies),
        over=tuple(one["over"] for one in policies),
        best=best,
        second=second,
        gain=_estimate(told["saves"]),
        leaders=frozenset(LETTERS.index(letter) for letter in told["leaders"]),
        regrets=regrets,
    )
    return Square(SIMULATED, standing, told["gain"], tuple(told["regrets"]))


def _estimate(told: Mapping[str, Any], *, reliable: bool = True) -> Estimate:
    return Estimate(told["value"], told["low"], told["high"], reliable=reliable)
