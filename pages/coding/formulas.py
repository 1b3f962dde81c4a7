"""Formulas and assumptions of the Coding page."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from pages.coding.answer.loads import Seen
from pages.shared.words.numbers import number, percent, plain


def show_formulas(box: DeltaGenerator, seen: Seen) -> None:
    """Fill the drawer of formulas, with the numbers of the chosen scenario."""
    scenario, rate = seen.asked.scenario, seen.asked.rate
    box.markdown(
        f"**The system.** {scenario.nodes} nodes run {scenario.capacity} tasks each. Jobs arrive "
        f"as a Poisson stream, with k tasks (Zipf from 1 to {scenario.tasks_max}) of one size b "
        f"(Pareto with tail index β_b = {plain(scenario.size_tail)} from {plain(scenario.size_min)} s"
        + (f" to {plain(scenario.size_max)} s" if scenario.size_max < float("inf") else "")
        + f"). A task runs b times a straggle factor, Pareto with tail index β = "
        f"{plain(scenario.straggle_tail)}. "
        "A job starts all its tasks at once, first come first served, and ends with the k-th of them; "
        "the others are removed then."
    )
    box.markdown(f"**Redundant-small(r, d)**, with r = {plain(rate)}, starts")
    box.latex(r"n = \lceil r k \rceil \ \text{ tasks if } k\,b \le d, \qquad n = k \ \text{ otherwise}")
    box.markdown("**Latency and cost of a job** that starts n tasks (β: tail index of straggle factors):")
    box.latex(
        r"E[S_{n:k}] = \frac{n!\; \Gamma(n - k + 1 - 1/\beta)}{(n-k)!\; \Gamma(n + 1 - 1/\beta)}, \qquad "
        r"E[C_{n,k}] = \frac{n}{\beta - 1} \Big( \beta - \big( 1 - \tfrac{k}{n} \big) E[S_{n:k}] \Big)"
    )
    box.markdown("**Load**, which the offered load ρ₀ becomes with redundancy, and **Claim 1**:")
    box.latex(
        r"\rho = \rho_0 \frac{E[\mathrm{Cost}]}{E[\mathrm{Cost}]_{d=0}}, \qquad "
        r"E[T] \approx E[\mathrm{Latency}] + \frac{E[\mathrm{Latency}^2]}{2 E[\mathrm{Latency}]^2}\, P_q\, "
        r"\frac{\rho}{\lambda (1 - \rho)}"
    )
    box.markdown(
        "$P_q$ is Erlang's probability of waiting for $N C\\, E[\\mathrm{Latency}] / E[\\mathrm{Cost}]$ "
        "servers, and $d^*$ minimises $E[T]$. "
        + _limit(seen)
        + " Claim 1 takes jobs for customers of an M/G/c queue: it "
        "does not know that a job waits until all its tasks fit, on different nodes if so chosen."
    )
    box.markdown(
        "**Which approximation.** *Corrected*: the conditional moments are derived anew. *As printed*: as in "
        "the paper. *Sizes bounded*: $b_{\\max} = b_{\\min} m^{1/\\beta_b}$ for a run of m jobs, since for "
        "β_b ≤ 2 the second moment is infinite, the paper's 3/2 included. *First moments*: 1 in place of "
        "the factor before $P_q$."
    )
    box.markdown(
        "**Points** are means over replications with 95 % Student intervals, changes are paired on the same "
        "jobs with the same luck. A queue grows if its mean rises through the last three quarters of the run "
        "by more than 2 % of the tasks that arrive in half of it."
    )
    box.markdown(
        "Aktas & Soljanin, *Learning Effective Straggler Mitigation from Experience and Modeling*, sections "
        "2 and 4."
    )
    box.page_link("pages/errata/page.py", label="Where the paper differs", icon=":material/fact_check:")


def _limit(seen: Seen) -> str:
    limit = seen.rule.limit_all
    share = percent(seen.shares[seen.asked.demand])
    return (
        f"If every job is expanded the cluster is overloaded from $\\rho_0 = {number(limit)}$ on; the "
        f"chosen d expands {share} of the jobs."
    )
