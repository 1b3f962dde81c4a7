"""The cards of the Diagnose page: time lost, how much copies could save, how unequal tasks are, copies."""

from __future__ import annotations

from pages.logs.words.units import spell
from pages.shared.live.cards import Card
from pages.shared.words.numbers import number, percent
from sim.traces.diagnosis import Diagnosis
from sim.traces.diagnosis.sentence import mended, no_copies, tells_luck

UNKNOWN = "not known"


def cards(found: Diagnosis) -> list[Card]:
    """Return the cards of a diagnosis."""
    return [_lost(found), _mend(found), _slowest(found), _tail(found), _copies(found)]


def _lost(found: Diagnosis) -> Card:
    lost = found.lost
    if lost.share is None:
        return Card("Lost to stragglers", UNKNOWN, "", details=("no job has both its times",))
    recorded = float(lost.jobs["recorded"].sum())
    return Card(
        "Lost to stragglers",
        percent(max(lost.share, 0.0)),
        "",
        details=(f"{spell(max(lost.seconds, 0.0))} of {spell(recorded)} of job time",),
    )


def _mend(found: Diagnosis) -> Card:
    luck, name = found.anew, "A copy could mend, at best"
    if luck is None or found.lost.share is None:
        return Card(name, UNKNOWN, "", details=("no stage has two finished tasks",))
    if not found.lost.seconds > 0:
        return Card(name, "nothing", "", details=("no time was lost",))
    if reason := no_copies(found.history):
        return Card(name, "nothing", "", details=(reason,))
    if not tells_luck(found.causes):
        return Card(name, UNKNOWN, "", details=("the log tells luck from nothing else",))
    low, high = (spell(max(0.0, min(one, found.lost.seconds))) for one in (luck.low, luck.high))
    interval = f"a replay without luck; 95 %: {low} to {high}"
    share = mended(found.lost, found.anew, found.hidden)
    return Card(name, f"{percent(share)} of it", "", details=(interval,))


def _slowest(found: Diagnosis) -> Card:
    spread, name = found.spread, "Slowest task ÷ median"
    if spread.p50 is None or spread.p90 is None:
        return Card(name, UNKNOWN, "", details=("no stage has ten finished tasks",))
    return Card(
        name,
        number(spread.p50),
        "",
        details=(f"half of the stages have more; a tenth above {number(spread.p90)}",),
    )


def _tail(found: Diagnosis) -> Card:
    name, tail = "Tail index of luck", found.luck.tail
    if tail is None:
        if found.luck.p is None:
            return Card(name, UNKNOWN, "", details=("too few slow copies",))
        shown = "no heavier than exponential" if found.luck.p > 0.5 else "exponential luck looks as heavy"
        return Card(name, "no heavy tail", "", details=(shown,))
    return Card(name, number(tail.index), "", details=(f"95 %: {number(tail.low)} to {number(tail.high)}",))


def _copies(found: Diagnosis) -> Card:
    one = found.speculation
    if not one.copies:
        return Card("Second copies", "none", "", details=("speculation launched none",))
    return Card(
        "Second copies",
        f"{one.copies:,}",
        "",
        details=(f"{one.won:,} won; killed copies held {percent(one.killed_share)} of the slot-time",),
    )
