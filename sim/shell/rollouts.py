"""``python -m sim rollouts``: how many more answers than needed a training step should start."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from sim.model.fields import About, BadInput, canonical
from sim.model.files import keep_apart, output
from theory.quoting import quoted

if TYPE_CHECKING:
    from sim.advice.rollouts import Lengths

#: Characters of a file of lengths.
LONGEST = 1_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument("--awaited", required=True, metavar="N", help="answers that end a step")
    parser.add_argument(
        "--list",
        metavar="TEXT|FILE",
        help="lengths such as 12,90s,1:30, or a file of them; - is standard input",
    )
    parser.add_argument("--law", metavar="LAW", help="instead: exponential, pareto or lognormal")
    for name, about in (
        ("mean", "mean length of the exponential law, s"),
        ("shortest", "shortest length of the Pareto law, s"),
        ("tail", "its tail index"),
        ("median", "median length of the lognormal law, s"),
        ("sigma", "standard deviation of the logarithm of its lengths"),
    ):
        parser.add_argument(f"--{name}", metavar="X", help=about)
    parser.add_argument(
        "--carry-over",
        action="store_true",
        help="answers that are not done run on into the next step (default: they are discarded)",
    )
    parser.add_argument(
        "--price",
        metavar="P",
        default="1",
        help="of a slot-second of an extra answer, in those of the awaited ones (default: %(default)s)",
    )
    parser.add_argument("--most", metavar="K", help="most extra answers (default: two for each awaited one)")
    parser.add_argument(
        "--seed", metavar="N", default="1", help="of resamples and runs (default: %(default)s)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all as JSON; - is standard output")


def run(chosen: argparse.Namespace) -> int:
    """Find the best number of extra answers, and report."""
    from sim.advice.rollouts import Rollouts, as_json, as_text

    file = _file(chosen.list)
    with ExitStack() as files:
        target = files.enter_context(output("json", chosen.json))
        keep_apart([target], [file] if file else [])
        found = Rollouts(
            _whole("awaited", chosen.awaited),
            _lengths(chosen, file),
            _number("price", chosen.price),
            chosen.carry_over,
            None if chosen.most is None else _whole("most", chosen.most),
            _whole("seed", chosen.seed),
        )
        if target is not None:
            target.write(json.dumps(as_json(found), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(as_text(found))
    return 0


def _file(text: str | None) -> str | None:
    """Return the name of a file of lengths, if that is what is given."""
    return text if text and len(text) < 200 and Path(text).is_file() else None


def _lengths(chosen: argparse.Namespace, file: str | None) -> Lengths:
    """Return the law or the list that is given."""
    from sim.advice.rollouts import LAWS, Lengths, listed

    given = {name: getattr(chosen, name) for law in LAWS.values() for name in law}
    if (chosen.list is None) == (chosen.law is None):
        raise BadInput("list: give either --list or --law")
    if chosen.law is not None and chosen.law not in LAWS:
        raise BadInput(f"law: {quoted(chosen.law)} is not accepted; give one of {', '.join(LAWS)}")
    wanted = LAWS.get(chosen.law, {})
    for name, text in given.items():
        if (text is None) == (name in wanted):
            verb = "needs" if text is None else "has no"
            raise BadInput(f"{name}: {chosen.law or 'a list'} {verb} --{name}")
    if chosen.law is not None:
        return Lengths(chosen.law, tuple(_number(name, given[name]) for name in wanted))
    if chosen.list == "-":
        return listed(sys.stdin.read(LONGEST))
    if file is None:
        return listed(chosen.list)
    with Path(file).open(encoding="utf-8", errors="replace") as opened:
        return listed(opened.read(LONGEST))


def _whole(name: str, text: str) -> int:
    return int(canonical(name, text, int, About("", low=0)))


def _number(name: str, text: str) -> float:
    return float(canonical(name, text, float, About("", low=0)))
