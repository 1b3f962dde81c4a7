"""``python -m sim compile``: compile the engines ahead of time."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from sim.engines.registry import ENGINES, engine
from sim.model.fields import BadInput
from theory.quoting import quoted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the engines."""
    parser.add_argument("engine", nargs="*", help=f"which: {', '.join(ENGINES)} (default: all)")
    parser.add_argument(
        "--portable",
        nargs="?",
        const="",
        metavar="BASELINE",
        help="for every machine of a kind: x86-64-v3 or aarch64 (default: that of this machine)",
    )


def run(chosen: argparse.Namespace) -> int:
    """Compile, a line for each step."""
    from sim.running.compiled import told

    keys = [engine(name).key for name in chosen.engine] or ENGINES
    if chosen.portable is not None:
        return _portable(chosen.portable, list(keys))
    try:
        for key in keys:
            for line in told(key):
                print(line, flush=True)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what is compiled is kept") from None
    return 0


def _portable(name: str, engines: list[str]) -> int:
    """Compile for a baseline: by a new Python, since Numba decides on the processor when it is imported."""
    from sim.kernel.cache import BASELINES, this_machine, usual

    here = usual(this_machine()[0])
    baseline = BASELINES.get(name or here)
    if baseline is None or (name or here) != here:
        raise BadInput(
            f"portable: {quoted(name or this_machine()[0])} is not accepted; "
            f"this machine can compile for {here or 'no baseline'}"
        )
    words = [sys.executable, "-m", "sim", "compile", *engines]
    environment = {**os.environ, **baseline.environment}
    if os.name == "nt":
        return subprocess.call(words, env=environment)
    os.execve(sys.executable, words, environment)
