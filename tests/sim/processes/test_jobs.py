"""Work of many for a few processes: done once, in order, and ended when nobody waits."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from sim.processes import jobs as jobs_module
from sim.processes.child import Limits
from sim.processes.jobs import Job, Jobs
from sim.processes.worker import Ended
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
