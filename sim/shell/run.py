"""``python -m sim run``: compare policies on the same jobs."""

from __future__ import annotations

import argparse

import sim
from sim.running.execution_options import opened
from sim.shell import experiment as every
from sim.shell.experiment import effort, experiment, outputs, progress, write, write_tables


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what a run takes."""
    every.add_options(parser)
    every.add_files(parser)


def run(chosen: argparse.Namespace) -> int:
    """Compare policies and report."""
    from sim.running.experiment import compare
    from sim.running.report import as_json, as_table
    from sim.shell.experiment import shell_line

    asked, names = experiment(chosen)
    asked_for = effort(chosen)
    with outputs(chosen) as (target, sheet, drawn):
        with opened(chosen, asked_for, asked) as at, progress(asked, at.most) as tell:
            comparison = compare(asked, at, progress=tell).called(names)
        if target is None:
            print(as_table(comparison))
        else:
            line = shell_line(chosen.preset, asked, asked_for, workload=chosen.workload or "")
            write(target, as_json(comparison, sim.__version__, line), lambda: as_table(comparison))
        write_tables(sheet, drawn, comparison.to_frame, comparison.scenario.time_unit)
    return 0
