"""The probe engine against exact theory, against the slot engine, and against published simulators.

Every statistical comparison is of means of independent replications with a false alarm of one in a
million, and would notice an error of a few percent: `assert_mean` fails where it would not.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import generate
from sim.running.experiment import Experiment
from tests.agreement import assert_mean
from tests.depth import some
from tests.sim.probes.runs import run_to_end
from tests.sim.probes.strategies import probe_runs
from tests.sim.slots.runs import run_to_end as run_slots
from tests.strategies import search
from theory.queueing import mg1_wait, mmc_wait

RESOLUTION, ERROR = 0.04, 0.06


def means(scenario: ProbeScenario, policy: str, replications: int, until: str) -> list[float]:
    """Mean time from the arrival to the start or finish of a job after the warm-up, for each replication."""
    found = []
    for replication in range(replications):
        _, outcome = run_to_end(scenario, policy, generate(scenario, replication), replication=replication)
        time = getattr(outcome, until) - outcome.arrival
        found.append(time[int(scenario.warm_up * scenario.jobs) :].mean())
    return found


def single_tasks(**fields) -> ProbeScenario:
    """Jobs of one task of mean duration 1."""
    return ProbeScenario(tasks="constant", tasks_max=1, straggle="exponential", **fields)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "policy", some(["sparrow:probes=1", "sparrow-srpt:probes=1", "hopper:probes=1+none"], 1, 2)
)
def test_one_probe_a_task_makes_each_worker_a_queue_of_its_own(policy):
    """Poisson arrivals split at random: M/M/1 at each worker, where jobs are equal."""
    load = 0.5
    scenario = single_tasks(workers=10, load=load, jobs=50_000, latency=0, schedulers=3)
    waits = means(scenario, policy, 40, "start")
    assert_mean(waits, load / (1 - load), resolution=RESOLUTION)
    with pytest.raises(AssertionError):
        assert_mean(waits, (1 + ERROR) * load / (1 - load))


@pytest.mark.compiled
@pytest.mark.parametrize(("workers", "per_worker"), some([(8, 1), (2, 4)], 1))
def test_probes_of_all_workers_make_one_queue_of_them(workers, per_worker):
    """M/M/8: nobody waits while a slot is free."""
    scenario = single_tasks(workers=workers, slots_per_worker=per_worker, load=0.7, jobs=50_000, latency=0)
    waits = means(scenario, f"sparrow:probes={workers}", 40, "start")
    assert_mean(waits, mmc_wait(8, 0.7), resolution=2 * RESOLUTION)
    with pytest.raises(AssertionError):
        assert_mean(waits, (1 + 2 * ERROR) * mmc_wait(8, 0.7))


@pytest.mark.compiled
@pytest.mark.parametrize("latency", some([0.1, 0.5], 0))
def test_a_slot_that_waits_for_answers_is_a_longer_service(latency):
    """M/G/1: the slot is held for a question and its answer; the probe is on its way before that."""
    held = 1 + 2 * latency
    load = 0.5 / held
    scenario = single_tasks(workers=10, load=load, jobs=50_000, latency=latency)
    wait = mg1_wait(load * held, 1 / held**2) * held  # of service X + 2 latencies, variance 1
    expected = latency + wait + 2 * latency
    waits = means(scenario, "sparrow:probes=1", 40, "start")
    assert_mean(waits, expected, resolution=RESOLUTION)
    with pytest.raises(AssertionError):
        assert_mean(waits, expected + latency / 2)


@search(40)
@given(data=st.data())
def test_first_come_first_served_with_full_knowledge_is_the_centralised_run(data):
    """Every worker knows every job, at once: then each task starts when it would at one scheduler."""
    scenario, workload = data.draw(probe_runs(ties=False))
    scenario = scenario.replace(latency=0.0, outlier_spread=0.0)
    enough = scenario.workers * int(workload.tasks.max())
    _, decentral = run_to_end(scenario, f"sparrow:probes={enough}", workload)
    fields = ("observe", "drain", "seed", "straggle", "straggle_tail", "straggle_max", "straggle_cv")
    fields += ("outlier_share", "outlier_min", "samples", "slots")
    central = SlotScenario(**{name: getattr(scenario, name) for name in fields})
    expected = run_slots(central, "fifo+none", workload)
    for column in ("start", "finish", "copies"):
        np.testing.assert_array_equal(getattr(decentral, column), getattr(expected, column), err_msg=column)


IN_PHASES = {"phases": 4, "phases_law": "uniform", "shape": "bushy", "transfer": 1}


@pytest.mark.compiled
@pytest.mark.parametrize("phases", some([{}, IN_PHASES], 0), ids=["one phase", "phases"])
def test_hopper_approaches_the_centralised_policy_as_knowledge_grows(phases):
    """More probes, more refusals, no latency: the mean flowtime falls to that of the central run."""
    scenario = ProbeScenario(
        workers=100, schedulers=4, latency=0, load=0.7, jobs=1000, tasks_max=20, straggle_tail=2.5, **phases
    )
    ladder = ["hopper:probes=1", "hopper:probes=2", "hopper:probes=100,refusal_threshold=100"]
    experiment = Experiment.of_texts(scenario, ("central+none", *(f"{policy}+none" for policy in ladder)))
    found = experiment.compared([experiment.replicate(replication) for replication in range(12)])
    found = found.with_all_intervals()
    ratios = [found.ratio(policy, "flowtime", "mean") for policy in experiment.texts]
    assert ratios[0].value == 1.0
    assert ratios[1].low > 1.3
    assert ratios[1].low > ratios[2].high > ratios[2].low > ratios[3].high
    assert ratios[3].low > 0.97
    assert ratios[3].high < 1.03


@pytest.mark.compiled
def test_sparrow_agrees_with_published_simulators():
    """10,000 workers of 4 slots, 100 tasks of Exp(100), delay 0.5, load 0.8: independent simulators give
    a mean response of 520 to 524; 518.7 of it is the longest of 100 tasks.
    """
    scenario = ProbeScenario(
        workers=10_000,
        slots_per_worker=4,
        latency=0.5,
        load=0.8,
        jobs=2000,
        tasks="constant",
        tasks_max=100,
        size_min=100,
        straggle="exponential",
    )
    flowtimes = np.array(means(scenario, "sparrow", 12, "finish"))
    assert_mean(flowtimes, 522, resolution=0.02)
    assert 520 <= flowtimes.mean() <= 524
