"""What to notice: each remark appears where it is true, not where it is not, and the right way round."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pages.shared.words.lead import for_what
from pages.shared.words.notice import too_few_jobs, what_to_notice
from sim.engines.registry import PRESETS
from sim.engines.slots.scenario import SlotScenario
from sim.model.outcome import LONG, interval_is_reliable, jobs_needed, relaxations_of_a_job
from sim.model.result import Comparison, class_change
from tests.pages.made import POINTS, SCENARIO, luck, made, one, trouble

HEAVY = SlotScenario(slots=100, straggle="pareto", straggle_tail=1.5, warm_up=0)
REPLICATIONS = 5


def scaled(*factors: float, **more) -> Comparison:
    """Compare policies p0, p1, ... whose flowtimes are those of the same jobs times these factors."""
    return made({f"p{k}": reps(factor) for k, factor in enumerate(factors)}, **more)


def reps(factor: float, count: int = REPLICATIONS, **more):
    return [one(factor * luck(r), **more) for r in range(count)]


def noisy(seed: int, count: int = REPLICATIONS, **more):
    """Return replications that have nothing in common with those of another seed."""
    return [one(luck(1000 * seed + r), **more) for r in range(count)]


def nearly(factor: float, **more):
    """Return replications of the same jobs, with a little luck of their own."""
    return [one(factor * luck(r) * (1 + 0.02 * luck(r + 70).mean()), **more) for r in range(REPLICATIONS)]


def said(comparison: Comparison) -> str:
    told = what_to_notice(comparison)
    assert 1 <= len(told) <= 3
    assert not trouble(told)
    return "\n".join(told)


# -- unfinished jobs, growing queues


def unfinished(factor: float, lost: int):
    """Return replications of which the last jobs were not done."""
    flowtimes = [factor * luck(r) for r in range(REPLICATIONS)]
    for flowtime in flowtimes:
        flowtime[len(flowtime) - lost :] = np.inf
    return [one(flowtime) for flowtime in flowtimes]


def test_unfinished_jobs_are_counted() -> None:
    told = said(made({"a": unfinished(1.0, 20), "b": unfinished(0.5, 10)}))
    assert "Jobs unfinished at the end: from 5.0 % (**b**) to 10 % (**a**)" in told


def test_only_policies_that_left_jobs_are_accused() -> None:
    told = said(made({"a": unfinished(1.0, 20), "b": reps(0.5)}))
    assert "Jobs unfinished at the end: 10 % (**a**). How long they take is not known" in told
    assert "unfinished" not in said(scaled(1.0, 0.5))


def test_a_growing_queue_is_said_of_the_policy_that_has_it() -> None:
    growing = np.linspace(0, 5000, POINTS)
    told = said(made({"a": reps(1.0, busy=100.0, waiting=growing), "b": reps(0.5)}))
    assert "Under **a** the queue grew through the whole run" in told
    assert "Under **b** no such growth was seen" in told
    assert "queue grew" not in said(made({"a": reps(1.0, busy=100.0), "b": reps(0.5)}))


# -- copies: saved work, or at whose cost


def with_resource(first: float, second: float, *, extra_first: float = 0.0, extra_second: float = 0.3):
    a = [one(luck(r), resource=first * luck(r + 50), extra=extra_first) for r in range(REPLICATIONS)]
    b = [one(0.5 * luck(r), resource=second * luck(r + 50), extra=extra_second) for r in range(REPLICATIONS)]
    return made({"a": a, "b": b})


def test_copies_that_saved_work_are_praised_and_others_not() -> None:
    saved, cost = said(with_resource(1.0, 0.8)), said(with_resource(1.0, 1.3))
    assert "Copies saved work: 30 % of the copies under **b** were extra" in saved
    assert re.search(r"20(\.\d)? (± [\d.]+ )?% less slot-time", saved)
    assert "than under **a**, which runs every task once" in saved
    assert "Copies cost work: 30 % of the copies under **b** were extra" in cost
    assert re.search(r"30(\.\d)? (± [\d.]+ )?% more slot-time", cost)
    assert "saved" not in cost
    assert "cost work" not in saved


def test_work_is_not_held_against_a_policy_whose_queue_grows() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}
    a = [one(luck(r), resource=luck(r + 50), **growing) for r in range(REPLICATIONS)]
    b = [one(luck(r), resource=0.8 * luck(r + 50), extra=0.3) for r in range(REPLICATIONS)]
    assert "less slot-time" not in said(made({"a": a, "b": b}))


def test_saved_work_needs_a_policy_without_copies_to_be_held_against() -> None:
    told = said(with_resource(1.0, 0.8, extra_first=0.05))
    assert "saved work" not in told
    assert "It takes less work, too" in told
    assert "Speed has a price" in said(with_resource(1.0, 1.3, extra_first=0.05))


def test_without_extra_copies_nothing_is_said_of_them() -> None:
    told = said(with_resource(1.0, 0.8, extra_second=0.0))
    assert "Copies" not in told
    assert "price" not in told


def test_an_unsure_difference_in_slot_time_is_not_stated() -> None:
    a = [one(luck(r), resource=luck(r + 50)) for r in range(REPLICATIONS)]
    b = [one(0.5 * luck(r), resource=luck(r + 90), extra=0.3) for r in range(REPLICATIONS)]
    told = said(made({"a": a, "b": b}))
    assert "slot-time" not in told


# -- who pays


def by_size(small: float, large: float):
    tasks = np.where(np.arange(200) < 180, 5, 200)
    factors = np.where(tasks == 5, small, large)
    return [one(factors * luck(r), tasks=tasks) for r in range(REPLICATIONS)]


def test_the_class_that_pays_is_named() -> None:
    comparison = made({"a": by_size(1.0, 1.0), "b": by_size(0.5, 1.5)})
    assert class_change(comparison, "b", "a", 3).sign == 1
    told = said(comparison)
    assert "Not everyone gains: jobs of more than 150 tasks take" in told
    assert re.search(r"50(\.\d)? (± [\d.]+ )?% more on average under \*\*b\*\* than under \*\*a\*\*", told)


def test_where_every_class_gains_nobody_is_said_to_pay() -> None:
    assert "Not everyone" not in said(made({"a": by_size(1.0, 1.0), "b": by_size(0.5, 0.9)}))


# -- cautions


def test_infinite_variance_is_warned_of_and_only_then() -> None:
    one_policy = {"a": reps(1.0)}
    assert "infinite" in said(made(one_policy, HEAVY))
    assert "infinite" not in said(made(one_policy, HEAVY.replace(straggle_tail=2.5)))
    assert "infinite" not in said(made(one_policy, HEAVY.replace(straggle="bounded-pareto")))
    assert "infinite" not in said(made(one_policy, SCENARIO))
    sizes = SCENARIO.replace(size="pareto", size_tail=1.5)
    assert "task sizes (tail index 1.5)" in said(made(one_policy, sizes))
    assert "infinite" not in said(made(one_policy, sizes.replace(size_max=100.0)))


BUSY = HEAVY.replace(load=0.9, jobs=2000)


def test_what_the_run_is_too_short_to_know_is_said_with_what_would_settle_it() -> None:
    (told,) = too_few_jobs(BUSY)
    assert jobs_needed(BUSY) > BUSY.jobs
    periods, needed, enough = re.search(
        r"2,000 jobs holds about ([\d.]+) busy periods, and (\d+) are needed; ([\d,]+) jobs", told
    ).groups()
    assert float(periods) == pytest.approx(2000 * relaxations_of_a_job(BUSY), rel=0.1)
    assert int(needed) == LONG
    assert float(enough.replace(",", "")) == pytest.approx(jobs_needed(BUSY), rel=0.05)
    assert told.endswith("Read the median first.")
    assert "busy periods" not in next(too_few_jobs(BUSY.replace(jobs=100_000)))
    assert "a longer run shows longer times" in next(too_few_jobs(BUSY.replace(load=1.2)))


@pytest.mark.parametrize("name", PRESETS)
def test_no_statistic_is_to_be_read_first_that_is_unreliable(name: str) -> None:
    scenario = PRESETS[name].scenario
    told = " ".join(too_few_jobs(scenario))
    known = {one: interval_is_reliable(scenario, "flowtime", one) for one in ("mean", "p50", "p95")}
    assert bool(told) == (not known["mean"])
    assert ("quantiles first" in told) == (bool(told) and known["p95"])
    assert ("median first" in told) == (bool(told) and known["p50"] and not known["p95"])


def test_one_policy_is_described_by_its_own_numbers() -> None:
    comparison = made({"a": reps(1.0, extra=0.2)})
    result = comparison.policies["a"]
    half, most = (result.estimate("flowtime", name).value for name in ("p50", "p95"))
    told = said(comparison)
    assert f"within {half:.2f} s, but one in twenty takes more than {most:.2f} s" in told
    assert "50 % of the slots were busy on average; extra copies took 20 % of that time" in told


def test_numbers_that_are_told_as_equal_are_not_set_against_each_other() -> None:
    """Jobs that all take as long have no slow ones; slots may be as busy under two policies; 1 is one."""
    alike = [one(np.full(100, 3.0)) for _ in range(REPLICATIONS)]
    assert "one in twenty" not in " ".join(what_to_notice(made({"a": alike})))
    heavy = HEAVY.replace(jobs=2000)
    busy = [[one(np.full(100, 3.0), busy=share, scenario=heavy)] for share in (50.0, 50.2, 60.0)]
    found = made(dict(zip("abc", busy, strict=True)), heavy)
    assert for_what(found, "b", "a") == ", with 50 % of the slots busy under both"
    assert for_what(found, "c", "a") == ", with 60 % instead of 50 % of the slots busy"
    few = HEAVY.replace(load=0.9, jobs=max(round(1 / relaxations_of_a_job(HEAVY.replace(load=0.9))), 1))
    assert "about 1 busy period, and" in next(too_few_jobs(few))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_any_number_of_policies_and_replications_has_one_to_three_remarks(count: int) -> None:
    for replications in (1, 2, 5):
        said(made({f"p{k}": reps(1 + 0.1 * k, replications) for k in range(count)}, HEAVY))
