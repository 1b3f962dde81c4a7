"""``python -m sim sweep``: compare policies at several values of a field."""

from __future__ import annotations

import argparse
from typing import Any

import sim
from sim.model.fields import BadInput, from_text, in_full, kinds_of_fields, settable
from sim.model.scenario import Scenario
from sim.running.execution_options import opened
from sim.shell import experiment as every
from sim.shell.experiment import effort, experiment, outputs, progress, write, write_tables
from theory.quoting import quoted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what a sweep takes."""
    parser.add_argument(
        "--vary",
        required=True,
        action="append",
        metavar="FIELD=V1,V2,...",
        help="the field, and the values it takes; two fields are a map",
    )
    every.add_options(parser)
    every.add_files(parser)


def run(chosen: argparse.Namespace) -> int:
    """Compare policies at several values of a field and report each as it is done."""
    from sim.running.experiment import Experiment, sweep
    from sim.running.library import ComparisonResult, Sweep
    from sim.running.report import as_json, as_table
    from sim.shell.experiment import shell_line

    if len(chosen.vary) > 1:
        raise BadInput(
            f"vary: {quoted(chosen.vary[1])} is not accepted; give one field, or two as --x and --y of map"
        )
    asked, names = experiment(chosen)
    field, values = _vary(chosen.vary[0], type(asked.scenario))
    asked_for = effort(chosen)
    points, tables, found = [], [], []
    with outputs(chosen) as (target, sheet, drawn):
        with (
            opened(chosen, asked_for, asked, **{field: values}) as at,
            progress(asked, at.most * len(values)) as tell,
        ):
            for value, comparison in sweep(asked, field, values, at, progress=tell):
                called = comparison.called(names)
                found.append((value, ComparisonResult.of(called)))
                tables.append(f"{field} = {value}\n{as_table(called)}\n")
                if target is None:
                    print(tables[-1], flush=True)
                point = Experiment(comparison.scenario, asked.policies, asked.trace, asked.baseline)
                line = shell_line(chosen.preset, point, asked_for, workload=chosen.workload or "")
                points.append({field: value} | {"found": as_json(called, sim.__version__, line)})
        if target is not None:
            whole = {"version": sim.__version__, "vary": field, "points": points}
            write(target, whole, lambda: "\n".join(tables))
        swept = Sweep(field, tuple(found))
        write_tables(sheet, drawn, swept.to_frame, asked.scenario.time_unit, field)
    return 0


def _vary(text: str, kind: type[Scenario]) -> tuple[str, list[Any]]:
    """Read ``FIELD=V1,V2,...``."""
    name, equals, listed = text.partition("=")
    if not equals or not listed.strip(", "):
        raise BadInput(f"vary: {quoted(text)} is not accepted; give field=value,value,...")
    name = in_full(name.strip(), settable(kind))
    if kinds_of_fields(kind).get(name) is tuple:
        raise BadInput(f"vary: {quoted(name)} is not accepted; give a field that is one value, not a list")
    return name, [from_text(name, value, kind) for value in listed.split(",")]
