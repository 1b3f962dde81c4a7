"""``python -m sim reproduce``: the papers' claims, computed, compared with what is recorded, or recorded."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sim.model.fields import BadInput
from sim.model.files import Output, keep_apart, output
from sim.papers import CLAIMS, chosen
from sim.papers.claim import Claim
from sim.papers.record import CURVES, RESULTS, differences, merged, recorded
from sim.papers.reproduce import drawn, quickly, reproduce
from sim.telling.words import counted

#: Exit status of a record that is not what is computed.
DIFFERS = 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "claim", nargs="*", help="its key, the beginning of one, or all (none: list them; with --scale: all)"
    )
    parser.add_argument(
        "--scale",
        choices=("quick", "paper"),
        help="quick: fewer and smaller runs; paper (if none is given): the runs of the papers; both are "
        "compared with what is recorded of them",
    )
    parser.add_argument("--record", action="store_true", help="keep what comes out in sim/papers")
    parser.add_argument(
        "--curves",
        action="store_true",
        help="instead of claims compute the simulated curves of their figures",
    )
    parser.add_argument(
        "--nearest",
        action="store_true",
        help="instead of claims compute, for those that are not reproduced, the smallest change of one "
        "number of the setting under which they would be",
    )
    parser.add_argument("--json", metavar="FILE", help="write the outcome as JSON; - is standard output")


def run(given: argparse.Namespace) -> int:
    """Compute claims of the papers, or list them."""
    if not given.claim and not given.scale:
        if given.record:
            raise BadInput("record: no claim is given; give at least one, or all")
        print("\n".join(f"{key:16} {one.paper} {one.place}: {one.statement}" for key, one in CLAIMS.items()))
        return 0
    claims = chosen(given.claim or ["all"])
    if given.curves:
        return _draw({claim.key for claim in claims}, given)
    return _search(claims, given) if given.nearest else _compute(claims, given)


@contextmanager
def _outputs(given: argparse.Namespace, record: Path) -> Iterator[tuple[Output | None, Output | None]]:
    """Open what is written: the JSON, and the record; each None if it is not asked for."""
    with (
        output("json", given.json) as target,
        output("record", str(record) if given.record else None) as kept,
    ):
        keep_apart([target, kept], [])
        yield target, kept


def _search(claims: list[Claim], given: argparse.Namespace) -> int:
    """Find the nearest setting of each claim that is not reproduced; keep it beside its outcome."""
    from sim.papers.nearest import TRIED, nearest, told_nearest

    made = {}
    with _outputs(given, RESULTS) as (target, kept):
        for claim in claims:
            if claim.key in TRIED:
                made[claim.key] = {"nearest": nearest(claim)}
                print(f"{claim.key}: {told_nearest(made[claim.key]['nearest'])}", flush=True)
        if kept is not None:
            kept.write(merged(made, CLAIMS, RESULTS))
        if target is not None:
            target.write(json.dumps(made, indent=1, allow_nan=False))
    return 0


def _compute(claims: list[Claim], given: argparse.Namespace) -> int:
    """Compute claims; compare their outcomes with the record, or keep them."""
    quick = given.scale == "quick"
    with _outputs(given, RESULTS) as (target, kept):
        quiet = target is not None and target.is_screen
        tell = (lambda line: None) if quiet else print
        found = reproduce(claims, quick=quick, tell=tell)
        if kept is not None:
            kept.write(merged({k: quickly(v) for k, v in found.items()} if quick else found, CLAIMS, RESULTS))
        if target is not None:
            target.write(json.dumps(found, indent=1, allow_nan=False))
    return 0 if given.record else _compare(found, quick=quick, tell=tell)


def _draw(keys: set[str], given: argparse.Namespace) -> int:
    """Compute the simulated curves of the figures that these claims are read from."""
    from sim.papers.pictures import PICTURES

    made = {}
    with _outputs(given, CURVES) as (target, kept):
        for name, picture in PICTURES.items():
            if picture.simulated and any(key.startswith(f"{name}-") for key in keys):
                made[name] = drawn(picture, quick=given.scale == "quick")
                print(f"{name}: {len(made[name]['curves'])} curves in {made[name]['seconds']} s")
        if kept is not None:
            kept.write(merged(made, PICTURES, CURVES))
        if target is not None:
            target.write(json.dumps(made, indent=1, allow_nan=False))
    return 0


def _compare(found: dict[str, dict[str, Any]], *, quick: bool, tell: Callable[[str], object]) -> int:
    """Say whether the record is what was computed, or in what it differs; return the exit status."""
    kept = recorded()
    told = [
        f"{key}: {difference}."
        for key, one in found.items()
        for difference in differences(CLAIMS[key], kept.get(key, {}), one, quick=quick)
    ]
    for line in told:
        print(line, file=sys.stderr)
    if not told:
        tell(f"{counted(len(found), 'claim is', 'claims are')} as recorded.")
    return DIFFERS if told else 0
