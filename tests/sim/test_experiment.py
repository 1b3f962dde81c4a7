"""Experiments: threads do not matter, precision is judged in order, differences are paired."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario
from sim.logs import read
from sim.model.fields import BadInput
from sim.model.result import LEVELS, MEASURES
from sim.running.experiment import FEWEST, Experiment, compare, expected_tasks, precise

SCENARIO = SlotScenario(slots=20, load=0.8, jobs=150, tasks_max=10, warm_up=0.2)
#: The same where a mean of the flowtimes can be known: a light tail, and runs long enough for the load.
KNOWABLE = SCENARIO.replace(straggle="exponential", jobs=1500)
POLICIES = ("fair+late", "srpt+mantri", "hopper")


def fingerprint(comparison):
    return {
        (name, *key): result.values(*key)
        for name, result in comparison.policies.items()
        for key in result.samples[0].values
    }


def test_the_answer_does_not_depend_on_the_number_of_threads():
    experiment = Experiment.of_texts(SCENARIO, POLICIES)
    one = compare(experiment, replications=6, threads=1)
    four = compare(experiment, replications=6, threads=4)
    assert fingerprint(one) == fingerprint(four)


def test_precision_stops_at_the_first_replication_that_has_it_whatever_the_threads():
    experiment = Experiment.of_texts(SCENARIO.replace(straggle_tail=3, load=0.5), ("fair+none",))
    found = [compare(experiment, replications=60, precision=8, threads=n) for n in (1, 3)]
    counts = [one.replications for one in found]
    assert counts[0] == counts[1]
    assert FEWEST <= counts[0] < 60
    assert precise(found[0], 8)
    shorter = compare(experiment, replications=counts[0] - 1, threads=1)
    assert not precise(shorter, 8)


def test_policies_meet_the_same_jobs_so_that_equal_policies_differ_by_nothing():
    twins = compare(Experiment.of_texts(KNOWABLE, ("fair+none", "fair+clone:copies=1")), replications=3)
    difference = twins.with_all_intervals().difference("fair+clone:copies=1", "flowtime", "mean")
    assert (difference.value, difference.low, difference.high) == (0, 0, 0)


def test_a_paired_difference_is_known_better_than_independent_ones_would_be():
    experiment = Experiment.of_texts(KNOWABLE, ("fifo+none", "srpt+none"))
    found = compare(experiment, replications=20).with_all_intervals()
    paired = found.difference("srpt+none", "flowtime", "mean")
    alone = [result.estimate("flowtime", "mean").half for result in found.policies.values()]
    assert paired.value == pytest.approx(
        np.mean(found.policies["srpt+none"].values("flowtime", "mean"))
        - np.mean(found.policies["fifo+none"].values("flowtime", "mean"))
    )
    assert paired.half < 0.7 * np.hypot(*alone)


def test_the_warm_up_is_left_out_and_everything_is_counted():
    experiment = Experiment.of_texts(SCENARIO.replace(drain=0, load=1.5), ("fair+none",))
    result = compare(experiment, replications=2).policies["fair+none"]
    assert result.jobs == 300
    assert result.counted == 2 * (150 - 30)
    assert 0 < result.unfinished < 300
    assert result.estimate("flowtime", "mean").value is None
    run = SlotRun(experiment.scenario, experiment.policies[0], 0, experiment.workload(0))
    while not run.advance():
        pass
    outcome = run.outcome()
    assert result.samples[0].unfinished == np.isinf(outcome.finish).sum()
    assert result.samples[0].tasks == outcome.tasks_done


def test_the_statistics_are_those_of_the_jobs():
    experiment = Experiment.of_texts(SCENARIO, ("hopper",))
    sample = compare(experiment, replications=1).policies["hopper+budget"].samples[0]
    run = SlotRun(experiment.scenario, experiment.policies[0], 0, experiment.workload(0))
    while not run.advance(17):
        pass
    outcome = run.outcome()
    kept = slice(30, None)
    flowtime = np.sort((outcome.finish - outcome.arrival)[kept])
    assert sample.values["flowtime", "mean"] == pytest.approx(flowtime.mean())
    assert sample.values["flowtime", "p95"] == flowtime[int(np.ceil(0.95 * flowtime.size)) - 1]
    assert (
        sample.values["speculative_copies_share", ""]
        == outcome.extra[kept].sum() / outcome.copies[kept].sum()
    )
    assert sample.curves["flowtime"][LEVELS == 0.5][0] == sample.values["flowtime", "p50"]
    assert sum(one.jobs for one in sample.classes) == flowtime.size
    # sizes are 1 and no job is larger than the cluster: alone it would take 1
    assert sample.values["slowdown", "mean"] == pytest.approx(flowtime.mean())
    assert {measure for measure, _ in sample.values} >= set(MEASURES)


@pytest.mark.parametrize(
    ("load", "policy", "unstable"), [(0.8, "fifo+none", False), (1.2, "fifo+none", True)]
)
def test_a_growing_queue_is_told_from_a_busy_one(load, policy, unstable):
    scenario = SlotScenario(
        slots=100, load=load, jobs=8000, tasks="constant", tasks_max=1, straggle="exponential", drain=0
    )
    for seed in range(5):
        experiment = Experiment.of_texts(scenario.replace(seed=seed), (policy,))
        result = compare(experiment, replications=2).policies[policy]
        assert result.unstable(100) is unstable


def test_cloning_beyond_its_limit_is_unstable():
    # XL Theorem 1: two copies of exponential tasks keep the work as it is, of Pareto(3) tasks add a fifth
    scenario = SlotScenario(
        slots=100, load=0.9, jobs=8000, tasks="constant", tasks_max=1, straggle_tail=3, drain=0
    )
    found = compare(Experiment.of_texts(scenario, ("fifo+none", "fifo+clone")), replications=3)
    assert [result.unstable(100) for result in found.policies.values()] == [False, True]


def test_a_trace_is_used_whole_and_named():
    rows = "job_id,submit,tasks\n" + "".join(f"j{i},{3 * i},{1 + i % 4}\n" for i in range(50))
    trace = read(rows.encode(), "rows.csv")
    scenario = SCENARIO.replace(arrivals="trace", tasks="trace", jobs=50)
    experiment = Experiment.of_texts(scenario, ("fair+late",), trace)
    found = compare(experiment, replications=2)
    assert found.source == "rows.csv"
    assert found.policies["fair+late"].jobs == 100
    assert expected_tasks(experiment) == trace.tasks.sum()


@pytest.mark.parametrize(
    ("policies", "baseline", "message"),
    [
        ((), "", "policy: none is given"),
        (("hopper", "hopper+budget"), "", "given twice"),
        (("hopper",), "fair", "baseline: 'fair' is not accepted"),
        (("hopper:epsilon=2",), "", "epsilon"),
        (("hopper:epsilon",), "", "name=value"),
        (("fair+late:cap=1",), "", "speculative_cap"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(policies, baseline, message):
    with pytest.raises(BadInput, match=message):
        Experiment.of_texts(SCENARIO, policies, baseline=baseline)
