"""Hopper's copies go to the task that takes longest: by what is left of it where known, else by its age."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import Workload, generate
from tests.agreement import assert_mean
from tests.sim.slots.runs import run_to_end

#: Tasks of a job on three slots. At 6 the second one ends, and a slot is free: the third, of a duration that
#: is to be chosen, has run since 0 and the fourth since 1.
FIRST, SECOND, FOURTH = 1.0, 6.0, 9.0


def run_alone(slots: int, observe: str, *sizes: float) -> np.recarray:
    """Return the copies of a job alone on the cluster, given how long its tasks take."""
    scenario = SlotScenario(slots=slots, straggle="deterministic", observe=observe)
    workload = Workload(np.zeros(1), np.array([len(sizes)]), np.array([np.mean(sizes)]), np.array(sizes))
    return run_to_end(scenario, "fair+budget:copies=3", workload).log


@pytest.mark.parametrize(
    ("observe", "third", "copied"),
    [
        ("age:0", 8.0, 3),  # 2 left, against 4
        ("age:0", 20.0, 2),  # 14 left
        ("never", 8.0, 2),  # for 6 on its slot, against 5
        ("fraction:0.5", 20.0, 3),  # what is left of the third is not known before 10
        ("fraction:0.5", 12.0, 2),  # it is known now, as 6; the fourth has 4 left
        ("fraction:0.5", 8.0, 3),
    ],
)
def test_the_copy_is_of_the_task_that_seems_to_take_longest(observe, third, copied):
    log = run_alone(3, observe, FIRST, SECOND, third, FOURTH)
    extra = log[log["copy"] > 0]
    assert extra["start"].min() == SECOND
    assert extra["task"][extra["start"] == SECOND].tolist() == [copied]


@pytest.mark.parametrize("observe", ["age:0", "fraction:0.5", "never"])
def test_tasks_with_fewer_copies_come_first(observe):
    """Two slots are free at 1: both running tasks get a copy, and not the one that takes longer two."""
    log = run_alone(4, observe, 1.0, 1.0, 30.0, 20.0)
    assert sorted(log["task"][log["start"] == 1.0].tolist()) == [2, 3]


#: Mean flowtimes in mean task times at beta = 1.5, 100 slots, load 0.8, U{1..100} tasks, at most two copies
#: of a task, and only with more than a third of the mean left: by a simulator written apart, with the task
#: that has most left copied first, and with that which has run for longest.
LONGEST_LEFT, LONGEST_ELAPSED = 2.19, 2.29


@pytest.mark.compiled
def test_mean_flowtimes_are_those_of_a_simulator_written_apart():
    """False alarms: one in a million (`assert_mean`)."""
    scenario = SlotScenario(slots=100, load=0.8, jobs=4000, tasks_max=100, straggle_tail=1.5)
    means = []
    for replication in range(24):
        workload = generate(scenario, replication)
        outcome = run_to_end(
            scenario, f"hopper+budget:copies=2,benefit={1 / 3!r}", workload, replication=replication
        )
        counted = (outcome.finish - outcome.arrival)[int(scenario.warm_up * scenario.jobs) :]
        means.append(counted.mean() / scenario.straggle_law.mean)
    assert_mean(means, LONGEST_LEFT, resolution=0.02)
    with pytest.raises(AssertionError):
        assert_mean(means, LONGEST_ELAPSED)
