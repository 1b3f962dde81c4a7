"""LATE keeps the quantile of each job's known durations, and finds the right tasks by age alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.scenario import SlotScenario
from sim.engines.slots.speculation.candidates import KNOWN, learn
from sim.engines.slots.speculation.late import prepare
from sim.kernel.records import JOB, records
from sim.model.rule import record_of
from sim.model.workload import Workload
from tests.sim.slots.runs import run_to_end

durations = st.lists(st.integers(1, 9).map(float) | st.floats(0.01, 100), min_size=1, max_size=40)


@pytest.mark.small
@given(durations=durations, percentile=st.sampled_from([0, 5, 10, 25, 50, 75, 90, 100]))
def test_it_is_the_smallest_duration_with_at_least_that_share_at_or_below_it(durations, percentile):
    values = {"speculative_cap": 0.1, "slow_percentile": float(percentile), "min_age": 0.5}
    share = prepare(SlotScenario(), values)[1]
    jobs, known, store = records(2, JOB), records(2, record_of(KNOWN)), np.full(len(durations) + 6, -1.0)
    jobs.first_task, jobs.tasks = 3, len(durations)  # its segment of the store, with others around it
    for count, duration in enumerate(durations, 1):
        learn(jobs, known, store, 1, duration, share)
        expected = np.quantile(durations[:count], (100 - percentile) / 100, method="inverted_cdf")
        assert store[3] == expected
    assert (store[:3] == -1).all()
    assert (store[-3:] == -1).all()


def test_the_last_task_of_a_small_job_is_found_slow_by_its_age_alone():
    """It is judged before any task of its job has ended, and no other will end to remind of it."""
    workload = Workload(np.zeros(1), np.array([2]), np.array([5.5]), np.array([1.0, 10.0]))
    scenario = SlotScenario(slots=4, straggle="deterministic", observe="never")
    outcome = run_to_end(scenario, "fifo+late:min_age=0,speculative_cap=1", workload)
    (copy,) = outcome.log[outcome.log["copy"] == 1]
    assert copy["task"] == 1
    assert copy["start"] == np.nextafter(1.0, 2)  # it has now run for longer than the other task took
