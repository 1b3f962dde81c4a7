"""The layout of the tab Before and after: which runs are which, the answer, cards, charts, what to notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.logs.beforeafter.answer import Step, follow
from pages.logs.beforeafter.charts import account, jobs, parts
from pages.logs.beforeafter.controls import PAGE, PANEL
from pages.logs.beforeafter.details import show_details
from pages.logs.beforeafter.question import Request, read, runs_of, sample
from pages.logs.beforeafter.words import cards, notices, sentence
from pages.logs.controls import SECOND, own_logs
from pages.logs.leaving_out import groups_of
from pages.logs.question import Log
from pages.logs.words import whose
from pages.shared.app.placeholders import body_and_foot
from pages.shared.charts.on_page import is_dark
from pages.shared.controls import file_in_link
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.live.layout import Layout
from pages.shared.words.foreign import literal
from sim.advice.several import charts
from sim.telling.words import clipped, counted


def show(values: dict[str, Any]) -> None:
    """Show what changed between the runs that are looked at; raises `BadInput`."""
    logs = own_logs(values[file_in_link.NAME] or values[SECOND])
    columns = iter(st.columns([5, 3, 3], vertical_alignment="bottom")) if logs else iter(())
    sides = _sides(logs, values, next(columns)) if len(logs) > 1 else (logs, [])
    if len(logs) == 1 and file_in_link.same(file_in_link.text_of(logs[0].files()), values[SECOND]):
        sides = [], logs
    for name, side in zip((file_in_link.NAME, SECOND), sides, strict=True):
        files = [file for log in side for file in log.files()]
        if files or not file_in_link.is_of_link(PAGE, values[name], name):  # else a link still needs it
            values[name] = file_in_link.note(PAGE, files, values[name], name)
    if logs and not all(sides):
        PANEL.write(values)
        _ = [log.history for log in logs]  # what cannot be read is said before another one is asked for
        missing = "before" if sides[1] else "after"
        told = f"Drop the log of the run {missing}, too: two runs are compared."
        told = "Choose some of the runs as those after the change, and not all." if len(logs) > 1 else told
        st.info(literal(told), icon=":material/upload_file:")
        return
    if any(len(side) > 1 for side in sides):
        with next(columns):
            values["apart"] = PANEL.draw("apart")
    early, late = (runs_of(side, values["apart"]) if logs else [] for side in sides)
    asked = Request(early, late) if logs else sample(values["runs"])
    both = read(asked)
    if logs:  # of a sample nothing is to be left out
        with next(columns):
            groups = sorted({*groups_of(both.before), *groups_of(both.after)})
            values["leave_out"] = PANEL.draw("leave_out", offered=groups)
        if values["leave_out"]:
            both = read(asked := replace(asked, leave_out=values["leave_out"]))
    PANEL.write(values)
    layout, dark = Layout(), is_dark()
    body, foot = body_and_foot()
    first = asked.before[0]
    jobs_told = counted(len(both.change.found.jobs.names), "job")
    by_name = ", matched by their names: the logs should be runs of one application" if logs else ""
    st.caption(f"{whose(first)}{jobs_told} in all runs{by_name}", help=first.about or None)
    drawn: tuple[Step, Screen] | None = None
    try:
        for shown in follow(asked, both, foot):
            drawn = shown, screen(shown, dark)
            with body:
                layout.show(drawn[1])
    finally:
        if drawn is not None:
            show_details(*drawn)


def _sides(
    logs: Sequence[Log], values: Mapping[str, Any], column: DeltaGenerator
) -> tuple[list[Log], list[Log]]:
    """Draw which runs are those after the change; return those before, and these."""
    texts = {log.name: file_in_link.text_of(log.files()) for log in logs}
    listed, second = [*texts], values[SECOND]
    linked = file_in_link.is_of_link(PAGE, second, SECOND)
    late = [name for name, text in texts.items() if linked and file_in_link.same(text, second)]
    chosen = column.multiselect(
        "Runs after the change",
        listed,
        default=late or listed[len(logs) // 2 :],
        format_func=lambda one: clipped(one, 60),
        key=f"{PAGE}:after:{hash(tuple(texts.items()))}",
        help="The others are those before it. At first the later ones, by the times in them.",
    )
    return [log for log in logs if log.name not in chosen], [log for log in logs if log.name in chosen]


def screen(shown: Step, dark: bool) -> Screen:
    """Return what is shown of two runs."""
    return Screen(cards(shown), drawings(shown, dark), notices(shown), sentence(shown))


def drawings(shown: Step, dark: bool) -> list[Drawing]:
    """Draw the charts of these runs; charts without data are left out."""
    change, repeated = shown.both.change, shown.both.repeated
    listed: list[tuple[ModuleType, Any, bool]] = [
        (charts, change, bool(change.found.change)),
        (account, change.sides, change.sides.jobs > 0),
        (jobs, change.found, bool(change.found.change)),
        (parts, repeated, repeated is not None),
    ]
    return [Drawing.by(chart, part, dark) for chart, part, told in listed if told]
