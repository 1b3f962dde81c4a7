"""Output of benchmarks: seconds that visitors wait, other measures with a goal, and whether one is missed."""

from __future__ import annotations

import argparse

import numpy as np

#: Times a goal from which a benchmark ends with 1: the speed of one machine varies by two within a day.
ALLOWANCE = 2.0

#: What has a goal, and how many times as long, large or slow it is.
_late: list[tuple[float, str]] = []


def told(name: str, seconds: list[float], goal: float | None = None) -> None:
    """Print the median and the 95th percentile, and the goal of the latter in ms.

    Examples
    --------
    >>> told("a slider", [0.3, 0.4, 0.5], goal=400)  # doctest: +NORMALIZE_WHITESPACE
    a slider     n=   3  p50    400 ms  p95    490 ms  (goal p95 400, 1.23 of it)
    >>> conclude(2.0), conclude(1.2)
    beyond its goal by more than 1.2 times: a slider
    (0, 1)
    >>> _late.clear()
    """
    half, most = np.quantile(seconds, [0.5, 0.95]) * 1000
    aim = f"goal p95 {goal:g}, {most / goal:.2f} of it" if goal else "no goal"
    print(f"{name:58} n={len(seconds):4}  p50 {half:6.0f} ms  p95 {most:6.0f} ms  ({aim})", flush=True)
    if goal:
        _late.append((most / goal, name))


def held(name: str, value: float, goal: float, unit: str = "", *, at_least: bool = False) -> None:
    """Print a number and its goal: at most that, or at least.

    Examples
    --------
    >>> held("memory after a class", 500, 400, "MB")
    memory after a class: 500 MB (goal at most 400, 1.25 of it)
    >>> held("a log is read", 150, 300, "MB/s", at_least=True)
    a log is read: 150 MB/s (goal at least 300, 0.50 of it)
    >>> conclude(1.5)
    beyond its goal by more than 1.5 times: a log is read
    1
    >>> _late.clear()
    """
    side = "least" if at_least else "most"
    shown = f"{value:.3g} {unit}".strip()
    print(f"{name}: {shown} (goal at {side} {goal:g}, {value / goal:.2f} of it)", flush=True)
    _late.append((goal / value if at_least else value / goal, name))


def with_allowance(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add the option that says what is too slow."""
    parser.add_argument(
        "--allowance",
        type=float,
        default=ALLOWANCE,
        help="end with 1 if a number misses its goal by more than so many times (%(default)s)",
    )
    return parser


def conclude(allowance: float) -> int:
    """Print what misses its goal by more than so many times; return the exit status."""
    found = [name for times, name in _late if times > allowance]
    for name in found:
        print(f"beyond its goal by more than {allowance:g} times: {name}")
    return 1 if found else 0
