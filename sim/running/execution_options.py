"""Command-line options for execution (`--dask`) and storage (`--keep`) of `run`, `sweep` and their like."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from sim.running.execution import Effort
from sim.running.experiment import Experiment


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


def read_by(chosen: argparse.Namespace) -> list[str]:
    """Return the files and folders that options read, or change: nothing else may be written there."""
    return [one for one in (chosen.workload, chosen.keep, *chosen.policies) if one]


@contextmanager
def opened(
    chosen: argparse.Namespace, effort: Effort, experiment: Experiment, **more: object
) -> Iterator[Effort]:
    """Open what the options name; give the effort that has it.

    Parameters
    ----------
    chosen : Namespace
        With the options.
    effort : Effort
    experiment : Experiment
    **more
        What else tells this line from others, for `sim.running.sample_store.description`.
    """
    with ExitStack() as stack:
        found = stack.enter_context(effort.opened(experiment, **more))
        if chosen.dask is not None:
            from sim.running.dask import connected

            executor = stack.enter_context(connected(chosen.dask, experiment, effort.threads))
            found = replace(found, executor=executor)
        yield found
