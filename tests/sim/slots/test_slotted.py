"""Slotted decisions: at multiples of the interval only, and event-driven in the limit."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.workload import generate
from tests.agreement import assert_mean
from tests.sim.slots.runs import copies_of, run_to_end

#: Too many events for Python alone; the twin and the invariants cover these rules there.
pytestmark = pytest.mark.compiled

SETTING = SlotScenario(
    slots=60,
    load=0.7,
    jobs=60,
    tasks_max=20,
    straggle_tail=2,
    size="uniform",
    size_min=0.5,
    size_max=2,
    observe="fraction:0.2",
)


@pytest.mark.parametrize("policy", [*SlotPolicy.SYSTEMS, "fair+late", "hopper"])
@pytest.mark.parametrize("interval", [0.5, 0.3])
def test_copies_start_at_multiples_of_the_interval_only(policy, interval):
    log = copies_of(run_to_end(SETTING.replace(decision_interval=interval), policy, generate(SETTING, 0)))
    np.testing.assert_array_equal(log.start, np.rint(log.start / interval) * interval)
    assert log.start.nunique() > 20


@pytest.mark.parametrize("policy", [*SlotPolicy.SYSTEMS, "fair+late", "hopper", "srpt+clone"])
def test_a_vanishing_interval_is_the_event_driven_run(policy):
    """Each decision is late by at most the interval; here too little for any two events to change places."""
    interval = 1e-10
    for replication in range(3):
        workload = generate(SETTING, replication)
        exact, slotted = (
            copies_of(
                run_to_end(SETTING.replace(decision_interval=one), policy, workload, replication=replication)
            )
            for one in (0.0, interval)
        )
        for column in ("job", "task", "copy", "slot", "fate"):
            np.testing.assert_array_equal(slotted[column], exact[column], err_msg=column)
        late = slotted.start - exact.start
        assert late.between(-1e-12, 1000 * interval).all()
        assert (late > 0).any()


@pytest.mark.parametrize("slots", [10, 1000], ids=["few events an interval", "many"])
def test_a_job_on_an_idle_cluster_waits_half_an_interval(slots):
    """Arrivals know nothing of the clock, so what is left of an interval is uniform on it."""
    interval = 1.0
    scenario = SlotScenario(
        slots=slots,
        load=0.05,
        jobs=20_000,
        tasks="constant",
        tasks_max=1,
        straggle="deterministic",
        decision_interval=interval,
    )
    outcome = run_to_end(scenario, "no-backup", generate(scenario, 0))
    waits = outcome.start - outcome.arrival
    assert ((waits >= 0) & (waits < interval)).all()
    assert_mean(waits, interval / 2, resolution=0.03)
    np.testing.assert_allclose(outcome.finish - outcome.start, 1.0)


@pytest.mark.compiled
@pytest.mark.parametrize("policy", ["sca", "sda", "ese", "mantri-xl"])
def test_the_mean_flowtime_approaches_that_of_the_event_driven_run(policy):
    setting = SETTING.replace(jobs=3000, slots=200)
    workload = generate(setting, 0)
    means = [
        float((run.finish - run.arrival).mean())
        for run in (
            run_to_end(setting.replace(decision_interval=interval), policy, workload)
            for interval in (0.0, 0.01, 0.1, 1.0)
        )
    ]
    distances = np.abs(np.subtract(means[1:], means[0]))
    assert distances[0] < 0.02
    assert distances[0] < distances[1] < distances[2]
