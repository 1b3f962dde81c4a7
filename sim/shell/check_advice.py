"""``python -m sim check-advice``: what settings that somebody advises would gain and cost on a log."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sim.model.files import keep_apart, output
from sim.shell.whatif import progress_bar, read_budget

if TYPE_CHECKING:  # the options are told before anything of a log is needed
    from sim.advice.whatif.second_opinion import SecondOpinion


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument("file", nargs="+", help="a log, several files of one, or a folder of its parts")
    parser.add_argument(
        "advice",
        help="settings as their system reads them, in quotes, such as 'spark.speculation=true "
        "spark.speculation.multiplier=1.5'",
    )
    parser.add_argument(
        "--budget", metavar="PERCENT", help="most extra slot-time of what is approved (default: 5%%)"
    )
    parser.add_argument(
        "--leave-out", metavar="TEXT", default="", help="leave out jobs with this in their group or name"
    )
    parser.add_argument("--replications", metavar="R", help="how many (default: up to 100, as take seconds)")
    parser.add_argument("--seed", metavar="N", default="1", help="random seed (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON; - is standard output")


def answered(
    chosen: argparse.Namespace, bar: Callable[[int], AbstractContextManager[Callable[[int], object]]]
) -> SecondOpinion:
    """Judge what the options name.

    Parameters
    ----------
    chosen : Namespace
        Of `add_options`; the file that is to be written does not matter.
    bar : callable
        Makes of the number of tasks that are to be played what is told of those that have been.

    Raises
    ------
    BadInput
        Naming the option, the setting or the file, and the reason.
    """
    from sim.advice.whatif.second_opinion import check_advice

    return check_advice(
        *chosen.file,
        advice=chosen.advice,
        budget=read_budget(chosen.budget),
        replications=chosen.replications,
        seed=chosen.seed,
        leave_out=chosen.leave_out,
        bar=bar,
    )


def run(chosen: argparse.Namespace) -> int:
    """Read the log, judge the advice, and report."""
    with output("json", chosen.json) as target:
        keep_apart([target], chosen.file)
        found = answered(chosen, progress_bar)
        if target is not None:
            target.write(json.dumps(found.as_json(), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(found.as_text())
    return 0
