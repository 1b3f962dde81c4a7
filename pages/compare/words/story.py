"""The story of one copy in words: where it ran, for how long, and why it ended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.kernel.records import FATES
from sim.telling.words import fixed

FINISHED, KILLED, RUNNING, DROPPED = range(len(FATES))


def stories(copies: pd.DataFrame, now: float, unit: str) -> list[str]:
    """Tell what happened to each copy by `now`."""
    typical = float(copies.expected.mean()) if len(copies) else 1.0
    return [story(copy, now, unit, _decimals(typical)) for copy in copies.itertuples()]


def _decimals(typical: float) -> int:
    """Decimals that show a hundredth of a typical duration."""
    return max(0, 2 - int(np.floor(np.log10(typical))))


def story(copy: Any, now: float, unit: str, decimals: int) -> str:
    """Tell what happened to a copy by `now`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> copy = SimpleNamespace(job=2, task=0, copy=1, start=1.0, end=4.0, fate=KILLED, expected=2.0, winner=0)
    >>> print(story(copy, 9.0, "s", 1).replace("<br>", chr(10)))
    <b>job 3, task 1, extra copy 1</b>
    started at 1.0 s
    cancelled after 3.0 s, because the original finished first
    (expected: 2.0 s)
    """
    ran = fixed(min(copy.end, now) - copy.start, decimals)
    if copy.end > now or copy.fate == RUNNING:
        ending = f"has run for {ran} {unit}"
    elif copy.fate == KILLED:
        ending = f"cancelled after {ran} {unit}, because the {_called(copy.winner)} finished first"
    elif copy.fate == DROPPED:
        ending = f"given up after {ran} {unit}, to make room or to start anew"
    else:
        ending = f"finished after {ran} {unit}"
        ending += ", before its siblings" if copy.copy > 0 else ""
    return "<br>".join(
        [
            f"<b>job {copy.job + 1}, task {copy.task + 1}, {_called(copy.copy)}</b>",
            f"started at {fixed(copy.start, decimals)} {unit}",
            ending,
            f"(expected: {fixed(copy.expected, decimals)} {unit})",
        ]
    )


def _called(copy: int) -> str:
    return f"extra copy {copy}" if copy > 0 else "original"
