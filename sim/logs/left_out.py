"""What happens to jobs that are left out, in words; loads nothing, so that the shell can use it."""

from __future__ import annotations

import argparse

from sim.model.fields import BadInput
from theory.shown import quoted

#: Treatments of jobs that are left out, in words; the first is the default.
KEPT, GONE = "kept", "gone"
LEFT_OUT = {KEPT: "they take slots as they did", GONE: "the slots they had are free"}


def add_leaving_out(parser: argparse.ArgumentParser) -> None:
    """Add the options that name jobs to leave out and say what becomes of them."""
    parser.add_argument(
        "--leave-out", metavar="TEXT", default="", help="jobs whose group or name contains it do not count"
    )
    told = "; ".join(f"{name}: {what}" for name, what in LEFT_OUT.items())
    parser.add_argument(
        "--left-out",
        metavar="HOW",
        default=KEPT,
        help=f"what becomes of them: {told} (default: %(default)s)",
    )


def check_left_out(text: str) -> None:
    """Refuse what is none of `LEFT_OUT`."""
    if text not in LEFT_OUT:
        raise BadInput(f"left-out: {quoted(text)} is not accepted; give {' or '.join(LEFT_OUT)}")
