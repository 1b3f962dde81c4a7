"""The Gantt chart of a real small run: bars that fit, stories that are true, nothing from the future."""

from __future__ import annotations

import numpy as np
import pytest

from pages.compare.charts import (
    DROPPED,
    FINISHED,
    KILLED,
    RUNNING,
    Timeline,
    gantt,
    gantt_alt,
    stories,
    timeline,
    window,
    window_note,
)
from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import BadInput
from sim.model.result import Sample
from sim.model.workload import Workload
from sim.running.experiment import Experiment
from tests.pages.made import checked, luck, one, traces, trouble, words

SMALL = SlotScenario(slots=10, load=0.8, jobs=12, tasks_max=8, warm_up=0)
EXPERIMENT = Experiment.of_texts(SMALL, ("fair+late", "hopper"))


@pytest.fixture(scope="module")
def run() -> tuple[list[Sample], Workload]:
    return EXPERIMENT.replicate(0, log=4000), EXPERIMENT.workload(0)


@pytest.fixture(scope="module", params=EXPERIMENT.policies)
def sample(request, run) -> Sample:
    return run[0][EXPERIMENT.policies.index(request.param)]


@pytest.fixture(scope="module")
def line(sample, run) -> Timeline:
    return timeline("a policy", sample, SMALL, run[1])


def bars(figure):
    return traces(figure, type="bar")[0]


def test_all_bars_together_are_the_slot_time_of_all_jobs(line, sample) -> None:
    drawn = bars(checked(gantt(line, False)))
    assert drawn.x.sum() == pytest.approx(sample.values["resource", "mean"] * sample.counted)
    assert drawn.x.size == len(sample.log)


def test_no_slot_holds_two_copies_at_once(line) -> None:
    drawn = bars(gantt(line, False))
    for slot in range(1, SMALL.slots + 1):
        mine = drawn.y == slot
        order = np.argsort(drawn.base[mine])
        start, end = drawn.base[mine][order], (drawn.base + drawn.x)[mine][order]
        assert np.all(start[1:] >= end[:-1] - 1e-9)


def test_extra_copies_are_hatched_and_cancelled_ones_pale_with_a_cross(line) -> None:
    figure = checked(gantt(line, True))
    drawn, crosses = bars(figure), figure.data[1]
    assert list(drawn.marker.pattern.shape) == ["/" if copy else "" for copy in line.copies["copy"]]
    pale = np.array([color.endswith("0.45)") for color in drawn.marker.color])
    np.testing.assert_array_equal(pale, line.copies.fate == KILLED)
    assert pale.any()
    assert crosses.marker.symbol == "x-thin"
    np.testing.assert_allclose(sorted(crosses.x), sorted((drawn.base + drawn.x)[pale]))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_nothing_is_shown_that_happens_later(line, share) -> None:
    at = share * window(line).end
    figure = checked(gantt(line, False, at=at))
    drawn = bars(figure)
    assert np.all(drawn.base + drawn.x <= at + 1e-9)
    running = drawn.base + drawn.x >= at - 1e-9
    for story, still in zip(drawn.hovertext, running, strict=True):
        assert ("has run for" in story) == bool(still)
        assert not (still and ("cancelled" in story or "finished" in story))
    assert np.all(figure.data[1].x <= at)
    assert figure.layout.shapes[0].x0 == at
    assert figure.layout.xaxis.range == gantt(line, False).layout.xaxis.range


def test_each_story_names_the_winner_that_the_log_has(line) -> None:
    copies, told = line.copies, bars(gantt(line, False)).hovertext
    for copy, story in zip(copies.itertuples(), told, strict=True):
        kin = copies[(copies.job == copy.job) & (copies.task == copy.task)]
        winner = kin[kin.fate == FINISHED].iloc[0]
        assert story.startswith(f"<b>job {copy.job + 1}, task {copy.task + 1}, ")
        if copy.fate == KILLED:
            name = f"extra copy {int(winner['copy'])}" if winner["copy"] else "original"
            assert f"because the {name} finished first" in story
            assert copy.end == winner.end
        else:
            assert ("before its siblings" in story) == (copy.copy > 0)
        assert "(expected: 3.00 s)" in story  # size 1, Pareto(1, 1.5) factor of mean 3


def test_a_picture_has_no_more_bars_than_allowed_and_says_so(line) -> None:
    most = 20
    seen = window(line, 0.0, most)
    figure = gantt(line, False, most=most)
    assert bars(figure).x.size == seen.shown == most
    running = line.copies[(line.copies.start < seen.end) & (line.copies.end > seen.start)]
    assert len(running) <= most
    assert f"{most} of {len(line.copies)} copies" in window_note(line, 0.0, most)
    later = window(line, seen.end, most)
    assert later.start == seen.end < later.end


def test_a_log_that_was_too_short_is_said(run) -> None:
    (sample, _) = EXPERIMENT.replicate(0, log=15)
    line = timeline("a policy", sample, SMALL, run[1])
    assert line.recorded == line.copies.end.max()
    assert "were not recorded" in window_note(line)
    assert "were not recorded" not in window_note(timeline("a policy", run[0][0], SMALL, run[1]))


def test_copies_that_run_at_the_end_have_no_ending() -> None:
    experiment = Experiment.of_texts(SMALL.replace(load=2, drain=0), ("fifo+none",))
    (sample,) = experiment.replicate(0, log=4000)
    line = timeline("fifo+none", sample, experiment.scenario, experiment.workload(0))
    told = np.array(bars(checked(gantt(line, False))).hovertext)
    still = line.copies.fate == RUNNING
    assert still.any()
    assert all("has run for" in story for story in told[still])


def test_sizes_of_single_tasks_make_single_expectations() -> None:
    scenario = SMALL.replace(
        size="uniform", size_min=1, size_max=4, size_per="task", straggle="deterministic"
    )
    experiment = Experiment.of_texts(scenario, ("fifo+none",))
    (sample,) = experiment.replicate(0, log=4000)
    copies = timeline("fifo+none", sample, scenario, experiment.workload(0)).copies
    np.testing.assert_allclose(copies.end - copies.start, copies.expected)
    assert copies.expected.nunique() > 10


@pytest.mark.parametrize("slots", [41, 1000])
def test_a_large_cluster_is_refused(run, slots) -> None:
    with pytest.raises(BadInput, match=f"slots: {slots} is not accepted.*at most 40"):
        timeline("a policy", run[0][0], SMALL.replace(slots=slots), run[1])


def test_a_run_without_a_log_is_refused(run) -> None:
    with pytest.raises(BadInput, match="log: 0 is not accepted"):
        timeline("a policy", one(luck(1)), SMALL, run[1])


def test_the_words_hold_the_numbers(line) -> None:
    copies = line.copies
    told = gantt_alt(line)
    assert (
        f"{len(copies)} copies of {copies.job.nunique()} jobs, {(copies['copy'] > 0).sum()} of them extra"
        in told
    )
    assert f"{(copies.fate == KILLED).sum()} copies were cancelled" in told
    at = float(np.median(copies.start))
    busy = ((copies.start <= at) & (copies.end > at)).sum()
    assert f"{busy} slots are busy" in gantt_alt(line, at=at)
    assert not trouble([told, window_note(line), *words(gantt(line, False))])


def test_a_copy_that_made_room_says_so() -> None:
    scenario = SlotScenario(
        slots=20,
        load=0.7,
        jobs=60,
        tasks_max=8,
        warm_up=0,
        straggle="outlier",
        outlier_share=0.2,
        outlier_min=5,
        straggle_tail=2,
    )
    experiment = Experiment.of_texts(scenario, ("dolly-task",))
    (sample,) = experiment.replicate(0, log=5000)
    line = timeline("dolly-task", sample, scenario, experiment.workload(0))
    dropped = line.copies[line.copies.fate == DROPPED]
    assert len(dropped) > 0
    for story in stories(dropped, float(line.copies.end.max()), "s"):
        assert "given up" in story
        assert "finished first" not in story
