"""Formulas of Hopper's extensions: fairness by projection, DAG weights, locality."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pages.shared.words.formula import Formula
from pages.shared.words.numbers import plain

HOPPER = "Ren, Ananthanarayanan, Wierman & Yu, Hopper (SIGCOMM 2015)"


def _fair(values: Mapping[str, float]) -> Formula:
    return Formula(
        "Hopper, ε-fair by projection",
        r"H_i < F = (1 - \epsilon) \frac{S}{N} \ \Rightarrow\ H_i := F, \text{ the others share what is "
        r"left, until } \min_i H_i \ge F \qquad (\epsilon = " + plain(values["epsilon"]) + ")",
        "Jobs below the floor $F$ are raised to it and Hopper shares the rest again, until nobody is below.",
        HOPPER + ", section 4.3",
    )


def _dag(values: Mapping[str, float]) -> Formula:
    order = (
        "by decreasing weight, exact" if values["optimum"] else "by increasing $\\max(T, T')$, Algorithm 3"
    )
    return Formula(
        "Hopper, DAG weights",
        r"\alpha_i = T'_i / T_i, \qquad V_i = \theta \, T_i \sqrt{\alpha_i}, \qquad "
        r"\max \sum_i \alpha_i \, \mu_i",
        "$T$ tasks are open and $T'$ transfers are still to come out of the running phases; their ratio "
        f"is the DAG weight α of a job. Jobs get their virtual sizes {order}.",
        HOPPER + ", section 4.2; theory note, section 3.2",
    )


def _local(values: Mapping[str, float]) -> Formula:
    return Formula(
        "Hopper, locality",
        r"\lceil k\,W / 100 \rceil \text{ smallest of the } W \text{ jobs with waiting tasks may go first} "
        r"\qquad (k = " + plain(values["percent"]) + r"\,\%)",
        "Of these jobs the first with a task whose input block is where the slot is gets the slot; if there "
        "is none, Hopper decides.",
        HOPPER + ", section 4.4",
    )


#: Rule -> its formula, for the rule's parameters.
HOPPER_FORMULAS: dict[str, Callable[[Mapping[str, float]], Formula]] = {
    "hopper-fair": _fair,
    "hopper-dag": _dag,
    "hopper-local": _local,
}
