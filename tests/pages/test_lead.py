"""The lead of a comparison is sure, no other difference in it is larger, and it is short."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pytest

from pages.compare.words import answer
from pages.shared.words.lead import CHANCE, JOBS, ONE, WORDS, Lead, lead, sure
from pages.shared.words.notice import what_to_notice
from sim.model.result import Comparison
from tests.pages.made import POINTS, SCENARIO, luck, made, one
from tests.samples import ratio

#: The same jobs where no interval of a mean, or of slow jobs, is reliable.
HEAVY = SCENARIO.replace(straggle="pareto", straggle_tail=1.5, load=0.9)
#: How what jobs do begins, by statistic.
BEGUN = {"mean": "a job takes", "p50": "half of the jobs finish", "p95": "19 of 20 jobs finish"}
CODES = ("fair+none", "fair+late", "srpt+none", "hopper+budget")


def drawn(seed: int, scenario=SCENARIO, replications: int = 12) -> Comparison:
    """Return policies whose typical and slowest jobs are scaled as a seed says, each with luck of its own."""
    rng = np.random.default_rng(seed)
    policies = {}
    for place, code in enumerate(CODES[: rng.integers(2, 5)]):
        middle, slow, noise = rng.lognormal(0, 0.3), rng.lognormal(0, 0.5), rng.choice([0.01, 0.5])
        found = []
        for r in range(replications):
            flowtime = np.sort(luck(r)) * math.exp(noise * luck(1000 * seed + 50 * place + r).std())
            tail = np.arange(flowtime.size) >= 0.8 * flowtime.size
            found.append(one(np.where(tail, middle * slow, middle) * flowtime, scenario=scenario))
        policies[code] = found
    return made(policies, scenario).in_words()


def ratios(comparison: Comparison) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return by what each statistic of each policy differs from the baseline's, another way."""
    return {
        (name, statistic): ratio(
            *(comparison.policies[who].values("flowtime", statistic) for who in (name, comparison.baseline))
        )
        for name, statistic in product(comparison.policies, JOBS)
        if name != comparison.baseline
    }


@pytest.mark.parametrize("seed", range(12))
def test_the_lead_excludes_0_and_no_other_sure_difference_is_larger(seed: int) -> None:
    comparison = drawn(seed)
    found = {
        key: abs(math.log(value))
        for key, (value, low, high) in ratios(comparison).items()
        if not low <= 1 <= high
    }
    told = lead(comparison)
    assert len(told.split()) <= WORDS
    if not found:
        assert "is sure" in told
        return
    name, statistic = max(found, key=found.__getitem__)
    first = sure(comparison)[0]
    assert (first.policy, first.statistic) == (name, statistic)
    assert first.size == pytest.approx(found[name, statistic])
    assert told.startswith(f"**{name}**: {BEGUN[statistic]}")
    ours, its = (
        comparison.policies[who].values("flowtime", statistic) for who in (name, comparison.baseline)
    )
    numbers = re.search(r"([\d.]+) s (?:on average )?(?:instead of|up from) ([\d.]+) s", told)
    assert ("up from" in told) == (np.mean(ours) > np.mean(its))
    assert [float(text) for text in numbers.groups()] == pytest.approx(
        [np.mean(ours), np.mean(its)], rel=0.06
    )


@pytest.mark.parametrize("seed", range(12))
def test_without_an_interval_every_replication_agrees(seed: int) -> None:
    comparison = drawn(seed, HEAVY)
    for first in sure(comparison):
        ours, its = (
            comparison.policies[who].values("flowtime", first.statistic)
            for who in (first.policy, first.reference)
        )
        if comparison.knows(first.policy, first.reference, "flowtime", first.statistic):
            _, low, high = ratio(ours, its)
            assert low > 1 or high < 1
        else:
            assert len({a < b for a, b in zip(ours, its, strict=True)}) == 1
            assert first.replications == len(ours)


def scaled(count: int, *, but: int = 0, scenario=HEAVY, policies: int = 2) -> Comparison:
    """Return policies of which the second halves all times, but not in the last replications."""
    half = [one(luck(r) * (2 if r >= count - but else 0.5), scenario=scenario) for r in range(count)]
    whole = {code: [one(luck(r), scenario=scenario) for r in range(count)] for code in CODES[:policies]}
    return made(whole | {CODES[1]: half}, scenario).in_words()


def by(comparison: Comparison) -> set[str]:
    return {first.statistic for first in sure(comparison)}


def test_one_replication_that_does_not_agree_is_enough_not_to_lead() -> None:
    assert by(scaled(12)) == {"mean", "p50", "p95"}
    assert by(scaled(12, but=1)) <= {"p50"}  # whose interval is reliable


def test_few_replications_agree_by_chance_and_the_more_is_looked_at_the_more_are_needed() -> None:
    for policies in (2, 4):
        looks = len(JOBS) * (policies - 1)
        enough = math.ceil(math.log2(2 * looks / CHANCE))
        assert "p95" not in by(scaled(enough - 1, policies=policies))
        assert "p95" in by(scaled(enough, policies=policies))


def test_a_difference_that_rests_on_agreement_says_so() -> None:
    told, remarks = answer(scaled(12)), what_to_notice(scaled(12))
    assert "in each of 12 replications" in told
    assert any("in each of 12 replications; by how much has no interval" in one for one in remarks)
    assert "replications" not in answer(scaled(12, scenario=SCENARIO))


def crossed(middle: float, slow: float) -> Comparison:
    """Return two policies of which the second scales typical and slowest jobs."""
    policies = {}
    for code, scale in zip(("fifo+none", "hopper+budget"), ((1.0, 9.0), (middle, slow)), strict=True):
        flowtimes = [np.sort(luck(r)) for r in range(6)]
        tail = np.arange(flowtimes[0].size) >= 0.8 * flowtimes[0].size
        policies[code] = [one(np.where(tail, scale[1], scale[0]) * flowtime) for flowtime in flowtimes]
    return made(policies).in_words()


@pytest.mark.parametrize(
    ("middle", "slow", "told"),
    [
        (1.0, 3.0, "the typical job takes as long."),
        (1.3, 3.0, "the typical job takes 30 % longer."),
        (0.3, 9.0, "the slowest jobs take as long."),
        (0.5, 4.0, ""),
    ],
)
def test_jobs_that_do_not_gain_are_told_beside_those_that_do(middle: float, slow: float, told: str) -> None:
    text = lead(crossed(middle, slow))
    assert text.startswith("**Hopper**: ")
    assert text.endswith(told)
    assert ("typical" in text or "slowest" in text) == bool(told)


def test_fewer_than_20_jobs_have_no_slowest_twentieth() -> None:
    def few(scale: float) -> list:
        return [one(scale * luck(r, 12)) for r in range(6)]

    assert by(made({"fair+none": few(1.0), "fair+late": few(0.5)})) == {"mean", "p50"}


def test_a_long_name_leaves_the_sentence_short() -> None:
    code = "hopper:epsilon=0.25+late:speculative_cap=0.2"
    flowtimes = [luck(r) for r in range(6)]
    comparison = made({"fair+none": [one(a) for a in flowtimes], code: [one(a / 2) for a in flowtimes]})
    assert len(lead(comparison.in_words()).split()) <= WORDS


@pytest.mark.parametrize("size", [0.5, 1.0, 2.0])
def test_where_nothing_differs_nothing_leads(size: float) -> None:
    flowtimes = [size * luck(r) for r in range(6)]
    same = made({code: [one(a) for a in flowtimes] for code in CODES[:3]}).in_words()
    assert lead(same).endswith("take the same time in every replication.")
    other = made({code: [one(luck(100 * k + r)) for r in range(6)] for k, code in enumerate(CODES[:2])})
    assert lead(other.in_words()).endswith("is sure after 6 replications.")


def test_one_replication_leads_with_nothing_however_large() -> None:
    once = made({"fair+none": [one(luck(1))], "fair+late": [one(0.01 * luck(1))]}).in_words()
    assert sure(once) == []
    assert lead(once).startswith(ONE)


def test_a_queue_that_grows_does_not_lead() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}
    grown = [one(0.1 * luck(r), **growing) for r in range(6)]
    steady = {
        "fair+none": [one(luck(r)) for r in range(6)],
        "srpt+none": [one(0.9 * luck(r)) for r in range(6)],
    }
    comparison = made(steady | {"fair+late": grown}).in_words()
    assert [first.policy for first in sure(comparison)] == ["Shortest first + no copies"] * 3
    assert isinstance(sure(comparison)[0], Lead)
