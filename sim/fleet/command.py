"""``python -m sim fleet``: which of many logs lost most, and what to do first about those."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sim.fields import About, BadInput, canonical
from sim.files import keep_apart, output
from sim.whatif.price import GIVEN, MOST, PRICED, Price

_NUMBERS = {
    "compute": (About("logs for which the remedy is computed", low=0, high=10_000), int, 5),
    "processes": (About("logs read at a time", low=1, high=256), int, None),
    **{
        GIVEN[name]: (About(f"price of a {title}", low=0, high=MOST), float, 0.0)
        for name, title in PRICED.items()
    },
}


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
    from sim.fleet.kept import Kept, of_the_user
    from sim.fleet.looking import advise_on_most, items_of, look_at_all, most_first

    compute, processes = (_number(name, getattr(chosen, name)) for name in ("compute", "processes"))
    price = price_of(chosen)
    if chosen.csv == "-":
        raise BadInput("csv: '-' is not accepted; give the name of a file")
    if chosen.again and chosen.keep:
        raise BadInput("again: not accepted together with --keep; give one of them")
    with ExitStack() as files:
        target, sheet = (files.enter_context(output(name, getattr(chosen, name))) for name in ("json", "csv"))
        keep_apart([target, sheet], chosen.source)
        items = items_of(chosen.source)
        at = None if chosen.again else Path(chosen.keep) if chosen.keep else of_the_user()
        kept = Kept(at, chosen.source if chosen.keep else ())  # no log is looked for in the cache
        with _progress("looked at", len(items)) as told:
            looks = look_at_all(items, kept, processes=processes or os.cpu_count() or 1, told=told)
        with _progress("computed", min(compute, len(items))) as told:
            looks = advise_on_most(items, looks, kept, compute, told=told)
        looks = most_first(looks)
        if sheet is not None:
            sheet.write(report.as_csv(looks, price))
        if target is not None:
            target.write(json.dumps(report.as_json(looks, price), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(report.as_text(looks, price))
    return 0


def price_of(chosen: argparse.Namespace) -> Price:
    """Return the price that the options name."""
    return Price(**{name: _number(given, getattr(chosen, given)) for name, given in GIVEN.items()})


def _number(name: str, text: str | None) -> Any:
    about, kind, default = _NUMBERS[name]
    return default if text is None else canonical(name.replace("_", "-"), text, kind, about)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """Show how many logs are done, on a terminal only."""
    if not total or not (sys.stderr and sys.stderr.isatty()):
        yield lambda look: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=" logs", desc=what, file=sys.stderr, leave=False) as bar:
        yield lambda look: bar.update() and None
