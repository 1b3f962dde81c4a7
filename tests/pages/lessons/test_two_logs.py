"""The two logs of lesson 8: alike in all times, of known cause, and read by Diagnose as they were made."""

from __future__ import annotations

import csv
import heapq
import io

import numpy as np
import pytest
from scipy import stats

from pages.lessons import LESSONS, luck_or_skew, two_logs
from pages.lessons.luck_or_skew import LOG_A, LOG_B

#: How far the share that Diagnose finds may be from that of the replay below, which knows the causes.
NEAR = 0.3


def rows(skewed: float, seed: int = 0) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(two_logs.log(skewed, seed).decode())))


def column(skewed: float, name: str, seed: int = 0) -> np.ndarray:
    return np.array([float(row[name]) for row in rows(skewed, seed)])


@pytest.mark.parametrize("seed", range(5))
def test_the_logs_differ_in_nothing_but_what_tasks_read(seed: int) -> None:
    first, second = rows(LOG_A, seed), rows(LOG_B, seed)
    assert len(first) == two_logs.JOBS * two_logs.TASKS < 100
    for a, b in zip(first, second, strict=True):
        assert a | {"input_bytes": ""} == b | {"input_bytes": ""}
    seconds = column(LOG_A, "end_s", seed) - column(LOG_A, "start_s", seed)
    for job in range(two_logs.JOBS):
        of = slice(job * two_logs.TASKS, (job + 1) * two_logs.TASKS)
        luck, skew = (
            stats.pearsonr(seconds[of], column(one, "input_bytes", seed)[of])[0] for one in (LOG_A, LOG_B)
        )
        assert skew > 0.9 > 0.8 > abs(luck)


def test_no_host_runs_more_tasks_than_it_has_slots() -> None:
    for host in {row["host"] for row in rows(LOG_B)}:
        moves = sorted(
            move
            for row in rows(LOG_B)
            if row["host"] == host
            for move in ((float(row["end_s"]), -1), (float(row["start_s"]), 1))
        )
        running = np.cumsum([step for _, step in moves])
        assert running.max() == two_logs.SLOTS
        assert running[-1] == 0


def job_time(seconds: np.ndarray) -> float:
    """Return how long tasks take if a free slot takes the next one."""
    free = [0.0] * (two_logs.HOSTS * two_logs.SLOTS)
    for one in seconds:
        heapq.heapreplace(free, free[0] + one)
    return max(free)


@pytest.mark.parametrize("skewed", LESSONS[8].variation.values)
def test_what_copies_could_save_is_what_a_replay_without_luck_saves(skewed: float) -> None:
    """The replay knows which tasks are slow by luck; Diagnose has to find out."""
    made = two_logs.tasks(skewed)
    median = np.median(made.seconds, axis=1, keepdims=True)
    without = np.where(made.by_input, made.seconds, np.minimum(made.seconds, median))
    recorded, no_luck, level = (
        sum(job_time(job) for job in times)
        for times in (made.seconds, without, np.broadcast_to(median, (6, 16)))
    )
    assert two_logs.mendable(skewed) == pytest.approx((recorded - no_luck) / (recorded - level), abs=NEAR)


def test_the_answer_is_in_log_a_and_follows_what_is_varied() -> None:
    lesson = LESSONS[8]
    assert lesson.find(LOG_B).answer == "a"
    assert lesson.find(0.0).answer == "both"
    found = lesson.find(LOG_B)
    job, task = np.unravel_index(two_logs.tasks(LOG_A).seconds.argmax(), (6, 16))
    read = column(LOG_B, "input_bytes").reshape(6, 16)[job]
    assert f"in log B {read[task] / np.median(read):.2g} times." in found.why[0]
    (bar,) = found.draw(None, False).figure.data
    assert list(bar.x) == [100 * two_logs.mendable(one) for one in (LOG_A, LOG_B)]
    assert two_logs.mendable(LOG_A) > luck_or_skew.HELPS


def test_the_files_are_those_that_are_diagnosed() -> None:
    files = {name: make() for _, name, make in LESSONS[8].files}
    assert files == {"log-a.csv": two_logs.log(LOG_A), "log-b.csv": two_logs.log(LOG_B)}
