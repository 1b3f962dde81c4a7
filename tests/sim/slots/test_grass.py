"""GRASS on timelines that were worked out by hand; MaxSRPT on jobs with longer transfers than tasks."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.model.phases import Phases
from sim.model.workload import Workload, generate
from tests.sim.slots.recorded import FINISHED, KILLED, run_of, timeline

#: Six tasks on two slots, of mean 1.25 s: the fourth has twice the mean left when it starts, no more.
SIX = [[1.0], [1.0], [1.0], [2.5, 1.0], [1.0], [1.0]]
#: Eight on three, of mean 1.1775 s: the fifth begins long before the end, and has 1.22 s left near it.
EIGHT = [[1.0], [1.0], [1.0], [1.0], [2.32, 0.5], [1.1], [1.0], [1.0]]


def copies(slots: int, waves: float, tasks: list[list[float]]) -> list[tuple[int, ...]]:
    """Return task, launch, end and fate of all copies of the tasks that have two."""
    found = timeline(run_of((slots,), f"fifo+grass:waves={waves:g}", [tasks]))
    again = {line[1] for line in found if line[2] > 0}
    return [(line[1], *line[3:]) for line in found if line[1] in again]


@pytest.mark.parametrize(
    ("slots", "waves", "tasks", "expected"),
    [
        (2, 0, SIX, []),  # a copy would not save slot-time
        (2, 1, SIX, []),  # when two tasks are left, 0.5 s of it are: less than the mean
        # four tasks are left at 1 s; the next slot is free at 2 s, and 1.5 s are left
        (2, 2, SIX, [(3, 1000, 3000, KILLED), (3, 2000, 3000, FINISHED)]),
        # watched from 1 s on; three tasks are left at 2.1 s
        (3, 1, EIGHT, [(4, 1000, 2600, KILLED), (4, 2100, 2600, FINISHED)]),
        (3, 0, EIGHT, []),
        # 9 s left are more than twice the mean of 1.9 s, at any time: the copy goes before originals
        (2, 0, [[9.0, 2.0], *[[1.0]] * 8], [(0, 0, 3000, KILLED), (0, 1000, 3000, FINISHED)]),
    ],
)
def test_tasks_are_copied_if_that_saves_and_at_last_if_they_end_sooner(
    slots: int, waves: float, tasks: list[list[float]], expected: list[tuple[int, ...]]
) -> None:
    assert copies(slots, waves, tasks) == expected


def finished(scenario: SlotScenario, policy: str, workload: Workload) -> np.ndarray:
    run = SlotRun(scenario, read_policy(policy), 0, workload)
    while not run.advance():
        pass
    return run.outcome().finish


def test_maxsrpt_serves_the_job_with_few_transfers_first_and_is_srpt_without_phases() -> None:
    """One slot, tasks of 1 s: three maps that send for 2 s each, and four that send for 0.5 s.

    SRPT begins with the first job (4 tasks left, 5 of the other), MaxSRPT with the second, as the larger of
    tasks and transfers is 4 there and 6 in the first.
    """
    phases = Phases(
        np.array([2, 2]), np.array([3, 1, 4, 1]), np.array([1, -1, 1, -1]), np.array([2, 0, 0.5, 0])
    )
    jobs = Workload(np.zeros(2), np.array([4, 5]), np.ones(2), phases=phases)
    one = SlotScenario(slots=1, straggle="deterministic", phases=2, transfer=1.0)
    first, second = finished(one, "srpt+none", jobs)
    assert first < second
    first, second = finished(one, "maxsrpt+none", jobs)
    assert second < first
    many = SlotScenario(slots=3, jobs=60, tasks_max=9, load=0.8)
    workload = generate(many, 0)
    ours, theirs = (finished(many, f"{key}+none", workload) for key in ("maxsrpt", "srpt"))
    assert np.array_equal(ours, theirs)
