"""Controls of the Allocation page: an instance to start from, its numbers, and the table of jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from pages.formulas.allocation.question.jobs import COLUMNS, Rows, as_frame, from_frame, read_rows, write_rows
from pages.formulas.allocation.question.shares import RULES
from pages.formulas.allocation.setting import INSTANCES
from pages.formulas.letters import BETA, SLOTS, UNFAIRNESS
from pages.shared.controls.control import Control, OneOf, Switch
from pages.shared.controls.links import remember
from pages.shared.controls.panel import Panel, start_control
from sim.telling.words import counted, listed, plain

PAGE = "allocation"
HELP = {
    "T": "Tasks left, from 0 to 1000.",
    "α": "DAG weight: downstream work per task left. Empty: T'/T, or 1.",
    "T'": "Downstream work. Empty: αT.",
}


@dataclass(frozen=True, slots=True)
class JobRows:
    """The rows of the table of jobs: typed into, kept between pages, and set by a link or an instance."""

    def read(self, name: str, text: str) -> Rows:
        """Return the rows of a link."""
        return read_rows(text)

    def write(self, value: Rows) -> str:
        """Return the rows that can be used as a link has them."""
        return write_rows(value)

    def show(self, value: Rows) -> str:
        """Return the jobs in words.

        Examples
        --------
        >>> JobRows().show(JobRows().read("jobs", "7,8:2"))
        '2 jobs with 7 and 8 tasks left'
        """
        tasks = [plain(row.T) for row in value if row.T is not None]
        return f"{counted(len(tasks), 'job')} with {listed(tasks)} tasks left"

    def draw(self, label: str, *, key: str, **options: Any) -> Rows:
        """Draw the table and return its rows, with what cannot be used as well.

        A table keeps what is typed as changes to the rows it was made with. So it is made anew when the rows
        come from elsewhere, and when the visitor comes back from another page, where Streamlit forgets
        changes.
        """
        session = st.session_state
        rows: Rows = session[key]
        edition = session.get(f"{key}:edition", 0)
        if rows != session.get(f"{key}:edited") or f"{key}:table{edition}" not in session:
            edition += 1
            session[f"{key}:edition"], session[f"{key}:base"] = edition, rows
        columns = {"Job": TextColumn("Job", disabled=True, width=34)}
        columns |= {name: NumberColumn(name, help=HELP[name], format="plain", width=44) for name in COLUMNS}
        st.markdown(label)
        frame = st.data_editor(
            as_frame(session[f"{key}:base"]),
            key=f"{key}:table{edition}",
            column_config=columns,
            num_rows="dynamic",
            hide_index=True,
            placeholder="",
        )
        edited = from_frame(frame)
        session[f"{key}:edited"] = edited
        remember(PAGE, "jobs", edited)
        return edited


PANEL = Panel(
    PAGE,
    (
        start_control("instance", INSTANCES, "spare"),
        replace(SLOTS, about="To share among the jobs."),
        BETA,
        UNFAIRNESS,
        Control("printed", "As the papers print it", Switch(), False),  # which only a link sets
        Control("pour", "Show shares under", OneOf(tuple(rule.name for rule in RULES)), "Algorithm 2"),
        Control("jobs", "**Jobs** (the last row adds one)", JobRows(), read_rows("5,20,50")),
    ),
    INSTANCES,
)
