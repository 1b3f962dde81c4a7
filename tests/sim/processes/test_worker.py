"""A function in another process: its answer, its limits, and the message when there is no answer."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sim.logs.source import Upload
from sim.running.processes.child import Limits
from sim.running.processes.wire import Closed, TooLarge, receive, send, started
from sim.running.processes.worker import Ended, Worker
from tests.sim.processes import calls

ROOT = Path(__file__).resolve().parents[3]
LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="the system bounds memory, and watches parents, on Linux only"
)
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no processor time")


@pytest.fixture
def worker():
    worker = Worker()
    yield worker
    worker.close()


def ended(worker: Worker, *call) -> str:
    with pytest.raises(Ended) as caught:
        worker.call(*call)
    return caught.value.reason


def sent(value):
    stream = io.BytesIO()
    send(stream, value)
    stream.seek(0)
    return stream


def test_what_is_sent_arrives_and_arrays_can_be_written_to():
    table = pa.table({"a": [1, None, 3], "b": ["x", "y", "z"]})
    value = {"a": np.arange(1000), "t": table, "u": Upload("jobs.csv", b"bytes"), "n": None}
    got = receive(sent(value))
    np.testing.assert_array_equal(got["a"], value["a"])
    got["a"][0] = 7
    assert got["t"].equals(table)
    assert got["u"] == value["u"]
    assert isinstance(got["u"].data, bytes)
    assert got["n"] is None


def test_the_content_of_an_upload_is_not_copied_into_the_pickle():
    data = b"x" * 5_000_000
    stream = sent(Upload("jobs.csv", data))
    assert int.from_bytes(stream.getvalue()[8:16], "little") < 200  # the pickle alone
    assert len(stream.getvalue()) > 5_000_000


@pytest.mark.parametrize("cut", [0, 3, 8, 20, -1])
def test_half_a_message_is_none(cut):
    whole = sent(np.arange(10)).getvalue()
    with pytest.raises(Closed):
        receive(io.BytesIO(whole[:cut]))


def test_a_message_that_is_too_large_is_not_read():
    with pytest.raises(TooLarge):
        receive(sent(np.arange(1000)), most_bytes=8000)
    assert receive(sent(np.arange(10)), most_bytes=8000).size == 10
    with pytest.raises(TooLarge):
        receive(io.BytesIO(b"\xff" * 64))


def test_answers_and_errors_come_back(worker):
    assert worker.call(calls.echo, {"a": (1, "ü")}) == {"a": (1, "ü")}
    with pytest.raises(KeyError, match="no such"):
        worker.call(calls.fails, "no such")
    with pytest.raises(RuntimeError, match="cannot be sent"):
        worker.call(calls.unsendable)
    assert worker.call(calls.noisy) == "quiet"


def test_one_process_answers_many_calls_behind_others(worker):
    number = worker.call(calls.pid)
    assert number == worker.call(calls.pid) == worker.pid != os.getpid()


@pytest.mark.skipif(not hasattr(os, "nice"), reason="processes have no priorities here")
@pytest.mark.parametrize(("limits", "stands"), [(Limits(), 10), (Limits(niceness=15), 15)])
def test_it_stands_back(limits, stands):
    worker = Worker(limits)
    assert worker.call(calls.niceness) == max(os.nice(0), stands)
    worker.close()


def test_progress_is_told_as_sums(worker):
    told: list[int] = []
    assert worker.call(calls.steps, 4, progress=told.append) == "done"
    assert told == sorted(told)
    assert told[-1] in (30, 40)
    assert told[0] % 10 == 0


@LINUX
def test_memory_is_bounded_and_the_next_call_is_answered():
    worker = Worker(Limits(memory=200 * 2**20))
    assert worker.call(calls.fills, 100) == 100 * 2**17
    assert ended(worker, calls.fills, 400) == "memory"
    assert worker.call(calls.fills, 100) == 100 * 2**17
    worker.close()


@POSIX
def test_processor_time_is_bounded_for_each_call():
    worker = Worker(Limits(seconds=1))
    begun = time.monotonic()
    assert ended(worker, calls.spins) == "time"
    assert time.monotonic() - begun < 30
    assert worker.call(calls.echo, 1) == 1
    worker.close()


@LINUX
def test_a_thread_without_room_for_its_stack_is_a_want_of_memory():
    worker = Worker(Limits(memory=200 * 2**20))
    assert ended(worker, calls.threads) == "memory"
    worker.close()


def test_time_of_the_clock_is_bounded():
    worker = Worker(Limits(patience=5))
    assert ended(worker, calls.sleeps, 60) == "late"
    assert worker.call(calls.echo, 1) == 1
    worker.close()


@POSIX
@pytest.mark.parametrize(("runs", "reason"), [(0.0, "late"), (0.1, "late"), (1.0, "time")])
def test_a_call_that_others_keep_waiting_is_late_and_only_its_own_work_is_time(runs, reason):
    """The process is stopped for a share of the time, as by a machine that is busy with other work."""
    worker = Worker(Limits(seconds=1, patience=8))
    process, over = worker.call(calls.pid), threading.Event()

    def starve():
        with contextlib.suppress(ProcessLookupError):  # it has ended
            while not over.is_set():
                for share, sent_ in ((runs, signal.SIGSTOP), (1 - runs, signal.SIGCONT)):
                    over.wait(0.1 * share)
                    if share < 1:
                        os.kill(process, sent_ if runs else signal.SIGSTOP)

    starving = threading.Thread(target=starve)
    starving.start()
    try:
        assert ended(worker, calls.spins) == reason
    finally:
        over.set()
        starving.join()
        worker.close()


def test_an_answer_is_bounded():
    worker = Worker(Limits(result=10 * 2**20))
    assert worker.call(calls.large, 9).nbytes == 9 * 2**20
    assert ended(worker, calls.large, 11) == "result"
    assert worker.call(calls.echo, 1) == 1
    worker.close()


def test_a_process_that_dies_is_noticed_and_replaced(worker):
    assert ended(worker, calls.dies) == "died"
    before = worker.call(calls.pid)
    timer = threading.Timer(0.5, lambda: os.kill(before, signal.SIGTERM))
    timer.start()
    assert ended(worker, calls.sleeps, 60) == "died"
    assert worker.call(calls.pid) != before


def test_a_process_that_died_while_nobody_asked_is_replaced(worker):
    before = worker.call(calls.pid)
    worker._process.kill()
    worker._process.wait()
    assert worker.call(calls.pid) != before


def test_what_is_stopped_ends_at_once_and_the_next_call_is_answered(worker):
    worker.call(calls.echo, 1)
    threading.Timer(0.3, worker.stop).start()
    begun = time.monotonic()
    assert ended(worker, calls.sleeps, 60) == "stopped"
    assert time.monotonic() - begun < 10
    assert worker.call(calls.echo, 2) == 2


def test_a_stop_that_comes_too_late_stops_nothing_else(worker):
    worker.call(calls.echo, 1)
    worker.stop()
    assert worker.call(calls.echo, 2) == 2


@POSIX
def test_a_process_ends_with_its_parent():
    code = (
        "import os; from sim.running.processes.worker import Worker; from tests.sim.processes import calls; "
        "print(Worker().call(calls.pid), flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    number = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the process is still there")


def test_a_process_whose_parent_goes_while_it_works_says_nothing():
    """From Python 3.13 on a file that cannot be closed at the end of the process prints a traceback."""
    pipe = subprocess.PIPE
    with started("sim.running.processes.child", stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        send(process.stdin, (calls.echo, ("nobody reads this",), Limits()))
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


#: A program that lets a process of its own do something, and says its number.
PARENT = """
import sys, threading, time
from sim.running.processes.worker import Worker
from tests.sim.processes import calls
worker = Worker()
worker.call(calls.echo, 1)
call = getattr(calls, sys.argv[1]), *map(int, sys.argv[2:])
threading.Thread(target=worker.call, args=call, daemon=True).start()
print(worker.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell that a parent has gone")
@pytest.mark.parametrize(
    "busy", [("spins",), ("sleeps", "600"), pytest.param(("keeps_the_interpreter", "600"), marks=LINUX)]
)
def test_a_process_ends_with_its_parent_whatever_it_does(busy):
    command = [sys.executable, "-c", PARENT, *busy]
    parent = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    time.sleep(0.3)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 2
    while is_there(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@LINUX
def test_a_process_ends_with_a_parent_that_has_gone_before_it_was_ready():
    code = "import subprocess, sim.running.processes.wire as p; "
    code += "print(p.started('sim.running.processes.child', "
    code += "stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).pid, flush=True); import os; os._exit(0)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    child = int(done.stdout)
    deadline = time.monotonic() + 2
    while is_there(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@LINUX
def test_a_thread_that_ends_takes_no_process_with_it(worker):
    """As it would if the system were asked for a signal with the end of the parent."""
    one = threading.Thread(target=worker.call, args=(calls.echo, 1))
    one.start()
    one.join()
    number = worker.pid
    assert worker.call(calls.pid) == number


@LINUX
def test_a_process_finds_modules_where_its_parent_does(worker, tmp_path, monkeypatch):
    (tmp_path / "found_by_the_parent.py").write_text("def answer(*, progress): return 7")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("found_by_the_parent")
    assert worker.call(module.answer) == 7


def is_there(process):
    """Whether it runs; one that has ended is there until somebody asks how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
