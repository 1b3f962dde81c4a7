"""Recorded workloads: their times are kept, their work is as recorded, and changes are reported."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.registry import preset, with_trace
from sim.engines.slots.scenario import SlotScenario
from sim.logs import Trace
from sim.model.fields import BadInput
from sim.model.workload import about_trace, from_trace, recorded_load
from sim.running.execution import Effort
from sim.running.experiment import Experiment, compare, sweep
from sim.running.report import as_json, as_table
from sim.shell.experiment import shell_line

ALL = {"arrivals": "trace", "tasks": "trace", "size": "trace"}


def trace_of(arrival, tasks, size=None) -> Trace:
    size = None if size is None else np.array(size, float)
    names = tuple(f"j{i}" for i in range(len(arrival)))
    return Trace(np.array(arrival, float), np.array(tasks, np.int64), size, names, "jobs.csv", "digest")


JOBS = trace_of([10, 20, 20, 90], [5, 1, 7, 3], [1.0, 2.5, 0.5, 4.0])
#: Slot-time of the file, and its span with one mean gap before the first job.
WORK, SPAN = 5 * 1.0 + 2.5 + 7 * 0.5 + 3 * 4.0, 80 * 4 / 3


@pytest.mark.parametrize("load", [0.1, 0.7, 2.0])
def test_times_are_kept_whatever_the_load(load) -> None:
    jobs = from_trace(JOBS, SlotScenario(slots=10, load=load, **ALL), 0)
    np.testing.assert_allclose(np.diff(jobs.arrival), np.diff(JOBS.arrival))
    assert jobs.span == pytest.approx(SPAN)


def test_the_load_is_the_work_of_the_file_over_its_span() -> None:
    assert recorded_load(JOBS, SlotScenario(slots=10, **ALL)) == pytest.approx(WORK / (10 * SPAN))
    healthy = SlotScenario(slots=10, recorded_sizes="healthy", **ALL)
    assert recorded_load(JOBS, healthy) == pytest.approx(3 * WORK / (10 * SPAN))  # Pareto(1.5) has mean 3
    drawn = SlotScenario(slots=10, arrivals="trace", tasks="trace", size_min=2.0)
    assert recorded_load(JOBS, drawn) == pytest.approx(16 * 2 * 3 / (10 * SPAN))


@pytest.mark.parametrize(
    ("sizes", "tail", "expected"),
    [("means", 4.0, WORK), ("healthy", 4.0, WORK * 4 / 3), ("measured", 1.5, WORK)],
)
def test_the_mean_slot_time_of_the_jobs_is_what_the_choice_says(sizes, tail, expected) -> None:
    many = trace_of(np.repeat(JOBS.arrival, 500) * 1000, np.tile(JOBS.tasks, 500), np.tile(JOBS.size, 500))
    scenario = with_trace(SlotScenario(slots=2000, warm_up=0, straggle_tail=tail), many)
    experiment = Experiment.of_texts(scenario.replace(recorded_sizes=sizes), ["fifo+none"], many)
    found = compare(experiment, replications=4).policies["fifo+none"].estimate("resource", "mean")
    noise = 1e-9 if sizes == "measured" else 0.03
    assert found.value == pytest.approx(expected / 4, rel=noise)


def test_an_experiment_knows_the_load_that_is_offered() -> None:
    scenario = with_trace(preset("busy").scenario, JOBS).replace(slots=10)
    experiment = Experiment.of_texts(scenario, ["fifo+none"], JOBS)
    assert experiment.scenario.load == pytest.approx(WORK / (10 * SPAN))
    stretched = scenario.replace(recorded_times="stretched", load=0.3)
    assert Experiment.of_texts(stretched, ["fifo+none"], JOBS).scenario.load == 0.3


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8), st.integers(1, 50))
def test_any_recorded_times_can_be_kept(arrival, slots) -> None:
    one = trace_of(sorted(arrival), [3] * len(arrival))
    scenario = with_trace(SlotScenario(slots=slots, warm_up=0), one)
    jobs = from_trace(one, scenario, 0)
    assert jobs.arrival[0] > 0
    np.testing.assert_allclose(jobs.arrival - jobs.arrival[0], one.arrival - one.arrival[0], atol=1e-6)
    assert 0 < Experiment.of_texts(scenario, ["fifo+none"], one).scenario.load <= 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ["4 jobs recorded over 80 s", "their times are kept", "Sizes are means", "work is as recorded"]),
        ({"recorded_times": "stretched", "load": 0.5}, ["stretched by", "to an offered load of 0.5"]),
        ({"recorded_sizes": "healthy"}, ["healthy times", "factor of mean 3"]),
        ({"recorded_sizes": "measured"}, ["what was measured", "without a straggle factor"]),
    ],
)
def test_a_report_says_what_is_done_to_the_file(changes, words) -> None:
    scenario = with_trace(SlotScenario(slots=10, warm_up=0), JOBS).replace(**changes)
    comparison = compare(Experiment.of_texts(scenario, ["fifo+none"], JOBS), replications=2)
    for told in (as_table(comparison), " ".join(as_json(comparison, "0", "")["notes"])):
        for word in words:
            assert word in told
    assert " ".join(about_trace(JOBS, scenario)) in " ".join(comparison.notes)


def test_a_load_is_refused_where_times_are_kept() -> None:
    scenario = with_trace(SlotScenario(slots=10), JOBS)
    experiment = Experiment.of_texts(scenario, ["fifo+none"], JOBS)
    with pytest.raises(BadInput, match="recorded_times=stretched"):
        next(sweep(experiment, "load", (0.3, 0.6)))


def test_the_shell_line_of_kept_times_sets_no_load() -> None:
    scenario = with_trace(preset("busy").scenario, JOBS)
    line = shell_line("busy", Experiment.of_texts(scenario, ["fair+late"], JOBS), Effort(replications=2))
    assert "load=" not in line
    stretched = Experiment.of_texts(
        scenario.replace(recorded_times="stretched", load=0.4), ["fair+late"], JOBS
    )
    line = shell_line("busy", stretched, Effort(replications=2))
    assert "--set load=0.4 --set recorded_times=stretched" in line
