"""The statistics of claims, compared with tables small enough to count by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.engines.probes.policy import read_policy
from sim.model.statistics import Estimate
from sim.papers import dolly, hopper, sweeps, xu_lau
from sim.papers.runs import RunRecord, exact, farthest, flowtime_at, largest, mean_saved
from sim.running.gang_sweep import Best, Point


def kept(finish: list[float], resource: list[float], tasks: list[int], end: float = 100.0) -> RunRecord:
    """A run of jobs that arrive at 0, 1, 2, ..."""
    arrival = np.arange(len(finish), dtype=float)
    return RunRecord(arrival, np.array(finish), np.array(resource), np.array(tasks), end, 0.25)


#: Flowtimes 4, 8, 12, 16; the small jobs are the first two.
SLOW = kept([4, 9, 14, 19], [10, 20, 30, 40], [5, 10, 50, 100])
#: Flowtimes 2, 2, 12, 24.
FAST = kept([2, 3, 14, 27], [20, 20, 60, 50], [5, 10, 50, 100])
#: Flowtimes 4 and 8; the other two jobs had been there for 98 and 97 at the end.
CUT = kept([4, 9, math.inf, math.inf], [10, 20, 300, 400], [5, 10, 50, 100])


def test_a_job_that_did_not_end_counts_at_its_age():
    assert CUT.done.tolist() == [True, True, False, False]
    assert CUT.age.tolist() == [4, 8, 98, 97]
    assert CUT.flowtime.tolist() == [4, 8]


def test_savings_are_of_the_first_policy():
    assert mean_saved(SLOW, FAST) == pytest.approx(1 - 40 / 40)
    assert mean_saved(SLOW, CUT) == pytest.approx(1 - 207 / 40)
    assert dolly.saved(small=True)(SLOW, FAST) == pytest.approx(1 - 4 / 12)
    assert dolly.saved(small=False)(SLOW, CUT) == pytest.approx(1 - 207 / 40)
    assert xu_lau.finished_mean_saved(SLOW, CUT) == pytest.approx(1 - 6 / 10)
    assert hopper.ratio(CUT, SLOW) == pytest.approx(40 / 207)


def test_quantiles_are_the_least_that_so_many_do_not_exceed():
    assert [flowtime_at(share)(SLOW) for share in (0.5, 0.75, 0.8)] == [8, 12, 16]
    assert flowtime_at(0.8)(CUT) == 98
    assert xu_lau.finished_quantile(0.5)(CUT) == 4
    assert [xu_lau.resource_at(share)(SLOW) for share in (0.5, 0.8)] == [0.2, 0.4]


def test_costs_are_ratios_of_slot_time():
    assert dolly.times_as_much(SLOW, FAST) == 150 / 100
    assert dolly.times_as_much_small(SLOW, FAST) == 40 / 30
    assert xu_lau.slot_time_ratio(SLOW, FAST) == 150 / 100
    assert xu_lau.slot_time_ratio(SLOW, CUT) == (30 / 15) / (100 / 165)
    busier = RunRecord(
        *(getattr(SLOW, name) for name in ("arrival", "finish", "resource", "tasks", "end")), 0.30
    )
    assert dolly.more_busy(SLOW, busier) == pytest.approx(5)


def test_not_slower_counts_those_that_end_no_later():
    """The third job ends at the same time under both."""
    assert hopper.not_slower(SLOW, FAST) == 3 / 4
    assert hopper.not_slower(FAST, SLOW) == 2 / 4


def test_the_worst_is_the_largest_and_not_the_best():
    table = [exact(1.1), exact(1.4), exact(0.9), Estimate(None)]
    assert largest(table) == exact(1.4)
    assert largest([exact(-0.3), exact(-0.1)]) == exact(-0.1)
    assert farthest([exact(0.1), exact(-0.3), exact(0.2)]) == exact(-0.3)


#: Mean flowtimes at each utilisation under two readings, two replications each; central takes 1 and 2.
RATIOS = {
    "headline": {0.6: (1.1, 1.0, 1.4), 0.7: (1.3, 1.2, 1.5), 0.8: (1.2, 0.8, 1.3), 0.9: (1.0, 0.9, 2.5)},
    "other": {0.6: (1.9, 1.8, 1.0), 0.7: (1.7, 1.6, 1.2), 0.8: (1.6, 1.5, 1.1), 0.9: (1.5, 1.4, 1.0)},
}
OTHER = hopper.Reading("none")


@pytest.fixture
def table(monkeypatch):
    """Let Hopper's figures read `RATIOS`: of d = 4, of d = 10, of Sparrow."""

    def read(utilisation, quick, reading=hopper.HEADLINE, policies=hopper.JUDGED):
        named = RATIOS["headline" if reading == hopper.HEADLINE else "other"][utilisation]
        ratios = dict(zip((hopper.HOPPER, hopper.TEN_PROBES, hopper.SPARROW), named, strict=True))
        ratios |= {
            hopper.hopper(refusals=n): 1 + n / 10 + utilisation / 100 for n in hopper.REFUSALS if n != 3
        }
        means = {policy: (one, 2 * one) for policy, one in ratios.items()}
        return hopper.Runs(means | {hopper.CENTRAL: (1.0, 2.0)}, {})

    monkeypatch.setattr(hopper, "runs", read)


@pytest.mark.usefixtures("table")
def test_hoppers_claims_are_all_judged_under_the_headline():
    assert hopper.four_probes(quick=True).estimate.value == pytest.approx(1.3)  # at 70 %
    assert hopper.plateau(quick=True).estimate.value == pytest.approx(0.4)  # at 80 %
    assert hopper.sparrow(quick=True).estimate.value == pytest.approx(1.5)  # at 70 %, not the largest
    assert hopper.sparrow_further(quick=True).estimate.value == pytest.approx(1.0)  # 2.5 at 90 % less 1.5
    assert hopper.refusals(2, quick=True).estimate.value == pytest.approx(1.209)  # at 90 %


@pytest.mark.usefixtures("table")
def test_each_reading_is_shown_under_its_name():
    found = hopper.four_probes(quick=True).choices
    first, *others = hopper.READINGS
    assert found[first].value == pytest.approx(1.3)
    assert [found[name].value for name in others] == pytest.approx([1.9] * len(others))
    assert found["utilisation 80%"].value == pytest.approx(1.2)
    assert hopper.sparrow_further(quick=True).choices[others[0]].value == pytest.approx(-0.2)
    assert hopper.refusals(2, quick=True).choices["10 refusals, 60%"].value == pytest.approx(2.006)


def test_worst_is_the_largest_ratio_and_largest_fall_the_largest_fall(table):
    assert hopper.worst(hopper.SPARROW, True).value == pytest.approx(2.5)
    assert hopper.worst(hopper.HOPPER, True, OTHER).value == pytest.approx(1.9)
    assert hopper.largest_fall(True, OTHER).value == pytest.approx(0.1)
    assert hopper.further(True, OTHER).value == pytest.approx(-0.2)


def test_a_fall_is_paired_over_replications():
    """Ratios 1.5 and 2.5 fall by 0.3 in each replication: without doubt, far apart as they are."""
    means = {"central": (1.0, 2.0), "hopper": (1.5, 5.0), "hopper:probes=10": (1.2, 4.4)}
    fall = hopper.Runs(means, {}).fall()
    assert (fall.value, fall.low, fall.high) == pytest.approx((0.3, 0.3, 0.3))
    assert hopper.Runs(means | {"hopper": (None, 5.0)}, {}).fall().value is None


def test_a_utilisation_is_an_offered_load_or_the_busy_share():
    first, second, *_ = hopper.READINGS.values()
    assert first.offered(0.6) == 0.6
    assert second.offered(0.6) == pytest.approx(0.6 / second.busy, abs=1e-3)


def test_hoppers_policies_have_the_probes_and_refusals_that_their_claims_name():
    probes = [read_policy(hopper.hopper(d)).protocol.as_dict["probes"] for d in hopper.PROBES]
    assert tuple(probes) == hopper.PROBES
    refusals = [
        read_policy(hopper.hopper(refusals=n)).protocol.as_dict["refusal_threshold"] for n in hopper.REFUSALS
    ]
    assert tuple(refusals) == hopper.REFUSALS


def test_a_parabola_has_its_vertex_between_the_thresholds():
    sigmas = np.array(xu_lau.SIGMAS)
    assert xu_lau.vertex((sigmas - 2.2) ** 2) == pytest.approx(2.2)
    assert xu_lau.vertex(abs(sigmas - 2.0) ** 3) == pytest.approx(2.0)  # no parabola elsewhere
    assert xu_lau.vertex(sigmas) == sigmas[0]
    assert xu_lau.vertex(-sigmas) == sigmas[-1]
    assert xu_lau.mean_age(CUT) == 207 / 4
    assert xu_lau.mean_resource(SLOW) == 0.25


def test_the_best_threshold_is_that_of_the_smallest_statistic(monkeypatch):
    """A bowl with its bottom at 2.2, deeper in each replication; its largest value would be at 4."""

    def run(name, policy, replication, quick, changes=()):
        sigma = float(policy.partition("=")[2])
        return kept([(sigma - 2.2) ** 2 + replication + 1], [1.0], [1])

    monkeypatch.setattr(xu_lau, "run", run)
    monkeypatch.setattr(xu_lau, "replicated", lambda *given, **named: exact(7.0))
    found = xu_lau.best_sigma("xu-lau-fig3", "sda", xu_lau.mean_age, quick=True)
    assert found.estimate.value == pytest.approx(2.2)
    assert found.choices["sigma = 4: mean"].value == pytest.approx(1.8**2 + 2.5)
    assert found.choices["no backup: mean"] == exact(7.0)


def point(demand: float, gain: Estimate, mean: Estimate | None = None, *, unstable: bool = False) -> Point:
    """A point of a sweep."""
    return Point(demand, mean or exact(10.0), gain, exact(0.5), unstable)


def test_redundancy_helps_where_its_gain_is_beyond_doubt_for_every_job(monkeypatch):
    """The points before the last are demands that are not infinite: they are not asked."""
    gains = {0.1: Estimate(-3, -4, -2), 0.2: Estimate(-1, -2, 0.1), 0.3: Estimate(-1, -2, -0.1)}
    other = point(20.0, Estimate(5, 4, 6))

    def read(size_tail, load, quick, measure, statistic):
        return (other, point(math.inf, gains.get(load, Estimate(1, 0.5, 2)), unstable=load > 0.75))

    monkeypatch.setattr(sweeps, "read", read)
    assert sweeps.helped(3.0, True, "flowtime", "mean") == [True, False, True, False, False]
    assert sweeps.grown(3.0, True) == [False, True, True]
    assert sweeps.share([True, False, True, False, False]) == exact(0.4)


@pytest.mark.parametrize(
    ("as_good", "is_threshold"),
    [((60.0,), True), ((60.0, 90.0), True), ((0.0, 60.0), False), ((60.0, math.inf), False)],
)
def test_a_threshold_is_best_only_if_neither_none_nor_all_is_as_good(monkeypatch, as_good, is_threshold):
    monkeypatch.setattr(sweeps, "best_of", lambda *given: Best(60.0, as_good))
    assert sweeps.thresholds(3.0, True, "flowtime", "mean") == [is_threshold]


def test_the_gap_of_claim_1_is_the_largest_on_either_side_where_no_queue_grows(monkeypatch):
    points = (
        point(20.0, exact(0), Estimate(10, 8, 12.5)),
        point(60.0, exact(0), Estimate(20, 16, 25)),
        point(math.inf, exact(0), Estimate(1, 1, 1), unstable=True),
    )
    monkeypatch.setattr(sweeps, "read", lambda *given: points)
    monkeypatch.setattr(sweeps, "claim1", lambda *given: np.array([12.0, 12.0, 9.0]))
    gap = sweeps.largest_gap(True)
    assert (gap.value, gap.low, gap.high) == pytest.approx((12 / 20 - 1, 12 / 25 - 1, 12 / 16 - 1))


def test_the_learned_policy_is_judged_by_the_mean_where_its_excess_is_largest():
    mean = {0.1: exact(-0.05), 0.2: exact(-0.02), 0.3: exact(-0.04)}
    high = {load: exact(1.0) for load in mean}
    found = sweeps.worst({"mean": mean, "p95": high}, quick=True)
    assert found.estimate == exact(-0.02)
    assert found.choices["offered load 0.3"] == exact(-0.04)
    assert found.choices["p95, offered load 0.2"] == exact(1.0)
