"""What stands below the charts: tables, the scenario, the shell line, and everything as files."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

import sim
from pages.compare.formulas import formulas
from pages.shared.app.runs import made_once
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.drawers import drawer
from pages.shared.words import tables
from pages.shared.words.downloads import charts_page, downloads, json_text
from sim.command import shell_line
from sim.live import RunRequest, Snapshot
from sim.report import as_json, scenario_as_dict

STATISTICS = {"mean": "Mean", "p50": "Median", "p95": "95th percentile"}


def show_details(
    request: RunRequest, snapshot: Snapshot, preset: str, figures: Mapping[str, SerializedFigure]
) -> None:
    """Draw everything that is not needed at first sight."""
    comparison = snapshot.comparison
    key = ("table", request.key, snapshot.done)  # no number of these tables depends on the baseline
    st.subheader("All numbers", anchor=False)
    numbers = made_once((*key, "policies"), lambda: tables.as_arrow(tables.by_policy(comparison)))
    st.dataframe(numbers, hide_index=True)
    statistic = st.segmented_control(
        "Flowtime by size of job", list(STATISTICS), default="mean", required=True, key="compare:statistic",
        format_func=STATISTICS.__getitem__, help="A policy that helps the mean may hurt the large jobs.",
    )  # fmt: skip
    sizes = made_once((*key, statistic), lambda: tables.as_arrow(tables.by_class(comparison, statistic)))
    st.dataframe(sizes, hide_index=True)
    line = shell_line(
        preset, request.experiment, replications=request.replications, precision=request.precision
    )

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
        for formula in formulas(comparison):
            box.markdown(f"**{formula.name}.** {formula.sentence}")
            box.latex(formula.latex)
            if formula.source:
                box.caption(formula.source)
