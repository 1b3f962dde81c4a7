"""Controls of the Allocation page: an instance to start from, its numbers, and the table of jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from pages.formulas.allocation.question import (
    COLUMNS,
    RULES,
    Rows,
    as_frame,
    from_frame,
    read_rows,
    write_rows,
)
from pages.formulas.tab import BETA, SLOTS, UNFAIRNESS
from pages.shared.controls.control import Control, OneOf, Panel, Start, Switch, start_control
from pages.shared.controls.links import remember
from sim.telling.words import counted, listed, plain

# Instances of the Allocation page: jobs and slots that show one thing each.

PIPELINES = "12:4,60:1,96:0.25"


def instance(title: str, jobs: str, **values: Any) -> Start:
    """Return an instance with jobs as a link writes them, and other values of the page's controls."""
    return Start(title, {"jobs": read_rows(jobs), **values})


def as_printed(title: str, jobs: str, **values: Any) -> Start:
    """Return an instance that shows what the papers' printed rules do."""
    return instance(f"As printed: {title}", jobs, printed=True, **values)


INSTANCES = {
    "spare": instance("Slots to spare", "5,20,50", S=120),
    "short": instance("Slots are short", "10,20,40", S=60),
    "many": instance("Twelve jobs, one of them huge", "1,1,2,2,3,4,6,9,15,30,60,120", S=220, epsilon=0.8),
    "dag": instance("Pipelines: jobs with weights", PIPELINES, S=200, pour="Exact optimum"),
    "greedy": instance("Pipelines: a tiny weight", "12:0.01,60:1", S=16, pour="Algorithm 3"),
    "drop": instance("Pipelines: a job loses all", "12:0.25,60:1", S=17, pour="Algorithm 3"),
    "count": as_printed("the wrong jobs", "30,52.5"),
    "few": as_printed("fewer slots than jobs", "0.075,0.6375", S=1),
    "pass": as_printed("one projection", "36,36,36", beta=1.6, epsilon=0.1, pour="Projection"),
    "gap": as_printed("no case applies", PIPELINES, S=140, pour="Algorithm 3"),
    "both": as_printed("two cases apply", PIPELINES, S=300, pour="Algorithm 3"),
    "early": as_printed("a weight too early", "12:4,60:1,96:0.9", S=130, pour="Algorithm 3"),
}


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
