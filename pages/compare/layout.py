"""The layout of the Compare page: cards, charts and remarks, redrawn as the answer gets better."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import streamlit as st

from pages.compare.charts.row import HEIGHT, WIDE
from pages.compare.charts.threshold import Threshold, threshold_alt, threshold_plot
from pages.compare.charts.usage import usage, usage_alt, usage_remark
from pages.compare.controls import CURVE, CURVES, PANEL
from pages.compare.details import show_cluster, show_details, show_slots
from pages.compare.words.answer import answer
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import Chart, is_dark
from pages.shared.controls.control import chosen
from pages.shared.live.cards import lines_of
from pages.shared.live.drawing import Drawing, Screen, flowtimes, resources
from pages.shared.live.follow import follow
from pages.shared.live.layout import Layout
from pages.shared.words.notice import what_to_notice
from sim.engines.presets import Preset
from sim.model.outcome import leading
from sim.model.result import Comparison
from sim.running.live import RunRequest, Snapshot

USAGE = Chart("Slots in use over time (%)", usage, usage_alt, usage_remark)
WORTH = Chart(
    "Is another slot worth it?",
    threshold_plot,
    threshold_alt,
    lambda comparison: f"{Threshold.of(comparison.scenario).remark} {usage_remark(comparison)}".rstrip(),
)
#: Charts in a row.
ROW = 3


class OneScreen(Layout):
    """All that answers the question on one screen: the answer, a line for each policy, three charts in a row.

    Its places are there before there is anything to put into them. Below are the fourth chart and, beside it,
    what to notice.

    Attributes
    ----------
    looks : DeltaGenerator
        The place of the controls that say what is shown of the answer, beside the policies.
    """

    def __init__(self) -> None:
        super().__init__()
        self._answer = Placeholders(st.container(key="reserved").container(key="answer"))
        row = st.container(key="legend")
        self._lines, self.looks = row.container(key="policies"), row.container(key="looks", horizontal=True)
        self._row, self._below = st.container(key="abreast"), st.container(key="beneath")

    def _lay_out(self, screen: Screen) -> None:
        self._laid_out = True
        self._cards = [Placeholders(self._lines) for _ in screen.cards]  # of one element each
        left, right = self._below.columns(2)
        self._charts = [*map(Placeholders, self._row.columns(ROW)), Placeholders(left)]
        self._words = Placeholders(right)


def show(request: RunRequest, start: Preset, wanted: str, sidebar: Callable[[], None]) -> None:
    """Follow a request and draw every answer, then the details; draw the sidebar once, when there is time.

    Answers lead with the statistic `wanted`, or with what the laws let be known. There is time for the
    sidebar when the first answer has been drawn, or while it is waited for, if it does not come soon.
    """
    tail = st.session_state.get(CURVE, CURVES[0]) == CURVES[1]
    by_law = leading(request.experiment.scenario)
    statistic = chosen(wanted, by_law)
    asks = () if request.experiment.trace else start.asks
    layout, status, snapshot, shown = OneScreen(), Placeholders(st.container()), None, None

    @cache  # drawn once, at the first call
    def controls() -> None:
        with layout.looks:
            PANEL.draw("statistic", by_law=by_law, label_visibility="collapsed")
            st.selectbox(
                "Distributions as",
                CURVES,
                key=CURVE,
                label_visibility="collapsed",
            )
        sidebar()

    try:
        for (snapshot,) in follow([request], status, meanwhile=controls):
            shown = screen(request, snapshot, is_dark(), tail, statistic, asks)
            layout.show(shown)
            controls()
    except Exception:
        controls()  # they stay, whatever went wrong
        raise
    if snapshot is not None and shown is not None:
        show_cluster(request)
        show_slots(request, snapshot)
        show_details(request, snapshot, start.name, statistic, shown.figures)


def screen(
    request: RunRequest,
    snapshot: Snapshot,
    dark: bool,
    tail: bool,
    statistic: str,
    asks: tuple[str, ...] = (),
) -> Screen:
    """Return what is shown of a snapshot, made once for all visitors."""
    baseline = snapshot.comparison.baseline
    key = ("compare", request.key, baseline, snapshot.done, snapshot.preview, dark, tail, statistic, asks)
    return made_once(key, partial(_screen, snapshot, dark, tail, statistic, asks))


def _screen(snapshot: Snapshot, dark: bool, tail: bool, statistic: str, asks: tuple[str, ...]) -> Screen:
    comparison = snapshot.comparison.in_words()
    told = answer(comparison, statistic, asks)
    charts = drawings(comparison, dark, tail)
    return Screen(lines_of(comparison, statistic), charts, what_to_notice(comparison, statistic, told), told)


def drawings(comparison: Comparison, dark: bool, tail: bool) -> list[Drawing]:
    """Draw the row of three charts of a comparison, and the one below it."""
    return [
        flowtimes(comparison, dark, tail=tail, height=HEIGHT, wide=WIDE),
        Drawing.made(USAGE, comparison, dark),
        Drawing.made(WORTH, comparison, dark),
        resources(comparison, dark, tail=tail),
    ]
