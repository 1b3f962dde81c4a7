"""Where the runs of a shell line are done and kept: the options of `run`, `sweep` and their like."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sim.experiment import Experiment
from sim.keep import Keep, description


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--keep",
        metavar="DIR",
        help="write every finished sample into this folder, and go on from there when the line is run again",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run on the Dask scheduler at this address (tcp://host:8786); local: processes of this machine",
    )
    add_policies(parser)


def add_policies(parser: argparse.ArgumentParser) -> None:
    """Add the option that names rules of one's own."""
    parser.add_argument(
        "--policies",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of rules of one's own (repeatable)",
    )


@contextmanager
def opened(chosen: argparse.Namespace, experiment: Experiment, **more: object) -> Iterator[dict[str, Any]]:
    """Open what the options name; give it as `sim.experiment.compare` takes it.

    Parameters
    ----------
    chosen : Namespace
        With the options.
    experiment : Experiment
    **more
        What else tells this line from others, for `sim.keep.description`.
    """
    with ExitStack() as stack:
        found: dict[str, Any] = {}
        if chosen.keep is not None:
            found["keep"] = stack.enter_context(Keep(chosen.keep, description(experiment, **more)))
        if chosen.dask is not None:
            from sim.dask import connected

            threads = int(chosen.threads) if chosen.threads else None
            found["executor"] = stack.enter_context(connected(chosen.dask, experiment, threads))
        yield found
