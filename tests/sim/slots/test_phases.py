"""Phases: durations of chains and trees that theory knows, and the division of tasks among phases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.run import isolated_flowtime
from sim.engines.slots.scenario import SlotScenario
from sim.model.phases import Draws, divide
from sim.model.speculative import SHAPES
from sim.model.workload import Workload, generate, ideal
from tests.agreement import assert_mean
from tests.sim.slots.runs import run_to_end
from theory.order_statistics import maximum_moment

#: Too many events for Python alone; the twin and the invariants cover these rules there.
pytestmark = pytest.mark.compiled


def chain(phases: int, tasks: int, jobs: int, **fields) -> tuple[SlotScenario, Workload]:
    """Equal jobs of size 1, so far apart that each runs alone."""
    scenario = SlotScenario(slots=tasks * phases, phases=phases, **fields)
    counts = np.full(jobs, phases * tasks)
    arrival = 1e6 * np.arange(1.0, jobs + 1)
    divided = divide(scenario, Draws(scenario, 0), counts)
    return scenario, Workload(arrival, counts, np.ones(jobs), phases=divided)


@given(
    tasks=st.lists(st.integers(1, 40), min_size=1, max_size=10),
    phases=st.integers(2, 12),
    law=st.sampled_from(["constant", "uniform"]),
    shape=st.sampled_from(SHAPES),
)
def test_every_task_is_in_one_phase_and_every_phase_feeds_a_later_one(tasks, phases, law, shape):
    scenario = SlotScenario(phases=phases, phases_law=law, shape=shape, transfer=1)
    divided = divide(scenario, Draws(scenario, 0), np.array(tasks))
    np.testing.assert_array_equal(np.add.reduceat(divided.tasks, divided.first), tasks)
    assert (divided.tasks >= 1).all()
    number = np.arange(divided.tasks.size) - np.repeat(divided.first, divided.count)
    last = number == np.repeat(divided.count, divided.count) - 1
    np.testing.assert_array_equal(divided.into == -1, last)
    assert (divided.into > number)[~last].all()
    assert (divided.ratio[last] == 0).all()
    job = np.repeat(np.arange(len(tasks)), divided.count)
    fed = np.bincount(job[~last] * 50 + divided.into[~last], minlength=1)
    assert fed.max(initial=0) <= (1 if shape == "chain" else 2)


@pytest.mark.compiled
def test_phases_behind_barriers_take_as_long_as_the_slowest_task_of_each():
    phases, tasks, tail, transfer = 3, 10, 4.0, 0.75
    scenario, workload = chain(phases, tasks, 20_000, straggle_tail=tail, transfer=transfer, barrier=1)
    outcome = run_to_end(scenario, "fifo+none", workload)
    flowtime = outcome.finish - outcome.arrival
    expected = phases * maximum_moment(tasks, tail) + (phases - 1) * transfer
    assert_mean(flowtime, expected, resolution=0.03)
    with pytest.raises(AssertionError):
        assert_mean(flowtime, 1.04 * expected)


@pytest.mark.compiled
def test_pipelined_tasks_start_one_by_one_as_outputs_arrive():
    r"""Two phases of m tasks: task i of the second starts when i outputs have arrived.

    So the job takes :math:`\max_i (X_{(i)} + w + Y_i)`, here by Monte Carlo.
    """
    tasks, transfer, jobs = 8, 0.5, 20_000
    scenario, workload = chain(2, tasks, jobs, straggle="exponential", transfer=transfer)
    outcome = run_to_end(scenario, "fifo+none", workload)
    luck = np.random.default_rng(1)
    first = np.sort(luck.standard_exponential((400_000, tasks)), axis=1)
    expected = (first + luck.standard_exponential(first.shape)).max(axis=1).mean() + transfer
    assert_mean(outcome.finish - outcome.arrival, expected, resolution=0.03)
    barrier, _ = chain(2, tasks, jobs, straggle="exponential", transfer=transfer, barrier=1)
    later = run_to_end(barrier, "fifo+none", workload)
    assert (later.finish - later.arrival).mean() > 1.1 * expected


def test_a_job_alone_takes_its_longest_path():
    sizes = np.array([2.0, 3.0])
    scenario = SlotScenario(slots=10, phases=3, shape="bushy", transfer=0.5, slow_share=0.5, replicas=2)
    counts = np.array([6, 60])
    jobs = Workload(np.array([0.0, 1.0]), counts, sizes, phases=divide(scenario, Draws(scenario, 0), counts))
    # Two phases of 2 tasks at once, a transfer, the last phase; two of 20 in four waves, during the last
    # of which the outputs of the third arrive, so that the last phase follows in two waves.
    np.testing.assert_allclose(isolated_flowtime(scenario, jobs), [2 + 1 + 2, 4 * 3 + 2 * 3])


def test_one_phase_is_no_phase():
    scenario = SlotScenario(slots=7, jobs=30, tasks_max=20)
    jobs = generate(scenario, 0)
    one = Workload(jobs.arrival, jobs.tasks, jobs.size, phases=None)
    np.testing.assert_array_equal(isolated_flowtime(scenario, one), ideal(jobs, 7))
