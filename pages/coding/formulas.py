"""Formulas and assumptions of the Coding page."""

from __future__ import annotations

from pages.coding.answer.loads import Step
from pages.shared.words.formulas import Equation, Latex, Part
from sim.telling.words import counted, number, percent, plain
from theory.coding import coded_cost
from theory.order_statistics import order_statistic_moment
from theory.response_time import redundant_load, response_time

#: Letters of the paper, and what this page writes; of the moments it shows the first.
LETTERS = {r"\alpha": r"\beta", "_{n:k}^p": "_{n:k}", "p/": "1/"}


def formulas(seen: Step) -> tuple[Part, ...]:
    """Return the formulas and assumptions, with the numbers of what is seen."""
    scenario, rate = seen.asked.scenario, seen.asked.rate
    return (
        f"**The system.** {scenario.nodes} nodes run {counted(scenario.capacity, 'task')} each. Jobs arrive "
        f"as a Poisson stream, with k tasks (Zipf from 1 to {scenario.tasks_max}) of one size b "
        f"(Pareto with tail index β_b = {plain(scenario.size_tail)} from {plain(scenario.size_min)} s"
        + (f" to {plain(scenario.size_max)} s" if scenario.size_max < float("inf") else "")
        + "). A task runs b times a straggle factor, Pareto with tail index β = "
        f"{plain(scenario.straggle_tail)}. A job starts all its tasks at once, first come first served, and "
        "ends with the k-th of them; the others are removed then.",
        f"**Redundant-small(r, d)**, with r = {plain(rate)}, starts",
        Latex(r"n = \lceil r k \rceil \ \text{ tasks if } k\,b \le d, \qquad n = k \ \text{ otherwise}"),
        "**Latency and cost of a job** that starts n tasks (β: tail index of straggle factors):",
        Equation(order_statistic_moment, letters=LETTERS),
        Equation(coded_cost, letters=LETTERS),
        "**Load**, which the offered load ρ₀ becomes with redundancy, and **Claim 1**:",
        Equation(redundant_load, response_time),
        "$P_q$ is Erlang's probability of waiting for $N C\\, E[\\mathrm{Latency}] / E[\\mathrm{Cost}]$ "
        "servers, and $d^*$ minimises $E[T]$. "
        + _limit(seen)
        + " Claim 1 takes jobs for customers of an M/G/c queue: it "
        "does not know that a job waits until all its tasks fit, on different nodes if so chosen.",
        "**Which approximation.** *Corrected*: the conditional moments are derived anew. *As printed*: as in "
        "the paper. *Sizes bounded*: $b_{\\max} = b_{\\min} m^{1/\\beta_b}$ for a run of m jobs, since for "
        "β_b ≤ 2 the second moment is infinite, the paper's 3/2 included. *First moments*: 1 in place of "
        "the factor before $P_q$.",
        "**Points** are means over replications with 95 % Student intervals, changes are paired on the same "
        "jobs with the same luck. A queue grows if its mean rises through the last three quarters of the run "
        "by more than 2 % of the tasks that arrive in half of it.",
        "Aktas & Soljanin, *Learning Effective Straggler Mitigation from Experience and Modeling*, sections "
        "2 and 4.",
    )


def _limit(seen: Step) -> str:
    limit = seen.rule.limit_all
    share = percent(seen.shares[seen.asked.demand])
    return (
        f"If every job is expanded the cluster is overloaded from $\\rho_0 = {number(limit)}$ on; the "
        f"chosen d expands {share} of the jobs."
    )
