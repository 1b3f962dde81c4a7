"""Runs to watch in the lessons: a few jobs on a small cluster, under the same luck in each run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pages.lessons import two_logs
from sim.engines.gang.run import GangPolicy
from sim.engines.gang.scenario import GangScenario
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.policy import Policy
from sim.model.scenario import Scenario
from sim.running.experiment import Experiment
from sim.telling.words import counted, plain

#: Name of a run -> what is run.
Runs = Mapping[str, Experiment]
#: Slots of a cluster that is watched; tasks of a coded job at most, which with as many again fill it.
SLOTS, MOST_CODED = 20, 10
#: A load at which two copies of every task are more than a cluster can do; probes per task.
CROWDED, PROBES = 0.7, (1, 4)


def minutes(**fields: Any) -> SlotScenario:
    """Return a cluster whose tasks take a minute at least and have a heavy tail."""
    return SlotScenario(slots=SLOTS, warm_up=0, time_unit="min").replace(**fields)


def one(scenario: Scenario, policy: Policy) -> Experiment:
    """Return the run of one policy."""
    return Experiment(scenario, (policy,))


def runs(scenario: Scenario, *policies: Policy) -> Runs:
    """Return a run of each policy, called as the menus call it."""
    return {policy.name: one(scenario, policy) for policy in policies}


def in_order(copies: str) -> SlotPolicy:
    """Return FIFO with a rule of copies."""
    return SlotPolicy.of("fifo", copies)


def alone(tail: float) -> Runs:
    """Return jobs that fill the cluster, each nearly alone."""
    few = minutes(load=0.15, jobs=6, tasks="constant", tasks_max=SLOTS, straggle_tail=tail)
    return runs(few, in_order("none"))


def doubled(tail: float) -> Runs:
    """Return jobs that find slots for two copies of every task."""
    few = minutes(slots=16, load=0.3, jobs=12, tasks="constant", tasks_max=8, straggle_tail=tail)
    return with_two(few)


def crowded(scenario: SlotScenario, tail: float) -> Runs:
    """Return the first jobs of the lesson at a load at which two copies are more than the cluster can do."""
    return with_two(scenario.replace(load=CROWDED, jobs=240, warm_up=0, straggle_tail=tail))


def with_two(few: SlotScenario) -> Runs:
    """Return runs without copies and with two of every task."""
    return runs(few, in_order("none"), in_order("clone"))


def late(tail: float, share: float) -> Runs:
    """Return jobs whose stragglers are copied once this share of their work is done."""
    few = minutes(load=0.5, jobs=20, tasks_max=SLOTS, straggle_tail=tail, observe=f"fraction:{plain(share)}")
    return runs(few, in_order("none"), in_order("sda").with_(copies=2))


def both_logs(share: float) -> Runs:
    """Return jobs as in log A and as in log B, without copies and with copies of stragglers.

    In log A the logarithm of a task's time varies by luck alone. In log B this share of its variance is what
    the task reads: a logarithm times √s has s times the variance.
    """
    here: Any = {"slots": two_logs.HOSTS * two_logs.SLOTS, "jobs": two_logs.JOBS, "tasks": "constant"}
    here |= {"tasks_max": two_logs.TASKS, "time_unit": "s", "observe": "fraction:0.2", "load": 0.3}
    luck: Any = {"straggle": "bounded-pareto"}
    read: Any = {"size": "pareto", "size_per": "task"}
    log_a = minutes(**here, **luck, straggle_tail=two_logs.TAIL, straggle_max=two_logs.MOST)
    log_b = minutes(**here, straggle="deterministic")
    if share < 1:
        part = math.sqrt(1 - share)
        log_b = log_b.replace(**luck, straggle_tail=two_logs.TAIL / part, straggle_max=two_logs.MOST**part)
    if share > 0:
        part = math.sqrt(share)
        log_b = log_b.replace(**read, size_tail=two_logs.TAIL / part, size_max=two_logs.MOST**part)
    log_b = log_b.replace(load=log_a.load * log_b.mean_duration / log_a.mean_duration)  # jobs arrive alike
    logs, copies = {"log A": log_a, "log B": log_b}, (in_order("none"), in_order("sda").with_(copies=2))
    return {f"{policy.name}: {name}": one(log, policy) for policy in copies for name, log in logs.items()}


def in_turn(scenario: SlotScenario, epsilon: float) -> Runs:
    """Return the first jobs of the lesson in order of arrival, and by virtual size."""
    few = scenario.replace(jobs=60, warm_up=0)
    return runs(few, in_order("late"), SlotPolicy.of("hopper").with_(epsilon=epsilon))


def asked(scenario: Scenario, policies: Mapping[int, Policy]) -> Runs:
    """Return few workers and schedulers that ask one of them for each task, or some; policies by probes."""
    few = scenario.replace(workers=SLOTS, schedulers=4, jobs=60, warm_up=0)
    return {f"{policies[d].name}: {counted(d, 'probe')} per task": one(few, policies[d]) for d in PROBES}


def half_of(needed: int, rate: int, tail: float) -> Runs:
    """Return jobs that start more tasks than they need, copied and coded."""
    few = GangScenario(
        nodes=SLOTS,
        capacity=1,
        load=0.2,
        jobs=8,
        tasks="constant",
        tasks_max=min(needed, MOST_CODED),
        size="constant",
        size_min=1,
        straggle_tail=tail,
        warm_up=0,
        time_unit="min",
    )
    policy = GangPolicy.of("all").with_(r=rate)
    return {
        f"{policy.name}: copied": one(few.replace(redundancy="replicated"), policy),
        f"{policy.name}: coded": one(few.replace(redundancy="mds"), policy),
    }
