"""Texts of the Fleet page."""

from __future__ import annotations

from collections.abc import Iterator

from pages.logs.fleet.question import Step
from pages.logs.question import SAMPLE
from pages.shared.live.cards import Card
from pages.shared.words.foreign import literal
from sim.advice.fleet.first_look import HOUR
from sim.advice.fleet.report import NONE, first, logs_of, no_logs, totals
from sim.advice.whatif.price import ASSUMED, Price
from sim.logs.samples import FLEET
from sim.telling.document import typeset
from sim.telling.words import clipped, counted, number, percent, spell


def cards(seen: Step, price: Price) -> list[Card]:
    """Return the cards of a fleet."""
    looks = seen.looks
    found = totals(looks, price)
    unread = f"{found.unread:,} not read" if found.unread else "all read"
    share = f", {percent(found.lost / found.hours)}" if found.hours else ""
    slots = spell(found.slot_hours * HOUR)
    money = f"slot-hours at {price.slot:g}" if found.money is not None else "give a price to have it in money"
    lost = f"of {spell(found.hours * HOUR)} of job time{share}"
    won = f"where it surely pays; {found.computed:,} of {seen.asked:,} computed"
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
            spell(found.gain * HOUR)
            if found.computed
            else "being computed"
            if seen.asked
            else "not computed",
            "",
            details=(won,) if seen.asked else (),
        ),
    ]


def notices(seen: Step, price: Price) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    return [*_truth(seen), *_unread(seen), *_told(seen), *_money(seen, price)]


def _truth(seen: Step) -> Iterator[str]:
    if seen.fleet.kind == SAMPLE:
        each = "; ".join(f"{name}: {truth}" for name, truth in FLEET.items())
        yield f"The sample is made: the same jobs on the same hosts. {each}."


def _unread(seen: Step) -> Iterator[str]:
    """Say what is not looked at, and how many logs could not be read."""
    found, total = totals(seen.looks), len(seen.fleet.places)
    if seen.stopped:
        yield f"{len(seen.looks):,} of {total:,} logs are looked at: {literal(seen.stopped)}."
    if found.unread:
        one = next(one for one in seen.looks if not (one.is_read or one.no_log))
        said = literal(clipped(one.reason, 300))
        yield f"{counted(found.unread, 'log')} could not be read, for example: {said}."
    if told := no_logs(seen.looks, lambda name: literal(clipped(name))):
        yield told


def _told(seen: Step) -> Iterator[str]:
    """Say what What-if answers, log by log."""
    for one in seen.looks:
        if one.advised is not None:
            told = literal(typeset(clipped(one.advised.told, 600)))
            yield f"**{literal(clipped(one.application))}**: {told}"


def _money(seen: Step, price: Price) -> Iterator[str]:
    if price.slot:
        yield literal(ASSUMED)


def sentence(seen: Step) -> str:
    """Return the answer: what to do first; where there is nothing, what stragglers cost."""
    sample = "**A sample** · " if seen.fleet.kind == SAMPLE else ""
    if told := first(seen.looks):
        return f"{sample}{literal(told)}"
    if not logs_of(seen.looks):
        return f"**{NONE}**"
    if not any(one.lost is not None for one in seen.looks):
        return "**No log of this fleet tells what stragglers cost.** The table says why, log by log."
    found = totals(seen.looks)
    share = f", {percent(found.lost / found.hours)} of their time" if found.hours else ""
    return f"{sample}Stragglers cost the {counted(found.jobs, 'job')} {spell(found.lost * HOUR)}{share}."
