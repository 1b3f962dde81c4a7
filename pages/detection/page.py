"""Detection: whether to clone every task at once, or to wait and copy stragglers when they are seen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.detection import charts
from pages.detection.formulas import write_formulas
from pages.detection.question import MOST_COPIES, Question
from pages.detection.setting import (
    HORIZON,
    JOBS,
    MACHINES,
    SLOTS,
    STARTS,
    Rules,
    at_scale,
    policies,
    request,
    span,
)
from pages.detection.smart_cloning import NAMES, Waiting, solution
from pages.detection.words import about_plan, cards, notices, plan_table, readings, remarks, too_many
from pages.shared.charts.side_by_side import side_by_side
from pages.shared.charts.theme import is_dark
from pages.shared.controls.dials import Dial, choice, say, switch
from pages.shared.controls.drawers import drawer
from pages.shared.controls.links import Entry, key, open_link
from pages.shared.controls.starts import choose_start, read_controls
from pages.shared.live.race import Race, cards_with_room, flowtimes_and_resources, leader, run
from pages.shared.words.numbers import number

PAGE = "detection"
MAIN = (
    Dial("alpha", "Tail index α of task times", 1.1, 5.0, 0.05, "The smaller, the worse the stragglers."),
    Dial("omega", "Offered load ω", 0.05, 1.7, 0.05, "Share of the slots busy if every task ran once."),
    Dial("sigma", "Threshold σ (mean task times)", 0.1, 4.0, 0.05, "A straggler has more than this left."),
    Dial("copies", "Copies of a straggler c", 2, MOST_COPIES, 1, "With the original."),
    Dial("share", "Work done when looked at s", 0.0, 0.9, 0.05, "Remaining times are known from then on."),
)
RULES = (
    Dial("delta", "Mantri's probability δ", 0.0, 0.95, 0.05, "It copies if P(t_rem > 2 t_new) exceeds it."),
    Dial("xi", "Small jobs of ESE: mean task time below ξ", 0.5, 5.0, 0.5, "1 in the paper: none is."),
    Dial("seed", "Seed of all luck", 1, 100, 1),
)
PLAN = (
    Dial("N", "Free machines N", 20, 400, 5),
    *(Dial(f"m{name}", f"Tasks of job {name}", 1, 60, 1) for name in NAMES),
)
FIG1 = (100, 10, 20, 5, 10)
GAMMAS = {text: float(text) for text in ("0", "0.001", "0.01", "0.1", "1")}
STEPS = {text: float(text) for text in ("0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5")}


def entries(given: Mapping[str, str]) -> list[Entry]:
    """Return the page's entries; the defaults are those of the start that is named."""
    start = STARTS.get(given.get("start", "fig2"), STARTS["fig2"])
    others = {"delta": 0.25, "seed": 1}
    return [
        choice("start", STARTS, "fig2"),
        *(dial.entry(others.get(dial.name, getattr(start, dial.name, 0))) for dial in (*MAIN, *RULES)),
        *(dial.entry(default) for dial, default in zip(PLAN, FIG1, strict=True)),
        choice("gamma", GAMMAS, "0.01"),
        choice("eta", STEPS, "0.2"),
        switch("slotted", True),
    ]


messages = open_link(PAGE, entries)
with st.sidebar:
    choose_start(PAGE, STARTS, entries)
    for dial in MAIN:
        dial.draw(PAGE)
    if box := drawer(PAGE, "rules", "The rules simulated", ":material/tune:"):
        with box:
            for dial in RULES:
                dial.draw(PAGE)
            st.toggle(
                "Decide once per unit of time",
                key=key(PAGE, "slotted"),
                help="As in the paper. Else at once.",
            )
    if box := drawer(PAGE, "plan", "Smart cloning (P2)", ":material/grid_view:"):
        with box:
            st.select_slider("Weight of machine time γ", list(GAMMAS), key=key(PAGE, "gamma"))
            for dial in PLAN:
                dial.draw(PAGE)
            st.select_slider(
                "Step η₁ of the iteration", list(STEPS), key=key(PAGE, "eta"), help="0.2 in Fig. 1."
            )
values = read_controls(PAGE, entries, (*MAIN, *RULES, *PLAN))
asked = Question(
    values["alpha"], values["omega"], values["sigma"], values["copies"], values["share"], values["delta"]
)
rules = Rules(GAMMAS[values["gamma"]], values["xi"], values["slotted"], values["seed"])
waiting = Waiting(tuple(values[f"m{name}"] for name in NAMES), values["N"], asked.alpha, rules.gamma)

say(messages)
st.title("Clone at once, or wait and see?", anchor=False)
st.markdown(
    "Copies launched **with** a task never come late, but most are wasted. Copies of **detected** stragglers "
    "are seldom wasted, but come late."
)
headline = cards_with_room(cards(asked), "Fastest, simulated")
dark = is_dark()
side_by_side(
    cutoff=(
        "Up to which load cloning everything pays",
        charts.cutoff_chart(asked, dark),
        charts.cutoff_alt(asked),
    ),
    resource=(
        "From when on a straggler is worth its copies",
        charts.resource_chart(asked, dark),
        charts.resource_alt(asked),
    ),
)
st.caption(
    "Theory, no simulation: Pareto task times. Left: every machine a queue of its own, mean task times of "
    "jobs uniform on [1, 4]. Right: one task, copies start at once when it is detected; open marks are the "
    "best thresholds σ*."
)
st.markdown("**What to notice**\n\n" + "\n".join(f"- {notice}" for notice in notices(asked)))

st.subheader("How many clones, if there is room for all?", anchor=False)
if waiting.fits:
    found = solution(waiting, STEPS[values["eta"]])
    side_by_side(
        copies=(
            f"Copies for four waiting jobs on {waiting.machines} free machines",
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
        "Theory, no simulation: problem P2 of the paper, duration plus γ times machine time, with at most 8 "
        f"copies of a task; shortest task times 1, 2, 1, 2. γ = {values['gamma']}, price of a machine "
        f"{number(found.real.price)}."
    )
    st.markdown("\n".join(f"- {notice}" for notice in about_plan(found)))
    st.table(plan_table(found), border="horizontal")
else:
    st.info(too_many(waiting), icon=":material/info:")

st.subheader("And in a cluster?", anchor=False)
st.caption(
    f"Simulated with {SLOTS:,} slots and {JOBS:,} jobs a replication, which arrive in about "
    f"{number(span(asked))} units of time; the paper has {MACHINES:,} and {HORIZON:,} units. Jobs of 1 to "
    "100 tasks, mean task times from 1 to 4 units."
    + (" The run ends with the last arrival, since the load exceeds the slots." if asked.load >= 1 else "")
)
run(
    Race(
        PAGE, request(asked, rules), tuple(policies(asked, rules)), at_scale(asked, rules), "xu-lau-fig2",
        partial(remarks, asked=asked, rules=rules), readings(asked),
        flowtimes_and_resources, leader,
    ),
    headline,
)  # fmt: skip
if box := drawer(PAGE, "formulas", "The formulas", ":material/function:"):
    write_formulas(box)
