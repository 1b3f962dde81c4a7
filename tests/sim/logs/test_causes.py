"""What failures, idle slots, machines and stages of one task cost, where the truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from sim.advice.diagnosis import CAUSES, diagnose
from sim.advice.diagnosis.account import idle_waits
from sim.advice.diagnosis.costs import cause_of
from sim.advice.diagnosis.replay import Replay
from sim.logs.history import FINISHED
from sim.logs.leaving_out import without_jobs
from sim.logs.records import Measured, Records
from tests.sim.logs.logs import ended, executor, job, job_end, read, stage
from tests.sim.logs.truth import generated, lognormal
from tests.sim.whatif.clusters import cluster
from tests.sim.whatif.clusters import lognormal as light


def costs(log):
    found = diagnose(read(log))
    return {name: one.seconds for name, one in found.causes.items()}, found


def test_a_failed_attempt_costs_the_time_until_the_next_one_starts():
    """Two slots, tasks of 1 s; one fails after 3 s and waits for 1 s more: 6 s, and 2 s without that."""
    log = [executor("1", 0), job(0, [0]), stage(0, 4, 0)]
    log += [ended(key, key, 1000 * (key // 2), 1000 * (key // 2) + 1000) for key in range(3)]
    log += [ended(3, 3, 1000, 4000, reason="ExceptionFailure"), ended(4, 3, 5000, 6000)]
    found, _ = costs([*log, stage(0, 4, 0, 6000), job_end(0, 6000)])
    assert found["failures"] == pytest.approx(4.0, abs=0.01)


def test_an_attempt_that_was_killed_before_the_next_began_is_no_luck():
    """Ten stages on two slots, tasks of 1 s; in each one is killed after 0.5 s and runs again at 3 s."""
    log = [executor("1", 0)]
    for number in range(10):
        begin = 10_000 * number
        log += [job(number, [number], begin), stage(number, 4, begin)]
        for key, (task, launch, end) in enumerate([(0, 0, 1000), (1, 0, 1000), (2, 1000, 2000)]):
            log.append(ended(10 * number + key, task, begin + launch, begin + end, of=number))
        first, again = (10 * number + key for key in (3, 4))
        log.append(ended(first, 3, begin + 1000, begin + 1500, of=number, reason="TaskKilled"))
        log.append(ended(again, 3, begin + 3000, begin + 4000, of=number))
        log += [stage(number, 4, begin, begin + 4000), job_end(number, begin + 4000)]
    found, diagnosis = costs(log)
    assert found["failures"] == pytest.approx(20.0, rel=0.05)
    assert abs(found["luck"]) < 1.0
    assert "Most of the lost time comes from attempts that ended early and ran again" in diagnosis.sentence


def test_of_two_generations_of_hosts_the_slower_is_the_cause():
    """Two of four hosts take twice as long: no host in the middle is both."""
    for seed in range(3):
        found = diagnose(cluster(seed, light(0.08), factors=[1.0, 1.0, 2.0, 2.0]).history)
        assert found.causes["machine"].low > 0.3 * found.lost.seconds
        assert "Most of the rest comes from two slow hosts" in found.sentence
        assert [round(factor) for factor in found.shares.hosts["factor"]] == [2, 2, 1, 1]


def test_no_cause_is_named_whose_interval_holds_nothing():
    """No task is slow but by noise of 8 %; of the seeds below 20 these are those in which one was named."""
    for seed in (3, 11, 13, 17):
        found = diagnose(cluster(seed, light(0.08)).history)
        for name, cause in found.causes.items():
            if cause.low <= 0:
                assert f"comes from {CAUSES[name].phrase}" not in found.sentence


def test_a_stage_that_runs_again_costs_its_wait_and_what_had_finished():
    """Two slots: task 2 fails at 2 s, the stage runs again from 4 s, and task 1 with it."""
    log = [executor("1", 0), job(0, [0]), stage(0, 3, 0)]
    log += [ended(0, 0, 0, 1000), ended(1, 1, 0, 1000), ended(2, 2, 1000, 2000, reason="FetchFailed")]
    log += [stage(0, 3, 0, 2000), stage(0, 2, 4000, attempt=1)]
    log += [ended(3, 1, 4000, 6000, attempt=1), ended(4, 2, 4000, 5000, attempt=1)]
    found, _ = costs([*log, stage(0, 2, 4000, 6000, attempt=1), job_end(0, 6000)])
    assert found["again"] == pytest.approx(4.0)


def test_a_log_without_failures_says_that_they_cost_nothing():
    log = [executor("1", 0), job(0, [0]), stage(0, 2, 0), ended(0, 0, 0, 1000), ended(1, 1, 0, 1000)]
    found, _ = costs([*log, stage(0, 2, 0, 1000), job_end(0, 1000)])
    assert (found["failures"], found["idle"]) == (0.0, 0.0)


def test_tasks_that_wait_beside_free_slots_cost_that_time():
    """Both slots are free for 3 s; then the third task waits for a busy slot, which costs nothing."""
    log = [executor("1", 0), job(0, [0]), stage(0, 3, 0)]
    log += [ended(0, 0, 3000, 4000), ended(1, 1, 3000, 4000), ended(2, 2, 4000, 5000)]
    found, diagnosis = costs([*log, stage(0, 3, 0, 5000), job_end(0, 5000)])
    assert found["idle"] == pytest.approx(3.0)
    assert diagnosis.findings[0].key == "idle"
    assert "60 %" in diagnosis.first


def test_of_tasks_that_wait_as_many_count_as_slots_are_free():
    """One slot is busy with another job; of three tasks only the first waits beside the free one."""
    log = [executor("1", 0), job(0, [0]), job(1, [1]), stage(0, 1, 0), ended(0, 0, 0, 10_000)]
    log += [stage(1, 3, 0), ended(1, 0, 2000, 3000, of=1), ended(2, 1, 3000, 4000, of=1)]
    log += [ended(3, 2, 4000, 5000, of=1), stage(1, 3, 0, 5000), job_end(1, 5000)]
    history = read([*log, stage(0, 1, 0, 10_000), job_end(0, 10_000)])
    replay = Replay(history)
    assert idle_waits(history, replay.every).tolist() == [0.0, 2.0, 0.0, 0.0]
    assert diagnose(history).causes["idle"].seconds == pytest.approx(2.0)


def test_slots_that_a_log_does_not_name_are_not_called_idle():
    found = diagnose(generated(1, lognormal(0.3)))
    assert "idle" not in found.causes
    assert found.untold["idle"] == "this log does not tell how many slots there were; give records of slots"
    assert set(found.causes) | set(found.untold) == set(CAUSES)


@pytest.mark.parametrize("slow", ["host", "executor"])
def test_a_slow_host_and_a_slow_executor_are_told_apart(slow):
    """Two executors on each of six hosts; one of them, or a host with both, takes 2.5 times as long."""
    random = np.random.default_rng(3)
    records = Records(per_second=1)
    now = 0.0
    for number in range(30):
        row, own = records.stage_row(number), records.job(number)
        records.stages[row].job, records.stages[row].tasks = own, 12
        records.stages[row].submit = records.jobs[own].submit = last = now
        for task in range(12):
            factor = 2.5 if task == 0 or (slow == "host" and task == 1) else 1.0
            end = now + 5 * factor * np.exp(random.normal(0, 0.1))
            where = {"host": f"h{task // 2}", "slot": f"s{task}"}
            records.copy(row, (task + number) % 12, launch=now, end=end, fate=FINISHED, **where)
            last = max(last, end)
        records.stages[row].end = records.jobs[own].end = now = last
    found = diagnose(records.history("generated", ("generated",), origin=0.0)).causes
    (right, wrong) = ("machine", "executor") if slow == "host" else ("executor", "machine")
    assert found[right].low > 0.8 * 30 * 6.2  # without it a job takes the slowest of twelve: about 5.9 s
    assert found[wrong].low <= 0 <= found[wrong].high
    assert found["luck"].seconds < 0.2 * found[right].seconds


def test_stages_of_one_task_are_compared_over_jobs_of_the_same_name():
    """Three of twenty runs take 8 s longer than what they read explains; time is in proportion to that."""
    random = np.random.default_rng(4)
    records = Records(per_second=1)
    now = 0.0
    for number in range(20):
        row, own = records.stage_row(number, "collect"), records.job(number)
        records.jobs[own].name, records.stages[row].job, records.stages[row].tasks = "daily", own, 1
        records.jobs[own].submit = records.stages[row].submit = now
        size = float(np.exp(random.normal(0, 0.4)))
        end = now + 4 * size * np.exp(random.normal(0, 0.02)) + 8 * (number in (3, 9, 15))
        where = {"host": "h", "slot": "s", "measured": Measured(1e8 * size)}
        records.copy(row, 0, launch=now, end=end, fate=FINISHED, **where)
        records.stages[row].end = records.jobs[own].end = now = end
    one = diagnose(records.history("generated", ("generated",), origin=0.0)).alone
    assert (one.stages, one.compared, one.kinds) == (20, 20, 1)
    assert one.lost.low < 24 < one.lost.high
    assert one.lost.high - one.lost.low < 12


@pytest.mark.parametrize("left_out", ["kept", "gone"])
def test_jobs_that_are_left_out_do_not_change_what_the_others_lost(left_out):
    """Jobs one after the other, the first of which are left out."""
    history = generated(7, lognormal(0.3), stages=16, host_factor=[1, 1, 1, 1, 1, 2.0])
    names = pa.array(["warm-up"] * 4 + ["daily"] * 12)
    place = history.jobs.schema.get_field_index("name")
    named = replace(history, jobs=history.jobs.set_column(place, "name", names))
    found = diagnose(named, leave_out="warm-up", left_out=left_out).causes
    alone = diagnose(without_jobs(named, "warm-up")).causes
    for name in ("luck", "machine"):
        assert found[name].seconds == pytest.approx(alone[name].seconds, rel=1e-6)
    assert found["machine"].low > 0


def test_an_interval_of_few_draws_is_that_of_student():
    """A fifth draw of a normal law lies in that of four in 95 % of 2,000, within four standard errors."""
    random = np.random.default_rng(5)
    held = 0
    for _ in range(2000):
        one, other = cause_of(random.normal(0, 1, 4).tolist(), 0.0), random.normal()
        held += one.low <= other <= one.high
    assert abs(held / 2000 - 0.95) < 4 * (0.05 * 0.95 / 2000) ** 0.5
