"""The answer of the Coding page: which jobs to expand at the chosen load, and the gain and cost."""

from __future__ import annotations

import math

from pages.coding.answer.loads import Seen
from pages.coding.charts.axes import spelled
from pages.coding.question import Asked
from pages.coding.words.cards import load_of
from pages.shared.words.numbers import changed, percent, plain


def called(asked: Asked) -> str:
    """Return what is measured, in words."""
    return "mean time" if asked.measure == "mean" else asked.measure_info.symbol


def answer(seen: Seen) -> str:
    """Return the best d tried at the chosen load, its paired gain over no redundancy, and its load."""
    at = f"At load {plain(seen.chosen.load)}"
    none, best = seen.chosen.at(0.0), seen.chosen.best
    if best is None:
        return f"{at} every queue grows: there is no room for redundancy, nor for the jobs alone."
    if best.demand == 0:
        return f"{at} **start no extra tasks**: no d tried is better than no redundancy."
    share = f"{percent(seen.shares[best.demand])} of jobs"
    jobs = "for all jobs" if best.demand == math.inf else (
        f"only for jobs of up to {spelled(best.demand)} s of work ({share})"
    )  # fmt: skip
    point, symbol = seen.chosen.at(best.demand), called(seen.asked)
    load = f"the load rises from {load_of(none)} to {load_of(point)}"
    if none.unstable:
        return f"{at} **start extra tasks {jobs}**: then no queue grows, as it does without them; {load}."
    if point.gain.value is None:
        return f"{at} too many jobs are unfinished to compare."
    change = changed(point.gain)
    if point.gain.half == math.inf and point.gain.reliable:
        return f"{at} extra tasks {jobs} are best so far, {symbol} {change}: this may be luck."
    if not point.gain.reliable:
        return (
            f"{at} it is not known which jobs should start extra tasks: too few jobs to know {symbol} "
            f"({change} {jobs})."
        )
    if 0.0 in best.as_good:
        return f"{at} no extra tasks surely help: {symbol} {change} with extra tasks {jobs}."
    return f"{at} **start extra tasks {jobs}**: {symbol} {change} against none, and {load}."
