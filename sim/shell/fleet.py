"""``python -m sim fleet``: which of many logs lost most, and what to do first about those."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sim.advice.fleet import COMPUTED
from sim.advice.whatif.price import GIVEN, PRICED, Price
from sim.model.fields import BadInput
from sim.model.files import keep_apart, output
from sim.telling.words import counted, spell

#: Seconds between two looks at how far it is, on a terminal and where each is a line.
PACE_S, LINE_S = 0.5, 15.0


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
        help=f"compute the remedy for the N logs that lost most, by simulation (default: {COMPUTED})",
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
    from sim.advice.fleet import report
    from sim.advice.fleet.library import looks_of

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
            sheet.write(report.as_csv(looks, price).encode())
        if target is not None:
            target.write(json.dumps(report.as_json(looks, price), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(report.as_text(looks, price))
    return 0


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[float], object]]:
    """Show how many logs are done and the time left: a bar on a terminal, else a line now and then."""
    if not total or not sys.stderr:
        yield lambda logs: None
        return
    far, over = _Far(what, total), threading.Event()
    if sys.stderr.isatty():
        from tqdm import tqdm

        shape = "{desc}: {percentage:3.0f}%|{bar}| {n:.1f} of {total} logs, {elapsed}, {remaining} left"
        bar = tqdm(total=total, desc=what, file=sys.stderr, leave=False, bar_format=shape)

        def show() -> None:
            bar.n = far.logs
            bar.refresh()

        pace = PACE_S
    else:
        pace = LINE_S

        def show() -> None:
            print(f"sim: fleet: {far.told}", file=sys.stderr, flush=True)

    def often() -> None:
        while not over.wait(pace):
            show()

    thread = threading.Thread(target=often, daemon=True)
    thread.start()
    try:
        yield far.add
    finally:
        over.set()
        thread.join()
        if sys.stderr.isatty():
            bar.close()


class _Far:
    """How far the logs are.

    Parameters
    ----------
    what : str
        Is done with them.
    total : int

    Examples
    --------
    >>> far = _Far("looked at", 4, clock=iter([0.0, 30.0]).__next__)
    >>> far.add(1)
    >>> far.told
    'looked at 1.0 of 4 logs, 30.0 s, 90.0 s left'
    """

    def __init__(self, what: str, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._total, self._clock, self._begun = what, total, clock, clock()
        self._lock, self.logs = threading.Lock(), 0.0

    def add(self, logs: float) -> None:
        """Count what more is done, from any thread."""
        with self._lock:
            self.logs += logs

    @property
    def told(self) -> str:
        """How many are done, after how long, and how long the others will take if they go on so."""
        took, done = self._clock() - self._begun, min(self.logs, self._total)
        left = f", {spell(took * (self._total - done) / done)} left" if done else ""
        return f"{self._what} {done:.1f} of {counted(self._total, 'log')}, {spell(took)}{left}"
