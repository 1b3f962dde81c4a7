"""A card for each policy: its mean, with what it costs and how it differs from the baseline."""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.app.placeholders import Placeholders
from pages.shared.words.numbers import measured, percent
from sim.result import Comparison, PolicyResult

#: Letters of a name that have room above the number; it is spelled out below if it is longer.
ROOM = 18
#: Markdown colours that the themes set to the colours of the first series (`.streamlit/config.toml`).
DOTS = ("blue", "orange", "green", "violet", "yellow")


@dataclass(frozen=True, slots=True)
class Card:
    """What one card says: whose it is, its number, how that differs, and lines of what else is known."""

    name: str
    value: str
    change: str
    color: str = "gray"
    arrow: str = "off"
    dot: str = ""
    details: tuple[str, ...] = ()
    unstable: bool = False


def show_card(places: Placeholders, card: Card) -> None:
    """Draw one card into its column."""
    label = f":{card.dot}[●] **{card.name}**" if card.dot else card.name
    places.metric("number", label, card.value, card.change, delta_color=card.color, delta_arrow=card.arrow)
    name = (f"**{card.name}**",) if card.dot and len(card.name) > ROOM else ()
    unstable = (":red-badge[unstable]",) if card.unstable else ()
    if lines := (*unstable, *name, *card.details):
        places.caption("details", "  \n".join(lines))


def signed(change: str) -> str:
    """Return a change as a card needs it: Streamlit tells the sign by a hyphen, and by no better minus."""
    return change.replace("−", "-", 1)


def cards_of(comparison: Comparison) -> list[Card]:
    """Return the card of each policy: the mean, or the median where unfinished jobs censor the mean."""
    return [
        _card(comparison, name, result, DOTS[place % len(DOTS)])
        for place, (name, result) in enumerate(comparison.policies.items())
    ]


def _card(comparison: Comparison, name: str, result: PolicyResult, dot: str) -> Card:
    unit = comparison.scenario.time_unit
    statistic = "mean" if result.estimate("flowtime", "mean").value is not None else "p50"
    estimate = result.estimate("flowtime", statistic)
    value, *spread = measured(estimate).partition(" ± ")
    what = f"{'mean' if statistic == 'mean' else 'median'} flowtime"
    change, color, arrow = _change(comparison, name, statistic)
    return Card(
        name=name,
        dot=dot,
        value="censored" if estimate.value is None else f"{value} {unit}",
        change=change,
        color=color,
        arrow=arrow,
        details=(f"{what}{''.join(spread)}", *_details(result, unit)),
        unstable=result.unstable(comparison.scenario.slots),
    )


def _details(result: PolicyResult, unit: str) -> list[str]:
    """Return what else is known; no line comes with the intervals, so that the page does not move then."""
    lines = [
        f"p95 {measured(result.estimate('flowtime', 'p95'), unit)}",
        f"resource {measured(result.estimate('resource', 'mean'), f'slot·{unit}')}",
    ]
    if result.estimate("flowtime", "mean").value is None:
        lines.append("mean censored")
    if result.unfinished:
        lines.append(f"{percent(result.unfinished / result.jobs)} of the jobs unfinished")
    return lines


def _change(comparison: Comparison, name: str, statistic: str) -> tuple[str, str, str]:
    """Return the difference from the baseline as text, with the colour and the arrow it deserves."""
    if name == comparison.baseline:
        return "the baseline", "gray", "off"
    difference = comparison.difference(name, "flowtime", statistic)
    before = comparison.policies[comparison.baseline].estimate("flowtime", statistic).value
    if difference.value is None or not before:
        return "difference censored", "gray", "off"
    text = signed(measured(difference, "%", 100 / before))
    if difference.half >= abs(difference.value):
        return text, "gray", "off"
    return text, "inverse", "up" if difference.value > 0 else "down"
