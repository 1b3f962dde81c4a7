"""``python -m sim train-rl``: train a network, show how it goes, keep it and its learning curve."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from sim.fields import About, BadInput, canonical
from sim.files import Output, keep_apart
from sim.gang.learning.training import Training

#: What can be set from the shell: option -> what it means and accepts.
OPTIONS = {
    "rounds": About("rounds of playing and learning", low=1, high=100_000),
    "jobs": About("jobs of a run; a round has one for each offered load and size tail", low=10, high=10**7),
    "seed": About("random seed", low=0, high=2**53 - 1),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    for name, about in OPTIONS.items():
        parser.add_argument(
            f"--{name}", metavar="N", help=f"{about.text} (default: {getattr(Training(), name)})"
        )
    parser.add_argument("--network", metavar="FILE", help="write the network there, as JSON")
    parser.add_argument("--curve", metavar="FILE", help="write the learning curve there, as JSON")
    parser.add_argument(
        "--record",
        action="store_true",
        help="make it the network of redundant-rl, in place of the shipped",
    )


def run(chosen: argparse.Namespace) -> int:
    """Train; a line for each round goes to standard error."""
    from sim.gang.learning.network import CURVE, SHIPPED

    changes = {
        name: canonical(name, value, int, about)
        for name, about in OPTIONS.items()
        if (value := getattr(chosen, name)) is not None
    }
    targets = [
        (chosen.network, "network"),
        (chosen.curve, "curve"),
        *(((str(SHIPPED), "network"), (str(CURVE), "curve")) if chosen.record else ()),
    ]
    targets = [(path, what) for path, what in targets if path is not None]
    if not targets:
        raise BadInput("network: no file is given, so nothing would be kept; give --network or --record")
    curve: list[dict[str, Any]] = []

    def tell(line: dict[str, Any]) -> None:
        curve.append(line)
        print(as_line(line), file=sys.stderr, flush=True)

    with ExitStack() as stack:
        files = [(stack.enter_context(Output(what, path)), what) for path, what in targets]
        keep_apart([file for file, _ in files], [])
        train = _trainer()
        network = train(replace(Training(), **changes), tell)
        for file, what in files:
            file.write(network.as_json() if what == "network" else json.dumps(curve, allow_nan=False))
    return 0


def _trainer() -> Callable[..., Any]:
    """Return what trains, which needs more than the rest of the project."""
    try:
        from sim.gang.learning.train import train
    except ModuleNotFoundError as error:
        raise BadInput(f"train-rl: needs {error.name}; install it with: pip install '.[rl]'") from None
    return train


def as_line(line: dict[str, Any]) -> str:
    """Return a round of the learning curve for a terminal.

    Examples
    --------
    >>> as_line({"round": 2, "decisions": 4000, "slowdown": {"3": {"0.5": 1.31}}, "seconds": 8.0})
    'round 2, 4,000 decisions, 8 s: slowdown at beta 3: 1.31'
    """
    means = "; ".join(
        f"at beta {tail}: " + " ".join(f"{mean:.2f}" for mean in by_load.values())
        for tail, by_load in line["slowdown"].items()
    )
    done = f"round {line['round']}, {line['decisions']:,} decisions, {line['seconds']:.0f} s"
    return f"{done}: slowdown {means}"
