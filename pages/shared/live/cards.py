"""A card for each policy: a statistic of its flowtimes, its difference from the baseline, and its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Self

import plotly.graph_objects as go
import streamlit as st

from pages.shared.app.turns import Placeholders, answer_place, say, turns
from pages.shared.charts.on_page import CONFIG, Chart, Seen, said
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.words.foreign import noticed
from pages.shared.words.lead import are_stable, is_stable, why_unknown
from sim.model.result import Comparison, PolicyResult, change
from sim.model.statistics import Estimate
from sim.running.distribution import (
    distribution,
    distribution_alt,
    ends_early,
    few,
    together,
    told_alike,
)
from sim.telling.plot import WIDTH
from sim.telling.words import UNRELIABLE, brief, changed, measured, percent

# The contents of a page as a value: cards, charts with their captions, what to notice.
#
# A page makes a `Screen` from snapshots, by pure functions; a `Layout` puts it on the page.

#: Statistics of the flowtimes, as briefly as a card has room for.
SHORT = {"mean": "mean flowtime", "p50": "median flowtime", "p95": "p95 of the flowtime"}
#: Replaces the change from a baseline whose queue grows.
GROWS = "unstable baseline"
#: Markdown colours that the themes set to the colours of the first series (`.streamlit/config.toml`).
DOTS = ("blue", "orange", "green", "violet", "yellow")


@dataclass(frozen=True, slots=True)
class Card:
    """The contents of one card: its policy, its number and measure, the difference, the cost, remarks.

    `unknown` says why its number has no interval.
    """

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
    unknown: tuple[str, ...] = ()


def show_card(places: Placeholders, card: Card) -> None:
    """Draw one card into its column; what it costs is as large as what it gains."""
    label = f":{card.dot}[●] **{card.name}**" if card.dot else card.name
    label += " :red-badge[unstable]" if card.unstable else ""
    value = f"{card.what} {card.value}".lstrip()
    about = {"help": card.hint} if card.hint else {}
    places.metric(
        "number", label, value, card.change, delta_color=card.color, delta_arrow=card.arrow, **about
    )
    cost = (card.cost,) if card.cost else ()
    code = (f":gray[{_plain(card.code)}]",) if card.code else ()
    small = tuple(f":small[{line}]" for line in (*card.details, *code))
    if lines := (*cost, *small):
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
    dots = dict(zip(comparison.policies, cycle(DOTS), strict=False))
    line = {name: dots[first] for first, names in together(comparison).items() for name in names}
    return [
        _card(comparison, name, result, line[name], statistic, whose)
        for name, result in comparison.policies.items()
    ]


def lines_of(comparison: Comparison, statistic: str = "mean") -> list[Card]:
    """Return these cards with name, number and change alone, for a page whose tables have the rest.

    Where no statistic of the flowtimes is known, as of a single job of a heavy tail, it is the slot-time.
    """
    cards = cards_of(comparison, statistic)
    if not any(result.knows("flowtime", one) for result in comparison.policies.values() for one in SHORT):
        cards = [_by_slot_time(comparison, card) for card in cards]
    return [
        replace(
            card,
            what=card.what if card.what not in SHORT.values() else "",
            details=(),
            cost="",
            value=_in_a_line(card.value),
            change=_in_a_line(card.change),
            hint=" ".join(f"± ?: {why}." for why in card.unknown),
        )
        for card in cards
    ]


def _by_slot_time(comparison: Comparison, card: Card) -> Card:
    """Return a card with the slot-time of a job for its number."""
    own = comparison.policies[card.name].estimate("resource", "mean")
    one = change(comparison, card.name, comparison.baseline, "resource", "mean")
    unit, is_other = f"slot·{comparison.scenario.time_unit}", card.name != comparison.baseline
    card = replace(card, what="slot-time", value=brief(own, unit), unknown=())
    if one is None or not is_other:
        return card
    color, arrow = judged(one.sign)
    return replace(card, change=changed(one.share), color=color, arrow=arrow)


def _in_a_line(told: str) -> str:
    """Return what is told without an interval as wide as with one, so that no line breaks.

    Examples
    --------
    >>> _in_a_line("7.70 s (unreliable)"), _in_a_line("−22 % (unreliable)"), _in_a_line("4.87 ± 0.05 s")
    ('7.70 ± ? s', '−22 ± ? %', '4.87 ± 0.05 s')
    """
    known = told.removesuffix(UNRELIABLE)
    return told if known == told else " ± ? ".join(known.rsplit("\u00a0" if "\u00a0" in known else " ", 1))


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
        unknown=why,
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


def percent_and_half_width(share: Estimate) -> tuple[str, str]:
    """Return `changed` as a number and what is known of it, for a card that shows the first in large type.

    Examples
    --------
    >>> percent_and_half_width(Estimate(-0.25, -0.3, -0.2)), percent_and_half_width(Estimate(0.5))
    (('−25.0 %', '± 5.0 %'), ('+50 %', ''))
    >>> percent_and_half_width(Estimate(-0.4, -0.66, 0.05))
    ('−40 %', '(−66 to +5 %)')
    """
    told = changed(share).removesuffix(UNRELIABLE)
    number_of, mark, half = told.partition(" ± ")
    if mark:
        return f"{number_of} %", f"± {half}"
    number_of, mark, ends = told.partition(" (")
    return number_of, f"({ends}" if mark else ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart with its title above it, what it says in words, and what stands below it."""

    title: str
    figure: SerializedFigure
    alt: str
    caption: str

    @classmethod
    def of(cls, title: str, figure: go.Figure, alt: str, *remarks: str) -> Self:
        """Make a drawing of a figure, with those remarks below it that are not empty."""
        return cls(title, SerializedFigure(figure, title), alt, " ".join(filter(None, remarks)))

    @classmethod
    def made(cls, chart: Chart[Seen], seen: Seen, dark: bool) -> Self:
        """Make the drawing of a chart of what is seen."""
        return cls.of(
            said(chart.title, seen), chart.draw(seen, dark), chart.words(seen), said(chart.about, seen)
        )


@dataclass(frozen=True, slots=True)
class Screen:
    """All that a layout shows at one time; `notices` and `answer` are in Markdown."""

    cards: Sequence[Card]
    drawings: Sequence[Drawing]
    notices: Sequence[str]
    answer: str = ""

    @property
    def figures(self) -> dict[str, SerializedFigure]:
        """The figures by their titles, for download."""
        return {drawing.title: drawing.figure for drawing in self.drawings}


def flowtimes(
    comparison: Comparison,
    dark: bool,
    *,
    tail: bool = False,
    note: str = "",
    height: float = 340,
    wide: float = WIDTH,
) -> Drawing:
    """Draw how flowtimes of jobs are distributed; `note` is added to the title, the size is of `Plot`."""
    return Drawing.of(
        f"Flowtime of jobs ({comparison.scenario.time_unit}){note}",
        distribution(comparison, dark, tail=tail, height=height, wide=wide),
        distribution_alt(comparison, tail=tail),
        ends_early(comparison),
        without_band(comparison),
        told_alike(comparison, tail=tail),
    )


def without_band(comparison: Comparison) -> str:
    """Say why bands of flowtimes end before the slowest jobs; empty where they do not."""
    known = all(result.knows("flowtime", "p95") for result in comparison.policies.values())
    if known or comparison.replications < 2 or few(comparison):
        return ""
    return f"Bands end where no interval is reliable: {why_unknown(comparison.scenario, 'p95')}."


def resources(comparison: Comparison, dark: bool, *, tail: bool = False, note: str = "") -> Drawing:
    """Draw how slot-times of jobs are distributed; `note` is added to the title."""
    return Drawing.of(
        f"Slot-time of jobs (slot·{comparison.scenario.time_unit}){note}",
        distribution(comparison, dark, measure="resource", tail=tail),
        distribution_alt(comparison, measure="resource", tail=tail),
        told_alike(comparison, measure="resource", tail=tail),
    )


# The answer, cards, charts and what to notice: drawn once, then replaced where they stand.


class Layout:
    """The place of a `Screen` on the page; its first one says how many cards and charts there are.

    From above: the answer in a sentence, the cards side by side, two charts, what to notice, the other
    charts, two in a row. What a screen has none of is left out.

    Parameters
    ----------
    name : str, optional
        Of the layout, where a page has several among which charts move.
    """

    _answer: Placeholders
    _words: Placeholders

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._laid_out = False
        self._cards: list[Placeholders] = []
        self._charts: list[Placeholders] = []
        self._shown: dict[int, str] = {}
        self._sent: set[str] = set()

    def show(self, screen: Screen) -> None:
        """Draw a screen: numbers and charts, then, after sessions without an answer, the words."""
        if not self._laid_out:
            self._lay_out(screen)
        if screen.answer:
            say(self._answer, screen.answer)
        for places, card in zip(self._cards, screen.cards, strict=True):
            show_card(places, card)
        for place, drawing in enumerate(screen.drawings):
            self._put(place, drawing)
        turns().yield_to_waiting()
        for places, drawing in zip(self._charts, screen.drawings, strict=False):  # of an odd number
            if drawing.caption:
                places.caption("caption", drawing.caption)
        if screen.notices:
            self._words.markdown("notices", noticed(screen.notices))

    def _lay_out(self, screen: Screen) -> None:
        cards, charts = len(screen.cards), len(screen.drawings)
        self._laid_out = True
        if screen.answer:  # else the page has its answer elsewhere
            self._answer = answer_place()
        if cards:
            lines = any(card.what for card in screen.cards)
            around = st.container(key="lines") if lines else st.container()
            self._cards = [Placeholders(column) for column in around.columns(cards, border=True)]
        if charts:
            self._charts = [Placeholders(column) for column in st.columns(2)]
        self._words = Placeholders(st.container())
        while len(self._charts) < charts:
            self._charts += [Placeholders(column) for column in st.columns(2)]

    def _put(self, place: int, drawing: Drawing) -> None:
        """Put a chart on the page, unless it is there.

        The figure is JSON already, with the looks that Streamlit's theme would add: hence no theme.
        Streamlit refuses the same chart twice in one run: so its key names the layout and its place, too, and
        one that comes back has been sent before.
        """
        content = f"{self._name}{place} {drawing.figure.digest}"
        if self._shown.get(place) == content:
            return
        key = f"{content} {len(self._sent)}" if content in self._sent else content
        self._shown[place] = content
        self._sent |= {content, key}
        self._charts[place].plotly_chart(
            "chart", drawing.figure, config=CONFIG, alt=drawing.alt, key=key, theme=None
        )
