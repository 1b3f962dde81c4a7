"""``python -m sim whatif``: which setting gains how much, on the cluster and jobs of a log."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING

from sim.advice.whatif.price import GIVEN, Price
from sim.logs.leaving_out import add_leaving_out
from sim.model.fields import BadInput
from sim.model.files import keep_apart, output
from theory.quoting import quoted

if TYPE_CHECKING:  # the options are told before anything of a log is needed
    from sim.advice.whatif.answer import Answer

_NUMBERS = ("rate", "load", "slots", "replications", "seed", "threads")

_PRICES = {
    "slot": "of a slot-hour, in your currency: what an option costs in money",
    "executor": "of an executor-hour: a slot costs its part of one",
    "vcpu": "of a vCPU-hour: executors have the cores that the log tells",
    "gb": "of a GB-hour: executors have the memory that the log tells",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument(
        "file",
        nargs="+",
        help="a log, several files of one, or a folder of its parts; applications of Spark that ran one "
        "after another under different settings are a log each: the last is played, all are learned from",
    )
    parser.add_argument(
        "--earlier",
        metavar="LOG",
        action="append",
        default=[],
        help="a log of the same cluster before, perhaps under other settings: it is learned from, too",
    )
    parser.add_argument(
        "--policy", action="append", default=[], help="policy to compare (default: the system's options)"
    )
    parser.add_argument(
        "--papers", action="store_true", help="compare rules of the papers, too, which no system has"
    )
    parser.add_argument("--rate", metavar="X", help="arrival rate of the jobs over the recorded one")
    parser.add_argument(
        "--load", metavar="L", help="offered load that the rate is to give, in place of --rate"
    )
    parser.add_argument("--slots", metavar="N", help="a fixed number of slots in place of the recorded ones")
    add_leaving_out(parser)
    parser.add_argument(
        "--system", metavar="NAME", default="", help="whose settings: spark, hadoop, tez, flink"
    )
    parser.add_argument(
        "--budget", metavar="PERCENT", help="most extra slot-time of the advice (default: 5%%)"
    )
    for name, about in _PRICES.items():
        parser.add_argument(f"--{GIVEN[name].replace('_', '-')}", metavar="P", help=about)
    parser.add_argument("--objective", metavar="NAME", default="mean", help="mean or p95 job time")
    parser.add_argument("--replications", metavar="R", help="how many (default: 100)")
    parser.add_argument("--seed", metavar="N", help="random seed (default: 1)")
    parser.add_argument("--threads", metavar="N", help="replications played at a time (default: the cores)")
    parser.add_argument("--html", metavar="FILE", help="write it as one HTML file with charts")
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON; - is standard output")


def answered(
    chosen: argparse.Namespace, bar: Callable[[int], AbstractContextManager[Callable[[int], object]]]
) -> Answer:
    """Read the log that the options name, and answer.

    Parameters
    ----------
    chosen : Namespace
        Of `add_options`; the files that are to be written do not matter.
    bar : callable
        Makes of the number of tasks that are to be played what is told of those that have been.

    Raises
    ------
    BadInput
        Naming the option or the file, and the reason.
    """
    from sim.advice.whatif.library import answer_of

    return answer_of(
        chosen.file,
        policies=chosen.policy,
        with_papers=chosen.papers,
        budget=read_budget(chosen.budget),
        objective=chosen.objective,
        earlier=chosen.earlier,
        leave_out=chosen.leave_out,
        left_out=chosen.left_out,
        system=chosen.system,
        numbers={name: getattr(chosen, name) for name in _NUMBERS},
        price=Price.of_options(vars(chosen)),
        bar=bar,
    )


def run(chosen: argparse.Namespace) -> int:
    """Read the log, answer, and report."""
    from sim.advice.whatif.document import as_html, as_text
    from sim.advice.whatif.report import as_json

    if chosen.html == "-":
        raise BadInput("html: '-' is not accepted; give the name of a file")
    with ExitStack() as files:
        target, page = (files.enter_context(output(name, getattr(chosen, name))) for name in ("json", "html"))
        keep_apart([target, page], [*chosen.earlier, *chosen.file])
        found = answered(chosen, progress_bar)
        if page is not None:
            page.write(as_html(found).encode())
        if target is not None:
            target.write(json.dumps(as_json(found), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(as_text(found))
    return 0


def read_budget(text: str | None) -> float:
    """Read a share in percent.

    Examples
    --------
    >>> read_budget("5%"), read_budget("12.5"), read_budget(None)
    (0.05, 0.125, 0.05)
    """
    if text is None:
        return 0.05
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%?\s*", text)
    if not found or float(found[1]) > 1000:
        raise BadInput(
            f"budget: {quoted(text)} is not accepted; give a percentage from 0 to 1000, such as 5%"
        )
    return float(found[1]) / 100


@contextmanager
def progress_bar(tasks: int) -> Iterator[Callable[[int], object]]:
    """Show how many tasks have been played, on a terminal only."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield lambda number: None
        return
    from tqdm import tqdm

    with tqdm(total=tasks, unit=" tasks", unit_scale=True, file=sys.stderr, leave=False) as bar:
        yield bar.update
