"""A card for each policy: where it wins, and its regret: how far it is from the best."""

from __future__ import annotations

from pages.map.words.cells import above, place
from pages.map.words.names import codes, names
from pages.shared.live.cards import Card
from pages.shared.words.numbers import counted
from sim.map.picture import Picture, Regret
from sim.map.plane import LETTERS, Plane


def cards(found: Picture) -> list[Card]:
    """Return the cards, one a policy."""
    return [_card(found.plane, i, one) for i, one in enumerate(found.regrets)]


def _card(plane: Plane, policy: int, one: Regret) -> Card:
    details = []
    if one.worst.value is not None and one.where is not None and one.mean.value is not None:
        details.append(f"above the best: at worst {above(one.worst)}")
        details.append(f"(at {place(plane, one.where)}),")
        details.append(f"on average {above(one.mean)}")
    if one.unstable:
        details.append(f"its queue grows in {counted(one.unstable, 'cell')}")
    if one.over:
        details.append(f"over the budget in {counted(one.over, 'cell')}")
    return Card(
        name=f"{LETTERS[policy]} {names(plane)[policy]}", value=f"{one.wins} of {plane.size}",
        change="cells where it is best", details=tuple(details), code=codes(plane)[policy],
    )  # fmt: skip
