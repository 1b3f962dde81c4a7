"""A race on a page of theory: a few policies on the same jobs, simulated while the page is read.

The page is drawn first, then the race follows in it and gets better as replications arrive.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

import sim
from pages.compare.details import as_arrow, as_page
from pages.compare.view import Drawing, drawn, explain, paced, put, rests_on, say
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import shelf
from pages.shared.app.turns import turns
from pages.shared.charts.distribution import distribution, distribution_alt, ends_early
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.charts.theme import is_dark
from pages.shared.controls.dials import Card as Headline
from pages.shared.live.cards import Card, cards_of, show_card
from pages.shared.words import tables
from pages.shared.words.numbers import measured
from pages.shared.words.winner import fastest, yardstick
from sim.command import shell_line
from sim.experiment import Experiment
from sim.live import RunRequest, Snapshot
from sim.report import as_json
from sim.result import Comparison

WAITING = "…"


@dataclass(frozen=True)
class Race:
    """Who races.

    Parameters
    ----------
    page : str
        Name of the page.
    request : RunRequest
        What is simulated here.
    names : tuple of str
        What the policies are called on the page, in the order of the experiment.
    full : Experiment
        The same at the scale of the paper, for the shell.
    start : str
        Preset from which the shell lines start.
    remarks : callable
        Comparison, by the names of the page -> what to notice.
    theory : mapping
        What the theory answers, for the JSON.
    draw : callable
        Comparison, whether the theme is dark -> two charts.
    headline : callable
        Comparison -> the last card at the top of the page.
    """

    page: str
    request: RunRequest
    names: tuple[str, ...]
    full: Experiment
    start: str
    remarks: Callable[[Comparison], Sequence[str]]
    theory: Mapping[str, object]
    draw: Callable[[Comparison, bool], list[Drawing]]
    headline: Callable[[Comparison], Headline]


def cards_with_room(cards: Sequence[Headline], label: str) -> Placeholders:
    """Draw the headlines of a page side by side; return a last card, which the race fills."""
    *columns, last = st.columns(len(cards) + 1)
    for column, (heading, number, remark) in zip(columns, cards, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(heading, number)
            st.caption(remark)
    places = Placeholders(last.container(border=True, height="stretch"))
    places.metric("number", label, WAITING)
    places.caption("remark", "The simulation is below.")
    return places


def run(race: Race, headline: Placeholders) -> None:
    """Follow the race and draw every snapshot of it, then what can be taken away."""
    status = Placeholders(st.container())
    board: Board | None = None
    snapshot, drawings = None, []
    for snapshot in paced(race.request, status):
        say(status, snapshot, race.request)
        board = board or Board(len(race.names))
        drawings = board.draw(race, snapshot, is_dark())
        label, number, remark = race.headline(snapshot.comparison.called(race.names))
        headline.metric("number", label, number)
        headline.caption("remark", remark)
    if snapshot is not None:
        turns().yield_to_waiting()
        take_away(race, snapshot, {drawing.title: drawing.figure for drawing in drawings})


def leader(comparison: Comparison) -> Headline:
    """Return the headline: who is surely faster than the baseline and the fastest of those."""
    winner, statistic = fastest(comparison), yardstick(comparison)
    label = "Fastest, simulated"
    if statistic is None:
        return label, "—", "Too many jobs are unfinished to compare medians."
    kind = "mean" if statistic == "mean" else "median"
    if winner is None:
        base = comparison.policies[comparison.baseline].estimate("flowtime", statistic)
        told = "first answer" if comparison.replications == 1 else "no policy surely beats it"
        return (
            label,
            comparison.baseline,
            f"{told}; {kind} flowtime {measured(base, comparison.scenario.time_unit)}",
        )
    own, base = (
        comparison.policies[name].estimate("flowtime", statistic) for name in (winner, comparison.baseline)
    )
    unit = comparison.scenario.time_unit
    return label, winner, f"{kind} flowtime {measured(own, unit)}; {comparison.baseline} {measured(base)}"


class Board:
    """Cards, two distributions and what to notice: drawn once, then each element is replaced in its place."""

    def __init__(self, policies: int) -> None:
        self.cards = [Placeholders(column) for column in st.columns(policies, border=True)]
        self.charts = [Placeholders(column) for column in st.columns(2)]
        self.words = Placeholders(st.container())

    def draw(self, race: Race, snapshot: Snapshot, dark: bool) -> list[Drawing]:
        """Draw a snapshot; return its charts. What is the same for all visitors is made once."""
        comparison = snapshot.comparison.called(race.names)
        stamp = (race.page, race.request.key, race.names, snapshot.done, snapshot.preview)
        cards: list[Card] = shelf().get((*stamp, "cards"), partial(cards_of, comparison))
        for places, card in zip(self.cards, cards, strict=True):
            show_card(places, card)
        drawings = shelf().get((*stamp, dark, "charts"), partial(race.draw, comparison, dark))
        for places, drawing in zip(self.charts, drawings, strict=True):
            put(places, drawing)
            explain(places, drawing, rests_on(snapshot))
        remarks = race.remarks(comparison)
        self.words.markdown(
            "words", "**What to notice**\n\n" + "\n".join(f"- {remark}" for remark in remarks)
        )
        return drawings


def flowtimes(comparison: Comparison, dark: bool) -> Drawing:
    """Draw how flowtimes of jobs are distributed."""
    return drawn(
        f"Flowtime of jobs ({comparison.scenario.time_unit}), simulated",
        distribution(comparison, dark),
        distribution_alt(comparison),
        ends_early(comparison),
    )


def flowtimes_and_resources(comparison: Comparison, dark: bool) -> list[Drawing]:
    """Draw how flowtimes and slot-times of jobs are distributed."""
    resources = drawn(
        f"Resource of jobs (slot·{comparison.scenario.time_unit}), simulated",
        distribution(comparison, dark, measure="resource"),
        distribution_alt(comparison, measure="resource"),
    )
    return [flowtimes(comparison, dark), resources]


def take_away(race: Race, snapshot: Snapshot, figures: Mapping[str, SerializedFigure]) -> None:
    """Offer all numbers, as files and as shell lines."""
    comparison = snapshot.comparison.called(race.names)
    stamp = (race.page, race.request.key, race.names, snapshot.done)
    numbers = shelf().get((*stamp, "policies"), lambda: as_arrow(tables.by_policy(comparison)))
    st.dataframe(numbers, hide_index=True)
    request = race.request
    line = shell_line(
        race.start, request.experiment, replications=request.replications, precision=request.precision
    )
    with st.container(horizontal=True):
        st.download_button(
            "Numbers (CSV)", lambda: tables.csv(comparison), f"{race.page}.csv", "text/csv",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        st.download_button(
            "Everything (JSON)",
            lambda: json.dumps(
                {"theory": dict(race.theory)} | as_json(snapshot.comparison, sim.__version__, line),
                indent=1, ensure_ascii=False, allow_nan=False,
            ),
            f"{race.page}.json", "application/json", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        st.download_button(
            "Charts (HTML)", lambda: as_page(dict(figures)), f"{race.page}.html", "text/html",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip
    st.caption("The same from the shell, and below it at full scale:")
    st.code(line, language="bash", wrap_lines=True)
    st.code(shell_line(race.start, race.full, replications=3), language="bash", wrap_lines=True)
