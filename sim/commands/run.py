"""``python -m sim run``: compare policies on the same jobs."""

from __future__ import annotations

import argparse

import sim
from sim.commands.experiment import add_options, effort, experiment, progress, write
from sim.execution_options import opened, read_by
from sim.files import keep_apart, output

__all__ = ["add_options", "run"]


def run(chosen: argparse.Namespace) -> int:
    """Compare policies and report."""
    from sim.command import shell_line
    from sim.experiment import compare
    from sim.report import as_json, as_table

    asked, names = experiment(chosen)
    asked_for = effort(chosen)
    with output("json", chosen.json) as target:
        keep_apart([target], read_by(chosen))
        with opened(chosen, asked_for, asked) as at, progress(asked, at.most) as tell:
            comparison = compare(asked, at, progress=tell).called(names)
        if target is None:
            print(as_table(comparison))
            return 0
        line = shell_line(chosen.preset, asked, asked_for, workload=chosen.workload or "")
        write(target, as_json(comparison, sim.__version__, line), lambda: as_table(comparison))
    return 0
