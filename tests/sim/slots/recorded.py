"""Runs on recorded clusters, for tests: hosts of given sizes, and durations of each copy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from sim.engines.slots.recorded import Recorded, RecordedRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.model.workload import Workload

FINISHED, KILLED = "finished", "killed"


def round_robin(hosts: Sequence[int]) -> np.ndarray:
    """Slots in the order in which a scheduler that spreads tasks out takes them."""
    widest = max(hosts)
    by_host = [[host * widest + slot for slot in range(size)] for host, size in enumerate(hosts)]
    return np.array(
        [slot for wave in zip_longest(*by_host) for slot in wave if slot is not None], dtype=np.int32
    )


def most_free(hosts: Sequence[int]) -> np.ndarray:
    """Slots in the order in which a scheduler takes them that prefers the host with most of them free."""
    widest, free, order = max(hosts), list(hosts), []
    while any(free):
        host = max(range(len(hosts)), key=lambda one: (free[one], -one))
        order.append(host * widest + hosts[host] - free[host])
        free[host] -= 1
    return np.array(order, dtype=np.int32)


def run_of(
    hosts: Sequence[int],
    policy: str,
    stages: Sequence[Sequence[Sequence[float]]],
    *,
    parents: tuple[tuple[int, ...], ...] = (),
    submit: Sequence[float] = (),
    gap: Sequence[float] = (),
    changes: tuple[tuple[float, int, bool], ...] = (),
    observe: str = "age:0",
    order: Sequence[int] = (),
    straggle: str = "deterministic",
    **cluster: Any,
) -> RecordedRun:
    """Run stages, given for each task the durations of its copies, to the end.

    What else is known of the `cluster` are fields of `Recorded`.
    """
    tasks = np.array([len(stage) for stage in stages])
    most = max(len(copies) for stage in stages for copies in stage)
    durations = np.array(
        [[*copies, *[copies[-1]] * (most - len(copies))] for stage in stages for copies in stage]
    )
    widest = max(hosts)
    scenario = SlotScenario(
        slots=widest * len(hosts), machine_slots=widest, straggle=straggle, observe=observe
    )
    mean = np.array([np.mean([copies[0] for copies in stage]) for stage in stages])
    none = len(stages) * [0.0]
    recorded = Recorded(
        parents or len(stages) * ((),),
        np.array(gap or none),
        np.array(order, np.int32) if len(order) else round_robin(hosts),
        changes,
        durations=durations,
        **cluster,
    )
    workload = Workload(np.array(submit or none), tasks, mean)
    run = RecordedRun(scenario, read_policy(policy), 0, workload, recorded, log=100_000)
    while not run.advance():
        pass
    return run


def timeline(run: RecordedRun) -> list[tuple[int, int, int, int, int, str]]:
    """Return stage, task, copy, launch and end in milliseconds, and fate of every copy."""
    return sorted(
        (stage, task, copy, round(1000 * start), round(1000 * end), FINISHED if fate == 0 else KILLED)
        for stage, task, copy, _, start, end, fate in run.log.tolist()
    )


def machines(run: RecordedRun) -> dict[tuple[int, int, int], int]:
    """Return the machine of every copy."""
    width = run.scenario.machine_slots
    return {(stage, task, copy): slot // width for stage, task, copy, slot, *_ in run.log.tolist()}
