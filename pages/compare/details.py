"""What stands below the charts: tables, the scenario, the shell line, and everything as files."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

import sim
from pages.compare.formulas import formulas
from pages.shared.app.runs import shelf
from pages.shared.controls.drawers import drawer
from pages.shared.words import tables
from sim.command import shell_line
from sim.live import RunRequest, Snapshot
from sim.report import as_json, scenario_as_dict

STATISTICS = {"mean": "Mean", "p50": "Median", "p95": "95th percentile"}


def show_details(request: RunRequest, snapshot: Snapshot, preset: str, figures: dict[str, Any]) -> None:
    """Draw everything that is not needed at first sight."""
    comparison = snapshot.comparison
    stamp = (request.key, snapshot.done)  # no number of these tables depends on the baseline
    st.subheader("All numbers", anchor=False)
    numbers = shelf().get((stamp, "policies"), lambda: as_arrow(tables.by_policy(comparison)))
    st.dataframe(numbers, hide_index=True)
    statistic = st.segmented_control(
        "Flowtime by size of job", list(STATISTICS), default="mean", required=True, key="compare:statistic",
        format_func=STATISTICS.__getitem__, help="A policy that helps the mean may hurt the large jobs.",
    )  # fmt: skip
    sizes = shelf().get((stamp, statistic), lambda: as_arrow(tables.by_class(comparison, statistic)))
    st.dataframe(sizes, hide_index=True)
    line = shell_line(
        preset, request.experiment, replications=request.replications, precision=request.precision
    )
    _files(comparison, line, figures)
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


def as_arrow(table: pd.DataFrame) -> pa.Table:
    """Return a table as it is sent, so that it is made once for everybody."""
    return pa.Table.from_pandas(table.reset_index(), preserve_index=False)


def _files(comparison: Any, line: str, figures: dict[str, Any]) -> None:
    """Offer the results as files, made when they are asked for."""
    with st.container(horizontal=True):
        st.download_button(
            "Numbers (CSV)", lambda: tables.csv(comparison), "comparison.csv", "text/csv", on_click="ignore",
            icon=":material/download:",
        )  # fmt: skip
        st.download_button(
            "Everything (JSON)", lambda: json.dumps(as_json(comparison, sim.__version__, line), indent=1),
            "comparison.json", "application/json", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        st.download_button(
            "Charts (HTML)", lambda: as_page(figures), "charts.html", "text/html", on_click="ignore",
            icon=":material/download:", help="One file with all charts, to zoom and to save as pictures.",
        )  # fmt: skip


def as_page(figures: dict[str, Any]) -> str:
    """Return the charts as one page that needs no network."""
    parts: list[str] = []
    for title, figure in figures.items():
        drawn = figure.figure.to_html(full_html=False, include_plotlyjs=not parts)
        parts.append(f"<h2>{title}</h2>{drawn}")
    return f'<!doctype html><meta charset="utf-8"><title>straggler-lab</title>{"".join(parts)}'
