"""Detection: whether to clone every task at once, or to wait and copy stragglers when they are seen."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.formulas.detection import charts
from pages.formulas.detection.controls import GAMMA, MAIN, PANEL, RULES, SLOTTED, STEP, WAITING
from pages.formulas.detection.formulas import FORMULAS
from pages.formulas.detection.question.detection import Request
from pages.formulas.detection.question.smart_cloning import NAMES, Waiting, solution
from pages.formulas.detection.setting import (
    HORIZON,
    JOBS,
    MACHINES,
    SLOTS,
    Rules,
    at_scale,
    policies,
    scenario,
    span,
)
from pages.formulas.detection.words import (
    about_plan,
    by_theory,
    cards,
    notices,
    plan_table,
    readings,
    remarks,
    simulated_answer,
    too_many,
)
from pages.formulas.simulation import Simulation, cards_with_placeholder, leader, run
from pages.shared.charts.on_page import side_by_side
from pages.shared.controls.panel import filled
from pages.shared.live.drawing import Drawing, flowtimes, resources
from pages.shared.words.foreign import noticed, show_info
from pages.shared.words.formulas import show_formulas
from sim.interval_reliability import leading
from sim.result import Comparison
from sim.telling.words import number, plain


def draw(comparison: Comparison, dark: bool, statistic: str) -> list[Drawing]:
    """Draw how flowtimes and slot-times of jobs are distributed, whatever is led with."""
    return [kind(comparison, dark, note=", simulated") for kind in (flowtimes, resources)]


values = PANEL.begin()
with st.sidebar:
    PANEL.draw_start()
    PANEL.draw_all(MAIN)
    PANEL.draw_folded("rules", "The rules simulated", "tune", (*RULES, SLOTTED))
    PANEL.draw_folded("plan", "Smart cloning (P2)", "grid_view", (GAMMA, *WAITING, STEP))
PANEL.write(values)

asked = filled(Request, values, load=values["omega"])
rules = filled(Rules, values)
tasks = tuple(values[f"m{name}"] for name in NAMES)
waiting = filled(Waiting, values, tasks=tasks, machines=values["N"])

st.title("Clone at once, or wait and see?", anchor=False)
top = cards_with_placeholder(by_theory(asked), cards(asked), "Fastest, simulated")
side_by_side(asked, cutoff=charts.CUTOFF, resource=charts.RESOURCE)
st.caption(
    "Copies launched with a task never come late, but most are wasted. Copies of detected stragglers are "
    "seldom wasted, but come late. Theory, no simulation: Pareto task times. Left: every slot a queue of its "
    "own, mean task times of jobs uniform on [1, 4]. Right: one task, copies start at once when it is "
    "detected; open marks are the best thresholds σ*."
)
st.markdown(noticed(notices(asked)))

st.header("How many clones, if there is room for all?", anchor=False)
if waiting.fits:
    found = solution(waiting, values["eta"])
    side_by_side(found, copies=charts.COPIES, path=charts.PATH)
    st.caption(
        "Theory, no simulation: problem P2 of the paper, duration plus γ times slot-time, with at most 8 "
        f"copies of a task; shortest task times 1, 2, 1, 2. γ = {plain(values['gamma'])}, price of a slot "
        f"{number(found.real.price)}."
    )
    st.markdown("\n".join(f"- {notice}" for notice in about_plan(found)))
    st.table(plan_table(found), border="horizontal")
else:
    show_info(too_many(waiting))

st.header("And in a cluster?", anchor=False)
st.caption(
    f"Simulated with {SLOTS:,} slots that share one queue, and {JOBS:,} jobs per replication, which arrive "
    f"in about {number(span(asked))} units of time; the paper has {MACHINES:,} and {HORIZON:,} units. Jobs "
    "of 1 to 100 tasks, mean task times from 1 to 4 units."
    + (" The run ends with the last arrival, since the load exceeds the slots." if asked.load >= 1 else "")
)
simulated = scenario(asked, rules)
statistic = PANEL.draw("statistic", by_law=leading(simulated))
run(
    Simulation(
        page=PANEL.page,
        policies=policies(asked, rules),
        scenario=simulated,
        full=at_scale(asked, rules),
        start="xu-lau-fig2",
        remarks=partial(remarks, asked=asked, rules=rules),
        theory=readings(asked),
        draw=draw,
        headline=leader,
        answer=simulated_answer,
        statistic=statistic,
    ),
    top,
)
show_formulas(PANEL.page, FORMULAS, errata=True)
