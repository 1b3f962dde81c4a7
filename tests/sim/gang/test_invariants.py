"""Invariants at every event under every policy, read from the log of tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.gang.run import redundancy_rules
from sim.running.contract import runs
from sim.running.contract.copies import copies_of
from tests.sim.gang.runs import gang_policies, run_to_end, small_gangs
from tests.strategies import search

every_rule = pytest.mark.parametrize("rule", redundancy_rules())


@every_rule
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(50)
@given(data=st.data())
def test_every_task_is_accounted_for_and_the_columns_of_the_jobs_follow(rule, ties, data):
    scenario, workload = data.draw(small_gangs(ties=ties))
    outcome = run_to_end(scenario, data.draw(gang_policies(rule)), workload)
    assert not list(runs.about_gangs(outcome, copies_of(outcome), scenario))
    np.testing.assert_array_equal(outcome.columns["wait"], outcome.start - outcome.arrival)


@every_rule
@search(30)
@given(data=st.data())
def test_the_series_add_up_to_what_the_tasks_held(rule, data):
    """Busy slots, redundant ones, and the tasks and jobs that were there, each times the time it was."""
    scenario, workload = data.draw(small_gangs(ties=data.draw(st.booleans())))
    scenario = scenario.replace(drain=0)
    outcome = run_to_end(scenario, data.draw(gang_policies(rule)), workload)
    last = outcome.last_arrival
    if last == 0:
        return
    held = outcome.series.mean(axis=0) * last
    flowtime = np.minimum(outcome.finish, last) - outcome.arrival
    waited = np.minimum(outcome.start, last) - outcome.arrival
    expected = [outcome.resource.sum(), outcome.extra_time.sum(), outcome.tasks @ waited, flowtime.sum()]
    np.testing.assert_allclose(held, expected, rtol=1e-9, atol=1e-9 * last)
