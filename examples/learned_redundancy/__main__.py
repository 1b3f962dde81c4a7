"""Train a network for the policy ``redundant-rl``: ``python examples/learned_redundancy network.json``.

It takes three to ten minutes, needs PyTorch (``pip install 'torch>=2.6,<3'``), and gives the same network for
the same seed. The shipped one is ``sim/engines/gang/learning/network.json``, its learning curve is beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from train import train
from training import Training

from sim.model.files import Output, keep_apart


def main() -> None:
    """Train; a line for each round goes to standard error."""
    usual = Training()
    parser = argparse.ArgumentParser(prog="learned_redundancy", description="Train a redundancy policy.")
    parser.add_argument("network", help="write the network there, as JSON")
    parser.add_argument("--curve", help="write the learning curve there, as JSON")
    parser.add_argument("--rounds", type=int, default=usual.rounds, help="rounds of playing and learning")
    parser.add_argument("--jobs", type=int, default=usual.jobs, help="jobs of a run, at the lowest load")
    parser.add_argument("--seed", type=int, default=usual.seed, help="random seed")
    chosen = parser.parse_args()
    curve: list[dict[str, Any]] = []

    def tell(line: dict[str, Any]) -> None:
        curve.append(line)
        print(as_line(line), file=sys.stderr, flush=True)

    with ExitStack() as stack:  # no place to write is found before it has trained for minutes
        named = {"network": chosen.network} | ({"curve": chosen.curve} if chosen.curve else {})
        files = {what: stack.enter_context(Output(what, path)) for what, path in named.items()}
        keep_apart([*files.values()], [])
        network = train(replace(usual, rounds=chosen.rounds, jobs=chosen.jobs, seed=chosen.seed), tell)
        files["network"].write(network.as_json())
        if chosen.curve:
            files["curve"].write(json.dumps(curve, allow_nan=False))


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


if __name__ == "__main__":
    main()
