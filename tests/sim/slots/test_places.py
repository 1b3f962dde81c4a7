"""Slow machines and blocks: their effect where it is known without simulating."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.run import slowness
from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import Workload, generate, place_blocks
from tests.agreement import assert_mean, assert_share
from tests.sim.slots.runs import run_to_end
from tests.sim.slots.test_contract import assert_same
from tests.strategies import policies, search, small_runs

#: Too many events for Python alone; the twin and the invariants cover these rules there.
pytestmark = pytest.mark.compiled

SATURATED = {"slots": 40, "load": 1.5, "drain": 0, "tasks": "constant", "straggle": "exponential"}


def seed_with_slow_slot(scenario: SlotScenario, slot: int) -> SlotScenario:
    """Return the scenario with the first seed under which this slot is slow and the others are not."""
    for seed in range(100):
        found = scenario.replace(seed=seed)
        if slowness(found)[slot] > 1 and (slowness(found) > 1).sum() == 1:
            return found
    raise AssertionError("no such seed")


def test_a_copy_elsewhere_helps():
    """The second task, of size 1, takes 10 in the slow slot; slot 0 is free at 2, and its copy ends at 3."""
    scenario = SlotScenario(
        slots=2, straggle="deterministic", slow_share=0.5, slow_factor=10, observe="age:0"
    )
    workload = Workload(np.zeros(1), np.array([2]), np.array([1.5]), np.array([2.0, 1.0]))
    outcome = run_to_end(seed_with_slow_slot(scenario, 1), "fifo+mantri", workload)
    assert (outcome.finish[0], outcome.extra[0]) == (3.0, 1)


def test_a_copy_on_the_slow_machine_does_not():
    scenario = SlotScenario(slots=2, straggle="deterministic", slow_share=1, slow_factor=10, observe="age:0")
    workload = Workload(np.zeros(1), np.array([1]), np.array([1.0]))
    outcome = run_to_end(scenario.replace(machine_slots=2), "fifo+mantri", workload)
    assert (outcome.finish[0], outcome.extra[0]) == (10.0, 1)


@search(50)
@given(data=st.data())
def test_if_all_machines_are_slow_all_sizes_are_larger(data):
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans())))
    scenario = scenario.replace(observe="never")  # what is seen, is seen at ages of a healthy slot
    larger = Workload(workload.arrival, workload.tasks, 4 * workload.size, 4 * workload.task_size)
    slow = run_to_end(scenario.replace(slow_share=1, slow_factor=4), "fifo+none", workload)
    assert_same(slow, run_to_end(scenario, "fifo+none", larger))


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_a_saturated_cluster_finishes_as_many_tasks_as_its_capacity_says(share):
    scenario = SlotScenario(**SATURATED, tasks_max=1, jobs=20_000, slow_share=share, slow_factor=3, warm_up=0)
    rates = []
    for replication in range(12):
        outcome = run_to_end(scenario, "fifo+none", generate(scenario, replication), replication=replication)
        rates.append(outcome.tasks_done / outcome.end)
    assert_mean(rates, scenario.healthy_slots, resolution=0.05)
    with pytest.raises(AssertionError):
        assert_mean(rates, scenario.slots * (1 - share + share / 2))


@search(50)
@given(data=st.data())
def test_blocks_that_every_machine_holds_are_of_no_account(data):
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans())))
    scenario = scenario.replace(replicas=20, remote_factor=3)
    blocks = place_blocks(scenario, 0, workload.tasks, None)
    everywhere = Workload(
        workload.arrival, workload.tasks, workload.size, workload.task_size, (), None, blocks
    )
    policy = data.draw(policies(data.draw(st.sampled_from(["srpt+late", "fair+mantri", "hopper+budget"]))))
    outcome = run_to_end(scenario, policy, everywhere)
    assert_same(outcome, run_to_end(scenario, policy, workload))
    assert outcome.scalars["local"] in (1, None)  # None: nothing was launched before the horizon


@pytest.mark.parametrize("replicas", [1, 3])
def test_a_queue_served_in_order_finds_its_block_by_chance(replicas):
    """With one task a job, the slot that is free is on a machine of its block with chance r / machines."""
    scenario = SlotScenario(**SATURATED, tasks_max=1, jobs=20_000, machine_slots=2, replicas=replicas)
    late = run_to_end(scenario, "fifo+none", generate(scenario, 0))
    waited = late.start > late.arrival
    launched = int(waited.sum())
    assert launched > 0.6 * scenario.jobs
    workload = generate(scenario, 0)
    slot = np.full(scenario.jobs, -1)
    slot[late.log.job] = late.log.slot
    chosen = np.flatnonzero((slot >= 0) & waited)
    local = (workload.blocks[chosen] == slot[chosen, None] // 2).any(axis=1)
    assert_share(local.sum(), chosen.size, replicas / scenario.machines)


def test_every_set_of_machines_is_equally_likely():
    scenario = SlotScenario(slots=5, replicas=2)
    blocks = place_blocks(scenario, 0, np.array([30_000]), None)
    pairs = np.sort(blocks, axis=1)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    for first in range(5):
        for second in range(first + 1, 5):
            hits = ((pairs[:, 0] == first) & (pairs[:, 1] == second)).sum()
            assert_share(hits, 30_000, 0.1)


def test_a_job_that_overtakes_finds_its_data():
    """The more of the smallest jobs may go first, the more copies run where their block is."""
    scenario = SlotScenario(slots=60, load=1.1, jobs=400, tasks_max=30, machine_slots=2, replicas=2, drain=0)
    shares = []
    for percent in (0, 20, 100):
        runs = [
            run_to_end(scenario, f"hopper-local:percent={percent}+none", generate(scenario, replication))
            for replication in range(4)
        ]
        shares.append(np.mean([run.scalars["local"] for run in runs]))
    assert shares[0] < shares[1] < shares[2]


def test_an_original_finds_its_block_after_a_copy_had_to_avoid_a_machine():
    """At 1 the copy of job 0's last task may not have the slot on top, which is on its machine.

    That slot is idle still at 2, below the one that job 1 has freed, and holds the block of job 4's task.
    """
    scenario = SlotScenario(slots=6, machine_slots=3, straggle="deterministic", replicas=1, remote_factor=2)
    scenario = scenario.replace(observe="age:0")
    workload = Workload(
        arrival=np.array([0.0, 0.0, 0.0, 0.0, 2.0]),
        tasks=np.array([3, 1, 1, 1, 1]),
        size=np.array([4.0, 1.5, 10.0, 10.0, 1.0]),
        task_size=np.array([1.0, 1.0, 10.0, 1.5, 10.0, 10.0, 1.0]),
        blocks=np.array([[0], [1], [1], [0], [0], [1], [1]], dtype=np.int32),
    )
    outcome = run_to_end(scenario, "fifo+tez:wait=1", workload)
    copies = {(line[0], line[1], line[2]): (line[3], line[4]) for line in outcome.log.tolist()}
    assert copies[0, 2, 1] == (0, 1.0)
    assert copies[4, 0, 0] == (3, 2.0)
    assert outcome.finish[4] == 3.0
