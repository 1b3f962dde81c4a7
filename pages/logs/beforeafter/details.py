"""Details below the charts: tables, files, the shell line, how it is worked out."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.logs.beforeafter import words
from pages.logs.beforeafter.answer import Step
from pages.logs.beforeafter.formulas import FORMULAS
from pages.logs.words import column_format
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Screen
from pages.shared.words.downloads import charts_page, downloads, json_text
from pages.shared.words.formulas import show_formulas
from sim.several.report import after_json, repeated_json
from sim.traces.sheet import as_csv

#: Rows shown; files have all.
MOST = 1_000
_LINES = """python -m sim after BEFORE AFTER --json -
python -m sim repeated RUN RUN... --json -
python -m sim gate BEFORE AFTER --fail-if 'p95 > +10%' --junit gate.xml"""


def show_details(shown: Step, screen: Screen) -> None:
    """Draw everything that is not needed at first sight."""
    both = shown.both
    change, slow = words.changes(both.change), words.slow(both.repeated)
    _show_table("What changed", change)
    _show_table("Tasks that are slow in every run", slow)
    both_json = {
        "after": after_json(both.change),
        "repeated": repeated_json(both.repeated) if both.repeated else None,
    }
    downloads(
        ("Changes (CSV)", "changes.csv", lambda: as_csv(change)),
        ("Slow tasks (CSV)", "slow_tasks.csv", lambda: as_csv(slow)),
        ("Everything (JSON)", "before_and_after.json", lambda: json_text(both_json)),
        ("Charts (HTML)", "before_and_after.html", lambda: charts_page(screen.figures)),
    )
    if box := drawer(
        "beforeafter", "settings", "Settings that differ, and the shell lines", ":material/terminal:"
    ):
        box.code(_LINES, language="bash")
        if both.change.settings:
            box.dataframe(words.settings(both.change), hide_index=True)
        else:
            box.markdown("The logs name no setting that differs.")
    show_formulas("beforeafter", FORMULAS, "How the numbers are made")


def _show_table(title: str, table: pd.DataFrame) -> None:
    if table.empty:
        return
    st.header(title, anchor=False)
    columns = {
        name: st.column_config.NumberColumn(format=column_format(table[name], 1))
        for name in table.select_dtypes("float").columns
    }
    st.dataframe(table.head(MOST), hide_index=True, column_config=columns, placeholder="–", alt=title)
    if len(table) > MOST:
        st.caption(f"{MOST:,} of {len(table):,} rows; the file has all.")
