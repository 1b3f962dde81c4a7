"""The Threshold tab: why there is a point from which another slot is worth less."""

from __future__ import annotations

import streamlit as st

from pages.formulas.tab import Reading, Tab, Values
from pages.formulas.threshold import words
from pages.formulas.threshold.charts import RATES, VALUES, slot_limit
from pages.formulas.threshold.controls import OTHERS, PANEL
from pages.formulas.threshold.question import NAMES, Scene, SlotValue, scene
from pages.formulas.threshold.words import curves, job_columns
from pages.shared.words.tables import Equation
from sim.telling.words import counted
from theory.service_rate import blow_up, marginal_rate

FORMULAS = (
    "A job of $T$ tasks holds $S$ slots and runs $k$ copies of each task it serves:",
    Equation(blow_up, begin=r"\mu(S) = \min(S, kT)\, B(k), \qquad "),
    r"The best $k$ is $\theta = \max(1, 2/\beta)$ up to the threshold $\theta T$, and $S/T$ beyond. So, with "
    r"$\kappa = B(\theta)$,",
    Equation(marginal_rate),
    r"For $\beta \le 2$ both agree at $S = \theta T$, so that the value of a slot is continuous. With "
    r"whole copies $c$ the rate is the least concave function above the points $(cT,\ cT\,B(c))$, whose "
    r"slope is a staircase: $\frac{1}{c(c+1)(\beta-1)}$ from $c$ to $c + 1$ slots per task.",
    "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, equations (1) to (4).",
)


def ask(values: Values) -> Scene:
    """Return the jobs and their curves; the printed formula differs where `printed` has a meaning."""
    tasks = tuple(values[f"T{name}"] for name in NAMES)
    whole = values["copies"] == "whole"
    law = SlotValue(values["beta"], whole, values["printed"] and values["beta"] > 2 and not whole)
    return scene(law, tasks, values["S"], slot_limit(tasks, values["S"]))


def about(seen: Scene) -> str:
    """Say what is drawn."""
    return (
        "Slots beyond one per task run second copies against stragglers, with diminishing returns. Theory, "
        "no simulation: Pareto task times, slots are real numbers. A plain slot does the work of one task in "
        "the mean time of a task. Open marks are thresholds, dots the chosen S."
        + (" Dotted curves: fractional copies." if seen.law.whole else "")
    )


def extra(seen: Scene, values: Values) -> None:
    """Draw what each job does with the chosen slots."""
    st.markdown(f"**What each job does with {counted(values['S'], 'slot')}**")
    st.table(job_columns(seen), border="horizontal")
    st.caption(
        "k is the number of copies of each task that does most work. With fewer slots than the threshold "
        "some tasks wait while the others have their k copies; beyond it all tasks run and k = S/T."
    )


def printed(values: Values) -> str:
    """Say what the printed formula does, if it is read."""
    if values["copies"] == "whole":
        return ""
    if values["beta"] <= 2:
        return "As printed: up to β = 2 the printed formula and the corrected one are the same."
    return "As printed: the threshold is θ = 2/β, less than one copy of each task."


TAB = Tab(
    panel=PANEL,
    title="Why is there a point where another slot is worth less?",
    paper="hopper",
    idle={
        "ρ₀": "Threshold looks at single jobs; it has no load.",
        "c": "Threshold finds the best number of copies.",
        "ε": "Threshold shares no slots among jobs.",
    },
    drawers={"own": ("Two jobs to compare", "balance", OTHERS)},
    ask=ask,
    words=words,
    charts={"rates": RATES, "slot_values": VALUES},
    about=about,
    formulas=FORMULAS,
    table=curves,
    extra=extra,
    readings={
        "copies": Reading(
            lambda values: (
                "Whole copies of a task, as on a cluster; the paper takes any number, such as 1.33."
            ),
            "Use fractional copies",
        ),
        "printed": Reading(printed),
    },
)
