"""Texts of the Start page about its three moves and its job."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

from pages.start.question import OneJob, free_up_to


@dataclass(frozen=True, slots=True)
class Told:
    """A move in words: headline, what is seen, what its number is of, and what stands below that at first."""

    title: str
    sentence: str
    label: str
    waiting: str


#: The moves, in their order (`pages.start.setting.moves`).
MOVES = (
    Told(
        "1. One task holds the job",
        "Ten tasks side by side: nine end soon, and the job waits for the last one, its **straggler**.",
        "A job takes, on average",
        "being simulated",
    ),
    Told(
        "2. A second copy helps",
        "Few jobs, many idle slots. Every task runs twice, and the first copy to end counts.",
        "Second copies change the mean time of a job by",
        "being simulated",
    ),
    Told(
        "3. The same copy hurts",
        "Same rule, full cluster. A copy for one job takes a slot for which another job waits.",
        "Second copies change the mean time of a job by",
        "being simulated",
    ),
)


def change(now: float, before: float) -> str:
    """Say in words how `now` differs from `before`.

    Examples
    --------
    >>> change(3.0, 4.0), change(4.0, 4.0)
    ('−25 % against one copy', 'the same as with one copy')
    """
    percent = round(100 * (now / before - 1))
    return f"{percent:+d} % against one copy".replace("-", "−") if percent else "the same as with one copy"


def notices(job: OneJob, single: OneJob, copies: int, tail: float) -> list[str]:
    """Return what the numbers of this very job show, a sentence or two each."""
    told = [
        f"Half of the tasks end within {job.typical:.1f} minutes. The job needs {job.end / job.typical:.1f} "
        "times as long, because it waits for its slowest task.",
        f"With twice as many tasks it would take {job.end_doubled / job.end:.1f} times as long, though no "
        "task became slower.",
    ]
    if job.end < single.end:
        free = isclose(job.slot_time, single.slot_time)
        before = "no longer than one copy does" if free else f"instead of {single.slot_time:.1f}"
        told += [
            f"The copies end the job after {job.end:.1f} minutes instead of {single.end:.1f}. Each task uses "
            f"slots for {job.slot_time:.1f} minutes, {before}.",
            price(copies, tail),
        ]
    else:
        told.append("Nobody knows beforehand which task it will be. Try a second copy of each.")
    return told


def price(copies: int, tail: float) -> str:
    """Say on which tails so many copies of every task cost no slot-time.

    Examples
    --------
    >>> print(price(2, 1.5))
    That depends on the tail: 2 copies of a task cost nothing if its index β is at most 1.5; here it is 1.5.
    """
    return (
        f"That depends on the tail: {copies} copies of a task cost nothing if its index β is at most "
        f"{free_up_to(copies):.3g}; here it is {tail:g}."
    )
