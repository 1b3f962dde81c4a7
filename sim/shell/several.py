"""``python -m sim repeated | after | gate``: what several histories of the same job tell."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Any

from sim.logs.leaving_out import add_leaving_out
from sim.model.fields import BadInput
from sim.model.files import Output, keep_apart, output

if TYPE_CHECKING:
    from sim.advice.several.after import After


def add_repeated(parser: argparse.ArgumentParser) -> None:
    """Add the options of `repeated`."""
    parser.add_argument(
        "log", nargs="+", help="two or more runs of one job, each a log or a folder of its parts"
    )
    _add_json(parser)


def repeated(chosen: argparse.Namespace) -> int:
    """Measure luck, machine and work."""
    from sim.advice.several import report
    from sim.advice.several.report import read_runs
    from sim.advice.several.reruns import repeated as measured

    if len(chosen.log) < 2:
        raise BadInput("runs: one history is no repetition; give two or more")
    with ExitStack() as files:
        (target,) = _outputs(files, chosen, ("json",), chosen.log)
        found = measured(read_runs(chosen.log))
        _written(target, report.repeated_json(found), report.repeated_text(found))
    return 0


def add_after(parser: argparse.ArgumentParser) -> None:
    """Add the options of `after`."""
    _add_runs(parser)
    parser.add_argument(
        "--replications",
        metavar="R",
        default="200",
        help="how often runs are played again, for what was promised (default: %(default)s); 0: not at all",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="a record of your own, to which it is added whether figures came as promised; whatif --record "
        "tells how often",
    )
    _add_html(parser)
    _add_json(parser)


def after(chosen: argparse.Namespace) -> int:
    """Compare before and after."""
    from sim.advice.several import report
    from sim.advice.whatif.certificate import own_changes

    with ExitStack() as files:
        names = ("json", "html", "record")
        target, page, record = _outputs(files, chosen, names, chain(*runs_of(chosen)))
        known = own_changes(chosen.record)
        found = answered(chosen)
        if page is not None:
            page.write(report.after_html(found).encode())
        if record is not None:
            lines = dict.fromkeys(map(json.dumps, [*known, *report.promised_change(found)]))
            record.write("\n".join(lines))
        _written(target, report.after_json(found), report.after_text(found))
    return 0


def answered(chosen: argparse.Namespace, files: Callable[[str], Sequence[str]] = lambda run: [run]) -> After:
    """Compare the runs that the options of `after` name; a run is these files."""
    from sim.advice.several.report import after_of

    return after_of(*runs_of(chosen), chosen.replications, files, chosen.leave_out, chosen.left_out)


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the options of `gate`."""
    _add_runs(parser)
    parser.add_argument(
        "--fail-if",
        metavar="WHAT",
        action="append",
        default=[],
        help="figure > percent, such as 'p95 > +10%%', of mean, p50, p95, p99, slot-time, and in "
        "a closed loop stage, makespan; may be repeated",
    )
    parser.add_argument("--markdown", metavar="FILE", help="write it as Markdown")
    parser.add_argument("--junit", metavar="FILE", help="write it as XML that pipelines read as tests")
    _add_html(parser)
    _add_json(parser)


def gate(chosen: argparse.Namespace) -> int:
    """Judge; the status is 1 where a condition holds beyond doubt, 3 where that cannot be told, else 0."""
    from sim.advice.several import report
    from sim.advice.several.after import judge, read_condition
    from sim.advice.several.change import changes
    from sim.advice.several.report import read_sides
    from sim.advice.several.sides import sides_of

    conditions = [read_condition(text) for text in chosen.fail_if]
    if not conditions:
        raise BadInput("fail-if: at least one condition is needed, such as --fail-if 'p95 > +10%'")
    before, late = runs_of(chosen)
    with ExitStack() as files:
        names = ("json", "html", "markdown", "junit")
        target, page, markdown, junit = _outputs(files, chosen, names, [*before, *late])
        leaving_out = {"leave_out": chosen.leave_out, "left_out": chosen.left_out}
        early, later, still = read_sides(before, late, **leaving_out)
        change = changes(early, later, still)
        found = judge(change, conditions, sides_of(early[-1], later[-1], change.last_rows, still))
        if page is not None:
            page.write(report.gate_html(found).encode())
        if markdown is not None:
            markdown.write(report.gate_markdown(found))
        if junit is not None:
            junit.write(report.gate_junit(found))
        _written(target, report.gate_json(found), report.gate_text(found))
    return found.code


def _add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", help="the run before the change: a log or a folder of its parts")
    parser.add_argument("after", help="the run after it")
    parser.add_argument(
        "--more-before",
        metavar="LOG",
        action="append",
        default=[],
        help="another run before; may be repeated",
    )
    parser.add_argument(
        "--more-after", metavar="LOG", action="append", default=[], help="another run after; may be repeated"
    )
    add_leaving_out(parser)


def _add_html(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", help="write it as one HTML file with a chart")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON; - is standard output")


def runs_of(chosen: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return the runs before, and those after."""
    return [chosen.before, *chosen.more_before], [chosen.after, *chosen.more_after]


def _outputs(
    files: ExitStack, chosen: argparse.Namespace, names: Sequence[str], read: Iterable[str]
) -> list[Output | None]:
    """Begin the files that are asked for."""
    for name in names:
        if name != "json" and getattr(chosen, name) == "-":
            raise BadInput(f"{name}: '-' is not accepted; give the name of a file")
    asked = [files.enter_context(output(name, getattr(chosen, name))) for name in names]
    keep_apart(asked, read)
    return asked


def _written(target: Output | None, answer: dict[str, Any], text: str) -> None:
    """Write JSON if it is asked for, and print the text unless that goes to standard output."""
    if target is not None:
        target.write(json.dumps(answer, indent=1, allow_nan=False))
    if target is None or not target.is_screen:
        print(text)
