"""The time series are the integrals over time of the log of copies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.engines.run import EDGES
from sim.engines.slots.scenario import SlotScenario
from sim.model.outcome import Outcome
from sim.model.workload import Workload
from tests.sim.slots.runs import copies_of, run_to_end
from tests.strategies import search, small_runs


def spent(edges: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Time between `start` and `end` that lies in each interval, summed over all pairs; per unit of time."""
    until = np.clip(edges[:, None], start, np.maximum(start, end)) - start
    return np.diff(until.sum(axis=1)) / np.diff(edges)


def assert_series_are_those_of_the_log(outcome: Outcome, workload: Workload) -> None:
    """Assert that each column of the series is an integral over time of what the log of copies says.

    Among them Little's law: jobs in the system, summed over time, are flowtimes, summed over jobs. It is
    asserted of every run that is held against the twin (`tests.sim.slots.test_twin`).
    """
    last = float(workload.arrival[-1])
    if last <= 1e-6 or workload.phases is not None:
        return  # intervals too short for the clock; the log does not say when a task was released
    log, edges = outcome.log, np.linspace(0, last, EDGES + 1)
    extra, originals = log[log["copy"] > 0], log[log["copy"] == 0]
    first_task = np.cumsum(workload.tasks) - workload.tasks
    launched = np.full(workload.total_tasks, math.inf)
    launched[first_task[originals["job"]] + originals["task"]] = originals["start"]
    expected = [
        spent(edges, log["start"], log["end"]),
        spent(edges, extra["start"], extra["end"]),
        spent(edges, np.repeat(workload.arrival, workload.tasks), launched),
        spent(edges, workload.arrival, outcome.finish),
    ]
    np.testing.assert_allclose(outcome.series, np.transpose(expected), atol=1e-9 * workload.total_tasks)


@search(25)
@given(data=st.data())
def test_utilisation_is_busy_time_between_the_end_of_the_warm_up_and_the_last_arrival(data):
    scenario, workload = data.draw(small_runs(ties=False))
    scenario = scenario.replace(warm_up=data.draw(st.floats(0, 0.95)))
    last, counted = float(workload.arrival[-1]), float(workload.arrival[int(scenario.warm_up * workload.n)])
    assume(last - counted > 1e-6)
    outcome = run_to_end(scenario, "fair+late", workload)
    log = copies_of(outcome)
    held = np.clip(log.end, counted, last) - np.clip(log.start, counted, last)
    assert outcome.utilisation == pytest.approx(held.sum() / (scenario.slots * (last - counted)), abs=1e-9)


@pytest.mark.parametrize("last", [403.11298644712923, 802.36416113453, 482.21238819933654])
def test_the_last_edge_is_reached_when_the_run_stops_at_the_last_arrival(last):
    assert last / EDGES * EDGES > last  # rounding: the trap
    workload = Workload(np.array([0.0, last]), np.array([1, 1]), np.array([10 * last, 1.0]))
    outcome = run_to_end(SlotScenario(slots=3, straggle="deterministic", drain=0), "fifo+none", workload)
    np.testing.assert_allclose(outcome.series[:, 0], 1.0)
