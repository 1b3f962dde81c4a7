r"""Hopper for jobs with pipelined phases: virtual sizes with DAG weights.

With T open tasks and T' transfers still to come out of the running phases (summed over them, for bushy
DAGs), a job's DAG weight is :math:`\alpha = T'/T` and its virtual size :math:`V = \theta T\sqrt\alpha`. A job
with no transfer left has the weight `final_weight`, since the paper's 0 would never give its last
phase a slot. Targets:

- ``optimum=1``: the exact optimum of :math:`\sum\alpha_i\mu_i`, jobs starting by decreasing weight;
- ``optimum=0``: Algorithm 3 (corrected), a heuristic in MaxSRPT order: by increasing max(T, T').

With ``learn_weight=1`` the transfer time of a phase's outputs is known from the first one on that has
arrived; before, it is taken to be the mean over all outputs that have arrived so far in the run.

The weighted optimum moves all slots from one job to another when their weights cross, so stale targets
act as a brake, and one that helps: with targets 5 % out of date the mean flowtime was 6 to 8 % lower than
with fresh ones. So that results do not depend on it, `refresh` is smaller here than elsewhere.

Without phases all weights are `final_weight` and both are Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.members import (
    MAX_SRPT,
    MEMBER,
    WEIGHTED,
    Values,
    more_seats,
    no_members,
)
from sim.engines.slots.sharing.targets import LEARN_TAIL, pick_job, refile_job, refreshed
from sim.model.policy import parameter
from sim.model.rule import HOPPER, Formula

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Name the allocation."""
    allocation = WEIGHTED if values["optimum"] else MAX_SRPT
    return Values(allocation, values["refresh"], final_weight=values["final_weight"])


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    exact = "by decreasing weight, exact"
    order = exact if values["optimum"] else "by increasing $\\max(T, T')$, Algorithm 3"
    return (
        Formula(
            "Hopper, DAG weights",
            r"\alpha_i = T'_i / T_i, \qquad V_i = \theta \, T_i \sqrt{\alpha_i}, \qquad "
            r"\max \sum_i \alpha_i \, \mu_i",
            "$T$ tasks are open and $T'$ transfers are still to come out of the running phases; their ratio "
            f"is the DAG weight α of a job. Jobs get their virtual sizes {order}.",
            HOPPER + ", section 4.2; theory note, section 3.2",
        ),
    )


RULE = Sharing(
    key="hopper-dag",
    title="Hopper for DAGs",
    summary="slots by virtual sizes that weigh the transfers downstream against the tasks left",
    update_order=refile_job,
    next_job=pick_job,
    files_all=True,
    order=no_members,
    more_seats=more_seats,
    job_state=MEMBER,
    parameters=(
        parameter(
            "optimum",
            1,
            "1: exact weighted optimum; 0: Algorithm 3 (MaxSRPT)",
            whole=True,
            low=0,
            high=1,
            label="Exact optimum, not MaxSRPT",
            symbol="optimum",
        ),
        parameter(
            "final_weight",
            1,
            "DAG weight of a job with no transfer left",
            unit="transfer time / task size",
            low=0.1,
            high=10,
            label="DAG weight α of a last phase",
            symbol="final α",
        ),
        parameter(
            "learn_weight",
            0,
            "1: transfer times are learned from outputs that have arrived; 0: they are known",
            whole=True,
            low=0,
            high=1,
            label="Learn transfer times",
        ),
        refreshed(0.005),
        LEARN_TAIL,
    ),
    prepare=prepare,
    reference="Ren et al., theory note, section 3.2 (Algorithm 3, corrected); SIGCOMM 2015, section 4.2",
    budgets=True,
    default_speculation="budget",
    formulas=formulas,
)
