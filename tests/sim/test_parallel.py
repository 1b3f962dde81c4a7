"""Any executor gives the same bits; unneeded runs are skipped; the end of an executor is one line."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.logs import read
from sim.model.fields import BadInput
from sim.running import code_digest, sample_store
from sim.running.execution import AHEAD_EACH, Effort
from sim.running.experiment import FEWEST, Experiment, compare, compare_all, precise, sweep

SCENARIO = SlotScenario(slots=20, load=0.8, jobs=60, tasks_max=10)
EXPERIMENT = Experiment.of_texts(SCENARIO, ("fair+late", "srpt+mantri", "hopper"))
ROWS = b"job_id,submit,tasks,size\n" + b"".join(b"j%d,%d,%d,1\n" % (i, 3 * i, 1 + i % 4) for i in range(40))
RECORDED = Experiment.of_texts(
    SCENARIO.replace(arrivals="trace", tasks="trace", size="trace", jobs=40),
    ("fair+late", "srpt+none"),
    read(ROWS, "rows.csv"),
)


def bits(comparison) -> dict:
    """All that a comparison found, but for the seconds it took."""
    return {
        (name, replication, field): spelled(getattr(sample, field))
        for name, result in comparison.policies.items()
        for replication, sample in enumerate(result.samples)
        for field in sample.__dataclass_fields__
        if field != "seconds"
    }


def spelled(value: object) -> object:
    """A value so that equal bits are equal: arrays as bytes, sets in order."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, dict):
        return [(key, spelled(one)) for key, one in value.items()]
    return sorted(value) if isinstance(value, frozenset) else repr(value)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        yield pool


class Reversed(Executor):
    """An executor that does the last thing it was asked for first, when it has been asked for enough."""

    def __init__(self, enough: int) -> None:
        self.enough, self.asked = enough, []
        self.most = self.total = 0

    def submit(self, function, /, *arguments):
        future: Future = Future()
        self.asked.append((future, function, arguments))
        self.total += 1
        self.most = max(self.most, len(self.asked))
        if len(self.asked) == self.enough:
            while self.asked:
                last, function, arguments = self.asked.pop()
                if last.set_running_or_notify_cancel():
                    last.set_result(function(*arguments))
        return future


@pytest.mark.compiled
@pytest.mark.parametrize("experiment", [EXPERIMENT, RECORDED], ids=["drawn", "recorded"])
def test_processes_give_the_bits_of_threads(experiment, processes) -> None:
    here = compare(experiment, replications=3, threads=2)
    there = compare(experiment, replications=3, executor=processes)
    assert bits(here) == bits(there)
    assert there.source == here.source


def test_the_order_in_which_units_end_does_not_matter() -> None:
    here = compare(EXPERIMENT, replications=3, threads=1)
    assert bits(compare(EXPERIMENT, replications=3, executor=Reversed(9))) == bits(here)


def test_points_of_a_sweep_are_under_way_together_and_come_in_their_order() -> None:
    alone = list(sweep(EXPERIMENT, "load", (0.3, 0.6), replications=2, threads=1))
    executor = Reversed(12)  # it begins when it has the units of both points
    together = list(sweep(EXPERIMENT, "load", (0.3, 0.6), replications=2, executor=executor))
    assert executor.most == 12
    assert [value for value, _ in together] == [0.3, 0.6]
    assert [bits(found) for _, found in together] == [bits(found) for _, found in alone]


def test_precision_is_judged_in_order_and_little_is_run_that_nobody_needs() -> None:
    experiment = Experiment.of_texts(SCENARIO.replace(straggle_tail=3, load=0.5, jobs=150), ("fair+none",))
    here = compare(experiment, replications=60, precision=8, threads=1)
    assert FEWEST <= here.replications < 60
    assert precise(here, 8)
    executor = Reversed(1)
    there = compare(experiment, replications=60, precision=8, executor=executor, threads=2)
    assert bits(there) == bits(here)
    assert executor.total <= here.replications + AHEAD_EACH * 2


def test_progress_adds_up_to_all_tasks() -> None:
    told: list[int] = []
    found = compare(EXPERIMENT, replications=2, executor=ThreadPoolExecutor(2), progress=told.append)
    assert sum(told) == sum(result.tasks for result in found.policies.values())


def test_a_sweep_that_is_left_ends_its_runs() -> None:
    slow = Experiment.of_texts(SCENARIO.replace(jobs=300_000), ("fair+late",))
    points = compare_all([EXPERIMENT, slow], Effort(replications=1, threads=2))
    next(points)
    points.close()  # which waits for its threads


def test_what_goes_wrong_in_a_run_is_raised_and_ends_the_others(processes) -> None:
    broken = Experiment.of_texts(SCENARIO.replace(jobs=61), ("fair+late",))
    object.__setattr__(broken.scenario, "straggle", "no law")  # no scenario could be made like that
    with pytest.raises(ValueError, match="not in tuple"):
        compare(broken, replications=2, executor=processes)
    compare(EXPERIMENT, replications=1, executor=processes)  # nobody is hurt


def test_a_worker_of_other_code_is_refused_in_one_line() -> None:
    unit = sample_store.WorkItem(EXPERIMENT.only(0), 0, "0123456789abcdef")
    with pytest.raises(
        BadInput, match=rf"^executor: a worker has straggler-lab .*{code_digest.digest()}.*0123456789abcdef"
    ):
        sample_store.run(unit)


@pytest.mark.compiled
def test_an_executor_whose_worker_is_killed_ends_in_one_line() -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(BadInput, match=r"^executor: it has ended before the work .*; start again$"):
            compare(EXPERIMENT, replications=3, executor=pool)
