"""The Detection tab: whether to clone every task at once, or to wait and copy stragglers."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.formulas.detection import charts, words
from pages.formulas.detection.controls import (
    HORIZON,
    JOBS,
    MACHINES,
    OWN,
    PANEL,
    PLAN,
    RULES,
    SLOTS,
    Rules,
    at_scale,
    policies,
    scenario,
    span,
)
from pages.formulas.detection.question import NAMES, Request, Waiting, solution
from pages.formulas.detection.words import about_plan, plan_table, remarks, simulated_answer, too_many
from pages.formulas.simulation import Simulation, leader
from pages.formulas.tab import Tab, Values
from pages.shared.charts.on_page import side_by_side
from pages.shared.controls.control import filled
from pages.shared.live.cards import Drawing, flowtimes, resources
from pages.shared.words.foreign import show_info
from pages.shared.words.tables import Equation, Latex, Source
from sim.model.result import Comparison
from sim.telling.words import number, plain
from theory.cloned_job import cloned_job_duration, cloned_job_resource
from theory.cutoff import cloned_delay, single_copy_delay
from theory.detection import detection_resource, sigma_star
from theory.optimal_cloning import optimal_cloning

XL = "Xu & Lau, *Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster*"
#: Letters of the paper, and what this page writes.
LETTERS = {r"\alpha": r"\beta", r"\omega": r"\rho_0", "E[s]": "E[x]", r"\bar x": "E[x]", "W_t": "W"}
_equation = partial(Equation, letters=LETTERS)

FORMULAS = (
    r"Xu and Lau write $\alpha$ for the tail index $\beta$, and $\omega$ for the offered load "
    r"$\rho_0$; a machine of theirs runs one task, and is a slot here.",
    r"Task times are $\mathrm{Pareto}(\mu, \beta)$ of mean $E[x]$, $\beta$ the tail index of task "
    "times. **Light or busy.** Every slot is taken for a queue of its own (M/G/1), two copies for "
    r"twice the arrivals of the shorter of two times; $\kappa = E[X^2]/E[X]^2 = 1.12$, since jobs differ "
    "in mean task time (1 in the printed equations):",
    _equation(single_copy_delay, cloned_delay),
    Latex(r"W^c < W \iff \rho_0 < \rho_0^U(\beta)"),
    Source(f"{XL}, equations (1) to (5). For β ≤ 2 one copy waits for ever on average."),
    r"**Detection.** A task is looked at after the share $s$ of its work. If more than $\sigma E[x]$ is "
    r"left, it gets $c - 1$ new copies; with $u = \frac{\beta - 1}{\beta \sigma}$ and "
    r"$\tau(c, \sigma)$ the slot-time used from then on",
    _equation(detection_resource, begin=r"\frac{E[R]}{E[x]} = "),
    r"and the best threshold is $\sigma^*$ with",
    _equation(sigma_star),
    "where $y_{c-1}$ is the shortest of the new copies. ESE looks in a random moment of the run, which "
    "has the same best threshold.",
    Source(f"{XL}, equations (24) to (28) and (30) to (33); c by joint optimisation, not by Theorem 3."),
    r"**Smart cloning.** $N$ slots are free for jobs of $m_i$ tasks, of which each has at most $r = 8$ "
    "copies:",
    _equation(optimal_cloning),
    "with the duration and the slot-time of a job, where $F$ is the law of the times of its tasks,",
    _equation(cloned_job_duration),
    _equation(cloned_job_resource),
    r"The iteration moves the price of a slot, $\nu \leftarrow [\nu + \eta_1 (\sum m_i c_i - N)]^+$, "
    r"and two more multipliers. Mended, $\eta$ is divided by the number of the round.",
    Source(f"{XL}, problem P2, equations (10) to (17). γ is 0.01 in the paper's simulations."),
)


def ask(values: Values) -> Request:
    """Return the cluster."""
    return filled(Request, values, load=values["omega"])


def extra(asked: Request, values: Values) -> None:
    """Draw the solution of P2 for four waiting jobs, and the iteration that is to find it."""
    st.header("How many clones, if there is room for all?", anchor=False)
    tasks = tuple(values[f"m{name}"] for name in NAMES)
    waiting = filled(Waiting, values, tasks=tasks, machines=values["N"])
    if not waiting.fits:
        show_info(too_many(waiting))
        return
    found = solution(waiting, values["eta"])
    side_by_side(found, copies=charts.COPIES, path=charts.PATH)
    st.caption(
        "Theory, no simulation: problem P2 of the paper, duration plus γ times slot-time, with at most 8 "
        f"copies of a task; shortest task times 1, 2, 1, 2. γ = {plain(waiting.gamma)}, price of a slot "
        f"{number(found.real.price)}."
    )
    st.markdown("\n".join(f"- {notice}" for notice in about_plan(found)))
    st.table(plan_table(found), border="horizontal")


def draw(comparison: Comparison, dark: bool, statistic: str) -> list[Drawing]:
    """Draw how flowtimes and slot-times of jobs are distributed, whatever is led with."""
    return [kind(comparison, dark, note=", simulated") for kind in (flowtimes, resources)]


def simulated(asked: Request, values: Values) -> Simulation:
    """Return the cluster and its rules."""
    rules = filled(Rules, values)
    return Simulation(
        policies=policies(asked, rules),
        scenario=scenario(asked, rules),
        full=at_scale(asked, rules),
        start="xu-lau-fig2",
        about=f"Simulated with {SLOTS:,} slots that share one queue, and {JOBS:,} jobs per replication, "
        f"which arrive in about {number(span(asked))} units of time; the paper has {MACHINES:,} and "
        f"{HORIZON:,} units. Jobs of 1 to 100 tasks, mean task times from 1 to 4 units."
        + (
            " The run ends with the last arrival, since the load exceeds the slots."
            if asked.load >= 1
            else ""
        ),
        remarks=partial(remarks, asked=asked, rules=rules),
        draw=draw,
        card="Fastest, simulated",
        headline=leader,
        answer=simulated_answer,
    )


TAB = Tab(
    panel=PANEL,
    title="Clone at once, or wait and see?",
    paper="xu-lau",
    idle={
        "T": "Detection looks at single tasks; the jobs simulated have 1 to 100.",
        "S": f"Every slot is a queue of its own; {SLOTS:,} are simulated.",
        "ε": "Detection shares no slots among jobs.",
    },
    drawers={
        "own": ("When a straggler is copied", "timer", OWN),
        "rules": ("The rules simulated", "tune", RULES),
        "plan": ("Smart cloning (P2)", "grid_view", PLAN),
    },
    ask=ask,
    words=words,
    charts={"cutoff": charts.CUTOFF, "resource": charts.RESOURCE},
    about=(
        "Copies launched with a task never come late, but most are wasted. Copies of detected stragglers are "
        "seldom wasted, but come late. Theory, no simulation: Pareto task times. Left: every slot a queue of "
        "its own, mean task times of jobs uniform on [1, 4]. Right: one task, copies start at once when it "
        "is detected; open marks are the best thresholds σ*."
    ),
    formulas=FORMULAS,
    extra=extra,
    simulated=simulated,
)
