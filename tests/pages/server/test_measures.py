"""Measures: what they count, how they are served, and one log line per minute."""

from __future__ import annotations

import socket
import time
import urllib.request

import pytest

from pages.server import capacity as module
from pages.server.capacity import Measures
from pages.shared.app.turns import Turns
from sim.running.byte_cache import ByteCache


def value(measures: Measures, name: str, **labels: str) -> float | None:
    return measures.registry.get_sample_value(f"straggler_lab_{name}", labels)


def test_an_answer_is_counted_with_its_seconds() -> None:
    measures = Measures(waiting=lambda: 3, ready=lambda: False)
    for seconds in (0.04, 0.8, 1.4):
        measures.answered(seconds)
    assert value(measures, "answer_seconds_count") == 3
    assert value(measures, "answer_seconds_sum") == pytest.approx(2.24)
    assert value(measures, "answer_seconds_bucket", le="1.0") == 2
    assert value(measures, "waiting") == 3
    assert value(measures, "ready") == 0


def test_what_is_kept_is_told() -> None:
    cache = ByteCache(10_000, "of a test")
    before = value(Measures(waiting=lambda: 0, ready=lambda: True), "kept_bytes")
    cache.keep("a", b"x" * 5_000)
    after = value(Measures(waiting=lambda: 0, ready=lambda: True), "kept_bytes")
    assert before is not None
    assert after is not None
    assert 5_000 < after - before < 6_000


def test_the_summary_tells_of_the_last_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    measures = Measures(waiting=lambda: 2, ready=lambda: True)
    assert measures.summary() is None
    now = time.monotonic()
    monkeypatch.setattr(module.time, "monotonic", lambda: now - 61)
    measures.answered(99)
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    measures.visitors.inc(5)
    for hundredths in range(1, 121):
        measures.answered(hundredths / 120)
    line = measures.summary()
    assert line is not None
    assert line.startswith("5 visitors, 2 waiting, 2.0 answers/s, p95 0.95 s, ")


def test_memory_and_open_files_are_told_where_the_system_knows_them() -> None:
    measures = Measures(waiting=lambda: 0, ready=lambda: True)
    measures.visitors.inc()
    line = measures.summary()
    assert line is not None
    megabytes, files = (float(part.split()[0]) for part in line.split(", ")[-2:])
    assert 20 < megabytes < 10_000
    assert 3 <= files < 10_000


def test_prometheus_reads_them_until_they_are_ended() -> None:
    measures = Measures(waiting=lambda: 0, ready=lambda: True)
    measures.answered(0.2)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    end = measures.serve("127.0.0.1", port)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    end()
    assert "straggler_lab_answer_seconds_count 1.0" in text
    assert "process_open_fds" in text
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics")


def test_the_time_of_an_answer_ends_when_it_is_drawn() -> None:
    turns = Turns(1)
    took: list[float] = []
    turns.on_answer = took.append
    with turns.taken():
        time.sleep(0.05)
        with turns.lent():  # for the simulation
            time.sleep(0.05)
        turns.yield_to_waiting()  # the answer is there; what follows is not waited for
        time.sleep(0.3)
    assert len(took) == 1
    assert 0.1 <= took[0] < 0.25


def test_the_time_in_the_queue_counts_and_a_page_without_more_ends_with_its_script() -> None:
    turns = Turns(1)
    took: list[float] = []
    turns.on_answer = took.append
    for _ in range(2):
        with turns.taken():
            time.sleep(0.02)
    assert len(took) == 2
    assert min(took) >= 0.02
