"""Details below the charts: which copy ran where, tables, files, the scenario and formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

import sim
from pages.animation.show import show_animation
from pages.compare.charts.gantt import gantt, gantt_alt, timeline, window, window_note
from pages.compare.formulas import formulas, grouped
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import is_dark
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.control import STATISTICS
from pages.shared.controls.panel import drawer
from pages.shared.words import tables
from pages.shared.words.downloads import charts_page, downloads, json_text
from sim.running.animation import MOST_SLOTS
from sim.running.live import RunRequest, Snapshot
from sim.running.report import as_json, scenario_as_dict
from sim.shell.experiment import shell_line

#: Policies that are watched at the same time.
SCREENS = 2


def show_cluster(request: RunRequest) -> None:
    """Draw two of the policies at work on a cluster that is small enough to be watched."""
    experiment = request.experiment
    if experiment.scenario.slots > MOST_SLOTS:
        return
    st.header("Watch the cluster", anchor=False)
    seen = dict(zip(experiment.names, experiment.policies, strict=True))
    if len(seen) > SCREENS:
        columns = st.columns(SCREENS)
        chosen = [
            column.selectbox(label, list(seen), index=place, key=f"compare:{label}")
            for place, (column, label) in enumerate(zip(columns, ("Above", "Below"), strict=True))
        ]
        seen = {name: seen[name] for name in chosen}
    show_animation(replace(experiment, policies=tuple(seen.values()), baseline=0), st.container())


def show_slots(request: RunRequest, snapshot: Snapshot) -> None:
    """Draw the copies of the first replication under a policy that is chosen."""
    comparison = snapshot.comparison.in_words()
    samples = {
        name: result.samples[0] for name, result in comparison.policies.items() if result.samples[0].log.size
    }
    if not samples:
        return
    st.header("Which copy ran where", anchor=False)
    policy = st.segmented_control(
        "Policy", list(samples), default=next(iter(samples)), required=True, key="compare:policy"
    )
    line = made_once(
        (request.key, policy, "copies"),
        lambda: timeline(policy, samples[policy], comparison.scenario, request.experiment.workload(0)),
    )
    seen = window(line)
    end = round(seen.end, 2)
    label, step = f"Time ({comparison.scenario.time_unit})", round(max(end / 100, 0.01), 2)
    at = st.slider(
        label,
        0.0,
        end,
        end,
        step,
        key="compare:at",
        help="Step back to see what was known at that time. Arrow keys move it one step.",
    )
    dark = is_dark()
    moment = None if at >= end else at
    figure = made_once((request.key, policy, dark, moment, "gantt"), lambda: gantt(line, dark, at=moment))
    st.plotly_chart(figure, key="compare:copies", alt=gantt_alt(line, at=moment))
    st.caption(window_note(line))


def show_details(
    request: RunRequest,
    snapshot: Snapshot,
    preset: str,
    leading: str,
    figures: Mapping[str, SerializedFigure],
) -> None:
    """Draw everything that is not needed at first sight."""
    comparison = snapshot.comparison
    named = comparison.in_words()
    key = ("table", request.key, snapshot.done)  # no number of these tables depends on the baseline
    st.header("All numbers", anchor=False)
    numbers = made_once((*key, "policies"), lambda: tables.as_arrow(tables.by_policy(named)))
    st.dataframe(numbers, hide_index=True, column_config=tables.helps(numbers))
    statistic = st.segmented_control(
        "Flowtime by size of job",
        list(STATISTICS),
        default=leading,
        required=True,
        key=f"compare:statistic:{leading}",
        format_func=STATISTICS.__getitem__,
        help="A policy that helps the mean may hurt the large jobs.",
    )
    sizes = made_once((*key, statistic), lambda: tables.as_arrow(tables.by_class(named, statistic)))
    st.dataframe(sizes, hide_index=True)
    line = shell_line(preset, request.experiment, request.effort)

    def everything() -> str:
        return json_text(as_json(comparison, sim.__version__, line))

    downloads(
        ("Numbers (CSV)", "comparison.csv", lambda: tables.csv(comparison)),
        ("Everything (JSON)", "comparison.json", everything),
        ("Charts (HTML)", "charts.html", lambda: charts_page(figures)),
    )
    if box := drawer(
        "compare", "scenario", "The exact scenario, and the shell line that repeats it", ":material/terminal:"
    ):
        box.code(line, language="bash", wrap_lines=True)
        fields = scenario_as_dict(comparison.scenario)
        box.dataframe(pd.DataFrame({"value": {name: str(value) for name, value in fields.items()}}))
    if box := drawer("compare", "formulas", "Formulas", ":material/function:"):
        for told, variants in grouped(formulas(comparison)).items():
            box.markdown(f"**{told.name}.** {told.sentence}")
            for latex in variants:
                box.latex(latex)
            if told.source:
                box.caption(told.source)
