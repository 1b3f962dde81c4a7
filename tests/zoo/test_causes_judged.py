"""A sample of the worlds of `docs/explanation/diagnosis.md`: causes that are named against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from sim.advice.diagnosis import diagnose
from sim.logs.history import FAILED
from tests.zoo import causes_judged
from tests.zoo.causes import build
from tests.zoo.causes_judged import judge, summary, world_of
from tests.zoo.costs import history_of, without
from tests.zoo.simulator import play
from tests.zoo.worlds import stream


def test_the_largest_cause_is_named_and_none_is_invented_in_a_sample_of_worlds():
    """Worlds of which six of seven have causes that a log can tell."""
    judged = [judge(1, number) for number in (0, 1, 4, 5, 8, 10, 11, 13)]
    assert all(1 <= one.place <= 2 for one in judged if one.largest), list(map(str, judged))
    assert not any(one.invented for one in judged if not one.causes)
    held = [value for one in judged for value in one.held.values()]
    assert sum(held) >= 0.8 * len(held)
    told = summary(judged, 1)
    assert "Nothing is named in 3 of 3 (100 %) worlds without a cause" in told
    assert "| **all with a cause** | 5 | 5 of 5 (100 %) |" in told
    assert causes_judged._MARK.search(causes_judged.RECORD.read_text())


def test_the_noise_of_luck_is_neither_work_nor_slow_hosts():
    found = judge(1, 128)
    assert found.causes == ("luck",)
    assert [key for key, _ in found.findings] == ["luck"]


def test_few_large_tasks_that_are_slow_in_every_run_are_work_and_not_bad_luck():
    """A fifth of the jobs recurs, tasks that are slow there are slow each time; the others come once."""
    world = world_of(1, 14)
    assert "hidden_recurring" in world.causes
    found = diagnose(history_of(world, play(world, None, 0)))
    assert found.findings[0].key == "work"
    assert found.hidden.probability > 0.3
    assert not any("Try second copies" in one.action for one in found.findings)


@pytest.mark.parametrize(
    ("number", "cause", "column"),
    [(8, "skew_written", "written"), (11, "waits", "fetch_wait"), (68, "starts", "start")],
)
def test_a_log_shows_what_a_world_has(number, cause, column):
    world = world_of(1, number)
    assert cause in world.causes
    copies = history_of(world, play(world, None, 0)).frame("copies")
    clean = without(world, cause)
    other = history_of(clean, play(clean, None, 0)).frame("copies")
    assert copies[column].max() > 1.5 * copies[column].median()
    assert copies["end"].sub(copies["launch"]).max() > other["end"].sub(other["launch"]).max()


def test_attempts_fail_and_lost_outputs_run_again():
    lost, failed = world_of(1, 3), world_of(1, 16)
    assert (lost.causes, failed.causes) == (("lost",), ("failed",))
    for world in (lost, failed):
        copies = history_of(world, play(world, None, 0)).frame("copies")
        twice = sum(job < len(world.jobs) for job, *_ in world.nature.again)
        assert len(copies) == world.tasks + twice > world.tasks
        assert not copies["speculative"].any()
        assert np.count_nonzero(copies["fate"].eq(FAILED)) == (twice if world is failed else 0)


def test_records_that_show_work_are_no_misses_of_a_cache():
    """Bytes that differ by 2 % have next to nothing to do with work, if less than nothing."""
    random = stream(21, 0, "pipeline_skew")
    world = build("light", ("pipeline_skew",), random, number=0, seed=21, size="small", setting=None)
    found = diagnose(history_of(world, play(world, None, 0)))
    assert "work" in [one.key for one in found.findings]
    assert "cache" not in found.sentence + " ".join(one.action for one in found.findings)
