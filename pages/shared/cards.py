"""A card for each policy: its mean, with what it costs and how it differs from the baseline."""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.places import Places
from pages.shared.words import fixed, measured, percent
from sim.result import Comparison, PolicyResult

#: Markdown colours that the themes set to the colours of the first series (`.streamlit/config.toml`).
DOTS = ("blue", "orange", "green", "violet", "yellow")


@dataclass(frozen=True, slots=True)
class Card:
    """What one card says."""

    heading: str
    label: str
    value: str
    change: str
    color: str
    arrow: str
    details: str


def show_card(places: Places, card: Card) -> None:
    """Draw one card into its column."""
    places.markdown("heading", card.heading)
    places.metric(
        "number", card.label, card.value, card.change, delta_color=card.color, delta_arrow=card.arrow
    )
    places.caption("details", card.details)


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
    unstable = " :red-badge[unstable]" if result.unstable(comparison.scenario.slots) else ""
    change, color, arrow = _change(comparison, name, statistic)
    return Card(
        heading=f":{dot}[●] **{name}**{unstable}",
        label="Mean flowtime" if statistic == "mean" else "Median flowtime",
        value="censored" if estimate.value is None else f"{measured(estimate).split(' ± ')[0]} {unit}",
        change=change,
        color=color,
        arrow=arrow,
        details="  \n".join(_details(result, estimate.half, unit)),
    )


def _details(result: PolicyResult, half: float, unit: str) -> list[str]:
    """Return the lines below the number."""
    known = half < float("inf")  # from two replications on; a line that came later would move the page
    lines = [f"± {fixed(half, 2 if half < 10 else 0)}" if known else "no interval yet"]
    lines.append(f"p95 {measured(result.estimate('flowtime', 'p95'), unit)}")
    lines.append(f"resource {measured(result.estimate('resource', 'mean'), f'slot·{unit}')}")
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
    # Streamlit tells the sign by the first character: a hyphen, and no better minus
    text = measured(difference, "%", 100 / before).replace("−", "-", 1)
    if difference.half >= abs(difference.value):
        return text, "gray", "off"
    return text, "inverse", "up" if difference.value > 0 else "down"
