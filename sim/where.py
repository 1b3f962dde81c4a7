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
        yield found
