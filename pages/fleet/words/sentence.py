"""The answer in a sentence: which log has most to win, and what comes first for it."""

from __future__ import annotations

from pages.fleet.answer import Seen
from pages.logs.words.names import brief
from pages.logs.words.units import spell
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import counted, percent
from sim.fleet.look import HOUR, Look
from sim.fleet.looking import most_first
from sim.fleet.report import totals


def sentence(seen: Seen) -> str:
    """Return the answer."""
    if not any(one.lost is not None for one in seen.looks):
        return "**No log of this fleet tells what stragglers cost.** The table says why, log by log."
    found, most = totals(seen.looks), most_first(seen.looks)[0]
    sample = " of this sample" if seen.fleet.kind == "sample" else ""
    lost = (
        f"**Stragglers cost the {counted(found.jobs, 'job')}{sample} {spell(found.lost * HOUR)}"
        f"{_share(found.lost, found.hours)}.**"
    )
    return f"{lost} {_most(most)}" if most.to_win > 0 else lost


def _share(lost: float, hours: float) -> str:
    return f", {percent(lost / hours)} of their time" if hours else ""


def _most(one: Look) -> str:
    """Say what can be won of the log with most to win."""
    name, advice = literal(brief(one.application)), one.advised
    if advice is None or one.gain is None:
        lost = spell((one.lost or 0.0) * HOUR)
        why = "is not computed" if advice is None else "cannot be told"
        return f"Most may be won in {name}, which lost {lost}; what comes first there {why}."
    low, high = (spell(max(advice.hours(one.hours, end) or 0.0, 0.0) * HOUR) for end in ("high", "low"))
    doubt = "" if advice.surely else ", which is not sure"
    return (
        f"Most can be won in {name}: “{literal(advice.title)}” would win "
        f"{spell(one.gain * HOUR)} ({low} to {high}){doubt}."
    )
