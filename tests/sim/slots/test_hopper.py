"""Hopper's targets by three routes: the theory, the reference, and the slots that jobs end up holding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.engines.slots.scenario import SlotScenario
from sim.engines.slots.sharing.hopper import first_with_gap
from sim.engines.slots.signatures import LEVEL
from sim.kernel.records import JOB, records
from sim.model.workload import Workload
from tests.reference.slots.sharing.hopper import hopper_targets
from tests.sim.slots.runs import run_to_end
from tests.strategies import search
from theory.allocation import hopper_allocation, virtual_sizes
from theory.fairness import fair_hopper_allocation

#: Jobs with different numbers of remaining tasks: where they tie, the maximiser is not unique.
sizes = st.lists(st.integers(1, 40), min_size=1, max_size=8, unique=True)
slots = st.integers(1, 300)
tails = st.sampled_from([1.2, 1.5, 1.6, 2.0, 3.0])
epsilons = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]) | st.floats(0, 1)


def targets(tasks: list[int], slots: int, tail: float, epsilon: float) -> list[float]:
    """Targets of the twin, for jobs that have all started."""
    return hopper_targets(tasks, [False] * len(tasks), slots, max(1.0, 2 / tail), epsilon)


@given(tasks=sizes, slots=slots, tail=tails)
def test_full_unfairness_is_algorithm_1(tasks, slots, tail):
    np.testing.assert_allclose(
        targets(tasks, slots, tail, 1.0), hopper_allocation(tasks, slots, tail), atol=1e-9
    )


@given(tasks=sizes, slots=slots, tail=tails, epsilon=epsilons)
def test_the_twin_is_algorithm_2(tasks, slots, tail, epsilon):
    expected = fair_hopper_allocation(tasks, slots, tail, epsilon)
    np.testing.assert_allclose(targets(tasks, slots, tail, epsilon), expected, atol=1e-9 * slots)


@given(tasks=sizes, slots=slots, tail=tails, epsilon=epsilons)
def test_no_target_of_algorithm_2_is_below_the_floor(tasks, slots, tail, epsilon):
    floor = (1 - epsilon) * slots / len(tasks)
    assert min(targets(tasks, slots, tail, epsilon)) >= floor - 1e-9 * slots


@given(tasks=sizes, slots=slots, tail=tails)
def test_without_unfairness_every_target_is_the_fair_share(tasks, slots, tail):
    np.testing.assert_allclose(targets(tasks, slots, tail, 0.0), slots / len(tasks))


@given(tasks=st.lists(st.integers(1, 6), min_size=1, max_size=12), slots=slots, tail=tails, data=st.data())
def test_equal_jobs_share_what_one_of_them_would_be_raised_by(tasks, slots, tail, data):
    """Any split among equal jobs attains the optimum; ours hands out what the level is owed, to the slot."""
    unstarted = [data.draw(st.booleans()) for _ in tasks]
    shares = np.array(hopper_targets(tasks, unstarted, slots, max(1.0, 2 / tail), 1.0))
    virtual = virtual_sizes(tasks, tail)
    if slots > virtual.sum():
        np.testing.assert_allclose(shares, hopper_allocation(tasks, slots, tail))
        return
    assert (shares <= virtual + 1e-9).all()
    levels = [np.array(tasks) == t for t in sorted(set(tasks))]
    ahead = np.minimum(np.cumsum([0, *(virtual[level].sum() for level in levels)]), slots)
    np.testing.assert_allclose([shares[level].sum() for level in levels], np.diff(ahead), atol=1e-9 * slots)


@pytest.mark.small
@search(150)
@given(tasks=sizes, slots=slots, tail=tails, epsilon=epsilons)
def test_jobs_come_to_hold_their_targets(tasks, slots, tail, epsilon):
    """Giving one slot at a time to the job farthest below its target ends within a slot of every target.

    All jobs arrive at once on an empty cluster and the run ends at that instant, so the copies launched
    are the slots held. Up to 16 copies a task may run, so that targets can be reached.
    """
    expected = fair_hopper_allocation(tasks, slots, tail, epsilon)
    assume((expected <= 16 * np.array(tasks)).all())
    workload = Workload(np.zeros(len(tasks)), np.array(tasks), np.ones(len(tasks)))
    scenario = SlotScenario(slots=slots, straggle_tail=tail, drain=0)
    outcome = run_to_end(scenario, f"hopper:epsilon={epsilon!r}+budget:copies=16", workload)
    assert outcome.copies.sum() == slots
    assert (np.abs(outcome.copies - expected) <= 1 + 1e-9).all()


@pytest.mark.parametrize("heap", [0, 1], ids=["with tasks to start", "without"])
def test_of_two_jobs_equally_far_from_their_targets_the_older_is_served(heap):
    """They have as many tasks left and hold as much, but only one has tasks to start: a tie that is rare."""
    remaining, held = 2, 1.0
    jobs, levels = records(2, JOB), records(remaining + 1, LEVEL)
    jobs.first = held
    order, heaps = np.array([remaining, held]), np.full(2 * len(levels), -1, np.int32)
    heaps[2 * remaining + heap], heaps[2 * remaining + 1 - heap] = 0, 1
    assert first_with_gap(jobs, levels, order, heaps, 1.0, remaining - held, 0) == 0
