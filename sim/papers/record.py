"""The files that keep results: outcomes of claims, and the curves of simulated figures; and their check.

The check is that the code of today computes what is recorded. A run repeats the numbers of its scale to the
bit, up to what processors do to the last digits; and where a quick one measures the same as the runs of the
papers' scale, only less precisely, it must hold their number.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sim.model.statistics import Estimate
from sim.papers.claim import Claim
from sim.papers.digest import digest
from sim.papers.picture import Curve, from_json
from sim.version import __version__

HERE = Path(__file__).parent
#: Key of a claim -> its outcome at the scale of the papers, and at the quick one.
RESULTS = HERE / "results.json"
#: Key of a picture -> its curves.
CURVES = HERE / "curves.json"
#: A recorded value may lie this many half widths from a quick one; seeds are fixed, nothing is left to luck.
REACH = 2.0
#: Digits of logarithms and powers are the processor's own from here on.
ROUNDING = 1e-6


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
    return {"version": __version__, "commit": commit}


def differences(
    claim: Claim, kept: Mapping[str, Any], found: Mapping[str, Any], *, quick: bool
) -> Iterator[str]:
    """Yield in what the record of a claim and a run of today differ.

    Parameters
    ----------
    claim : Claim
    kept : mapping
        What is recorded of it.
    found : mapping
        Its `outcome` of today.
    quick : bool
        Whether that is of fewer and smaller runs. Of the runs of the papers every choice is compared, too.
    """
    if not kept:
        yield "nothing is recorded of it"
        return
    if kept.get("digest") != digest(claim):
        yield "its rule or its computation has changed since it was recorded"
    before, scale = (kept.get("quick", {}), "quick ") if quick else (kept, "")
    if found["verdict"] != before.get("verdict"):
        yield f"its verdict was {before.get('verdict')!r} and is now {found['verdict']!r}"
    numbers = {"": (before, found)}
    if not quick:
        old, new = kept.get("choices", {}), found["choices"]
        numbers |= {f"{one}: ": (old.get(one, {}), new.get(one, {})) for one in dict.fromkeys([*old, *new])}
    for of, (old, new) in numbers.items():
        for name in ("value", "low", "high"):
            if not _same(old.get(name), new.get(name)):
                yield f"its {scale}{of}{name} was {old.get(name)} and is now {new.get(name)}"
    if quick and claim.alike and not _holds(found, kept.get("value")):
        yield f"the recorded value {kept.get('value')} is not within {REACH:g} half widths of a quick run"


def _same(before: float | None, now: float | None) -> bool:
    if before is None or now is None:
        return before is now
    return math.isclose(before, now, rel_tol=ROUNDING, abs_tol=1e-9)


def _holds(quick: Mapping[str, Any], value: float | None) -> bool:
    low, middle, high = (quick[name] for name in ("low", "value", "high"))
    if value is None or low is None or high is None:
        return True
    reach = [REACH * (end - middle) for end in (low, high)]
    least = ROUNDING * abs(value) + 1e-9
    return bool(middle + reach[0] - least <= value <= middle + reach[1] + least)
