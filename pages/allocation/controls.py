"""The table of jobs as a control: typed into, kept between pages, and set by a link or an instance."""

from __future__ import annotations

import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from pages.allocation.jobs_table import COLUMNS, Rows, as_frame, from_frame
from pages.shared.controls.links import key, remember

NAME = "jobs"
HELP = {
    "T": "Tasks left, from 0 to 1000.",
    "α": "DAG weight: downstream work per task left. Empty: T'/T, or 1.",
    "T'": "Downstream work. Empty: αT.",
}


def edit_jobs(page: str) -> Rows:
    """Draw the table and return its rows, with what cannot be used as well.

    A table keeps what is typed as changes to the rows it was made with. So it is made anew when the rows
    come from elsewhere, and when the visitor comes back from another page, where Streamlit forgets changes.
    """
    session = st.session_state
    rows: Rows = session[key(page, NAME)]
    edition = session.get(f"{page}:edition", 0)
    if rows != session.get(f"{page}:edited") or key(page, f"table{edition}") not in session:
        edition += 1
        session[f"{page}:edition"], session[f"{page}:base"] = edition, rows
    columns = {"Job": TextColumn("Job", disabled=True, width=38)}
    columns |= {name: NumberColumn(name, help=HELP[name], format="plain", width=55) for name in COLUMNS}
    frame = st.data_editor(
        as_frame(session[f"{page}:base"]),
        key=key(page, f"table{edition}"),
        column_config=columns,
        num_rows="dynamic",
        hide_index=True,
        placeholder="",
    )
    edited = from_frame(frame)
    session[f"{page}:edited"] = edited
    remember(page, NAME, edited)
    return edited
