r"""Hopper with data locality: one of the smallest jobs may overtake if the slot is near its data.

Among the smallest :math:`\lceil W k/100 \rceil` of the W jobs that have tasks waiting, by T (equal ones by
arrival), the first that is below its virtual size and has a waiting task whose input block is on the
machine of the slot gets it; if there is none, the slot goes to the job farthest below its target, as under
Algorithm 1. Which of the smallest jobs is chosen the paper leaves open, and of which jobs they are the
smallest: of all jobs, the smallest have hardly ever a task waiting. ``percent=0`` is no relaxation at all.

The choice of task within a job and of slot among idle ones is the engine's and the same for
every policy (`sim.engines.slots.places`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sim.engines.slots.places import local_task
from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.members import (
    COUNT,
    MEMBER,
    PLAIN,
    Values,
    member_at,
    more_seats,
    no_members,
    open_tasks,
    put_in_order,
)
from sim.engines.slots.sharing.ordered import ORIGINAL
from sim.engines.slots.sharing.targets import LEARN_TAIL, farthest_below, refile_job, refreshed
from sim.engines.slots.signatures import next_job
from sim.model.policy import parameter
from sim.model.rule import HOPPER, Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


@next_job
def pick_job(world, values):
    """Pick the first of the smallest jobs that is at home in the slot, else the one farthest below."""
    c, jobs, order = world.cluster[0], world.jobs, world.order
    window, place = 0, 0
    if c.replicas > 0:
        waiting = 0
        for each in range(int(order[COUNT])):
            waiting += jobs[member_at(order, each)].heap == ORIGINAL
        window = math.ceil(waiting * values.percent / 100.0 - 1e-9)
    if window > 0:
        put_in_order(world.job_state, order)
    while window > 0:
        j = member_at(order, place)
        place += 1
        if jobs[j].heap == ORIGINAL:
            window -= 1
            fits = jobs[j].held < c.theta * open_tasks(world.cluster, jobs, j)
            if fits and local_task(world.cluster, jobs, world.tasks, world.replicas, j, c.offered) >= 0:
                return j
    return farthest_below(world, values)[0]


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Name the allocation."""
    return Values(PLAIN, values["refresh"], percent=values["percent"])


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Hopper, locality",
            r"\lceil k\,W / 100 \rceil \text{ smallest of the } W \text{ jobs with waiting tasks may go "
            r"first} \qquad (k = " + plain(values["percent"]) + r"\,\%)",
            "Of these jobs the first with a task whose input block is where the slot is gets the slot; if "
            "there is none, Hopper decides.",
            HOPPER + ", section 4.4",
        ),
    )


RULE = Sharing(
    key="hopper-local",
    title="Hopper with locality",
    summary="any of the smallest k % of the jobs goes first if its data is where the slot is",
    update_order=refile_job,
    next_job=pick_job,
    files_all=True,
    order=no_members,
    more_seats=more_seats,
    job_state=MEMBER,
    parameters=(
        parameter(
            "percent",
            5,
            "share k of the jobs that may overtake",
            unit="%",
            low=0,
            high=100,
            label="Jobs k that may overtake",
            symbol="k",
        ),
        refreshed(0.02),
        LEARN_TAIL,
    ),
    prepare=prepare,
    reference="Ren et al., SIGCOMM 2015, section 4.4",
    budgets=True,
    default_speculation="budget",
    formulas=formulas,
)
