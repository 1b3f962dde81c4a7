"""The layout of the page: the answer at once, then the points of its curves as they are found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pages.decentralised.answer import Answer, Points
from pages.decentralised.charts import curves
from pages.decentralised.question import AXES, Axis, Curves
from pages.decentralised.setting import CENTRAL, Setting
from pages.decentralised.words import cards_of, losses, notices
from pages.shared.app.placeholders import body_and_foot
from pages.shared.app.runs import made_once
from pages.shared.live.drawing import Drawing, Screen, flowtimes
from pages.shared.live.follow import Snapshots, follow, is_final, rests_on
from pages.shared.live.layout import Layout
from sim.running.live import Snapshot
from sim.telling.words import counted

#: Points of one visitor computed at the same time, after the first answers of all visitors.
AT_ONCE, URGENCY = 2, 2


def show(curves: Curves, dark: bool, statistic: str) -> tuple[Answer, Screen] | None:
    """Follow the answer and the points, draw what is known, and return the last of it."""
    layout, last = Layout(), None
    body, foot = body_and_foot()
    known = follow(
        curves.requests, foot, partial(progress, len(curves.places)), at_once=AT_ONCE, urgency=URGENCY
    )
    for snapshots in known:
        answer = Answer(curves, snapshots)
        shown = screen(answer, dark, statistic)
        with body:
            layout.show(shown)
        last = answer, shown
    return last


def progress(points: int, snapshots: Snapshots) -> tuple[float, str]:
    """Return how many points of the curves are found, and how good the answer is."""
    answer, *others = snapshots
    if is_final(snapshots, 1 + points):
        return 1.0, f"{rests_on(answer)} {curves_rest_on(answer, others)}"
    found = sum(one.final for one in others)
    first = (
        "First answer from fewer jobs; the full run follows"
        if answer.preview
        else f"Replication {answer.done} of at most {answer.most}"
    )
    return found / points, f"{first}. Curves: {found} of {points} points."


def screen(answer: Answer, dark: bool, statistic: str) -> Screen:
    """Return what is shown of an answer, made once for all visitors."""
    known = tuple((one.done, one.preview) for one in answer.snapshots)
    key = ("decentralised", repr(answer.setting), *(axis.field for axis in answer.curves.axes), known)
    return made_once((*key, dark, statistic), partial(_screen, answer, dark, statistic))


def _screen(answer: Answer, dark: bool, statistic: str) -> Screen:
    probes = AXES["probes"]
    return Screen(
        cards_of(answer.comparison, statistic),
        drawings(answer, dark, statistic),
        notices(answer.comparison, answer.points(probes), probes, answer.setting, statistic),
        losses(answer.comparison, statistic),
    )


def drawings(answer: Answer, dark: bool, statistic: str) -> list[Drawing]:
    """Return the four charts of the page in their order, each made anew only if it shows more."""
    first, second = answer.curves.axes
    setting = answer.setting
    look = repr(setting), dark, statistic

    def curve(name: str, axis: Axis) -> Drawing:
        known = [(value, one.done) for value, one in answer.along(axis)]
        make = {"ratio": ratio_drawing, "price": price_drawing}[name]
        return made_once(
            (name, axis.field, known, *look),
            lambda: make(answer.points(axis), axis, setting, dark, statistic),
        )

    flowtime = made_once(
        ("flowtime", answer.first.done, answer.first.preview, *look),
        lambda: flowtimes(answer.comparison, dark),
    )
    return [curve("ratio", first), curve("ratio", second), flowtime, curve("price", first)]


def ratio_drawing(points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str) -> Drawing:
    """Draw the ratio along an axis."""
    return Drawing.of(
        f"Ratio to {CENTRAL} by {axis.name}",
        curves.ratio_chart(points, axis, setting, dark, statistic),
        curves.ratio_alt(points, axis, setting, statistic),
        curves.ratio_remark(axis, statistic),
        curves.not_drawn(points, axis, setting, statistic),
    )


def price_drawing(points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str) -> Drawing:
    """Draw the ratio against the messages it takes."""
    return Drawing.of(
        "Ratio to Central and messages sent",
        curves.price_chart(points, setting, dark, statistic),
        curves.price_alt(points, setting, statistic),
        curves.not_drawn(points, axis, setting, statistic),
    )


def curves_rest_on(answer: Snapshot, others: Sequence[Snapshot]) -> str:
    """Say what the points of the curves rest on: replications, and jobs where they have fewer."""
    whole, shorter = (
        next(iter(one.comparison.policies.values())).samples[0].jobs for one in (answer, others[0])
    )
    jobs = "the same jobs" if shorter == whole else f"the first {shorter:,} of the {whole:,} jobs"
    replications = counted(max(one.done for one in others), "replication")
    return f"Curves: {counted(len(others), 'point')} of {replications} each, on {jobs} with the same luck."
