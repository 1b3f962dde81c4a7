"""What the benchmarks of pages print of the seconds that visitors wait, and whether these are too many."""

from __future__ import annotations

import argparse

import numpy as np

#: Times a goal from which a benchmark ends with 1: the speed of one machine varies by two within a day.
ALLOWANCE = 2.0

#: Lines of what has taken longer than its goal, and how many times as long.
_late: list[tuple[float, str]] = []


def told(name: str, seconds: list[float], goal: float | None = None) -> None:
    """Print the median and the 95th percentile, and the goal of the latter in ms.

    Examples
    --------
    >>> told("a slider", [0.3, 0.4, 0.5], goal=400)  # doctest: +NORMALIZE_WHITESPACE
    a slider     n=   3  p50    400 ms  p95    490 ms  (goal p95 400, 1.23 of it)
    >>> conclude(2.0), conclude(1.2)
    slower than 1.2 times the goal: a slider
    (0, 1)
    >>> _late.clear()
    """
    half, most = np.quantile(seconds, [0.5, 0.95]) * 1000
    aim = f"goal p95 {goal:g}, {most / goal:.2f} of it" if goal else "no goal"
    print(f"{name:58} n={len(seconds):4}  p50 {half:6.0f} ms  p95 {most:6.0f} ms  ({aim})", flush=True)
    if goal:
        _late.append((most / goal, name))


def with_allowance(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add the option that says what is too slow."""
    parser.add_argument(
        "--allowance",
        type=float,
        default=ALLOWANCE,
        help="end with 1 if a 95th percentile exceeds so many times its goal (%(default)s)",
    )
    return parser


def conclude(allowance: float) -> int:
    """Print what took longer than so many times its goal; return the exit status."""
    found = [name for times, name in _late if times > allowance]
    for name in found:
        print(f"slower than {allowance:g} times the goal: {name}")
    return 1 if found else 0
