"""``python -m sim fleet``: which of many logs lost most, and what to do first about those."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sim.fields import BadInput
from sim.files import keep_apart, output
from sim.whatif.price import GIVEN, PRICED, Price


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument(
        "source",
        nargs="+",
        metavar="FOLDER|ADDRESS",
        help="a folder or zip of logs, with its folders, or http(s)://HOST:PORT of a History Server",
    )
    parser.add_argument(
        "--compute",
        metavar="N",
        help="compute the remedy for the N logs that lost most, by simulation (default: 5)",
    )
    parser.add_argument("--processes", metavar="N", help="logs read at a time (default: the cores)")
    parser.add_argument(
        "--keep", metavar="FILE", help="keep what was found in this file (default: in your cache folder)"
    )
    parser.add_argument("--again", action="store_true", help="read all logs again; nothing is kept")
    for name, title in PRICED.items():
        parser.add_argument(
            f"--{GIVEN[name].replace('_', '-')}", metavar="P", help=f"of a {title}, in your currency"
        )
    parser.add_argument("--csv", metavar="FILE", help="write the table as CSV")
    parser.add_argument("--json", metavar="FILE", help="write all as JSON; - is standard output")


def run(chosen: argparse.Namespace) -> int:
    """Look at the logs, and report."""
    from sim.fleet import report
    from sim.fleet.library import looks_of

    price = Price.of_options(vars(chosen))
    if chosen.csv == "-":
        raise BadInput("csv: '-' is not accepted; give the name of a file")
    with ExitStack() as files:
        target, sheet = (files.enter_context(output(name, getattr(chosen, name))) for name in ("json", "csv"))
        keep_apart([target, sheet], chosen.source)
        looks = looks_of(
            chosen.source,
            compute=chosen.compute,
            processes=chosen.processes,
            keep=chosen.keep,
            again=chosen.again,
            bar=_progress,
        )
        if sheet is not None:
            sheet.write(report.as_csv(looks, price))
        if target is not None:
            target.write(json.dumps(report.as_json(looks, price), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(report.as_text(looks, price))
    return 0


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """Show how many logs are done, on a terminal only."""
    if not total or not (sys.stderr and sys.stderr.isatty()):
        yield lambda look: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=" logs", desc=what, file=sys.stderr, leave=False) as bar:
        yield lambda look: bar.update() and None
