"""What the Compare page shows of its runs: cards, charts and remarks, redrawn as the answer gets better."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import streamlit as st

from pages.compare.charts.threshold import Threshold, threshold_alt, threshold_plot
from pages.compare.charts.usage import usage, usage_alt
from pages.compare.details import show_details, show_slots
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import is_dark
from pages.shared.live.board import Board
from pages.shared.live.cards import cards_of
from pages.shared.live.drawing import Drawing, Screen, flowtimes, resources
from pages.shared.live.follow import follow, rests_on
from pages.shared.words.notice import what_to_notice
from sim.live import RunRequest, Snapshot
from sim.result import Comparison

CURVES, CURVE = ("CDF", "Tail (log–log)"), "compare:curve"


def show(request: RunRequest, preset: str, sidebar: Callable[[], None]) -> None:
    """Follow a request and draw every answer, then the details; draw the sidebar once, when there is time.

    That is when the first answer has been drawn, or while it is waited for, if it does not come soon.
    """
    row = st.container(horizontal=True, vertical_alignment="center")
    tail = st.session_state.get(CURVE, CURVES[0]) == CURVES[1]
    board, snapshot, shown = Board(), None, None

    @cache  # once, whoever calls it first
    def controls() -> None:
        row.segmented_control(
            "Distributions as", CURVES, default=CURVES[0], required=True, key=CURVE,
            label_visibility="collapsed",
            help="The CDF shows typical jobs, the log–log tail the slowest: a straight line is a power law.",
        )  # fmt: skip
        sidebar()

    try:
        for (snapshot,) in follow([request], Placeholders(row), meanwhile=controls):
            shown = screen(request, snapshot, is_dark(), tail)
            board.show(shown)
            controls()
    except Exception:
        controls()  # they stay, whatever went wrong
        raise
    if snapshot is not None and shown is not None:
        show_slots(request, snapshot)
        show_details(request, snapshot, preset, shown.figures)


def screen(request: RunRequest, snapshot: Snapshot, dark: bool, tail: bool) -> Screen:
    """Return what is shown of a snapshot, made once for all visitors."""
    baseline = snapshot.comparison.baseline
    key = ("compare", request.key, baseline, snapshot.done, snapshot.preview, dark, tail)
    return made_once(key, partial(_screen, snapshot, dark, tail))


def _screen(snapshot: Snapshot, dark: bool, tail: bool) -> Screen:
    comparison = snapshot.comparison
    charts = drawings(comparison, dark, tail, rests_on(snapshot))
    return Screen(cards_of(comparison), charts, what_to_notice(comparison))


def drawings(comparison: Comparison, dark: bool, tail: bool, rests: str) -> list[Drawing]:
    """Draw the four charts of a comparison; `rests` says what they rest on."""
    return [
        flowtimes(comparison, dark, rests, tail=tail),
        Drawing.of("Where the slots go", usage(comparison, dark), usage_alt(comparison), rests),
        resources(comparison, dark, rests, tail=tail),
        Drawing.of(
            "Is another slot worth it?",
            threshold_plot(comparison, dark),
            threshold_alt(comparison),
            Threshold.of(comparison.scenario).remark,
            rests,
        ),
    ]
