"""The Rollouts tab: how many more answers than needed a training step should start."""

from __future__ import annotations

import math

import streamlit as st

from pages.formulas.rollouts import words
from pages.formulas.rollouts.charts import TIME, WASTED
from pages.formulas.rollouts.controls import EXAMPLE, OWN, PANEL
from pages.formulas.tab import Tab, Values
from pages.shared.app.turns import made_once
from pages.shared.words.foreign import literal
from pages.shared.words.tables import Equation, Latex, Source
from sim.advice.rollouts import LIST, Lengths, Rollouts, listed
from sim.model.fields import BadInput
from theory.order_statistics import order_statistic_moment
from theory.rollouts import exponential_step_time, lognormal_step_time, slot_times, step_weights

FORMULAS = (
    r"**A step** awaits any $N$ of the $N + k$ answers that it starts: it takes the order statistic "
    r"$T_k = X_{N:N+k}$ of their lengths $X$. For exponential lengths of mean $m$, lognormal ones, and "
    r"draws from a list $x_1 \le \dots \le x_L$:",
    Equation(exponential_step_time, lognormal_step_time, step_weights),
    r"For Pareto lengths, in those of the shortest, with $n = N + k$ and $k$ in the place of $N$:",
    Equation(order_statistic_moment, letters={r"\alpha": r"\beta", "_{n:k}^p": "_{n:k}", "p/": "1/"}),
    r"**Slot-time**, of which $k\, E[T_k]$ is thrown away if answers that are not done are discarded:",
    Equation(slot_times),
    r"**The best** $k$ has the least time of a step, with the price $c$ of its slots:",
    Latex(r"E[T_k] \left( 1 + c\, \frac{k}{N} \right)"),
    r"**Carried over**, answers keep their age and run on beside $N$ new ones. Nothing is thrown away, and "
    r"an answer is $k / N$ steps old on average. Exponential lengths have no memory, and the same $E[T_k]$; "
    "for others it is simulated in the steady state.",
    Source("David & Nagaraja, *Order Statistics*, sections 2.1 and 3.4; the slot-time is ours."),
)


def lengths(values: Values) -> Lengths:
    """Return the law of the chosen mean, or the list that is pasted."""
    law, mean, beta, sigma = (values[name] for name in ("law", "mean", "beta", "sigma"))
    if law == LIST:
        return listed(values["list"])
    numbers = {
        "exponential": (float(mean),),
        "pareto": (mean * (beta - 1) / beta, beta),
        "lognormal": (mean * math.exp(-(sigma**2) / 2), sigma),
    }
    return Lengths(law, numbers[law])


def ask(values: Values) -> Rollouts:
    """Return the answer; where what is pasted is no list, say so and take the example."""
    try:
        law = lengths(values)
    except BadInput as wrong:
        st.warning(literal(f"{wrong}. The example is taken instead."))
        law = listed(EXAMPLE)
    found = Rollouts(values["awaited"], law, values["price"], values["carry"])
    return made_once(("rollouts", found), found.computed)


TAB = Tab(
    panel=PANEL,
    title="How many more answers than needed should a step start?",
    paper="aktas-soljanin",
    idle={
        "T": "A step awaits answers: their number N is below.",
        "S": "Each answer has a slot of its own.",
        "ρ₀": "No step waits for slots.",
        "c": "No answer has copies: any N of all end a step.",
        "ε": "One training run has all the slots.",
    },
    drawers={"own": ("Answers", "model_training", OWN)},
    ask=ask,
    words=words,
    charts={"time": TIME, "wasted": WASTED},
    about="A training step starts more answers (rollouts) than it awaits, and ends when enough are done. "
    "Theory; only carrying over is simulated.",
    formulas=FORMULAS,
    table=words.table,
)
