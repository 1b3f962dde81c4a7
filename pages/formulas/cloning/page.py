"""Cloning: how many clones keep a job free of outliers, and what they do to a cluster."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.formulas.cloning import charts
from pages.formulas.cloning.controls import MAIN, MORE, PANEL
from pages.formulas.cloning.formulas import FORMULAS
from pages.formulas.cloning.question import Request
from pages.formulas.cloning.setting import JOBS, PAPER, SLOTS, Cluster, at_scale, policies, scenario
from pages.formulas.cloning.words import (
    by_theory,
    cards,
    notices,
    readings,
    remarks,
    simulated_answer,
    small_headline,
)
from pages.formulas.simulation import Simulation, cards_with_placeholder, run
from pages.shared.charts.on_page import side_by_side
from pages.shared.controls.panel import filled
from pages.shared.live.drawing import Drawing, flowtimes
from pages.shared.words.foreign import noticed
from pages.shared.words.formulas import show_formulas
from sim.interval_reliability import leading
from sim.result import Comparison


def draw(comparison: Comparison, dark: bool, statistic: str) -> list[Drawing]:
    """Draw the gain by size of job, and the distribution of flowtimes."""
    sizes = Drawing.of(
        "Gain by tasks of a job, simulated",
        charts.size_chart(comparison, dark, statistic),
        charts.size_alt(comparison, statistic),
        charts.size_remark(comparison),
    )
    return [sizes, flowtimes(comparison, dark, note=", simulated")]


values = PANEL.begin()
with st.sidebar:
    PANEL.draw_start()
    PANEL.draw_all(MAIN)
    PANEL.draw_folded("more", "Outliers and learning", "tune", MORE)
PANEL.write(values)

asked = filled(Request, values)
cluster = filled(Cluster, values, load=values["omega"])

st.title("Should I clone small jobs?", anchor=False)
top = cards_with_placeholder(by_theory(asked), cards(asked), "Small jobs, simulated")
side_by_side(asked, outliers=charts.OUTLIERS, copies=charts.COPIES)
st.caption(
    "A job waits for its slowest task. Clones from the start make a slow one unlikely, and small jobs need "
    "few slots for them. Theory, no simulation: a copy is an outlier with probability p, independently of "
    "all others."
)
st.markdown(noticed(notices(asked)))

st.header("And in a cluster?", anchor=False)
st.caption(
    f"Simulated with {SLOTS:,} slots and {JOBS:,} jobs per replication; the paper replays a trace of a "
    "cluster of thousands. Four jobs in five have fewer than 10 tasks, the largest 200. A task takes one "
    "unit on a healthy slot; LATE and Mantri learn its remaining time once stragglers can be detected; Dolly "
    "does not use it."
)
simulated = scenario(asked, cluster)
by_law = leading(simulated)  # the median job is so small that it has no outlier under any rule
statistic = PANEL.draw("statistic", by_law="p95" if by_law == "p50" else by_law)
run(
    Simulation(
        page=PANEL.page,
        policies=policies(asked, cluster),
        scenario=simulated,
        full=at_scale(asked, cluster),
        start=PAPER,
        remarks=partial(remarks, cluster=cluster),
        theory=readings(asked),
        draw=draw,
        headline=small_headline,
        answer=simulated_answer,
        statistic=statistic,
        whose=" of all jobs",
    ),
    top,
)
show_formulas(PANEL.page, FORMULAS, errata=True)
