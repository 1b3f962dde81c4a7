"""Formulas of the rules of Xu and Lau, and of Dolly, with the numbers of the policy at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pages.shared.words.formula import Formula
from pages.shared.words.numbers import plain

XL = "Xu & Lau, Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster"

DOLLY = "Ananthanarayanan, Ghodsi, Shenker & Stoica, Why let resources idle? (HotCloud 2012)"


def _levels(values: Mapping[str, float]) -> Formula:
    return Formula(
        "Begun first",
        r"\text{a free slot goes to } \arg\min_i (\text{not begun}_i,\ T_i \, E[x_i])",
        "Jobs that have begun come before new ones; among either the least remaining work goes first.",
        XL + ", algorithms 1 and 2",
    )


def _sca(values: Mapping[str, float]) -> Formula:
    return Formula(
        "SCA, problem P2",
        r"\min_{c} \sum_i E[d_i](c_i) + \gamma \sum_i m_i c_i E[t_i](c_i), \quad \sum_i m_i c_i \le N, \quad "
        rf"1 \le c_i \le {plain(values['copies'])}, \quad \gamma = {plain(values['gamma'])}",
        "When the tasks of all jobs that have not begun are fewer than the $N$ free slots, their numbers of "
        "copies are chosen together: duration plus weighted slot-time. Otherwise tasks run once.",
        XL + ", section IV",
    )


def _sda(values: Mapping[str, float]) -> Formula:
    return Formula(
        "SDA, detection",
        r"t_{\text{rem}} > \sigma \, E[x], \qquad 2 \, E[\min(\sigma^* E[x],\, x)] = \sigma^* E[x]"
        + _given("sigma", values),
        "When a task's remaining time becomes known and exceeds the threshold, it gets its copies at once. "
        "The threshold that saves most slot-time depends on the law of the straggle factor alone.",
        XL + ", section V",
    )


def _ese(values: Mapping[str, float]) -> Formula:
    return Formula(
        "ESE, backups and clones",
        r"t_{\text{rem}} > \sigma \, E[x] \text{: one copy}, \qquad "
        rf"m < {plain(values['eta'])} \, \frac{{N}}{{|\chi|}} \text{{ and }} E[x] < {plain(values['xi'])}"
        r"\text{: } c^* \text{ clones}" + _given("sigma", values),
        "Free slots go to the tasks with most left, then to originals; a new job that is small for its part "
        "of the $N$ free slots is cloned as often as flowtime and slot-time together ask for.",
        XL + ", section VI",
    )


def _dolly(values: Mapping[str, float]) -> Formula:
    return Formula(
        "Dolly, clones of a task",
        r"\prod_{m} p_m \le 1 - (1 - \epsilon)^{1/n}, \qquad U + 1 < \tau S, \qquad "
        rf"\epsilon = {plain(values['epsilon'])}, \quad \tau = {plain(values['tau'])}",
        "Every task gets clones, on the slots least likely to make outliers, until all copies are outliers "
        "with a small enough probability; they give way to originals that are owed a slot.",
        DOLLY + ", Pseudocode 1, corrected",
    )


def _dolly_job(values: Mapping[str, float]) -> Formula:
    return Formula(
        "Dolly, clones of a job",
        r"\big( 1 - (1 - p)^n \big)^c \le \epsilon, \qquad U + c \, n \le \tau S, \qquad "
        rf"\epsilon = {plain(values['epsilon'])}, \quad \tau = {plain(values['tau'])}",
        "The whole job runs $c$ times at once, and the first complete run counts; clones give way to "
        "originals that are owed a slot.",
        DOLLY + ", section 3.1",
    )


def _given(name: str, values: Mapping[str, float]) -> str:
    """Say a parameter's value where it is not the best one."""
    return rf" \qquad (\{name} = {plain(values[name])})" if values[name] else ""


#: Rule -> its formula, given the values of its parameters.
SYSTEM_FORMULAS: dict[str, Callable[[Mapping[str, float]], Formula]] = {
    "levels": _levels,
    "sca": _sca,
    "sda": _sda,
    "ese": _ese,
    "dolly": _dolly,
    "dolly-job": _dolly_job,
}
