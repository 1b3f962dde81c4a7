"""Texts of the Rollouts tab: the answer to its question, cards, what to notice, and its numbers."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from pages.shared.charts.on_page import Headline
from sim.advice import rollouts
from sim.advice.rollouts import Rollouts, as_json
from sim.advice.waiting.answer import Interval
from sim.telling.words import number, percent, plain, signed, spell


def answer(found: Rollouts) -> str:
    """Return how many more to start, and what a step then takes."""
    bold, colon, rest = rollouts.sentence(found).partition(":")
    return f"**{bold}**{colon}{rest}"


def cards(found: Rollouts) -> list[Headline]:
    """Return the headlines: the best number, the time of a step, what is thrown away, and the slots held."""
    k, price = found.best, plain(found.price)
    held = [found.times[one] * (1 + one / found.awaited) for one in (k, 0)]
    time, most = found.time_of(k), found.wasted_of(k)
    lost = (
        ("Mean age of an answer", f"{number(found.age, 2)} steps", "nothing is thrown away")
        if found.carry_over
        else (
            "Slot-time thrown away",
            percent(most.value),
            _range(most, percent) or "of the slot-time of a step",
        )
    )
    return [
        (
            "Best number of extra answers",
            f"{k:,}",
            _range(found.best_interval, lambda one: f"{one:,.0f}") or f"at a price of {price}",
        ),
        (
            "Time of a step",
            spell(time.value),
            f"instead of {spell(found.times[0])} ({signed(100 * (time.value / found.times[0] - 1), 0)} %)",
        ),
        lost,
        ("Slots held, per answer", f"{number(held[0])} slot·s", f"{number(held[1])} without extra answers"),
    ]


def _range(one: Interval, told: Callable[[float], str]) -> str:
    """Return a 90 % interval in words; empty where there is none."""
    return "" if one.low == one.high else f"90 % interval: {told(one.low)} to {told(one.high)}"


def notices(found: Rollouts) -> list[str]:
    """Return what the chosen values show, a sentence or two each."""
    first = found.times[1] / found.times[0] - 1
    told = [
        f"The first extra answer alone takes {percent(-first)} off the time of a step: "
        f"{spell(found.times[1])} instead of {spell(found.times[0])}."
    ]
    return told + rollouts.notes(found)


def table(found: Rollouts) -> pd.DataFrame:
    """Return a row for each number of extra answers."""
    return pd.DataFrame(reading(found)["table"])


def reading(found: Rollouts) -> dict[str, object]:
    """Return the parameters and all numbers."""
    return as_json(found)
