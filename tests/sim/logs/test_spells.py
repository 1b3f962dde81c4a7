"""Hosts that were slow for a time: found, timed, no part of luck, and played as they were."""

from __future__ import annotations

import numpy as np
import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.costs import ratios
from sim.advice.diagnosis.shares import shares
from sim.advice.whatif.check import residuals
from sim.advice.whatif.model import fit
from sim.advice.whatif.remedies.hosts import all_usual, replaced
from sim.advice.whatif.runs import Replay
from sim.engines.slots.scenario import read_policy
from tests.depth import every
from tests.sim.logs.test_hierarchy import slot_of, stages

COUNT, TASKS = 60, 10
FIRST, LAST, FACTOR = 20, 34, 4.0


def slow_for_a_time(luck, factor=FACTOR, seed=1):
    """Return a history in which host h2 is slow in some stages in a row."""

    def duration(random, stage, task):
        slow = FIRST <= stage <= LAST and slot_of(stage, task, TASKS) % 5 == 2
        return luck(random) * (factor if slow else 1.0)

    return stages(seed, COUNT, TASKS, duration)


def steady(random):
    return np.exp(random.normal(0, 0.1))


def stragglers(random):
    return np.exp(random.normal(0, 0.2)) * (random.uniform(2, 6) if random.random() < 0.05 else 1.0)


def found_in(history):
    return shares(ratios(history), history.frame("stages")).fit.spells()


@pytest.mark.parametrize("luck", [steady, stragglers])
@pytest.mark.parametrize("factor", [2.5, FACTOR])
def test_host_time_and_factor_are_found(luck, factor):
    """The ends may be off by the launches of a stage: by chance its copies are no slower than others."""
    history = slow_for_a_time(luck, factor)
    ((one, seen),) = found_in(history).items()
    submit = history.frame("stages")["submit"].to_numpy()
    assert one.host == "h2"
    assert submit[FIRST - 1] <= one.begin <= submit[FIRST + 2]
    assert submit[LAST - 2] <= one.end <= submit[LAST + 1]
    assert seen == pytest.approx(factor, rel=0.15)
    hosts = shares(ratios(history), history.frame("stages")).hosts
    assert hosts["factor"].between(0.85, 1.15).all()  # at other times it is as fast as others


def test_the_first_sentence_names_the_host_and_the_time():
    found = diagnose(slow_for_a_time(steady))
    assert found.first.startswith("Look at host h2: tasks launched ")
    assert "s after the start took 4 times as long as usual" in found.first
    assert len(found.first.split()) <= 30


@pytest.mark.parametrize(
    "luck",
    every(
        2, [steady, stragglers, lambda random: 1 + random.pareto(1.5), lambda random: random.exponential()]
    ),
    ids=["light", "bimodal", "pareto", "exponential"],
)
def test_luck_alone_has_no_such_time(luck):
    """One log of two hundred has by chance: three of twenty in about one test of a thousand."""
    logs = (stages(seed, COUNT, TASKS, lambda random, stage, task: luck(random)) for seed in range(20))
    assert sum(bool(found_in(history)) for history in logs) < 3


def test_a_slow_host_is_slow_at_all_times():
    def duration(random, stage, task):
        return steady(random) * (3.0 if slot_of(stage, task, TASKS) % 5 == 2 else 1.0)

    assert not found_in(stages(1, COUNT, TASKS, duration))


def test_what_the_host_adds_for_a_time_is_no_luck_of_the_model():
    found = {one.name: one for one in residuals(fit(slow_for_a_time(stragglers)))}
    assert found["host and time"].grade == "good"


@pytest.mark.compiled
def test_it_is_played_as_it_was():
    """A copy takes work x luck x slowness; if the host is slow when it starts, the factor besides."""
    question = Replay(fit(slow_for_a_time(stragglers)))
    policy = read_policy("fair+none")
    for replication in range(3):
        given = question.conditions(replication, 2)
        ((begin, end, slots, factor),) = given.slow_times
        log = question.ran(policy, replication).log
        row = given.first[log["job"]] + log["task"]
        alone = given.work[row] * given.luck[log["copy"], row] * given.slowness[log["slot"]]
        more = (log["end"] - log["start"]) / alone
        inside = np.isin(log["slot"], slots) & (log["start"] >= begin) & (log["start"] <= end)
        assert inside.sum() > 20
        assert factor == pytest.approx(FACTOR, rel=0.35)  # of one draw
        off = ~np.isclose(more, np.where(inside, factor, 1.0))
        # one event is late at either end: what starts at it is as before
        assert off.sum() <= 2 * TASKS
        assert not off[(log["start"] > begin + 2) & (log["start"] < end)].any()
        assert not off[(log["start"] < begin) | (log["start"] > end + 2)].any()


def test_replacing_hosts_does_not_promise_that_others_have_no_slow_times():
    """Whether a new host would have such a time, no log tells; the most that hosts could mend is without."""
    question = Replay(fit(slow_for_a_time(steady)))
    given = question.conditions(0, 2)
    assert given.slow_times
    assert replaced(question, 0, given).slow_times == given.slow_times
    assert not all_usual(question, 0, given).slow_times
