"""Texts of the Fleet page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pages.fleet.answer import Step
from pages.shared.live.cards import Card
from pages.shared.words.foreign import literal
from sim.fleet.look import HOUR, Look
from sim.fleet.looking import most_first
from sim.fleet.report import totals
from sim.telling.document import typeset
from sim.telling.words import clipped, counted, number, percent, spell
from sim.whatif.price import ASSUMED, Price


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


def notices(seen: Step, price: Price) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    return [*_unread(seen), *_computed(seen), *_told(seen), *_money(seen, price)]


def _unread(seen: Step) -> Iterator[str]:
    """Say what is not looked at, and how many logs could not be read."""
    found, total = totals(seen.looks), len(seen.fleet.places)
    if seen.stopped:
        yield f"{len(seen.looks):,} of {total:,} logs are looked at: {literal(seen.stopped)}."
    if found.unread:
        one = next(one for one in seen.looks if not one.is_read)
        said = literal(clipped(one.reason, 300))
        yield f"{counted(found.unread, 'log')} could not be read, for example: {said}."


def _computed(seen: Step) -> Iterator[str]:
    """Say for how many logs what comes first is computed, and what stands in for it."""
    found = totals(seen.looks)
    others = sum(one.advised is None and (one.lost or 0.0) > 0 for one in seen.looks)
    if others:
        yield (
            f"What comes first is computed for {counted(found.computed, 'log')} and not for {others:,} that "
            "lost time. *Remedies computed* plays as many as it says, those that lost most first."
        )


def _told(seen: Step) -> Iterator[str]:
    """Say what comes first, log by log."""
    for one in seen.looks:
        if one.advised is not None:
            told = literal(typeset(clipped(one.advised.told, 600)))
            yield f"**{literal(clipped(one.application))}**: {told}"


def _money(seen: Step, price: Price) -> Iterator[str]:
    if price.slot:
        yield literal(ASSUMED)


def sentence(seen: Step) -> str:
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
    name, advice = literal(clipped(one.application)), one.advised
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
