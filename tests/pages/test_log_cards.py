"""Each card of Fleet and of Before and after has the numbers that its name says, and no others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from pages.logs.beforeafter import words as beforeafter
from pages.logs.fleet import words as fleet
from pages.shared.live.cards import Card
from tests.sim.faces import Face, Path, assert_told
from tests.sim.test_faces import FLEET, after


def by_name(cards: list[Card]) -> dict[str, str]:
    return {one.name: " ".join((one.value, one.change, *one.details)) for one in cards}


def test_cards_of_a_fleet_have_its_sums() -> None:
    def cards(source: Any) -> dict[str, str]:
        looks, price = source
        return by_name(fleet.cards(cast("Any", SimpleNamespace(looks=looks, asked=5)), price))

    def paid(place: Path) -> bool:
        of_first = place[:2] == (0, 0) and "executor" in place and place[-1] != "overhead"
        return place[-1] == "slot_hours" or of_first or place[0] == 1

    assert_told(
        Face(
            FLEET,
            cards,
            {},
            {
                "Logs": lambda place: place[-1] == "jobs",
                "Lost to stragglers": lambda place: place[-1] in ("hours", "lost"),
                "Slot-time beyond the medians": paid,
                "Remedies would win": lambda place: (
                    place in ((0, 0, "hours"), (0, 0, "advised", "value"))  # a trial is not sure
                ),
            },
        )
    )


def test_cards_of_before_and_after_have_the_change_of_their_figure() -> None:
    def cards(source: Any) -> dict[str, str]:
        return by_name(
            beforeafter.cards(
                cast("Any", SimpleNamespace(both=SimpleNamespace(change=source, repeated_runs=None)))
            )
        )

    def of(figure: str) -> Any:
        return lambda place: (
            place[1:3] == ("change", figure) and (place[-1] in ("before", "after") or place[3] == "share")
        )

    promise = ("promise", "bands", "mean")
    assert_told(
        Face(
            after(),
            cards,
            {},
            {
                "Mean job time": of("mean"),
                "p95 of job times": of("p95"),
                "Slot-time": of("slot-time"),
                "Promised by What-if": lambda place: (
                    place[:3] == promise and place[3] in ("low", "high", "after")
                ),
            },
        )
    )
