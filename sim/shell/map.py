"""``python -m sim map``: which policy wins where."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from sim.map.plane import PRESET, X, Y
from sim.model.fields import About, BadInput
from sim.model.files import keep_apart, output
from sim.running.execution import Effort
from sim.shell import experiment as every
from sim.shell.experiment import experiment, number

if TYPE_CHECKING:
    from sim.map.picture import Picture
    from sim.map.plane import Plane
    from sim.running.experiment import Experiment


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what a map takes."""
    axis = "NAME=LOW:HIGH:COUNT"
    every.add_options(parser)
    parser.set_defaults(preset=PRESET)
    parser.add_argument(
        "--x",
        metavar=axis,
        default=X,
        help="the axis across: a field, observe.age, or rule.parameter; :log for even ratios, or V1,V2,... "
        f"(default: {X})",
    )
    parser.add_argument("--y", metavar=axis, default=Y, help=f"the axis upwards (default: {Y})")
    parser.add_argument(
        "--criterion",
        default="mean",
        help="what is to be small: mean, median, p95, slowdown, small or budget (default: mean)",
    )
    parser.add_argument(
        "--budget", metavar="PERCENT", help="most slot-time beyond the least, with --criterion budget (10)"
    )
    parser.add_argument("--full", action="store_true", help="simulate every cell, not only where it matters")
    parser.add_argument("--out", metavar="FILE", help="write a table as CSV, a row for each cell and policy")
    parser.add_argument("--record", action="store_true", help="keep the default map in sim/map, for the page")


def run(chosen: argparse.Namespace) -> int:
    """Compute a map and report."""
    from sim.map.shipped import PATH, as_json, as_text, compute, table
    from sim.running.execution_options import opened, read_by

    plane = read(chosen, experiment(chosen)[0])
    effort = Effort(threads=chosen.threads, keep=chosen.keep)
    with (
        output("json", chosen.json) as target,
        output("out", chosen.out) as rows,
        output("record", str(PATH) if chosen.record else None) as record,
    ):
        keep_apart([target, rows, record], read_by(chosen))
        begun = time.perf_counter()
        with opened(chosen, effort, plane.experiment, x=plane.x.text, y=plane.y.text) as at:
            try:
                found = compute(plane, at, tell=_tell)
            finally:
                _say("")
        seconds = round(time.perf_counter() - begun, 3)
        if record is not None:
            record.write(recorded(found, seconds))
        if rows is not None:
            rows.write(table(found).to_csv(index=False).encode())
        if target is None:
            print(as_text(found))
        else:
            target.write(json.dumps(_made(seconds) | as_json(found), indent=1, allow_nan=False))
    return 0


def read(chosen: argparse.Namespace, asked: Experiment) -> Plane:
    """Return what is asked; raises `BadInput`."""
    from sim.engines.registry import engine_of
    from sim.map.plane import BUDGET, MOST, PRECISION, Axis, Plane
    from sim.map.shipped import default

    kind = engine_of(asked.scenario).key
    x, y = (Axis.read(name, getattr(chosen, name), kind) for name in ("x", "y"))
    percent = About("percent", low=0, high=1000)
    given = chosen.budget.strip().removesuffix("%") if chosen.budget else None
    budget = number("budget", given, percent, float, 100 * BUDGET) / 100
    precision = About("percentage points", low=0, high=100, open_low=True)
    plane = Plane(
        asked,
        x,
        y,
        chosen.criterion,
        budget,
        number("precision", chosen.precision, precision, float, PRECISION),
        number("replications", chosen.replications, About("", low=2, high=100_000), int, MOST),
        chosen.full or chosen.record,
    )
    if chosen.record and plane.key != default(full=True).key:
        raise BadInput("record: only the default map is kept; give no other option that changes it")
    return plane


def recorded(found: Picture, seconds: float) -> str:
    """Return what is kept of the default map, a line for each cell."""
    from sim.map.shipped import as_json, digest

    told = as_json(found)
    squares = ",\n".join(json.dumps(one, allow_nan=False) for one in told.pop("squares"))
    head = json.dumps(_made(seconds) | {"digest": digest(), "map": told}, indent=1, allow_nan=False)
    return head[:-2] + ',\n "squares": [\n' + squares + "\n ]\n}"


def _made(seconds: float) -> dict[str, Any]:
    """Return version and commit of what computes, and how long it took."""
    from sim.papers.record import provenance

    return {**provenance(), "command": "python -m sim map", "seconds": seconds}


def _tell(found: Picture) -> None:
    """Say how far it is."""
    _say(f"{found.simulated} of {found.plane.size} cells, {found.runs:,} runs ...")


def _say(line: str) -> None:
    """Show a line on a terminal in place of the one before."""
    if sys.stderr and sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
