"""The cards of the Coding page."""

from __future__ import annotations

import math

from pages.coding.answer.loads import Beside, Seen
from pages.coding.charts.axes import spelled
from pages.shared.live.cards import Card, judged
from pages.shared.words.numbers import changed, fixed, listed, measured, number
from sim.gang.sweep import Point

#: Demands that are as good as the best which a card has room to name.
MOST_NAMED = 2


def cards(seen: Seen) -> list[Card]:
    """Return the headline: without redundancy, with the chosen d, for all jobs or learned, and the best d."""
    asked, chosen = seen.asked, seen.chosen
    unit = asked.measure_info.unit
    none, looked, everybody = (chosen.at(d) for d in (0.0, asked.demand, math.inf))
    found = [Card("No redundancy", _value(none, unit), _spread(none, unit))]
    if asked.demand < math.inf:
        label = f"Expanded up to d = {spelled(asked.demand)} s"
        found.append(_changed(label, looked, none, unit))
    others = [_changed(one.title, one, none, unit) for one in seen.others]
    if seen.learned is None:
        return [*found, _changed("All jobs expanded", everybody, none, unit), _best(seen), *others]
    return [*found, _best(seen), _changed("Learned policy", seen.learned, none, unit), *others]


def _value(point: Point | Beside, unit: str) -> str:
    if point.unstable:
        return "queue grows"
    if point.estimate.value is None:
        return "unknown"
    return number(point.estimate.value) + (f" {unit}" if unit else "")


def _spread(point: Point, unit: str) -> str:
    if point.unstable:
        return "without redundancy"
    half = measured(point.estimate, unit).partition("± ")[2]
    return f"± {half}" if half else "first runs"


def _changed(label: str, point: Point | Beside, before: Point, unit: str) -> Card:
    """Return the card of an expansion: the paired change, coloured if it is sure, and the load."""
    load = f"ρ = {load_of(point)}"
    if point.unstable or before.unstable or point.gain.value is None:
        return Card(label, _value(point, unit), load)
    change = changed(point.gain)
    color, _ = judged(point.gain.sign)
    return Card(label, _value(point, unit), f"{change} · {load}", color)


def _best(seen: Seen) -> Card:
    best = seen.chosen.best
    if best is None:
        return Card("Best d tried", "none", "every queue grows")
    value = {0.0: "no job", math.inf: "all jobs"}.get(best.demand, f"{spelled(best.demand)} s")
    others = [spelled(d) for d in best.as_good if d != best.demand]
    if not others:
        return Card("Best d tried", value, "no other is as good")
    told = listed(others) if len(others) <= MOST_NAMED else f"{len(others)} others"
    return Card("Best d tried", value, f"as good: {told}")


def load_of(point: Point | Beside) -> str:
    """Return the load that the jobs bring, redundancy included."""
    return "not known" if point.load.value is None else fixed(point.load.value, 2)
