"""How states of the account look in charts and are explained below them, and accounts as rows of bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sim.advice.diagnosis.account import STATES
from sim.telling.palette import Palette, mixed
from sim.telling.plot import Part, Plot, in_chart, rows
from sim.telling.words import begun, percent, spell

#: Share of the time from which a state is explained below the chart.
EXPLAINED = 0.02
#: Series of the colours of states, which all kinds of eyes tell apart; grey where nothing runs or waits.
_COLORS = {
    "no executor": 5,
    "behind other jobs": 6,
    "slot idle": 7,
    "starting": 8,
    "running": 0,
    "waiting for the last": 1,
}
#: Of states that a log does not tell apart, the one whose colour they have, hatched.
_LIKE = {
    "waiting": "no executor",
    "between stages or waiting": "between stages",
    "running or waiting": "running",
    "running or waiting for the last": "waiting for the last",
}


def color_of(colors: Palette, key: str) -> str:
    """Return the colour of a state."""
    place = _COLORS.get(_LIKE.get(key, key))
    return mixed(colors.ink, colors.paper, 0.4) if place is None else colors.series[place]


def look(plot: Plot, key: str) -> Part:
    """Return the edge of a bar, and the hatching of states that the log does not tell apart."""
    hatched = {"pattern": plot.hatch} if key in _LIKE else {}
    return {"line": {"color": plot.colors.paper, "width": 0.5}} | hatched


def occurring(accounts: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the states that occur in some of these accounts, in their order."""
    return [key for key in STATES if any(one.get(key) for one in accounts)]


def stacked(
    plot: Plot, names: Sequence[str], accounts: Sequence[Mapping[str, float]], scales: Sequence[float]
) -> None:
    """Draw a row for each account: the seconds of its states, one beside the other, times its scale."""
    for key in occurring(accounts):
        title = STATES[key].title
        told = [
            f"{in_chart(name)}<br>{title}: {spell(one.get(key, 0.0))}, "
            f"{percent(one.get(key, 0.0) / (sum(one.values()) or 1.0))}"
            for name, one in zip(names, accounts, strict=True)
        ]
        values = [scale * one.get(key, 0.0) for one, scale in zip(accounts, scales, strict=True)]
        places, color = list(range(len(names))), color_of(plot.colors, key)
        plot.bars(values, places, title, color, told, across=True, marker=look(plot, key))
    plot.axis("y", scale=rows(names))


def explained(account: Mapping[str, float]) -> str:
    """Say what the states are that took most of the time, the largest first, and what hatching is."""
    total = sum(account.values())
    large = {key: one for key, one in account.items() if one >= EXPLAINED * total}
    named = sorted(large, key=lambda key: -large[key])
    told = "; ".join(
        f"{STATES[key].title} {percent(large[key] / total)}: {STATES[key].meaning}" for key in named
    )
    hatched = " Hatched: what the log does not tell apart." if large.keys() & _LIKE.keys() else ""
    return f"{begun(told)}.{hatched}"
