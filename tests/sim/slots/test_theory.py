"""The engine against exact theory: queues, order statistics, and the stability limit of cloning.

Every comparison is of means of independent replications (or of jobs that run alone), with a false alarm
of one in a million, and every one would notice an error of a few percent: `assert_mean` fails where it
would not, and a test says so with a wrong theory.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import Workload, generate
from tests.agreement import assert_mean
from tests.depth import some
from tests.sim.slots.runs import run_to_end
from theory.order_statistics import maximum_moment, minimum_moment
from theory.pareto import pareto_moment
from theory.queueing import erlang_c, mg1_wait, mmc_wait

pytestmark = pytest.mark.compiled

#: Relative half width of the intervals below, and a relative error that is beyond it.
RESOLUTION, ERROR = 0.03, 0.04


def waits(scenario: SlotScenario, replications: int, policy: str = "fifo+none") -> list[np.ndarray]:
    """Waiting times of the jobs after the warm-up, for each replication."""
    result = []
    for replication in range(replications):
        outcome = run_to_end(scenario, policy, generate(scenario, replication), replication=replication)
        counted = int(scenario.warm_up * scenario.jobs)
        result.append((outcome.start - outcome.arrival)[counted:])
    return result


def single_tasks(**fields) -> SlotScenario:
    """A queue: jobs of one task."""
    return SlotScenario(tasks="constant", tasks_max=1, **fields)


def alone(tasks: int, jobs: int = 20_000) -> Workload:
    """Equal jobs of size 1, so far apart that each runs alone."""
    return Workload(1e6 * np.arange(1.0, jobs + 1), np.full(jobs, tasks), np.ones(jobs))


@pytest.mark.parametrize(
    ("servers", "load", "replications"), some([(1, 0.6, 40), (5, 0.8, 100), (10, 0.75, 120)], 0, 1), ids=str
)
def test_waits_are_erlangs(servers, load, replications):
    """M/M/c: the mean wait, and the share of the jobs that wait at all."""
    scenario = single_tasks(slots=servers, load=load, jobs=120_000, straggle="exponential")
    samples = waits(scenario, replications)
    means = [sample.mean() for sample in samples]
    assert_mean(means, mmc_wait(servers, load), resolution=RESOLUTION)
    assert_mean([(sample > 0).mean() for sample in samples], erlang_c(servers, load), resolution=RESOLUTION)
    with pytest.raises(AssertionError):
        assert_mean(means, (1 + ERROR) * mmc_wait(servers, load))


@pytest.mark.parametrize(
    ("law", "scv"),
    some(
        [
            ({"straggle": "deterministic"}, 0.0),
            ({"straggle": "lognormal", "straggle_cv": 1.2}, 1.44),
            ({"straggle": "empirical", "samples": (0.5, 0.5, 0.5, 2.5)}, 0.75),
        ],
        1,
    ),
    ids=["constant", "lognormal", "two-valued"],
)
def test_waits_of_one_slot_are_pollaczeks_and_khinchines(law, scv):
    samples = waits(single_tasks(slots=1, load=0.6, jobs=150_000, **law), replications=50)
    means = [sample.mean() for sample in samples]
    assert_mean(means, mg1_wait(0.6, scv), resolution=RESOLUTION)
    with pytest.raises(AssertionError):
        assert_mean(means, (1 + ERROR) * mg1_wait(0.6, scv))


@pytest.mark.parametrize("policy", ["fifo+none", "fair+none", "srpt+none", "hopper+none"])
def test_a_job_on_an_idle_cluster_takes_as_long_as_its_slowest_task(policy):
    tasks, tail = 20, 4.0
    scenario = SlotScenario(slots=tasks, straggle_tail=tail)
    outcome = run_to_end(scenario, policy, alone(tasks))
    flowtime = outcome.finish - outcome.arrival
    assert_mean(flowtime, maximum_moment(tasks, tail), resolution=RESOLUTION)
    assert_mean(outcome.resource, tasks * pareto_moment(1, tail), resolution=RESOLUTION)
    with pytest.raises(AssertionError):
        assert_mean(flowtime, (1 + ERROR) * maximum_moment(tasks, tail))


@pytest.mark.parametrize("copies", [2, 3])
def test_a_cloned_task_takes_as_long_as_its_fastest_copy(copies):
    tail = 1.8  # the smallest of two or three copies has a finite variance, one copy has not
    outcome = run_to_end(SlotScenario(slots=8, straggle_tail=tail), f"fifo+clone:copies={copies}", alone(1))
    assert_mean(outcome.finish - outcome.arrival, minimum_moment(copies, tail), resolution=RESOLUTION)
    assert_mean(outcome.resource, copies * minimum_moment(copies, tail), resolution=RESOLUTION)
    assert (outcome.copies == copies).all()
    assert (outcome.killed == copies - 1).all()


@pytest.mark.parametrize("relative_load", [0.9, 1.15])
def test_cloning_is_stable_exactly_below_its_limit(relative_load):
    r"""XL, Theorem 1: with r copies of every task the load is :math:`\omega r^2 (\alpha-1) / (r\alpha-1)`.

    Above 1 the share of the jobs that is not done at the last arrival is what exceeds capacity.
    """
    copies, tail = 2, 4.0
    growth = copies**2 * (tail - 1) / (copies * tail - 1)
    assert growth > 1.7  # the same cluster would be stable without clones
    scenario = single_tasks(slots=20, load=relative_load / growth, jobs=150_000, straggle_tail=tail, drain=0)
    undone, waiting = [], []
    for replication in range(20):
        workload = generate(scenario, replication)
        outcome = run_to_end(scenario, f"fifo+clone:copies={copies}", workload, replication=replication)
        undone.append(np.isinf(outcome.finish).mean())
        waiting.append(outcome.series[:, 2].mean() / scenario.jobs)
    if relative_load < 1:
        assert np.mean(undone) < 0.001
        assert np.mean(waiting) < 0.001
    else:
        excess = 1 - 1 / relative_load
        assert_mean(undone, excess, resolution=0.05)
        assert_mean(waiting, excess / 2, resolution=0.05)  # the queue grows in proportion to time
