"""A run whose jobs come and go in blocks equals the run that holds all of them.

Wherever memory is given back the test writes what no row may hold, so that whoever reads a row of a job that
is done comes to another result, or to none.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.engines.slots.long import ExactSum, LongRun
from sim.engines.slots.run import LISTS, SlotRun, isolated_flowtime
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.kernel.integrals import Span
from sim.model.result import Sample, SizeClass, read, sample
from sim.model.workload import StreamedWorkload, Totals, generate
from sim.running.experiment import MOST_HELD, Experiment
from tests.strategies import HOMES, OTHERS, search

BUSY = SlotScenario(
    slots=20, load=0.9, jobs=300, tasks_max=20, size="uniform", size_max=3, observe="fraction:0.2"
)


@pytest.fixture(autouse=True)
def spoilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spoil what is given back, to the row; in front a rule may have lists for all jobs."""

    def spoil(span: Span, first: int, stop: int) -> None:
        span.rows[max(first, LISTS) : stop].view(np.uint8)[...] = 0xFF

    monkeypatch.setattr(Span, "give_back", spoil)


def held(scenario: SlotScenario, policy: str) -> Sample:
    """Run with all jobs at hand."""
    jobs = generate(scenario, 1)
    run = SlotRun(scenario, read_policy(policy), 1, jobs)
    while not run.advance():
        pass
    return sample(scenario, run.outcome(), isolated_flowtime(scenario, jobs))


def passing(scenario: SlotScenario, policy: str, block: int, events: int = 0) -> Sample:
    """Run with blocks of so many jobs, so many events a call."""
    run = LongRun(scenario, read_policy(policy), 1, StreamedWorkload(scenario, 1, block, ahead=block))
    while not run.advance(events):
        pass
    return read(scenario, *run.ended())


def rounded(value: Any) -> Any:
    """Round to single precision, as a long run does with each job."""
    return None if value is None else float(np.float32(value))


def about(value: float | None) -> Any:
    """Admit the rounding of each job."""
    return None if value is None else pytest.approx(value, rel=1e-7)


def assert_same(one: Sample, other: Sample) -> None:
    """Assert that a long run has found what a run has that holds its jobs, rounded as it rounds."""
    for name in ("jobs", "counted", "unfinished", "tasks_arrived", "tasks", "span", "unreliable"):
        assert getattr(other, name) == getattr(one, name), name
    for name in ("series", "holding"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name), err_msg=name)
    assert list(other.values) == list(one.values)
    for key, value in one.values.items():
        if key[1].startswith("p") and not one.unfinished:
            assert other.values[key] == rounded(value), key
        else:
            assert other.values[key] == about(value), key
    exact = {} if one.unfinished else one.curves  # where jobs are unfinished, rounding may make ties
    for name, curve in exact.items():
        np.testing.assert_array_equal(other.curves[name], curve.astype(np.float32), err_msg=name)
    for mine, his in zip(other.classes, one.classes, strict=True):
        assert mine == SizeClass(his.jobs, about(his.mean), about(his.p50), about(his.p95))


@pytest.mark.compiled
@pytest.mark.parametrize("policy", [*HOMES, *(pytest.param(pair, marks=pytest.mark.slow) for pair in OTHERS)])
def test_every_rule_forgets_jobs_that_are_done(policy):
    assert_same(held(BUSY, policy), passing(BUSY, policy, block=70))


@search(25)
@given(data=st.data())
def test_it_is_the_same_whatever_the_blocks_and_the_jobs(data):
    draw = data.draw
    per_task, phases = draw(st.booleans()), draw(st.sampled_from([1, 1, 3]))
    scenario = BUSY.replace(
        jobs=draw(st.integers(1, 300)),
        load=draw(st.sampled_from([0.3, 0.9, 1.5])),
        arrivals=draw(st.sampled_from(["poisson", "bursty"])),
        arrival_cv=draw(st.sampled_from([2, 90])),  # so bursty that many come at one instant
        tasks=draw(st.sampled_from(["uniform", "zipf", "pareto", "constant"])),
        size_per="task" if per_task else "job",
        straggle=draw(st.sampled_from(["pareto", "exponential", "deterministic"])),
        warm_up=draw(st.sampled_from([0, 0.1, 0.9])),
        drain=draw(st.sampled_from([float("inf"), 0.0, 0.2])),
        decision_interval=draw(st.sampled_from([0.0, 0.5])),
        seed=draw(st.integers(0, 2**32)),
        **({"phases": phases, "phases_law": "uniform", "transfer": 0.5} if phases > 1 else {}),
    )
    policy = draw(st.sampled_from(["srpt+none", "fair+late", "hopper+budget", "fifo+spark"]))
    block, events = draw(st.sampled_from([1, 2, 63, 64, 65, 200])), draw(st.sampled_from([7, 1000, 100_000]))
    one = held(scenario, policy)
    assume(one.span > np.finfo(np.float32).tiny)  # in which a long run keeps the times of a job
    assert_same(one, passing(scenario, policy, block, events))


@pytest.mark.compiled
@pytest.mark.parametrize("sharing", ["hopper-fair", "hopper-dag", "hopper-local"])
def test_a_rule_has_seats_for_all_who_are_there(sharing):
    scenario = BUSY.replace(load=2.5, phases=3, transfer=1)  # the queue grows
    policy = read_policy(f"{sharing}+none")
    run = LongRun(scenario, policy, 1, StreamedWorkload(scenario, 1, block=4, ahead=1))
    few = run.world.order.size
    while not run.advance():
        pass
    assert run.world.order.size > 8 * few
    assert_same(held(scenario, policy.text), read(scenario, *run.ended()))


@pytest.mark.parametrize("block", [1, 2])
def test_jobs_that_arrive_at_one_instant_are_not_parted(block):
    scenario = BUSY.replace(jobs=40, slots=5, arrivals="bursty", arrival_cv=90, tasks_max=4)
    arrivals = generate(scenario, 1).arrival
    assert np.unique(arrivals).size < 35
    assert_same(held(scenario, "srpt+none"), passing(scenario, "srpt+none", block))


@pytest.mark.parametrize("block", [1, 5, 64, 1000])
@pytest.mark.parametrize("arrivals", ["poisson", "bursty"])
def test_blocks_are_drawn_as_all_jobs_are(block, arrivals):
    scenario = BUSY.replace(size_per="task", phases=3, phases_law="uniform", arrivals=arrivals)
    whole, jobs = generate(scenario, 2), StreamedWorkload(scenario, 2, block)
    for name in ("arrival", "tasks", "size", "task_size"):
        parts = np.concatenate([getattr(part, name) for part in jobs.blocks()])
        np.testing.assert_array_equal(parts, getattr(whole, name), err_msg=name)
    for name in ("count", "tasks", "into", "ratio"):
        parts = np.concatenate([getattr(part.phases, name) for part in jobs.blocks()])
        np.testing.assert_array_equal(parts, getattr(whole.phases, name), err_msg=name)
    np.testing.assert_array_equal(np.concatenate([*jobs.tasks()]), whole.tasks)
    expected = Totals.of([whole])
    assert jobs.totals == Totals(**{**vars_of(expected), "mean_size": jobs.totals.mean_size})
    assert jobs.totals.mean_size == pytest.approx(expected.mean_size, rel=1e-12)


def vars_of(totals: Totals) -> dict[str, Any]:
    """Return the fields of totals."""
    return {name: getattr(totals, name) for name in totals.__slots__}


def test_a_comparison_of_many_jobs_lets_them_go():
    few = Experiment.of_texts(SlotScenario(jobs=MOST_HELD), ["fifo+none"])
    many = Experiment(few.scenario.replace(jobs=MOST_HELD + 1), few.policies)
    local = Experiment(many.scenario.replace(replicas=2), few.policies)
    assert [one.is_long for one in (few, many, local)] == [False, True, False]


def test_the_order_of_a_sum_is_of_no_account():
    numbers = np.random.default_rng(1).pareto(0.5, 10_000) * 1e-3
    parts = []
    for order in (slice(None), slice(None, None, -1)):
        total = ExactSum()
        for some in np.array_split(numbers[order], 7):
            total.add(some)
        parts.append(float(total))
    assert parts[0] == parts[1] == pytest.approx(numbers.sum(), rel=1e-13)


MEASURE = """
import resource, sys
from sim.running.experiment import Experiment
from sim.engines.slots.scenario import SlotScenario
jobs = SlotScenario(jobs=int(sys.argv[1]), slots=100, load=0.8, tasks_max=1, warm_up=0)
Experiment.of_texts(jobs, ["srpt+none"]).replicate(0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")
def test_twelve_bytes_of_a_job_remain():
    few, many = 400_000, 2_400_000
    used = [int(subprocess.check_output([sys.executable, "-c", MEASURE, str(jobs)])) for jobs in (few, many)]
    assert (used[1] - used[0]) / (many - few) < 12.5
