"""Detection: whether to clone every task at once, or to wait and copy stragglers when they are seen."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.detection import charts
from pages.detection.controls import GAMMA, MAIN, PANEL, RULES, SLOTTED, STEP, WAITING
from pages.detection.formulas import write_formulas
from pages.detection.question.detection import Question
from pages.detection.question.smart_cloning import NAMES, Waiting, solution
from pages.detection.setting import HORIZON, JOBS, MACHINES, SLOTS, Rules, at_scale, policies, scenario, span
from pages.detection.words.answer import by_theory, simulated_answer
from pages.detection.words.remarks import (
    about_plan,
    cards,
    notices,
    plan_table,
    readings,
    remarks,
    too_many,
)
from pages.shared.charts.on_page import is_dark, side_by_side
from pages.shared.controls.links import show_messages
from pages.shared.controls.panel import drawer, names
from pages.shared.live.drawing import Drawing, flowtimes, resources
from pages.shared.live.simulation import Simulation, cards_with_placeholder, leader, run
from pages.shared.words.foreign import show_info
from pages.shared.words.numbers import noticed, number, plain
from sim.interval_reliability import leading
from sim.result import Comparison


def draw(comparison: Comparison, dark: bool) -> list[Drawing]:
    """Draw how flowtimes and slot-times of jobs are distributed."""
    note = ", simulated"
    return [
        flowtimes(comparison, dark, note=note),
        resources(comparison, dark, note=note),
    ]


messages = PANEL.open()
values = PANEL.values()
with st.sidebar:
    PANEL.draw_start()
    PANEL.draw_all(MAIN)
    if box := drawer(PANEL.page, "rules", "The rules simulated", ":material/tune:", names((*RULES, SLOTTED))):
        with box:
            PANEL.draw_all((*RULES, SLOTTED))
    if box := drawer(
        PANEL.page, "plan", "Smart cloning (P2)", ":material/grid_view:", names((GAMMA, *WAITING, STEP))
    ):
        with box:
            PANEL.draw_all((GAMMA, *WAITING, STEP))
PANEL.write(values)

asked = Question(
    values["alpha"], values["omega"], values["sigma"], values["copies"], values["share"], values["delta"]
)
rules = Rules(values["gamma"], values["xi"], values["slotted"], values["seed"])
waiting = Waiting(tuple(values[f"m{name}"] for name in NAMES), values["N"], asked.alpha, rules.gamma)

show_messages(messages)
st.title("Clone at once, or wait and see?", anchor=False)
top = cards_with_placeholder(by_theory(asked), cards(asked), "Fastest, simulated")
dark = is_dark()
side_by_side(
    cutoff=(
        "Up to which load cloning everything pays",
        charts.cutoff_chart(asked, dark),
        charts.cutoff_alt(asked),
    ),
    resource=(
        "When does copying a straggler pay?",
        charts.resource_chart(asked, dark),
        charts.resource_alt(asked),
    ),
)
st.caption(
    "Copies launched with a task never come late, but most are wasted. Copies of detected stragglers are "
    "seldom wasted, but come late. Theory, no simulation: Pareto task times. "
    "Left: every slot a queue of its own, mean task times of "
    "jobs uniform on [1, 4]. Right: one task, copies start at once when it is detected; open marks are the "
    "best thresholds σ*."
)
st.markdown(noticed(notices(asked)))

st.header("How many clones, if there is room for all?", anchor=False)
if waiting.fits:
    found = solution(waiting, values["eta"])
    side_by_side(
        copies=(
            f"Copies for four waiting jobs on {waiting.machines} free slots",
            charts.copies_chart(found, dark),
            charts.copies_alt(found),
        ),
        path=(
            "The paper's iteration, as printed and mended",
            charts.path_chart(found, dark),
            charts.path_alt(found),
        ),
    )
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
    f"Simulated with {SLOTS:,} slots and {JOBS:,} jobs per replication, which arrive in about "
    f"{number(span(asked))} units of time; the paper has {MACHINES:,} and {HORIZON:,} units. Jobs of 1 to "
    "100 tasks, mean task times from 1 to 4 units."
    + (" The run ends with the last arrival, since the load exceeds the slots." if asked.load >= 1 else "")
)
simulated = scenario(asked, rules)
statistic = PANEL.draw("statistic", by_law=leading(simulated))
run(
    Simulation(
        PANEL.page, policies(asked, rules), simulated, at_scale(asked, rules),
        "xu-lau-fig2", partial(remarks, asked=asked, rules=rules, statistic=statistic), readings(asked),
        draw, partial(leader, wanted=statistic), partial(simulated_answer, statistic=statistic), statistic,
    ),
    top,
)  # fmt: skip
if box := drawer(PANEL.page, "formulas", "The formulas", ":material/function:"):
    write_formulas(box)
