"""What the page shows: the answer at once, then the points of its curves as they are found."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.compare.view import CHART, PACE, Drawing, drawn, rests_on
from pages.decentralised import charts as curves
from pages.decentralised import words
from pages.decentralised.axes import AXES, Axis
from pages.decentralised.charts import STATISTICS, Points
from pages.decentralised.following import renamed, together
from pages.decentralised.setting import POINT_TASKS, Setting
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import shelf
from pages.shared.charts.distribution import distribution, distribution_alt, ends_early
from pages.shared.live.cards import show_card
from pages.shared.words.numbers import counted
from sim.experiment import expected_tasks
from sim.live import RunRequest, Snapshot
from sim.result import Comparison

PAGE = "decentralised"
#: Replications of the answer, at most, and the percentage at which its means are precise enough.
REPLICATIONS, PRECISION = 20, 2.0
#: Replications of a point of a curve. All points meet the same luck, so that they differ by what is varied.
POINT = 6


class Answers:
    """What is known: the answer and the points of the curves, as far as they have been found.

    Parameters
    ----------
    setting : Setting
    axes : tuple of Axis
        The two the curves are drawn against.
    """

    def __init__(self, setting: Setting, axes: tuple[Axis, Axis]) -> None:
        self.setting = setting
        self.axes = axes
        self.places = [(axis, value) for axis in axes for value in axis.in_turn(setting)]
        self.answer: Snapshot | None = None
        self.found: dict[int, Snapshot] = {}

    @property
    def requests(self) -> list[RunRequest]:
        """What is asked of the shared workers for each point."""
        settings = (axis.setting(self.setting, value) for axis, value in self.places)
        return [one.point(POINT) for one in settings]

    def learn(self, news: Mapping[int, Snapshot]) -> None:
        """Take in what `together` has found."""
        for place, snapshot in news.items():
            if place == 0:
                self.answer = snapshot
            else:
                self.found[place - 1] = snapshot

    def stamp(self, axis: Axis | None = None) -> tuple[Any, ...]:
        """Return what a drawing of the answer depends on, or one of the points along an axis."""
        assert self.answer is not None
        if axis is None:
            return (self.setting, self.answer.done, self.answer.preview)
        known = ((place, one.done) for place, one in sorted(self.found.items()) if one.done > 1)
        return (self.setting, axis.field, tuple(one for one in known if self.places[one[0]][0] is axis))

    def points(self, axis: Axis) -> Points:
        """Return what is known along an axis, from two replications on: one has no interval."""
        return {
            value: renamed(snapshot.comparison, axis.setting(self.setting, value))
            for place, snapshot in sorted(self.found.items())
            for on, value in (self.places[place],)
            if on is axis and snapshot.done > 1
        }


@dataclass(frozen=True)
class Chart:
    """A chart to be drawn: what it depends on, how it is made, and what it rests on."""

    stamp: Any
    make: Callable[[], Drawing]
    rests: str


class Board:
    """Cards, charts and words: drawn once, then what has changed is replaced in its place."""

    def __init__(self, policies: int) -> None:
        self.cards = [Placeholders(column) for column in st.columns(policies, border=True)]
        self.charts = [Placeholders(column) for column in st.columns(2)]
        self.words = Placeholders(st.container())
        self.charts += [Placeholders(column) for column in st.columns(2)]
        self.drawn: dict[int, Any] = {}
        self.count = 0

    def draw(self, answers: Answers, dark: bool, statistic: str) -> None:
        """Draw what is known. What is the same for all visitors is made once."""
        assert answers.answer is not None
        comparison = renamed(answers.answer.comparison, answers.setting)
        cards = shelf().get(
            (answers.stamp(), statistic, "cards"), partial(words.cards_of, comparison, statistic)
        )
        for places, card in zip(self.cards, cards, strict=True):
            show_card(places, card)
        probes = answers.points(AXES["probes"])
        notices = words.notices(comparison, probes, AXES["probes"], answers.setting, statistic)
        self.words.markdown("words", "**What to notice**\n" + "\n".join(f"- {notice}" for notice in notices))
        for place, one in enumerate(charts(answers, dark, statistic)):
            if self.drawn.get(place) != one.stamp:
                self.drawn[place] = one.stamp
                self._put(self.charts[place], shelf().get(one.stamp, one.make), one.rests)

    def _put(self, places: Placeholders, drawing: Drawing, rests: str) -> None:
        """Put a chart on the page, and what it rests on below."""
        self.count += 1  # a chart that did not change with what it depends on may not have the same name
        key = f"{PAGE}:chart:{self.count}"
        places.plotly_chart("chart", drawing.figure, config=CHART, alt=drawing.alt, key=key, theme=None)
        places.caption("rests on", " ".join(part for part in (drawing.remark, rests) if part))


def charts(answers: Answers, dark: bool, statistic: str) -> list[Chart]:
    """Return the four charts of the page, in the order in which they stand."""
    assert answers.answer is not None
    setting, (first, second) = answers.setting, answers.axes
    seen = (dark, statistic)
    along = f"{POINT} replications a point, on the same jobs and luck; seed {setting.seed}, 95 % bands."
    if expected_tasks(setting.experiment) > POINT_TASKS:
        along += f" Each is cut to {POINT_TASKS:,} tasks over all policies."
    return [
        *(
            Chart(
                (answers.stamp(axis), *seen, "ratio"),
                partial(ratio_drawing, answers.points(axis), axis, setting, dark, statistic),
                along,
            )
            for axis in (first, second)
        ),
        Chart(
            (answers.stamp(), dark, "flowtime"),
            partial(flowtime_drawing, renamed(answers.answer.comparison, setting), dark),
            rests_on(answers.answer),
        ),
        Chart(
            (answers.stamp(first), *seen, "price"),
            partial(price_drawing, answers.points(first), setting, dark, statistic),
            along,
        ),
    ]


def ratio_drawing(points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str) -> Drawing:
    """Draw the ratio along an axis."""
    title = f"{STATISTICS[statistic].capitalize()} ÷ central’s, against {axis.name}"
    figure = curves.ratio_chart(points, axis, setting, dark, statistic)
    alt = curves.ratio_alt(points, axis, setting, statistic)
    return drawn(title, figure, alt, curves.ratio_remark(axis, statistic))


def price_drawing(points: Points, setting: Setting, dark: bool, statistic: str) -> Drawing:
    """Draw the ratio against the messages it takes."""
    figure = curves.price_chart(points, setting, dark, statistic)
    return drawn(
        "The gain beside its price in messages", figure, curves.price_alt(points, setting, statistic)
    )


def flowtime_drawing(comparison: Comparison, dark: bool) -> Drawing:
    """Draw the distribution of flowtimes."""
    return drawn(
        f"Flowtime of jobs ({comparison.scenario.time_unit})",
        distribution(comparison, dark),
        distribution_alt(comparison),
        ends_early(comparison),
    )


def follow(answers: Answers, board: Board, status: DeltaGenerator, dark: bool, statistic: str) -> None:
    """Draw what is known whenever there is more of it, until all is.

    Every tenth of a second something is written, which is when Streamlit ends a run whose visitor has
    moved on: what nobody follows any more is given up.
    """
    begun, drawn_at, unseen = time.monotonic(), 0.0, False
    requests = answers.requests
    with closing(together(answers.setting.request(REPLICATIONS, PRECISION), requests)) as all_news:  # type: ignore[type-var]
        for news in all_news:
            answers.learn(news)
            unseen = unseen or bool(news)
            if answers.answer is None:
                status.progress(0.0, f"Simulating … {time.monotonic() - begun:.0f} s")
            elif unseen and not news and time.monotonic() - drawn_at >= PACE:  # all that was known is in
                board.draw(answers, dark, statistic)
                drawn_at, unseen = time.monotonic(), False
            else:
                say(status, answers, len(requests))
    if unseen:
        board.draw(answers, dark, statistic)
    say(status, answers, len(requests))


def say(status: DeltaGenerator, answers: Answers, points: int) -> None:
    """Say how good the answer is, and whether it gets better."""
    answer = answers.answer
    assert answer is not None
    found = sum(one.final for one in answers.found.values())
    if answer.final and found == points:
        status.caption(f":material/check: {rests_on(answer)} Curves: {counted(points, 'point')}.")
        return
    first = "First answer from fewer jobs; the full run follows" if answer.preview else (
        f"Replication {answer.done} of at most {answer.most}"
    )  # fmt: skip
    status.progress(found / points, f"{first}. Curves: {found} of {points} points.")
