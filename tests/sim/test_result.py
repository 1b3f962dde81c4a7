"""The results of a replication, against the columns of its jobs read another way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sim.engines.registry import ENGINES, engine_of
from sim.kernel import records
from sim.model.counted_jobs import CLASSES
from sim.model.result import CURVES, LEVELS, reported
from sim.running.experiment import Experiment
from tests.samples import KNOWN, Made, interval, made, statistic_of

POLICIES = {
    "slots": ("fifo+none", "fair+late"),
    "probes": ("central", "hopper"),
    "gang": ("none", "all:r=2"),
}
TAKEN_FROM_JOBS = {
    "flowtime": ("mean", "p50", "p80", "p90", "p95", "p99"),
    "slowdown": ("mean", "p50", "p80", "p90", "p95", "p99"),
    "resource": ("mean", "p80"),
    "wait": ("mean", "p50", "p80", "p90", "p95", "p99"),
}
SHARES = ("speculative_copies_share", "speculative_time_share", "utilisation")


@pytest.fixture(params=list(ENGINES), scope="module")
def two(request) -> Made:
    return made(POLICIES[request.param], ENGINES[request.param].scenario(warm_up=0.25, **KNOWN))


def whole(array: np.ndarray) -> int:
    """Return the bytes that an array keeps, itself or as a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.nbytes


@pytest.mark.parametrize("name", ENGINES)
def test_a_sample_keeps_no_memory_of_its_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays of a large run share a block of some MB, which a view of any of them would keep."""
    monkeypatch.setattr(records, "LARGE", records.PAGE)  # so of a small run, too
    experiment = Experiment.of_texts(ENGINES[name].scenario(**KNOWN), [POLICIES[name][0]])
    (sample,) = experiment.replicate(0)
    arrays = [sample.log, sample.series, sample.holding, *sample.curves.values(), *sample.single.values()]
    assert all(whole(array) <= array.nbytes + 100 for array in arrays)


def test_no_two_statistics_of_the_made_comparison_are_alike(two) -> None:
    """Else the tests that use it could not tell them apart."""
    measures = [measure for measure in TAKEN_FROM_JOBS if measure in reported(two.scenario)]
    wanted = [(measure, statistic) for measure in measures for statistic in TAKEN_FROM_JOBS[measure]]
    wanted += [(one, "") for one in (*SHARES, *(one.key for one in engine_of(two.scenario).scalars))]
    found = sorted(np.mean(two.values(name, *what)) for name in two.policies for what in wanted)
    assert all(after > 1.001 * before for before, after in itertools.pairwise(found))


def test_each_statistic_is_that_of_the_jobs_after_the_warm_up(two) -> None:
    kept = reported(two.scenario)
    assert {measure: ("mean", *shares) for measure, shares in kept.items()} == {
        measure: TAKEN_FROM_JOBS[measure] for measure in kept
    }
    scalars = [one.key for one in engine_of(two.scenario).scalars]
    for name, runs in two.policies.items():
        for sample, run in zip(two.comparison.policies[name].samples, runs, strict=True):
            assert len(sample.values) == sum(map(len, kept.values())) + len(kept) + len(SHARES) + len(scalars)
            for (measure, statistic), value in sample.values.items():
                assert value == pytest.approx(run.value(measure, statistic)), (measure, statistic)


def test_an_estimate_is_the_mean_of_the_replications_with_students_interval(two) -> None:
    for name in two.policies:
        for what in (("flowtime", "p80"), ("resource", "mean"), ("speculative_time_share", "")):
            value, half = interval(two.values(name, *what))
            estimate = two.comparison.policies[name].estimate(*what)
            assert (estimate.value, estimate.half) == pytest.approx((value, half))
            assert (estimate.low, estimate.high) == pytest.approx((value - half, value + half))


def test_differences_and_ratios_are_paired(two) -> None:
    first, second = two.policies
    for what in (("flowtime", "mean"), ("slowdown", "p95"), ("resource", "p80")):
        for name in two.policies:
            difference = two.comparison.difference(name, *what)
            assert (difference.value, difference.half) == pytest.approx(
                interval(two.differences(name, *what))
            )
            share = two.comparison.share(name, *what)
            above = [one - 1 for one in two.ratio(name, *what)]
            assert [share.value, share.low, share.high] == pytest.approx(above)
        ratio = two.comparison.ratio(second, *what)
        if two.comparison.reference is None:
            assert ratio.value is None
        else:
            assert two.comparison.reference == first
            assert (ratio.value, ratio.low, ratio.high) == pytest.approx(two.ratio(second, *what, first))


def test_curves_are_the_quantiles_of_their_measure(two) -> None:
    kept = {*CURVES, *engine_of(two.scenario).curves}
    for name, runs in two.policies.items():
        result = two.comparison.policies[name]
        assert set(result.samples[0].curves) == kept
        for measure in kept:
            value, half = result.curve(measure)
            for percent in (1, 50, 80, 95):
                place = int(np.argmin(np.abs(LEVELS - percent / 100)))
                columns = [statistic_of(run.column(measure), f"p{percent}") for run in runs]
                assert (value[place], half[place]) == pytest.approx(interval(columns)), (measure, percent)


def test_classes_are_by_tasks_with_their_upper_ends(two) -> None:
    ends = (0, 10, 50, 150, math.inf)
    assert [most for _, most in CLASSES[:-1]] == list(ends[1:-1])
    for runs, result in zip(two.policies.values(), two.comparison.policies.values(), strict=True):
        for sample, run in zip(result.samples, runs, strict=True):
            tasks, flowtime = run.outcome.tasks[run.counted], run.column("flowtime")
            for found, (low, high) in zip(sample.classes, itertools.pairwise(ends), strict=True):
                chosen = [time for time, n in zip(flowtime, tasks, strict=True) if low < n <= high]
                assert found.jobs == len(chosen) > 0
                for statistic in ("mean", "p50", "p95"):
                    assert getattr(found, statistic) == pytest.approx(statistic_of(chosen, statistic))


def test_the_last_job_of_a_class_belongs_to_it() -> None:
    one = made(("fifo+none",), jobs=40)
    runs = one.policies["fifo+none"]
    counts = [sum(run.outcome.tasks[run.counted] <= 3) for run in runs]
    for run in runs:
        run.outcome.tasks[run.outcome.tasks == 3] = 10
    assert [sample.classes[0].jobs for sample in one.comparison.policies["fifo+none"].samples] == counts
