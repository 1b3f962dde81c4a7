r"""Hopper with a guarantee, by iterated projection (Hopper, SIGCOMM 2015, section 4.3).

Algorithm 1 shares the slots; jobs with less than :math:`F = (1-\epsilon) S/N` are raised to it, Algorithm 1
shares what is left among the others, and again until nobody is below F. (The text stops after one
projection, which can leave other jobs below F; `theory.fairness.projected_fair_allocation` shows it.)
`hopper:epsilon=...` is Algorithm 2, which attains the same sum of service rates with shares of its own.

Nothing is pre-empted: jobs that hold less than the whole part of F are first in line as slots free, those
farthest below their targets before the others. N counts the jobs with open tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.members import MEMBER, PROJECTED, Values, more_seats, no_members
from sim.engines.slots.sharing.targets import LEARN_TAIL, pick_job, refile_job, refreshed
from sim.model.policy import parameter
from sim.model.rule import HOPPER, Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Name the allocation."""
    return Values(PROJECTED, values["refresh"], epsilon=values["epsilon"])


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Hopper, ε-fair by projection",
            r"H_i < F = (1 - \epsilon) \frac{S}{N} \ \Rightarrow\ H_i := F, \text{ the others share what is "
            r"left, until } \min_i H_i \ge F \qquad (\epsilon = " + plain(values["epsilon"]) + ")",
            "Jobs below the floor $F$ are raised to it and Hopper shares the rest again, until nobody is "
            "below.",
            HOPPER + ", section 4.3",
        ),
    )


RULE = Sharing(
    key="hopper-fair",
    title="Hopper with a floor",
    summary="every job is owed (1 − ε) S/N slots; Hopper shares the rest",
    update_order=refile_job,
    next_job=pick_job,
    files_all=True,
    order=no_members,
    more_seats=more_seats,
    job_state=MEMBER,
    parameters=(
        parameter(
            "epsilon",
            0.1,
            "how far below the fair share S/N a job may be held",
            low=0,
            high=1,
            label="Unfairness ε allowed",
            symbol="ε",
        ),
        refreshed(0.02),
        LEARN_TAIL,
    ),
    prepare=prepare,
    reference="Ren et al., SIGCOMM 2015, section 4.3 (iterated)",
    budgets=True,
    default_speculation="budget",
    formulas=formulas,
)
