"""What to notice in a fleet."""

from __future__ import annotations

from collections.abc import Iterator

from pages.fleet.answer import Seen
from pages.logs.words.names import brief
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import counted
from sim.fleet.report import totals
from sim.whatif.price import ASSUMED, Price


def notices(seen: Seen, price: Price) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    return [*_unread(seen), *_computed(seen), *_told(seen), *_money(seen, price)]


def _unread(seen: Seen) -> Iterator[str]:
    """Say what is not looked at, and how many logs could not be read."""
    found, total = totals(seen.looks), len(seen.fleet.places)
    if seen.stopped:
        yield f"{len(seen.looks):,} of {total:,} logs are looked at: {literal(seen.stopped)}."
    if found.unread:
        one = next(one for one in seen.looks if not one.is_read)
        said = literal(brief(one.reason, 300))
        yield f"{counted(found.unread, 'log')} could not be read, for example: {said}."


def _computed(seen: Seen) -> Iterator[str]:
    """Say for how many logs what comes first is computed, and what stands in for it."""
    found = totals(seen.looks)
    others = sum(one.advised is None and (one.lost or 0.0) > 0 for one in seen.looks)
    if others:
        yield (
            f"What comes first is computed for {counted(found.computed, 'log')} and not for {others:,} that "
            "lost time. *Remedies computed* plays as many as it says, those that lost most first."
        )


def _told(seen: Seen) -> Iterator[str]:
    """Say what comes first, log by log."""
    for one in seen.looks:
        if one.advised is not None:
            yield f"**{literal(brief(one.application))}**: {literal(brief(one.advised.told, 600))}"


def _money(seen: Seen, price: Price) -> Iterator[str]:
    if price.slot:
        yield literal(ASSUMED)
