"""The recorded sharing of slots is recognised in histories of a scheduler that shares by a known rule."""

from __future__ import annotations

import heapq
import re

import numpy as np
import pytest

from sim.advice.whatif.document import as_text
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import FEWEST, Replay, launches_of_oldest, sharing_of
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import FLINK, HADOOP, NONE, SPARK, TEZ, options_of, papers, today
from sim.engines.slots.scenario import read_policy
from sim.logs.history import FINISHED
from sim.logs.records import Records


def played(rule, *, jobs=12, tasks=40, slots=8, every=40.0, pools=("",), seed=1, settings=()):
    """Return a Spark history of jobs of one stage under a rule: "fifo" or "fair"."""
    random = np.random.default_rng(seed)
    records = Records(per_second=1)
    submits = np.cumsum(random.exponential(every, jobs))
    left, held = dict.fromkeys(range(jobs), tasks), dict.fromkeys(range(jobs), 0)
    for number, submit in enumerate(submits):
        job = records.jobs[records.job(number)]
        stage = records.stages[records.stage_row(number)]
        job.submit = stage.submit = float(submit)
        job.pool, job.fate = pools[number % len(pools)], FINISHED
        stage.job, stage.tasks = number, tasks
    free = list(range(slots))
    events = [(float(submit), -1, -1) for submit in submits]
    heapq.heapify(events)
    while events:
        now, number, slot = heapq.heappop(events)
        if number >= 0:
            held[number] -= 1
            free.append(slot)
            records.jobs[number].end = records.stages[number].end = now
        while free:
            waiting = [one for one in left if left[one] and submits[one] <= now]
            if not waiting:
                break
            chosen = min(waiting) if rule == "fifo" else min(waiting, key=held.__getitem__)
            slot = free.pop()
            end = now + float(random.lognormal(2, 0.3))
            records.copy(
                chosen, tasks - left[chosen], launch=now, end=end, fate=FINISHED, host=f"h{slot % 3}"
            )
            left[chosen] -= 1
            held[chosen] += 1
            heapq.heappush(events, (end, chosen, slot))
    records.settings = {"spark.scheduler.mode": "FAIR"} | dict(settings)
    return records.history("spark", ("played",), origin=0.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_single_pool_is_told_by_what_ran(seed):
    assert sharing_of(played("fifo", seed=seed)).key == "fifo"
    assert sharing_of(played("fair", seed=seed)).key == "fair"


def test_first_come_first_served_always_launches_the_oldest_and_fair_sharing_about_half():
    oldest, wanted = launches_of_oldest(played("fifo"))
    assert oldest == wanted > 10 * FEWEST
    oldest, wanted = launches_of_oldest(played("fair"))
    assert oldest < 0.7 * wanted


def test_without_launches_that_tell_and_with_several_pools_it_is_the_mode_that_is_named():
    assert sharing_of(played("fifo", jobs=1)).key == "fair"
    several = sharing_of(played("fifo", pools=("etl", "", "adhoc")))
    assert several.key == "fair"
    assert "with 3 pools: played as equal shares of all running stages" in several.sentence
    assert sharing_of(played("fifo")).sentence.startswith("The log sets FAIR, but all jobs are in one pool")


@pytest.mark.parametrize("mode", ["FIFO", "", "unknown"])
def test_another_mode_is_first_come_first_served(mode):
    found = sharing_of(played("fair", settings={"spark.scheduler.mode": mode}))
    assert (found.key, found.sentence) == ("fifo", "")


def test_todays_setting_and_its_options_share_as_the_history_did():
    on = {"spark.speculation": "true", "spark.speculation.multiplier": "2", "spark.version": "4.0.0"}
    for rule in ("fifo", "fair"):
        history = played(rule, settings=on)
        now = today(history)
        assert now == read_policy(f"{rule}+spark:multiplier=2").text
        assert {text.partition("+")[0] for text in options_of(SPARK, history)} == {rule}
        assert len(set(options_of(SPARK, history))) == 1 + len(SPARK.options)
        assert [text.partition("+")[0] for text in papers(history)] == [rule] * 4 + ["hopper"]
        assert SPARK.has(read_policy(now))


@pytest.mark.parametrize("system", [SPARK, HADOOP, TEZ, FLINK], ids=lambda system: system.key)
def test_what_a_system_has_and_what_its_settings_can_change(system):
    fifo, fair = (read_policy(f"{rule}+{system.key}") for rule in ("fifo", "fair"))
    assert system.has(fifo)
    assert system.has(fair) == (system is not FLINK)
    assert not system.has(read_policy(f"srpt+{system.key}"))
    assert not system.has(read_policy("fair+late"))
    assert system.can_set(fair, fifo) == (system is SPARK)
    assert system.can_set(fair, read_policy("fair+none")) == (system is not FLINK)
    mode = "spark.scheduler.mode"
    assert mode not in system.settings(fair, read_policy("fair+none"))
    if system is SPARK:
        assert system.settings(fair, fifo) == {mode: "FAIR"} | system.settings(fair)
        assert system.settings(fifo, fair)[mode] == "FIFO"
        assert system.settings(read_policy(NONE), fair) == {mode: "FIFO", "spark.speculation": "false"}


def test_an_answer_on_a_history_of_fair_shares_is_about_fair_shares():
    history = played("fair", jobs=8, tasks=20)
    found = answer(
        Replay(fit(history)), SPARK, policies=options_of(SPARK, history)[:3], replications=4, sweep=False
    )
    assert found.today == "fair+none"
    assert list(found.options) == list(options_of(SPARK, history)[:3])
    text = as_text(found)
    assert "not in your system" not in text
    assert re.search(r"^  today +fair\+none$", text, re.MULTILINE)
    assert "The log sets FAIR, with 1 pool: played as equal shares" in text
