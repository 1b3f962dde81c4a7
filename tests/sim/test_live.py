"""The live pool: equal requests are one run, previews come first, and unwanted runs are ended."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.logs import read
from sim.running.byte_cache import size_of
from sim.running.execution import Effort
from sim.running.experiment import Experiment, compare
from sim.running.live import Pool, RunRequest, fitted, shortened
from sim.running.live import pool as pools
from sim.running.live.request import GRACE, SHOWN, preview
from sim.running.parallel import Abandoned

SMALL = Experiment.of_texts(SlotScenario(slots=20, load=0.8, jobs=100, tasks_max=10), ("fair+late", "hopper"))


@pytest.fixture(scope="module")
def pool():
    return Pool(threads=2)


def small(effort=SHOWN, **changes):
    """Return the request of the small experiment with some fields changed."""
    return RunRequest(Experiment(SMALL.scenario.replace(**changes), SMALL.policies), effort)


def snapshots(pool, request):
    return [snapshot for snapshot in pool.follow(request) if snapshot is not None]


def test_snapshots_get_better_in_order_and_the_last_one_is_what_a_plain_run_gives(pool):
    seen = snapshots(pool, RunRequest(SMALL, Effort(replications=5, precision=0.01)))
    counts = [snapshot.done for snapshot in seen]
    assert counts == sorted(counts)
    assert counts[-1] == 5
    assert [snapshot.final for snapshot in seen] == [False] * (len(seen) - 1) + [True]
    plain = compare(SMALL, replications=5)
    for name, result in plain.policies.items():
        assert seen[-1].comparison.policies[name].values("flowtime", "p95") == result.values(
            "flowtime", "p95"
        )


def test_equal_wishes_share_one_run(pool, monkeypatch):
    runs = []
    plain = Experiment.run
    monkeypatch.setattr(
        Experiment, "run", lambda self, *given: (runs.append(given[1]), plain(self, *given))[1]
    )
    request = small(Effort(replications=3, precision=0.01), seed=77)
    found = []
    followers = [
        threading.Thread(target=lambda: found.append(snapshots(pool, request)[-1])) for _ in range(12)
    ]
    for follower in followers:
        follower.start()
    for follower in followers:
        follower.join()
    assert len(runs) == 3 * len(SMALL.policies)
    assert len({id(one.comparison.policies["hopper+budget"].samples[0]) for one in found}) == 1


def test_nested_scenarios_have_their_own_wishes():
    keys = {
        small(**change).key
        for change in (
            {},
            {"straggle": "exponential"},
            {"straggle_tail": 1.6},
            {"observe": "never"},
            {"seed": 2},
        )
    }
    assert len(keys) == 5


def test_a_long_run_is_preceded_by_a_preview_of_fewer_jobs(pool, monkeypatch):
    monkeypatch.setattr("sim.running.live.request.FIRST", 500)
    monkeypatch.setattr("sim.running.live.pool.SHORT", 500)
    seen = snapshots(
        pool, RunRequest(SMALL, Effort(replications=2, precision=0.01))
    )  # the same request may be known already
    fresh = small(Effort(replications=1), seed=5, jobs=20_000)
    seen = snapshots(pool, fresh)
    assert seen[0].preview
    assert not seen[0].final
    assert seen[0].comparison.scenario.jobs < 200
    assert not seen[-1].preview
    assert seen[-1].final
    assert seen[-1].comparison.scenario.jobs == 20_000


def test_a_preview_shrinks_in_steps_while_many_wait():
    request = small(jobs=100_000)
    sizes = [preview(request, crowd).experiment.scenario.jobs for crowd in (0, 16, 40)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(3 * sizes[2], rel=0.01)


def test_a_request_that_nobody_follows_stops_and_goes_on_when_somebody_comes_back(pool):
    endless = small(Effort(replications=100_000, precision=1e-9), seed=9)
    follower = pool.follow(endless)
    while next(follower) is None:
        pass
    follower.close()
    run = pool._runs[endless.key]
    time.sleep(GRACE + 0.5)
    stopped = run.complete
    time.sleep(0.5)
    assert run.complete == stopped
    follower = pool.follow(endless)
    first = next(follower)
    while first is None or first.done <= stopped:
        first = next(follower)
    follower.close()


def test_who_comes_while_a_run_is_being_given_up_is_answered(monkeypatch):
    """After a worker has seen that nobody is there, and before it notes that its work is to be done again."""
    pool = Pool(threads=1)
    request = small(Effort(replications=1), seed=31)
    plain, looked, has_come = pool._run, threading.Event(), threading.Event()

    def given_up_once(*given):
        if looked.is_set():
            return plain(*given)
        looked.set()
        assert has_come.wait(30)
        raise Abandoned

    monkeypatch.setattr(pool, "_run", given_up_once)
    leaving = pool.follow(request)
    next(leaving)
    assert looked.wait(30)
    leaving.close()
    coming = pool.follow(request)
    next(coming)
    has_come.set()
    begun = time.monotonic()
    for snapshot in coming:
        if snapshot is not None and snapshot.final:
            return
        assert time.monotonic() - begun < 30
    pytest.fail("nothing final was shown")


def test_what_goes_wrong_reaches_the_follower_and_the_pool_lives_on(pool, monkeypatch):
    def fail(self, *given):
        raise RuntimeError("no such luck")

    request = small(Effort(replications=2), seed=11)
    with monkeypatch.context() as patched:
        patched.setattr(Experiment, "run", fail)
        with pytest.raises(RuntimeError, match="no such luck"):
            snapshots(pool, request)
    assert snapshots(pool, request)[-1].final


def test_a_run_beyond_the_budget_is_cut_and_says_so():
    huge = Experiment(SMALL.scenario.replace(jobs=10_000_000), SMALL.policies)
    cut, note = fitted(huge)
    assert cut.scenario.jobs < huge.scenario.jobs
    assert f"{cut.scenario.jobs:,}" in note
    assert fitted(SMALL) == (SMALL, "")


def test_a_trace_is_cut_to_its_first_jobs():
    trace = read(b"job_id,submit,tasks\n" + b"".join(b"j%d,%d,3\n" % (i, i) for i in range(100)), "t.csv")
    scenario = SMALL.scenario.replace(arrivals="trace", tasks="trace", jobs=100)
    cut = shortened(Experiment.of_texts(scenario, ("hopper",), trace), 0.5)
    assert cut.trace.arrival.size == 50
    assert cut.trace.digest != trace.digest
    assert compare(cut, replications=1).policies["hopper+budget"].jobs == 50


def test_followers_with_other_baselines_share_the_runs_and_not_the_baseline(pool):
    found = [
        snapshots(
            pool,
            RunRequest(
                Experiment(SMALL.scenario, SMALL.policies, baseline=place),
                Effort(replications=3, precision=0.01),
            ),
        )[-1].comparison
        for place in range(len(SMALL.policies))
    ]
    assert [one.baseline for one in found] == list(SMALL.texts)
    first = [one.policies["hopper+budget"].samples[0] for one in found]
    assert first[0] is first[1]
    late, hopper = SMALL.texts
    there = found[0].difference(hopper, "flowtime", "mean").value
    assert found[1].difference(late, "flowtime", "mean").value == pytest.approx(-there)


def test_everybody_sees_the_same_preview_and_it_is_worked_out_first(monkeypatch):
    monkeypatch.setattr("sim.running.live.request.FIRST", 500)
    monkeypatch.setattr("sim.running.live.pool.SHORT", 500)
    runs = []
    plain = Experiment.run

    def noted(self, *given):
        if self.scenario.seed == 11:  # another test's pool may still be at work
            runs.append(self.scenario.jobs)
        return plain(self, *given)

    monkeypatch.setattr(Experiment, "run", noted)
    pool = Pool(threads=2)
    request = small(Effort(replications=1), seed=11, jobs=20_000)
    found = []

    def visitor():
        with contextlib.closing(pool.follow(request)) as follower:
            found.append(next(one for one in follower if one is not None))

    visitors = [threading.Thread(target=visitor) for _ in range(30)]
    for one in visitors:
        one.start()
    for one in visitors:
        one.join()
    early = {one.comparison.scenario.jobs for one in found if one.preview}  # who comes late sees the full run
    assert len(early) == 1
    assert runs[: len(SMALL.policies)] == [*early] * len(SMALL.policies)


def test_a_first_answer_counts_as_one_however_many_policies_it_has(monkeypatch):
    monkeypatch.setattr(Pool, "_work", lambda self, name: None)  # nothing is worked out
    pool = Pool(threads=1)
    for seed in range(3):
        next(pool.follow(small(seed=seed)))
    assert pool.crowd == 3


def test_nothing_is_refined_while_there_is_better_to_do():
    busy = threading.Event()
    busy.set()
    pool = Pool(threads=2, busy=busy.is_set)
    request = small(Effort(replications=3, precision=0.01), seed=13)
    follower = pool.follow(request)
    first = next(one for one in follower if one is not None)
    assert first.done == 1  # the first answer does not wait
    assert [next(follower) for _ in range(5)] == [None] * 5
    busy.clear()
    assert [one.done for one in follower if one is not None][-1] == 3


def test_a_follower_may_ask_for_the_newest_without_waiting(pool):
    request = small(Effort(replications=3, precision=0.01), seed=17)
    assert [one.done for one in pool.follow(request) if one is not None][-1] == 3
    follower = pool.follow(request, patience=60)
    assert next(follower).final
    other = pool.follow(RunRequest(SMALL, Effort(replications=10**5, precision=1e-9)), patience=60)
    while next(other) is None:
        pass
    begun = time.monotonic()
    for _ in range(3):
        other.send(0.0)
    assert time.monotonic() - begun < 30
    other.close()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priorities of their own")
def test_workers_let_others_go_first():
    before = os.getpriority(os.PRIO_PROCESS, 0)
    found = []
    worker = threading.Thread(
        target=lambda: (pools.stand_back(), found.append(os.getpriority(os.PRIO_PROCESS, 0)))
    )
    worker.start()
    worker.join()
    assert found == [pools.NICENESS]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def uploaded(name, jobs="0 5", **fields):
    submit = dict(enumerate(jobs.split()))
    rows = "".join(f"j{number},{at},3\n" for number, at in submit.items())
    trace = read(f"job_id,submit,tasks\n{rows}".encode(), name)
    scenario = SlotScenario(slots=4, arrivals="trace", tasks="trace", jobs=len(submit), **fields)
    return Experiment(scenario, SMALL.policies, trace)


def test_who_gives_the_same_bytes_shares_the_runs_and_not_the_name(pool):
    mine, theirs = (RunRequest(uploaded(name), Effort(replications=2)) for name in ("secret.csv", "mine.csv"))
    assert mine.key == theirs.key
    with contextlib.closing(pool.follow(mine)) as first:
        assert next(one for one in first if one and one.final).comparison.source == "secret.csv"
        assert snapshots(pool, theirs)[-1].comparison.source == "mine.csv"


def test_what_is_wrong_with_a_file_is_said_without_its_name(pool):
    with pytest.raises(ValueError, match="all jobs arrive at once") as caught:
        snapshots(
            pool,
            RunRequest(uploaded("secret.csv", "0 0", recorded_times="stretched"), Effort(replications=2)),
        )
    assert "secret" not in str(caught.value)


def test_what_is_kept_of_runs_is_bounded_in_bytes(monkeypatch):
    pool = Pool(threads=2)

    def asked(seed):
        return small(Effort(replications=2), seed=seed)

    snapshots(pool, asked(0))
    monkeypatch.setattr(pools, "KEPT_BYTES", 3 * pool.bytes + 1)
    for seed in range(1, 12):
        snapshots(pool, asked(seed))
        assert pool.bytes <= pools.KEPT_BYTES * 4 / 3 + 1  # the newest is counted when it has been found
    assert 3 <= len(pool._runs) <= 4


def test_runs_of_one_file_count_it_once(monkeypatch):
    pool = Pool(threads=2)
    experiment = uploaded("a.csv", " ".join(map(str, range(2000))))
    for seed in range(4):
        scenario = experiment.scenario.replace(seed=seed)
        snapshots(
            pool,
            RunRequest(Experiment(scenario, experiment.policies, experiment.trace), Effort(replications=1)),
        )
    found = sum(run.bytes for run in pool._runs.values())
    assert len(pool._runs) == 4
    assert pool.bytes - found < 1.5 * size_of(experiment.trace)


class Ends(BaseException):
    """What ends a thread."""


@pytest.fixture
def ends(monkeypatch):
    """Where each end of a thread is noted; the test is over when all those threads are."""
    noted, over = [], []
    monkeypatch.setattr(threading, "excepthook", over.append)
    yield noted
    latest = time.monotonic() + 60
    while len(over) < len(noted) and time.monotonic() < latest:
        time.sleep(0.01)
    assert len(over) == len(noted)


def test_a_worker_that_ends_is_replaced_and_its_request_answered(monkeypatch, ends):
    pool, plain = Pool(threads=1), Experiment.run

    def run(self, *given):
        if not ends:
            ends.append(1)
            raise Ends
        return plain(self, *given)

    monkeypatch.setattr(Experiment, "run", run)
    request = small(Effort(replications=2), seed=5)
    assert snapshots(pool, request)[-1].final
    assert ends


def test_a_run_that_ends_every_worker_is_given_up_and_others_are_answered(monkeypatch, ends):
    pool, plain = Pool(threads=1), Experiment.run

    def run(self, *given):
        if self.scenario.seed == 6:
            ends.append(1)
            raise Ends
        return plain(self, *given)

    monkeypatch.setattr(Experiment, "run", run)
    wrong, right = (small(Effort(replications=2), seed=seed) for seed in (6, 7))
    with pytest.raises(RuntimeError, match="a worker has ended"):
        snapshots(pool, wrong)
    assert snapshots(pool, right)[-1].final


def test_refining_is_put_off_and_not_for_ever(monkeypatch):
    monkeypatch.setattr(pools, "LONGEST_HOLD", 0.1)
    pool = Pool(threads=1, busy=lambda: True)
    request = small(Effort(replications=3), seed=8)
    assert snapshots(pool, request)[-1].final
