"""The files that keep results: outcomes of claims, and the curves of simulated figures."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sim
from sim.model.statistics import Estimate
from sim.papers.picture import Curve, from_json

HERE = Path(__file__).parent
#: Key of a claim -> its outcome at the scale of the papers, and at the quick one.
RESULTS = HERE / "results.json"
#: Key of a picture -> its curves.
CURVES = HERE / "curves.json"


def recorded(path: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Return what is recorded, by key."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def curves(key: str) -> tuple[Curve, ...]:
    """Return the recorded curves of a picture."""
    return from_json(recorded(CURVES)[key]["curves"])


def outcomes(key: str) -> dict[str, Estimate]:
    """Return the recorded numbers of a claim: the judged one under no name, and that of each choice."""
    found = _kept()[key]
    return {"": _estimate(found), **{name: _estimate(one) for name, one in found["choices"].items()}}


@cache
def _kept() -> dict[str, dict[str, Any]]:
    return recorded()


def _estimate(found: Mapping[str, Any]) -> Estimate:
    return Estimate(found["value"], found["low"], found["high"])


def merged(found: Mapping[str, Any], order: Iterable[str], path: Path) -> str:
    """Return the file with these outcomes, in an order; the others stay as they are.

    A claim keeps what is recorded of its other scale.
    """
    kept = recorded(path)
    both = {key: kept.get(key, {}) | found.get(key, {}) for key in order if key in kept or key in found}
    return json.dumps(both, indent=1, allow_nan=False)


@cache
def provenance() -> dict[str, str]:
    """Return the version and the commit that compute; the commit is empty outside of a checkout."""
    git = shutil.which("git")
    commit = ""
    if git:
        asked = [git, "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
        commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return {"version": sim.__version__, "commit": commit}
