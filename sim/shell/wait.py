"""``python -m sim wait``: wait for a task that still runs, start a copy of it, or restart it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.model.files import keep_apart, output

if TYPE_CHECKING:  # the options are told before anything of a log is needed
    from sim.advice.waiting.library import WaitResult

#: Bytes that are read from standard input, where they are kept in memory.
MOST_PIPED = 2**30
_TIMES = "such as '12, 1.5 min, 1:30'"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument(
        "file",
        nargs="*",
        default=[],
        help="a log that is written while tasks run, several files of one, or - for standard input; or "
        "http(s)://HOST:PORT of a driver of Spark, or of a History Server; not with --done",
    )
    parser.add_argument("--done", metavar="TIMES", default="", help=f"durations of those done, {_TIMES}")
    parser.add_argument("--running", metavar="TIMES", default="", help="ages of those that run")
    parser.add_argument(
        "--sizes", metavar="SIZES", default="", help="work of those done, such as '64MiB 1.2GiB'"
    )
    parser.add_argument("--running-sizes", metavar="SIZES", default="", help="work of those that run")
    parser.add_argument("--hosts", metavar="NAMES", default="", help="where those done ran")
    parser.add_argument("--running-hosts", metavar="NAMES", default="", help="where those that run do")
    parser.add_argument(
        "--stage", metavar="NAME", default="", help="stage of a log (default: with the oldest running task)"
    )
    parser.add_argument(
        "--at",
        metavar="TIME",
        default="",
        help="up to when ages are counted: now, seconds since 1970, or an ISO time (default: the last time "
        "in the log)",
    )
    parser.add_argument(
        "--application", metavar="ID", default="", help="which one, where several run at the address"
    )
    parser.add_argument(
        "--deadline", metavar="TIME", help="time in which the task has to be done (default: three times)"
    )
    parser.add_argument(
        "--start", metavar="TIME", default="0", help="time that a copy needs to start (default: %(default)s)"
    )
    parser.add_argument(
        "--slots",
        metavar="KIND",
        default="idle",
        help="idle, or queue if tasks wait for slots (default: %(default)s)",
    )
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON; - is standard output")


def asked(chosen: argparse.Namespace) -> WaitResult:
    """Answer what the options ask.

    Parameters
    ----------
    chosen : Namespace
        Of `add_options`; the file that is to be written does not matter.

    Raises
    ------
    BadInput
        Naming the option or the file, and the reason.
    """
    from sim.advice.waiting.library import wait

    options = {name: value for name, value in vars(chosen).items() if name in _OPTIONS}
    return wait(*chosen.file, **options)


_OPTIONS = (
    *("done", "running", "sizes", "running_sizes", "hosts", "running_hosts"),
    *("stage", "at", "application", "deadline", "start", "slots"),
)


def run(chosen: argparse.Namespace) -> int:
    """Answer, and report."""
    with output("json", chosen.json) as target:
        keep_apart([target], [one for one in chosen.file if one != "-"])
        chosen.file = [_piped() if one == "-" else one for one in chosen.file]
        found = asked(chosen)
        if target is not None:
            target.write(json.dumps(found.as_json(), indent=1, allow_nan=False))
        if target is None or not target.is_screen:
            print(found.as_text())
    return 0


def _piped() -> Upload:
    """Return what another program writes to standard input."""
    data = sys.stdin.buffer.read(MOST_PIPED + 1) if sys.stdin else b""
    if len(data) > MOST_PIPED:
        raise BadInput(f"file: more than {MOST_PIPED >> 20:,} MiB on standard input; give a file")
    return Upload("standard input", data)
