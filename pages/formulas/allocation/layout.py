"""The Allocation tab: which job should get the slots, under every rule of the theory."""

from __future__ import annotations

import streamlit as st

from pages.formulas.allocation import words
from pages.formulas.allocation.charts import SHARES, WATER, pouring
from pages.formulas.allocation.controls import PANEL
from pages.formulas.allocation.question import Request, Scene, checked
from pages.formulas.allocation.words import decided, sums, table
from pages.formulas.tab import Reading, Tab, Values
from pages.shared.controls.control import drawer, filled
from pages.shared.words.foreign import show_error
from pages.shared.words.tables import Equation
from theory.service_rate import service_rate
from theory.weighted_optimum import slot_price

FORMULAS = (
    r"A job with $T_i$ tasks and $S_i$ slots has virtual size $V_i = \theta T_i$ and service rate "
    r"$\mu_i = \mu(S_i)$, where, with $T = T_i$,",
    Equation(service_rate),
    r"**Algorithm 1**: if $S \le \sum V_j$, virtual sizes by increasing $T_i$ while slots last; else "
    r"$S_i = S\, T_i / \sum T_j$. **Algorithm 2** with $F = (1 - \epsilon) S/N$: if $S \le \sum "
    r"\max(F, V_i)$, $F$ for all and then up to $V_i$ by increasing $T_i$; else $S_i = \max(F, c\, "
    r"T_i)$, the water level $c$ such that all slots are used. **Algorithm 3** has $V_i = \theta T_i "
    r"\sqrt{\alpha_i}$ and serves by increasing $\max(T_i, T'_i)$. The **exact optimum** of $\sum "
    r"\alpha_i \mu_i$ has a price $\nu$ of a slot:",
    Equation(slot_price),
    "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, section 3; Ren et al., "
    "*Hopper*, SIGCOMM 2015, section 4.3.",
)


def ask(values: Values) -> Scene:
    """Return the shares of the jobs that can be used, and say which cannot; without one there is no page."""
    jobs, complaints = checked(values["jobs"])
    for complaint in complaints:
        show_error(f"{complaint}. Left out until then.")
    if jobs is None:
        st.info(
            "No job has a task left. Type into the table how many tasks T a job has left.",
            icon=":material/edit:",
        )
        st.stop()
    return Scene(filled(Request, values, jobs=jobs, slots=values["S"]), values["pour"])


def about(seen: Scene) -> str:
    """Say what is drawn."""
    return (
        f"{pouring(seen)} Theory, no simulation: Pareto task times with one tail index β, slots are real "
        "numbers."
    )


def extra(seen: Scene, values: Values) -> None:
    """Draw the sums of rates, and what decided each rule's shares."""
    st.markdown("**How much work is done**")
    st.table(sums(seen), border="horizontal")
    st.caption(
        "μ counts work in mean task times per unit of time, α is a job's DAG weight. The best sums are exact "
        "optima over all shares."
    )
    if box := drawer(PANEL.page, "cases", "What decides each", ":material/rule:"):
        box.markdown(decided(seen))


TAB = Tab(
    panel=PANEL,
    title="Who should get the slots?",
    paper="hopper",
    idle={
        "T": "The tasks of each job are in the table below.",
        "ρ₀": "Allocation shares slots among jobs; it has no load.",
        "c": "Allocation gives slots; the copies follow from them.",
    },
    drawers={"own": ("Jobs", "table", ("jobs", "pour"))},
    ask=ask,
    words=words,
    charts={"shares": SHARES, "water": WATER},
    about=about,
    formulas=FORMULAS,
    table=table,
    extra=extra,
    readings={
        "printed": Reading(
            lambda values: "As printed: Algorithms 2 and 3, the projection and θ are those of the papers."
        )
    },
)
