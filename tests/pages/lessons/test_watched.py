"""Animations in lessons: runs of the lesson's setting on the same jobs, few enough, and complete."""

from __future__ import annotations

import numpy as np
import pytest

from pages.animation.show import element
from pages.lessons import LESSONS
from pages.lessons.coded_or_copied import RATE, TAIL
from pages.lessons.pictures import both_logs, half_of
from sim.running.animation import FINISHED, LOG, MOST_SLOTS, MOST_TASKS, Animation, animation
from sim.running.experiment import expected_tasks
from tests.sim.test_animation import drawn

pytestmark = pytest.mark.compiled

#: Bytes that the animations of a lesson may add to its page; seconds that one lasts at speed 1.
MOST_BYTES, LASTS = 90_000, (5, 120)
#: Mean durations in a second (`animation-player.js`).
PACE = 0.5


def watched(number: int, varied: object) -> dict[str, tuple[Animation, float]]:
    """Return the animations of a lesson, and the mean flowtimes that their runs report."""
    found = {}
    for name, one in LESSONS[number].watch.runs(varied).items():
        (sample,) = one.replicate(0, log=LOG)
        shown = animation(one.scenario, one.workload(0), sample.log)
        found[name] = shown, sample.values["flowtime", "mean"]
    return found


CASES = [(number, value) for number, lesson in LESSONS.items() for value in lesson.variation.values]


@pytest.mark.parametrize(("number", "varied"), CASES)
def test_animations_are_of_the_same_few_jobs_and_show_the_run_that_is_reported(number: int, varied) -> None:
    animations = watched(number, varied)
    for one in LESSONS[number].watch.runs(varied).values():
        assert one.scenario.slots <= MOST_SLOTS
        assert expected_tasks(one) <= MOST_TASKS
        assert len(one.policies) == 1
    first, _ = next(iter(animations.values()))
    assert not first.copies[:, 2].any() or number in (5, 7), "the plain run has no extra copies"
    for shown, mean in animations.values():
        wire = 0.003 if number == 6 else 0  # a scheduler hears of an end after two messages of a millisecond
        assert shown.flowtimes.mean() == pytest.approx(mean, rel=1e-4, abs=wire)
        assert shown.flowtimes.size == len(shown.jobs)
        np.testing.assert_array_equal(shown.jobs[:, 1], first.jobs[:, 1])
        arrivals, others = (one.instants[one.jobs[:, 0]] for one in (shown, first))
        np.testing.assert_allclose(arrivals, others, rtol=1e-4)
        assert LASTS[0] <= shown.instants[-1] / shown.expected / PACE <= LASTS[1]
    html = element({name: shown for name, (shown, _) in animations.items()}, "min", False)
    assert len(html.encode()) <= MOST_BYTES


def test_the_last_run_of_each_lesson_shows_what_the_lesson_says() -> None:
    for number, is_faster in ((2, True), (3, False), (4, True), (5, True), (6, True), (7, True)):
        means = [mean for _, mean in watched(number, LESSONS[number].variation.default).values()]
        assert (means[-1] < means[0]) is is_faster, number


def test_in_lesson_eight_copies_help_in_log_a_and_not_in_log_b() -> None:
    (_, alone_a), (_, alone_b), (in_a, copied_a), (in_b, copied_b) = watched(8, 1.0).values()
    assert copied_a < 0.9 * alone_a
    assert copied_b > 0.97 * alone_b
    for shown, is_won in ((in_a, True), (in_b, False)):
        extra = shown.copies[shown.copies[:, 2] > 0]
        assert extra.size
        assert (extra[:, 6] == FINISHED).any() == is_won, "a copy ends before its original"


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_times_of_both_logs_that_are_watched_vary_alike(share: float) -> None:
    def spread(name: str) -> float:
        scenario = both_logs(share)[f"FIFO + no copies: {name}"].scenario
        shares = (np.arange(20_000) + 0.5) / 20_000
        laws = scenario.size_law, scenario.straggle_law
        return sum(float(np.log(np.asarray(law.quantile(shares))).var()) for law in laws)

    assert spread("log B") == pytest.approx(spread("log A"), rel=1e-3)


@pytest.mark.parametrize("needed", [1, 2, 10])
def test_a_coded_job_is_done_with_the_last_task_that_it_needs(needed: int) -> None:
    (_, coded) = half_of(needed, RATE, TAIL).values()
    (sample,) = coded.replicate(0, log=LOG)
    shown = animation(coded.scenario, coded.workload(0), sample.log)
    copies = shown.copies
    for job, (arrives, tasks, done) in enumerate(shown.jobs.tolist()):
        mine = copies[copies[:, 0] == job]
        assert len(mine) == RATE * tasks
        assert (mine[:, 2] > 0).sum() == (RATE - 1) * tasks, "what it does not need counts as extra"
        ends = np.sort(mine[mine[:, 6] == 0][:, 5])
        assert ends[tasks - 1] == done > arrives
    for place in range(shown.instants.size):
        _, waiting, _ = drawn(shown, place)
        assert min(waiting) >= 0
