"""Closed loops: found where jobs wait for others, and nowhere else."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from scipy import stats

from sim.logs.loops import FALSE_ALARM, closed_loop
from sim.logs.records import Records
from tests.depth import some

SLOTS = 20


def queued(next_job, jobs, random, *, servers=4, mean=10.0, sigma=0.8):
    """Return submit times, ends and drivers of jobs that queue for some servers, each of which takes one.

    `next_job` holds the first (time, driver) of each driver, and says when a driver submits again.
    """
    first, again = next_job
    calendar = [(time, driver) for driver, time in enumerate(first)]
    heapq.heapify(calendar)
    free = [0.0] * servers
    told = []
    while len(told) < jobs:
        submit, driver = heapq.heappop(calendar)
        begin = max(submit, heapq.heappop(free))
        end = begin + float(random.lognormal(np.log(mean), sigma))
        heapq.heappush(free, end)
        told.append((submit, end, driver))
        heapq.heappush(calendar, (again(submit, end), driver))
    return told


def history_of(told, *, groups=False):
    records = Records(per_second=1)
    for number, (submit, end, driver) in enumerate(told):
        job = records.jobs[records.job(number)]
        job.submit, job.end, job.fate = submit, end, "finished"
        job.group = f"user {driver}" if groups else ""
    return records.history("generated", ("generated",), origin=0.0)


def poisson(seed, jobs, load, **cluster):
    random = np.random.default_rng([seed, jobs])
    rate = load * 4 / (10.0 * np.exp(0.8**2 / 2))
    return queued(([0.0], lambda submit, end: submit + float(random.exponential(1 / rate))), jobs, random)


def drivers(seed, count, jobs, think, **cluster):
    random = np.random.default_rng([seed, jobs, count])
    first = [float(random.exponential(5)) for _ in range(count)]
    return queued((first, lambda submit, end: end + think(random)), jobs, random, **cluster)


def before(told):
    """Return the truth: the job of the same driver before each."""
    last, truth = {}, []
    for number, (_, _, driver) in enumerate(told):
        truth.append(last.get(driver, -1))
        last[driver] = number
    return np.array(truth)


def bounded(alarms, histories, level=FALSE_ALARM, false_alarm=1e-4):
    """Assert that alarms are not more frequent than the level; this fails by chance as rarely as told."""
    assert alarms <= stats.binom.ppf(1 - false_alarm, histories, level), f"{alarms} of {histories}"


@pytest.mark.parametrize(
    ("jobs", "histories"), some([(8, 100), (40, 60), (200, 15), (8, 400), (40, 300), (200, 80)], 0, 1, 2)
)
def test_poisson_arrivals_are_called_a_loop_as_rarely_as_is_said(jobs, histories):
    alarms = sum(
        closed_loop(history_of(poisson(seed, jobs, (0.2, 0.5, 0.8, 1.1)[seed % 4]))).drivers > 0
        for seed in range(histories)
    )
    bounded(alarms, histories)


def test_arrivals_of_several_users_by_day_and_night_are_no_loop():
    def day(random):
        rate = {"now": 1.0}

        def again(submit, end):
            rate["now"] = 1.0 if submit % 2000 < 1000 else 10.0
            return submit + float(random.exponential(6.0 * rate["now"]))

        return again

    histories, alarms = 25, 0
    for seed in range(histories):
        random = np.random.default_rng([seed, 7])
        told = queued(([0.0], day(random)), 100, random)
        users = random.integers(4, size=len(told))
        told = [(submit, end, int(user)) for (submit, end, _), user in zip(told, users, strict=True)]
        alarms += closed_loop(history_of(told, groups=True)).drivers > 0
    bounded(alarms, histories)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("count", "think", "jobs"),
    [
        (1, lambda random: 0.01, 20),  # a driver
        (1, lambda random: float(random.exponential(8.0)), 40),  # a notebook
        (3, lambda random: 0.2, 60),  # several drivers at once
        (3, lambda random: float(random.exponential(0.5)), 60),
        (6, lambda random: 0.05, 60),  # more than the cluster can run
    ],
)
def test_drivers_that_submit_one_job_after_the_other_are_found(seed, count, think, jobs):
    told = drivers(seed, count, jobs, think)
    found = closed_loop(history_of(told))
    assert found.drivers == pytest.approx(count, abs=count // 3)
    assert found.chance <= FALSE_ALARM
    linked = found.after >= 0
    assert linked.sum() >= 0.9 * (jobs - count)
    end, submit = np.array([end for _, end, _ in told]), np.array([submit for submit, _, _ in told])
    np.testing.assert_allclose(found.think[linked], submit[linked] - end[found.after[linked]], atol=1e-9)
    assert np.all(found.think[linked] >= 0)
    assert np.isnan(found.think[~linked]).all()
    assert len(set(found.after[linked])) == linked.sum()  # a job has one successor
    if count == 1:
        assert found.after.tolist() == before(told).tolist()
    assert f"{linked.sum():,} of {jobs} jobs started right after another ended" in found.sentence


def test_prompt_drivers_are_linked_to_their_own_jobs():
    told = drivers(3, 3, 90, lambda random: 0.2)
    right = closed_loop(history_of(told)).after == before(told)
    assert right.mean() > 0.95


def test_drivers_among_open_arrivals_are_found_by_their_group():
    open_jobs = [(submit, end, 9) for submit, end, _ in poisson(5, 120, 0.5)]
    notebook = drivers(4, 1, 40, lambda random: float(random.exponential(6.0)))
    told = sorted(open_jobs + notebook)
    found = closed_loop(history_of(told, groups=True))
    linked = found.after >= 0
    of_notebook = np.array([driver == 0 for _, _, driver in told])
    assert linked[of_notebook].sum() == 39
    assert not linked[~of_notebook].any()
    assert found.drivers == 1


@pytest.mark.parametrize("jitter", [0.0, 0.5])
@pytest.mark.parametrize("duration", [20.0, 55.0])
def test_jobs_submitted_by_the_clock_are_no_loop(jitter, duration):
    random = np.random.default_rng(8)
    submit = 60.0 * np.arange(60) + random.normal(0, jitter, 60)
    told = [(at, at + duration * float(random.uniform(0.9, 1.1)), 0) for at in np.sort(submit - submit.min())]
    assert closed_loop(history_of(told)).drivers == 0


@pytest.mark.parametrize(
    "told",
    [
        [],
        [(0.0, 5.0, 0)],
        [(0.0, 5.0, 0)] * 30,
        [(0.0, np.nan, 0), (1.0, np.nan, 0)] * 10,
        [(float(at), float(at), 0) for at in range(20)],
    ],
)
def test_too_little_tells_nothing(told):
    history = history_of(told) if told else history_of([(0.0, 1.0, 0)])
    found = closed_loop(history)
    assert (found.drivers, found.chance) == (0, 1.0)
    assert (found.after == -1).all()
    assert found.sentence.startswith("Jobs were submitted without regard")
