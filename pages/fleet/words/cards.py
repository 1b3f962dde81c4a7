"""The cards of the Fleet page: logs, lost time, lost slot-time, what the remedies win."""

from __future__ import annotations

from collections.abc import Sequence

from pages.logs.words.units import spell
from pages.shared.live.cards import Card
from pages.shared.words.numbers import counted, number, percent
from sim.fleet.look import HOUR, Look
from sim.fleet.report import totals
from sim.whatif.price import Price


def cards(looks: Sequence[Look], price: Price) -> list[Card]:
    """Return the cards of a fleet."""
    found = totals(looks, price)
    unread = f"{found.unread:,} not read" if found.unread else "all read"
    share = f", {percent(found.lost / found.hours)}" if found.hours else ""
    slots = spell(found.slot_hours * HOUR)
    money = f"slot-hours at {price.slot:g}" if found.money is not None else "give a price to have it in money"
    lost = f"of {spell(found.hours * HOUR)} of job time{share}"
    won = f"computed for {counted(found.computed, 'log')}" if found.computed else "not computed for any log"
    return [
        Card("Logs", f"{found.logs:,}", "", details=(f"{counted(found.jobs, 'job')}; {unread}",)),
        Card("Lost to stragglers", spell(found.lost * HOUR), "", details=(lost,)),
        Card(
            "Slot-time beyond the medians",
            slots if found.money is None else number(found.money),
            "",
            details=(money if found.money is None else f"{slots}: {money}",),
        ),
        Card(
            "Remedies would win",
            spell(found.gain * HOUR) if found.computed else "not computed",
            "",
            details=(f"{won}; where it surely pays",) if found.computed else (won,),
        ),
    ]
