"""``python -m sim compile``: compile the engines ahead of time."""

from __future__ import annotations

import argparse

from sim.engines import ENGINES, engine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the engines."""
    parser.add_argument("engine", nargs="*", help=f"which: {', '.join(ENGINES)} (default: all)")


def run(chosen: argparse.Namespace) -> int:
    """Compile, a line for each step."""
    from sim.compiled import told

    try:
        for key in [engine(name).key for name in chosen.engine] or ENGINES:
            for line in told(key):
                print(line, flush=True)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what is compiled is kept") from None
    return 0
