"""An animation shows its run: at every instant it agrees with a naive replay of the log."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import BadInput
from sim.model.outcome import Outcome
from sim.model.workload import Workload
from sim.running.animation import LATE, LOG, MOST_TASKS, Animation, animation, watchable
from sim.running.experiment import Experiment

pytestmark = pytest.mark.compiled

SMALL = SlotScenario(slots=12, load=0.9, jobs=15, tasks_max=8, warm_up=0)
PHASES = SMALL.replace(
    tasks_min=4,
    tasks_max=12,
    phases=4,
    phases_law="uniform",
    shape="bushy",
    transfer=1,
    transfer_law="exponential",
)
TASKS = SMALL.replace(size="pareto", size_per="task", size_tail=2)
CUT = SMALL.replace(load=2, drain=0)
#: At whose end some job has nothing running, since outputs are on their way.
WAITS = PHASES.replace(load=2, drain=0, transfer=8, slots=30)
RUNS = [
    *(
        (SMALL, policy)
        for policy in ("fair+none", "fair+late", "srpt+mantri", "hopper", "dolly-job", "dolly-task")
    ),
    *((PHASES, "fair+late"), (TASKS, "fair+mantri"), (CUT, "fifo+late"), (WAITS, "fair+none")),
]


def ran(scenario: SlotScenario, policy: str, replication: int = 0) -> tuple[Outcome, Workload]:
    experiment = Experiment.of_texts(scenario, (policy,))
    workload = experiment.workload(replication)
    run = SlotRun(scenario, experiment.policies[0], replication, workload, log=LOG)
    while not run.advance():
        pass
    return run.outcome(), workload


@pytest.fixture(params=RUNS, ids=lambda run: f"{run[1]} {RUNS.index(run)}")
def run(request: pytest.FixtureRequest) -> tuple[SlotScenario, Outcome, Workload, Animation]:
    scenario, policy = request.param
    outcome, workload = ran(scenario, policy)
    return scenario, outcome, workload, animation(scenario, workload, outcome.log)


def drawn(shown: Animation, place: int) -> tuple[dict[int, tuple[int, ...]], list[int], set[int]]:
    """Return what is drawn after an instant: slot -> copy, waiting tasks of each job, slots that are late."""
    held: dict[int, tuple[int, ...]] = {}
    begun: dict[int, set[int]] = defaultdict(set)
    late = set()
    for job, task, number, slot, start, end, _, since in shown.copies.tolist():
        if start <= place and task < shown.jobs[job, 1]:
            begun[job].add(task)
        if start <= place < end:
            assert slot not in held, "two copies in one slot"
            held[slot] = (job, task, number)
            late |= {slot} if 0 <= since <= place else set()
    waiting = [
        tasks - len(begun[job]) if arrives <= place else 0
        for job, (arrives, tasks, _) in enumerate(shown.jobs.tolist())
    ]
    return held, waiting, late


def replayed(scenario: SlotScenario, outcome: Outcome, workload: Workload, now: float) -> tuple[Any, ...]:
    """Return the same of a moment at which nothing happens, from the engine's own records, event by event."""
    held: dict[int, tuple[int, ...]] = {}
    begun: dict[int, set[int]] = defaultdict(set)
    late = set()
    happened = [(line["start"], 1, line) for line in outcome.log if line["start"] < now]
    happened += [(line["end"], 0, line) for line in outcome.log if line["end"] < now and line["fate"] != 2]
    sizes = np.split(workload.task_size, np.cumsum(workload.tasks)[:-1]) if workload.task_size.size else None
    for _, starts, line in sorted(happened, key=lambda one: (one[0], one[1])):
        copy, slot = tuple(int(line[name]) for name in ("job", "task", "copy")), int(line["slot"])
        if starts and not (line["end"] == line["start"] and line["fate"] != 2):
            held[slot] = copy
            begun[copy[0]].add(copy[1])
            size = workload.size[copy[0]] if sizes is None else sizes[copy[0]][copy[1]]
            if now - line["start"] > LATE * size * scenario.mean_factor:
                late.add(slot)
        elif not starts and held.get(slot) == copy:
            del held[slot]
            late.discard(slot)
    waiting = [
        int(workload.tasks[job]) - len(begun[job]) if workload.arrival[job] < now else 0
        for job in range(workload.n)
    ]
    return held, waiting, late


def test_at_every_instant_it_holds_what_a_replay_of_the_log_holds(run: Any) -> None:
    scenario, outcome, workload, shown = run
    assert np.all(np.diff(shown.instants) > 0)
    between = [*(shown.instants[:-1] + shown.instants[1:]) / 2, shown.instants[-1] + 1]
    assert len(between) > 40
    for place, now in enumerate(between):
        assert drawn(shown, place) == replayed(scenario, outcome, workload, now), now


def test_jobs_are_done_when_the_engine_says_so(run: Any) -> None:
    scenario, outcome, workload, shown = run
    finish = np.full(workload.n, np.inf)
    done = shown.jobs[:, 2] < shown.instants.size
    finish[done] = shown.instants[shown.jobs[done, 2]]
    np.testing.assert_allclose(finish, outcome.finish, rtol=1e-5)
    np.testing.assert_array_equal(done.sum(), np.isfinite(outcome.finish).sum())
    np.testing.assert_allclose(shown.flowtimes, (outcome.finish - outcome.arrival)[done], rtol=1e-4)
    if scenario in (CUT, WAITS):
        assert 0 < done.sum() < workload.n
    else:
        assert done.all()


def test_all_copies_are_there_and_the_right_ones_are_extra_and_cancelled(run: Any) -> None:
    _, outcome, workload, shown = run
    jobs = range(workload.n)
    for column, of_engine in ((shown.copies[:, 2] >= 0, "copies"), (shown.copies[:, 2] > 0, "extra")):
        counted = np.bincount(shown.copies[column, 0], minlength=workload.n)
        np.testing.assert_array_equal(counted, getattr(outcome, of_engine)[jobs])
    killed = np.isin(shown.copies[:, 6], (1, 3))
    np.testing.assert_array_equal(np.bincount(shown.copies[killed, 0], minlength=workload.n), outcome.killed)


def test_without_copies_some_task_is_late_until_it_ends() -> None:
    outcome, workload = ran(SMALL, "fair+none")
    shown = animation(SMALL, workload, outcome.log)
    late = shown.copies[shown.copies[:, 7] >= 0]
    assert late.size
    start, end, since = (shown.instants[late[:, column]] for column in (4, 5, 7))
    np.testing.assert_allclose(since - start, LATE * SMALL.mean_duration, rtol=1e-4)  # all sizes are alike
    assert np.all(since < end)


def test_a_log_that_is_full_makes_no_animation() -> None:
    outcome, workload = ran(SMALL, "fair+late")
    with pytest.raises(BadInput, match="copies are too few"):
        animation(SMALL, workload, outcome.log, capacity=outcome.log.size)
    animation(SMALL, workload, outcome.log, capacity=outcome.log.size + 1)


def test_a_long_run_is_cut_to_its_first_jobs_and_a_large_cluster_refused() -> None:
    long = Experiment.of_texts(SMALL.replace(jobs=5000), ("fair+late", "hopper"))
    few = watchable(long)
    assert few.scenario.jobs * few.scenario.mean_tasks <= MOST_TASKS
    np.testing.assert_array_equal(few.workload(0).tasks, long.workload(0).tasks[: few.scenario.jobs])
    with pytest.raises(BadInput, match="slots: 41 is not accepted"):
        watchable(Experiment.of_texts(SMALL.replace(slots=41), ("fair+late",)))
