"""Work of many for a few processes: done once, in order, and ended when nobody waits."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from sim.running.processes import jobs as jobs_module
from sim.running.processes.child import Limits
from sim.running.processes.jobs import Job, Jobs
from sim.running.processes.wire import STRETCH, Shares
from sim.running.processes.worker import Ended
from tests.sim.processes import calls


@pytest.fixture
def jobs(monkeypatch):
    monkeypatch.setattr(jobs_module, "GRACE_S", 0.2)
    return Jobs(1, Limits(patience=60))


def soon(condition: Callable[[], object]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen")


def test_equal_work_is_done_once(jobs):
    with jobs.joined("a", calls.pid) as one, jobs.joined("a", calls.pid) as same:
        assert one is same
        assert one.wait(30)
        assert one.result() == same.result()


def test_an_error_is_told_to_all_and_tried_again_by_the_next(jobs):
    for _ in range(2):
        with jobs.joined("a", calls.fails, "no such") as job:
            assert job.wait(30)
            with pytest.raises(KeyError, match="no such"):
                job.result()
        soon(lambda: not jobs._jobs)


def test_work_that_nobody_waits_for_is_ended_and_the_next_begins(jobs):
    with jobs.joined("long", calls.sleeps, 60) as long:
        soon(lambda: long.begun and jobs.pids)
        with jobs.joined("next", calls.echo, 1) as following:
            assert jobs.place(following) == 0
            assert not following.wait(0.3)
    begun = time.monotonic()
    with jobs.joined("next", calls.echo, 1) as again:
        assert again.wait(20)
        assert again.result() == 1
    assert time.monotonic() - begun < 15
    with pytest.raises(Ended) as caught:
        long.result()
    assert caught.value.reason == "stopped"


def test_who_comes_back_soon_finds_the_work_going_on(jobs):
    with jobs.joined("a", calls.sleeps, 1.0) as before:
        soon(lambda: before.begun)
    with jobs.joined("a", calls.sleeps, 1.0) as after:
        assert after is before
        assert after.wait(20)
        assert after.result() == "awake"


def test_work_that_was_given_up_before_it_began_is_not_done(jobs):
    with jobs.joined("first", calls.sleeps, 1.0) as first:
        with jobs.joined("second", calls.dies) as second:
            pass
        soon(lambda: second.abandoned)
        assert jobs.place(first) == 0
        assert first.wait(20)
    assert not second.finished


def test_a_place_in_the_queue_is_known(jobs):
    with jobs.joined("a", calls.sleeps, 1.0) as a:
        soon(lambda: a.begun)
        with jobs.joined("b", calls.echo, 1) as b, jobs.joined("c", calls.echo, 1) as c:
            assert [jobs.place(job) for job in (a, b, c)] == [0, 0, 1]


def test_a_killed_process_fails_its_call_alone(jobs):
    with jobs.joined("a", calls.sleeps, 60) as a, jobs.joined("b", calls.echo, 1) as b:
        soon(lambda: jobs.pids)
        os.kill(jobs.pids[0], signal.SIGTERM)
        assert a.wait(20)
        with pytest.raises(Ended, match="died"):
            a.result()
        assert b.wait(20)
        assert b.result() == 1


def test_a_thread_that_fails_is_replaced_and_its_caller_is_told(jobs, monkeypatch):
    over: list[object] = []
    monkeypatch.setattr(threading, "excepthook", over.append)

    class Wrong(BaseException):
        pass

    def tell(self: Job, done: int) -> None:
        raise Wrong

    with monkeypatch.context() as patch:
        patch.setattr(Job, "tell", tell)
        with jobs.joined("a", calls.steps, 5) as a:
            assert a.wait(20)
            with pytest.raises(Wrong):
                a.result()
    with jobs.joined("b", calls.echo, 1) as b:
        assert b.wait(20)
        assert b.result() == 1
    soon(lambda: over)


def test_a_process_without_work_is_ended(jobs, monkeypatch):
    monkeypatch.setattr(jobs_module, "IDLE_S", 0.3)
    with jobs.joined("a", calls.pid) as a:
        assert a.wait(20)
        number = a.result()
    with jobs.joined("b", calls.pid) as b:  # now the thread waits for so long
        assert b.wait(20)
        assert b.result() == number

    def gone() -> bool:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        return False

    soon(gone)
    with jobs.joined("c", calls.pid) as c:
        assert c.wait(20)
        assert c.result() != number


def test_a_process_is_prepared_once_and_the_next_call_finds_it(jobs):
    asked = []

    def arguments():
        asked.append(1)
        return (1,)

    jobs.prepare(calls.echo, arguments)
    jobs.prepare(calls.echo, arguments)
    with jobs.joined("a", calls.pid) as job:
        assert job.wait(30)
    jobs.prepare(calls.echo, arguments)
    with jobs.joined("b", calls.pid) as again:
        assert again.wait(30)
    assert asked == [1]
    assert job.result() == again.result()


def test_a_preparation_that_fails_disturbs_nobody(jobs):
    jobs.prepare(calls.fails, lambda: ("no such",))
    with jobs.joined("a", calls.echo, 1) as job:
        assert job.wait(30)
        assert job.result() == 1


def test_short_work_overtakes_long_work_that_was_asked_for_before(jobs):
    order: list[str] = []
    with jobs.joined("first", calls.sleeps, 0.5, owner="ann") as first:
        soon(lambda: first.begun)
        with (
            jobs.joined("long", calls.echo, "long", owner="bob", expected=20) as long,
            jobs.joined("short", calls.echo, "short", owner="cid", expected=0.01) as short,
        ):
            assert (jobs.place(short), jobs.place(long)) == (0, 1)
            for job in (short, long):
                assert job.wait(20)
                order.append(job.result())
            assert short.begun < long.begun
    assert order == ["short", "long"]


def test_an_owner_has_one_job_under_way_and_the_others_go_meanwhile():
    jobs = Jobs(2, Limits(patience=60))
    with (
        jobs.joined("a1", calls.sleeps, 1.5, owner="ann") as one,
        jobs.joined("a2", calls.echo, 2, owner="ann") as two,
        jobs.joined("b1", calls.echo, 3, owner="bob") as other,
    ):
        assert other.wait(30)
        assert two.wait(30)
        assert one.begun < other.begun
        assert two.begun >= one.begun + 1.5
        assert other.begun < one.begun + 1.5


def test_who_has_had_much_waits_behind_those_who_ask_later():
    shares = Shares()
    jobs = Jobs(1, Limits(patience=60), shares)
    shares.charge("ann", 60.0)
    with jobs.joined("first", calls.sleeps, 0.5) as first:
        soon(lambda: first.begun)
        with jobs.joined("fourth of ann", calls.echo, 1, owner="ann") as fourth:
            behind = [jobs.joined(number, calls.echo, number, owner=number) for number in range(5)]
            with contextlib.ExitStack() as stack:
                others = [stack.enter_context(one) for one in behind]
                assert jobs.place(fourth) == 5
                assert fourth.wait(30)
                assert all(other.begun < fourth.begun for other in others)


def test_what_an_owner_has_had_is_made_up_for_in_time_and_then_forgotten():
    now = [0.0]
    shares = Shares(clock=lambda: now[0])
    shares.charge("ann", 2.0)
    assert shares.due("ann", 0.0) == 2.0 * STRETCH
    now[0] = 2.0 * STRETCH
    assert shares.due("ann", 0.0) == now[0] == shares.due("bob", 0.0)
    now[0] += 1
    shares.charge("bob", 1.0)
    assert set(shares._behind) == {"bob"}


def test_work_is_charged_to_who_asked_for_it(jobs):
    with jobs.joined("a", calls.sleeps, 1.0, owner="ann") as job:
        assert job.wait(30)
    late = jobs._shares.due("ann", 0.0) - jobs._shares.due("bob", 0.0)
    assert late > 0.9 * STRETCH - 1


def test_a_second_who_asks_for_the_same_work_brings_it_forward():
    shares = Shares()
    shares.charge("ann", 60.0)
    jobs = Jobs(1, Limits(patience=60), shares)
    with jobs.joined("first", calls.sleeps, 0.5) as first:
        soon(lambda: first.begun)
        with jobs.joined("same", calls.echo, 1, owner="ann") as hers:
            before = hers.due
            with jobs.joined("same", calls.echo, 1, owner="bob") as his:
                assert his is hers
                assert (hers.owner, hers.due < before) == ("bob", True)


def test_a_process_is_started_only_when_none_is_free():
    jobs = Jobs(2, Limits(patience=60))
    numbers = set()
    for number in range(6):
        with jobs.joined(number, calls.pid) as job:
            assert job.wait(30)
            numbers.add(job.result())
        time.sleep(0.05)  # the thread that has answered waits again
    assert len(numbers) == 1
    with jobs.joined("a", calls.sleeps, 1.0) as a, jobs.joined("b", calls.sleeps, 1.0) as b:
        soon(lambda: len(set(jobs.pids)) == 2)
        assert a.wait(30)
        assert b.wait(30)


def test_a_call_may_have_limits_of_its_own(jobs):
    with jobs.joined("a", calls.sleeps, 60, limits=Limits(patience=0.5)) as job:
        assert job.wait(30)
        assert job.ended == "late"
