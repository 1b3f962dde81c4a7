"""The cards of the page: the change, what was promised, luck, machine and work."""

from __future__ import annotations

from pages.beforeafter.answer import Snapshot
from pages.logs.words.units import spell
from pages.shared.live.cards import Card, judged
from pages.shared.words.numbers import UNKNOWN, percent, percent_and_half_width
from sim.several.after import LEADING
from sim.several.layout import PARTS
from sim.several.repeated import Repeated

WAITING = "…"
_MEANING = {
    "luck": "a second copy draws it anew",
    "machine": "some hosts are slower",
    "work": "the same tasks are slow again",
}


def cards(shown: Snapshot) -> list[Card]:
    """Return the cards."""
    return [_change(shown), _promise(shown), *(_part(shown.both.repeated, part) for part in PARTS)]


def _change(shown: Snapshot) -> Card:
    name, one = "Mean job time", shown.both.change.found.change.get(LEADING)
    if one is None:
        return Card(name, UNKNOWN, "", details=("no job is in both runs by its name",))
    value, within = percent_and_half_width(one.share)
    color, arrow = judged(one.share.sign)
    details = (f"{spell(one.before)} → {spell(one.after)}",)
    return Card(name, value, within, color, arrow, details=details)


def _promise(shown: Snapshot) -> Card:
    name, promise = "Promised by What-if", shown.both.change.promise
    if promise is None:
        return Card(name, WAITING, "")
    if not (band := promise.bands.get(LEADING)):
        return Card(name, UNKNOWN, "", details=("see below why",))
    kept = "kept" if band.kept else "not kept"
    within = f"{spell(band.low)} to {spell(band.high)} in 90 % of runs"
    return Card(name, kept, "", details=(within, f"came to {spell(band.after)}"))


def _part(found: Repeated | None, part: str) -> Card:
    name = part.capitalize()
    if found is None or part not in found.measured.shares:
        return Card(name, UNKNOWN, "", details=("see below why",))
    share = found.measured.shares[part]
    within = f"95 %: {percent(share.low)} to {percent(share.high)}"
    inferred = found.inferred.get(part)
    other = f"; {percent(inferred.value)} inferred from the first run" if inferred else ""
    return Card(name, percent(share.value), "", details=(f"{within}{other}", _MEANING[part]))
