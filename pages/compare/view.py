"""What the Compare page shows of a request: cards, charts and tables, redrawn as the answer gets better."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cache, partial

import plotly.graph_objects as go
import streamlit as st

from pages.compare.details import show_details
from pages.compare.small_cluster import show_slots
from pages.compare.threshold_chart import Threshold, threshold_alt, threshold_plot
from pages.compare.usage_chart import usage, usage_alt
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import pool, shelf
from pages.shared.app.turns import turns
from pages.shared.charts.distribution import distribution, distribution_alt, ends_early
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.charts.theme import is_dark
from pages.shared.live.cards import cards_of, show_card
from pages.shared.words.notice import what_to_notice
from pages.shared.words.numbers import counted, percent
from sim.live import RunRequest, Snapshot
from sim.result import Comparison

#: Seconds between two drawings while an answer gets better: one keeps the browser busy for a third of it.
PACE = 1.0
#: Seconds in which most answers come: nothing else is drawn before.
SOON = 0.3
CURVES, CURVE = ("CDF", "Tail (log–log)"), "compare:curve"
Follower = Generator[Snapshot | None, float | None, None]
CHART = {"displaylogo": False, "displayModeBar": False}


@dataclass(frozen=True)
class Drawing:
    """A chart, its title, and what it says in words."""

    title: str
    figure: SerializedFigure
    alt: str
    remark: str = ""


def drawn(title: str, figure: go.Figure, alt: str, remark: str = "") -> Drawing:
    """Return a figure as it is sent, with its title above it."""
    return Drawing(title, SerializedFigure(figure, title), alt, remark)


def show(request: RunRequest, preset: str, meanwhile: Callable[[], None]) -> None:
    """Follow a request and draw every snapshot of it; call `meanwhile` once, when there is time.

    That is when the first answer has been drawn, or while it is waited for, if it does not come soon.
    """
    row = st.container(horizontal=True, vertical_alignment="center")
    status = Placeholders(row)
    tail = st.session_state.get(CURVE, CURVES[0]) == CURVES[1]
    board: Board | None = None
    snapshot = None
    drawings: list[Drawing] = []

    @cache  # once, whoever calls it first
    def controls() -> None:
        row.segmented_control(
            "Distributions as", CURVES, default=CURVES[0], required=True, key=CURVE,
            label_visibility="collapsed",
            help="The CDF shows typical jobs, the log–log tail the slowest: a straight line is a power law.",
        )  # fmt: skip
        meanwhile()

    try:
        for snapshot in paced(request, status, controls):
            say(status, snapshot, request)
            board = board or Board(len(request.experiment.policies))
            drawings = board.draw(snapshot, request, dark=is_dark(), tail=tail)
            turns().yield_to_waiting()
            board.tell(snapshot, request, drawings)
            controls()
    except Exception:
        controls()  # they stay, whatever went wrong
        raise
    if snapshot is not None:
        show_slots(request, snapshot)
        show_details(request, snapshot, preset, {drawing.title: drawing.figure for drawing in drawings})


class Board:
    """Cards, charts and what to notice: drawn once, then each element is replaced in its place."""

    def __init__(self, policies: int) -> None:
        self.cards = [Placeholders(column) for column in st.columns(policies, border=True)]
        self.charts = [Placeholders(column) for column in st.columns(2)]
        self.words = Placeholders(st.container())
        self.charts += [Placeholders(column) for column in st.columns(2)]

    def draw(self, snapshot: Snapshot, request: RunRequest, *, dark: bool, tail: bool) -> list[Drawing]:
        """Draw a snapshot; return its charts. What is the same for all visitors is made once."""
        comparison = snapshot.comparison
        stamp = _stamp(snapshot, request)
        cards = shelf().get((stamp, "cards"), partial(cards_of, comparison))
        for places, card in zip(self.cards, cards, strict=True):
            show_card(places, card)
        drawings = shelf().get((stamp, dark, tail), partial(draw_all, comparison, dark, tail))
        for places, drawing in zip(self.charts, drawings, strict=True):
            put(places, drawing)
        return drawings

    def tell(self, snapshot: Snapshot, request: RunRequest, drawings: list[Drawing]) -> None:
        """Write what the charts rest on, and what to notice."""
        told = rests_on(snapshot)
        for places, drawing in zip(self.charts, drawings, strict=True):
            explain(places, drawing, told)
        stamp = _stamp(snapshot, request)
        notices = shelf().get((stamp, "words"), partial(what_to_notice, snapshot.comparison))
        self.words.markdown("words", "**What to notice**\n" + "\n".join(f"- {notice}" for notice in notices))


def _stamp(snapshot: Snapshot, request: RunRequest) -> tuple[object, ...]:
    return request.key, snapshot.comparison.baseline, snapshot.done, snapshot.preview


def paced(
    request: RunRequest, status: Placeholders, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[Snapshot]:
    """Yield the first snapshot at once, the last one, and between them one every `PACE` seconds.

    While there is none, it takes its time and nobody else wants to draw, `meanwhile` is called.

    Every tenth of a second Streamlit may end the run of a visitor who has moved on; the generator is closed
    then, and the pool knows that nobody waits any more.
    """
    follower = pool().follow(request)
    begun = shown_at = time.monotonic()
    newest = unseen = None
    first = True
    try:
        for snapshot in politely(follower):
            st.session_state.get(CURVE)  # any look at the session is such a moment
            newest = snapshot or newest
            unseen = snapshot or unseen
            waited = time.monotonic() - begun
            if newest is None and waited >= SOON:
                status.progress("line", 0.0, "Simulating …" + (f" {waited:.0f} s" if waited >= 1 else ""))
                if not turns().wanted:
                    meanwhile()
            elif unseen and (first or unseen.final or time.monotonic() - shown_at >= PACE):
                now, unseen, first, shown_at = unseen, None, False, time.monotonic()
                yield now
            elif newest:
                say(status, newest, request)
    finally:
        follower.close()


def politely(follower: Follower) -> Iterator[Snapshot | None]:
    """Yield what a follower has at once, then what it waits for, during which others may draw."""
    newest = next(follower, None)
    if newest:
        yield newest
    while newest is None or not newest.final:
        with turns().lent(answered=newest is not None):
            snapshot = next(follower, None)
        if snapshot and not snapshot.final:  # there may be a better one by the time of the turn
            snapshot = follower.send(0.0) or snapshot
        newest = snapshot or newest
        yield snapshot


def say(status: Placeholders, snapshot: Snapshot, request: RunRequest) -> None:
    """Say how good the answer is, and whether it gets better."""
    if snapshot.final:
        status.caption("line", f":material/check: {rests_on(snapshot)}", width="stretch")
        return
    text = "First answer from fewer jobs; the full run follows." if snapshot.preview else (
        f"Replication {snapshot.done} of at most {snapshot.most}, "
        f"until means are known to ± {request.precision:g} %."
    )  # fmt: skip
    status.progress("line", 0.0 if snapshot.preview else snapshot.done / snapshot.most, text)


def rests_on(snapshot: Snapshot) -> str:
    """Say what the numbers rest on: replications, jobs, seed and interval."""
    comparison = snapshot.comparison
    result = next(iter(comparison.policies.values()))
    luck = (
        " (the interval covers the luck of the copies only: the arrivals are recorded)"
        if comparison.source
        else ""
    )
    warm_up = (
        f" (the first {percent(comparison.scenario.warm_up)} are warm-up)"
        if comparison.scenario.warm_up
        else ""
    )
    return (
        f"{counted(snapshot.done, 'replication')}, {result.counted:,} jobs counted of {result.jobs:,}"
        f"{warm_up}, seed {comparison.scenario.seed}, 95 % intervals{luck}."
    )


def draw_all(comparison: Comparison, dark: bool, tail: bool) -> list[Drawing]:
    """Draw the four charts of a comparison."""
    unit = comparison.scenario.time_unit
    return [
        drawn(
            f"Flowtime of jobs ({unit})",
            distribution(comparison, dark, tail=tail),
            distribution_alt(comparison, tail=tail),
            ends_early(comparison),
        ),
        drawn("Where the slots go", usage(comparison, dark), usage_alt(comparison)),
        drawn(
            f"Resource of jobs (slot·{unit})",
            distribution(comparison, dark, measure="resource", tail=tail),
            distribution_alt(comparison, measure="resource", tail=tail),
        ),
        drawn(
            "Is another slot worth it?",
            threshold_plot(comparison, dark),
            threshold_alt(comparison),
            Threshold.of(comparison.scenario).remark,
        ),
    ]


def put(places: Placeholders, drawing: Drawing) -> None:
    """Put a chart on the page."""
    places.plotly_chart("chart", drawing.figure, config=CHART, alt=drawing.alt, theme=None)


def explain(places: Placeholders, drawing: Drawing, told: str) -> None:
    """Say below a chart what it rests on."""
    places.caption("rests on", " ".join(part for part in (drawing.remark, told) if part))
