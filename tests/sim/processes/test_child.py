"""The messages of the child process, piece by piece."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sim.running.processes import child
from sim.running.processes.child import DONE, PROGRESS, send_answer
from sim.running.processes.wire import Closed, receive

#: Threads that tell of their progress, and how often each.
THREADS, TIMES = 4, 2_000


def received(reading: Any) -> list[Any]:
    """Return all messages up to the end of a stream; behind a bad one read on, so that no writer waits."""
    found = []
    try:
        while True:
            found.append(receive(reading))
    except Closed:
        return found
    finally:
        while reading.read(1 << 20):
            pass


def test_threads_that_tell_of_progress_at_once_do_not_mix_their_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child, "PACE_S", 0.0)
    ours, theirs = os.pipe()
    with ThreadPoolExecutor(THREADS + 1) as pool, os.fdopen(ours, "rb") as reading:
        found = pool.submit(received, reading)
        with os.fdopen(theirs, "wb") as answers:
            told = child._Progress(answers)
            work = [pool.submit(lambda: [told(1) for _ in range(TIMES)]) for _ in range(THREADS)]
            for one in work:
                one.result()
            told.end()

            told(1)  # of a thread that goes on after the answer
            send_answer(answers, DONE, "all")
        *progress, last = found.result()
    assert progress == [(PROGRESS, amount) for amount in range(1, THREADS * TIMES + 1)]
    assert last == (DONE, "all")
