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

import numpy as np

from sim.policy import parameter
from sim.slots.rule import Sharing
from sim.slots.sharing.members import MAX_SRPT, MEMORY, WEIGHTED
from sim.slots.sharing.targets import LEARN_TAIL, farthest_below, refreshed, touch_member
from sim.slots.signatures import pick, touch

if TYPE_CHECKING:
    from sim.scenario import Scenario


@touch
def touch_job(cluster, jobs, levels, order, roots, numbers, j):
    """File the job by its distance from its target."""
    touch_member(cluster, jobs, order, roots, numbers, j)


@pick
def pick_job(cluster, jobs, levels, order, roots, numbers):
    """Pick the job that is farthest below its target."""
    return farthest_below(cluster, jobs, order, roots, numbers)


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the allocation, the refresh and the weight of a last phase."""
    allocation = WEIGHTED if values["optimum"] else MAX_SRPT
    return np.array([allocation, values["refresh"], 0.0, values["final_weight"]])


RULE = Sharing(
    key="hopper-dag",
    title="Hopper for DAGs",
    summary="slots by virtual sizes that weigh the transfers downstream against the tasks left",
    touch=touch_job,
    pick=pick_job,
    files_all=True,
    memory=MEMORY,
    parameters=(
        parameter(
            "optimum", 1, "1: exact weighted optimum; 0: Algorithm 3 (MaxSRPT)", whole=True, low=0, high=1
        ),
        parameter(
            "final_weight",
            1,
            "DAG weight of a job with no transfer left",
            unit="transfer time / task size",
            low=0.1,
            high=10,
        ),
        parameter(
            "learn_weight",
            0,
            "1: transfer times are learned from outputs that have arrived; 0: they are known",
            whole=True,
            low=0,
            high=1,
        ),
        refreshed(0.005),
        LEARN_TAIL,
    ),
    prepare=prepare,
    reference="Ren et al., theory note, section 3.2 (Algorithm 3, corrected); SIGCOMM 2015, section 4.2",
    budgets=True,
    default_speculation="budget",
)
