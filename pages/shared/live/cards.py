"""A card for each policy: a statistic of its flowtimes, its difference from the baseline, and its cost."""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.app.placeholders import Placeholders
from pages.shared.words.winner import are_stable, is_stable, why_unknown
from sim.paired import change
from sim.result import Comparison, PolicyResult
from sim.telling.words import brief, changed, measured, percent

#: Statistics of the flowtimes, as briefly as a card has room for.
SHORT = {"mean": "mean flowtime", "p50": "median flowtime", "p95": "p95 of the flowtime"}
#: Replaces the change from a baseline whose queue grows.
GROWS = "unstable baseline"
#: Markdown colours that the themes set to the colours of the first series (`.streamlit/config.toml`).
DOTS = ("blue", "orange", "green", "violet", "yellow")


@dataclass(frozen=True, slots=True)
class Card:
    """The contents of one card: its policy, its number and measure, the difference, the cost, remarks."""

    name: str
    value: str
    change: str
    color: str = "gray"
    arrow: str = "off"
    dot: str = ""
    details: tuple[str, ...] = ()
    unstable: bool = False
    cost: str = ""
    code: str = ""
    what: str = ""
    hint: str = ""


def show_card(places: Placeholders, card: Card) -> None:
    """Draw one card into its column; what it costs is as large as what it gains."""
    label = f":{card.dot}[●] **{card.name}**" if card.dot else card.name
    value = f"{card.what} {card.value}".lstrip()
    about = {"help": card.hint} if card.hint else {}
    places.metric(
        "number", label, value, card.change, delta_color=card.color, delta_arrow=card.arrow, **about
    )
    unstable = (":red-badge[unstable]",) if card.unstable else ()
    cost = (card.cost,) if card.cost else ()
    code = (f":gray[{_plain(card.code)}]",) if card.code else ()
    small = tuple(f":small[{line}]" for line in (*card.details, *code))
    if lines := (*unstable, *cost, *small):
        places.markdown("details", "  \n".join(lines))


def _plain(code: str) -> str:
    r"""Return the code of a policy as Markdown that is no directive.

    Examples
    --------
    >>> print(_plain("hopper:epsilon=0.2+budget"))
    hopper\:epsilon=0.2+budget
    """
    return code.replace(":", r"\:").replace("_", r"\_")


def judged(sign: int) -> tuple[str, str]:
    """Return the colour and the arrow of a difference if less is better; none where it is not sure.

    Examples
    --------
    >>> judged(-1), judged(1), judged(0)
    (('green', 'down'), ('red', 'up'), ('gray', 'off'))
    """
    return (("gray", "off"), ("red", "up"), ("green", "down"))[sign]


def cards_of(comparison: Comparison, statistic: str = "mean", whose: str = "") -> list[Card]:
    """Return the card of each policy, which leads with a statistic, or the median where that is censored.

    Parameters
    ----------
    comparison : Comparison
    statistic : str, optional
        'mean', 'p50' or 'p95'.
    whose : str, optional
        Of which jobs it is, where the name of a policy may be read otherwise: ' of all jobs'.
    """
    return [
        _card(comparison, name, result, DOTS[place % len(DOTS)], statistic, whose)
        for place, (name, result) in enumerate(comparison.policies.items())
    ]


def _card(comparison: Comparison, name: str, result: PolicyResult, dot: str, wanted: str, whose: str) -> Card:
    unit = comparison.scenario.time_unit
    statistic = wanted if result.estimate("flowtime", wanted).value is not None else "p50"
    estimate = result.estimate("flowtime", statistic)
    change, color, arrow = _change(comparison, name, statistic, praise=statistic == wanted)
    why = () if estimate.reliable else (why_unknown(comparison.scenario, statistic),)
    return Card(
        name=name,
        dot=dot,
        what=f"{SHORT[statistic]}{whose}",
        value=brief(estimate, unit),
        change=change,
        color=color,
        arrow=arrow,
        details=(*why, *_details(result, unit, statistic)),
        unstable=result.unstable(comparison.scenario.slots),
        cost=_cost(comparison, name),
        hint=f"`{result.code}`" if result.code else "",
    )


def _details(result: PolicyResult, unit: str, statistic: str) -> list[str]:
    """Return what else is known; no line comes with the intervals, so that the page does not move then."""
    lines = []
    if statistic == "p95":
        lines.append(f"median {measured(result.estimate('flowtime', 'p50'), unit)}")
    elif result.tells(0.95):
        lines.append(f"p95 {measured(result.estimate('flowtime', 'p95'), unit)}")
    if result.estimate("flowtime", "mean").value is None:
        lines.append("mean unknown")
    if result.unfinished:
        lines.append(f"{percent(result.unfinished / result.jobs)} of the jobs unfinished")
    return lines


def _change(comparison: Comparison, name: str, statistic: str, *, praise: bool) -> tuple[str, str, str]:
    """Return the difference from the baseline as text, with the colour and the arrow it deserves.

    None where a queue grows; no colour where unfinished jobs hide the statistic that is wanted.
    """
    if name == comparison.baseline:
        return "the baseline", "gray", "off"
    if not are_stable(comparison, name, comparison.baseline):
        return ("its queue grows" if is_stable(comparison, comparison.baseline) else GROWS), "gray", "off"
    one = change(comparison, name, comparison.baseline, "flowtime", statistic)
    if one is None:
        return "difference unknown", "gray", "off"
    return changed(one.share), *judged(praise * one.sign)


def _cost(comparison: Comparison, name: str) -> str:
    """Return the slot-time of a job, and how surely it differs from the baseline's."""
    unit = f"slot·{comparison.scenario.time_unit}"
    own = comparison.policies[name].estimate("resource", "mean")
    told = f"slot-time {measured(own, unit)}"
    one = change(comparison, name, comparison.baseline, "resource", "mean")
    if name == comparison.baseline or one is None or not own.reliable:
        return told
    if not are_stable(comparison, name, comparison.baseline):
        return told
    color, _ = judged(one.sign)
    return f"{told} :{color}[{changed(one.share)}]"
