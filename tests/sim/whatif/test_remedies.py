"""Remedies on histories whose cause is known: their plays, the advice, and its text."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.document import as_html, as_text, headline
from sim.advice.whatif.doubt import Law
from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.remedies import hosts, splitting
from sim.advice.whatif.remedies import judged as remedies_judged
from sim.advice.whatif.remedies.judged import REMEDIES, WAYS, Copies, Remedies, Wanted, judge, plan, remedied
from sim.advice.whatif.remedies.variant import Unequal, hindered
from sim.advice.whatif.report import as_json
from sim.advice.whatif.runs import Replay, replicate
from sim.advice.whatif.setting_effect import SettingEffect, changes
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK
from sim.engines.slots.scenario import read_policy
from sim.logs.formats.spark_files import UNTOLD
from sim.logs.history import FINISHED
from sim.logs.records import Measured, Records
from tests.sim.logs.test_hierarchy import stages
from tests.sim.logs.truth import generated, pareto

NONE = read_policy("fifo+none")


def recorded(
    *,
    stages=12,
    tasks=10,
    machines=(7, 2),
    slow=(),
    read=None,
    cold=1.0,
    frozen=1.0,
    luck=0.05,
    base=2.0,
    settings=None,
    collecting=(),
):
    """Return a history of stages one after the other, first come first served.

    Parameters
    ----------
    slow : mapping of str to float
        Factors of hosts.
    read : list of float, optional
        What each task of a stage reads, to which its duration is proportional.
    cold, frozen : float
        By what the first task of a stage on its slot is longer, and the first of all on its slot.
    luck : float
        Spread of the logarithm of durations.
    collecting : mapping of str to float
        Share of a copy's time that the garbage collector takes on hosts, where it takes any.
    """
    random, records, now = np.random.default_rng(3), Records(per_second=1), 0.0
    names = [(f"h{host}", slot) for host in range(machines[0]) for slot in range(machines[1])]
    begun: set[tuple[str, int]] = set()
    for host in range(machines[0]):
        records.host_slots[f"h{host}"] = machines[1]
    records.slot_changes.append((0.0, len(names)))
    for stage in range(stages):
        row, job = records.stage_row(stage), records.job(stage)
        records.stages[row].job, records.stages[row].tasks, records.stages[row].name = job, tasks, "count"
        records.stages[row].submit = records.jobs[job].submit = now
        free = [(now, number) for number in random.permutation(len(names)).tolist()]
        warm: set[tuple[str, int]] = set()
        heapq.heapify(free)
        # in another order each time: else what is cold would always be the same tasks, and look like work
        for task in random.permutation(tasks).tolist():
            launch, number = heapq.heappop(free)
            place = names[number]
            seconds = base * (read[task] if read else 1.0) * dict(slow).get(place[0], 1.0)
            seconds *= float(np.exp(random.normal(0, luck)))
            seconds *= (1.0 if place in warm else cold) * (1.0 if place in begun else frozen)
            warm.add(place)
            begun.add(place)
            heapq.heappush(free, (launch + seconds, number))
            records.copy(
                row,
                task,
                launch=launch,
                end=launch + seconds,
                fate=FINISHED,
                host=place[0],
                slot=f"{place[0]}-{place[1]}",
                measured=Measured(
                    1e6 * read[task] if read else np.nan, gc=seconds * dict(collecting).get(place[0], 0.0)
                ),
            )
        records.stages[row].end = records.jobs[job].end = now = max(end for end, _ in free)
        records.jobs[job].fate = FINISHED
        now += 1.0
    records.settings.update(settings or {})
    return records.history("generated", ("generated",), origin=0.0)


def exact(model: Model, work: np.ndarray | None = None, factors: dict[str, float] | None = None) -> Replay:
    """Return a question whose model has no luck, this work and these factors of hosts."""
    found = tuple((factors or {}).get(host, 1.0) for host in model.cluster.hosts)
    cluster = replace(model.cluster, factors=found, executors={})
    known = replace(model, law=Law((1.0, 1.0)), cluster=cluster, work=model.work if work is None else work)
    return Replay(known, doubted=False)


def stage_times(question: Replay, way: str) -> np.ndarray:
    (plays,) = replicate(remedied(question, way), [NONE], range(1))
    return plays[0].stage_times


# What is played, against times worked out by hand.


@pytest.fixture(scope="module")
def slow_host() -> Model:
    """Four hosts of two slots, the last three times as slow."""
    return fit(recorded(machines=(4, 2), tasks=24, slow={"h3": 3.0}))


def test_a_slow_host_is_left_out_with_its_slots_or_replaced(slow_host):
    """24 tasks of 2 s: on 6 slots 4 waves, on 8 healthy ones 3."""
    question = exact(slow_host, np.full(slow_host.work.size, 2.0), {"h3": 3.0})
    assert hosts.slow_hosts(question) == ("h3",)
    np.testing.assert_allclose(stage_times(question, "leave out"), 8.0)
    np.testing.assert_allclose(stage_times(question, "replace"), 6.0)
    np.testing.assert_allclose(stage_times(question, "host ceiling"), 6.0)
    low, middle, high = np.quantile(hosts.factors(question)["h3"], (0.025, 0.5, 0.975))
    assert low < 3.0 < high
    assert f"h3 takes {middle:.2f} times as long" in hosts.described(question)
    assert hosts.described(question).endswith("Without it 6 of 8 slots stay")


def test_the_largest_host_is_left_out_where_executors_are_known():
    """Executors of a host that is left out have no slots, though the other hosts have fewer than it had."""
    cluster = Cluster(
        ("h0", "h1"),
        (2, 4),
        (1.0, 3.0),
        ((0.0, 6),),
        holders=(("a", "a"), ("b", "b", "c", "c")),
        executors={"a": 1.1, "b": 1.2, "c": 1.3},
    )
    drawn = SimpleNamespace(host={"h1": 3.0}, executor={"a": 1.1, "b": 1.2, "c": 1.3})
    assert cluster.slowness(drawn) == pytest.approx([1.1, 1.1, 1, 1, 3.6, 3.6, 3.9, 3.9])
    assert replace(cluster, sizes=(2, 0)).slowness(drawn) == pytest.approx([1.1, 1.1, 3.0, 3.0])


def test_more_than_half_of_the_slots_are_never_left_out(slow_host):
    slow = fit(recorded(machines=(4, 2), tasks=24, slow={"h0": 1.5, "h2": 3.0, "h3": 2.0}))
    assert hosts.slow_hosts(Replay(slow)) == ("h2", "h3")
    large = replace(slow_host, cluster=replace(slow_host.cluster, sizes=(1, 1, 1, 6), holders=()))
    assert hosts.slow_hosts(Replay(large)) == ()
    assert HOST.untold(Replay(large)) == "the slowest host has more than half of the slots"
    even = fit(recorded(machines=(4, 2), tasks=24))
    assert len(hosts.slow_hosts(Replay(even))) == 1  # the slowest, which gains nothing


def test_a_host_that_is_slow_by_garbage_collection_is_no_slow_host():
    """The collector doubles times on h3; where these are tripled, another host would be slower by half."""
    only = fit(recorded(machines=(4, 2), tasks=24, slow={"h3": 2.0}, collecting={"h3": 0.5}))
    told = HOST.untold(Replay(only))
    assert told == "h3 is slow by garbage collection, which another host would have, too"
    more = fit(recorded(machines=(4, 2), tasks=22, slow={"h3": 3.0}, collecting={"h3": 0.5}))
    assert hosts.slow_hosts(Replay(more)) == ("h3",)
    assert np.median(hosts.factors(Replay(more))["h3"]) == pytest.approx(1.5, rel=0.1)
    question = exact(more, np.full(more.work.size, 2.0), {"h3": 3.0})
    np.testing.assert_allclose(stage_times(question, "replace"), 8.0, rtol=1e-6)  # tasks of 2 s, on h3 of 4 s
    assert HOST.untold(Replay(more)) == ""


def test_slots_that_come_later_are_left_out_in_proportion(slow_host):
    question = Replay(slow_host)
    later = replace(slow_host.cluster, changes=((0.0, 2), (5.0, 8), (9.0, 0), (10.0, 4)))
    found = hosts.without(question, later)
    assert found.changes == ((0.0, 2), (5.0, 6), (9.0, 0), (10.0, 3))
    assert found.sizes == (2, 2, 2, 0)
    alone = replace(later, hosts=("h3",), sizes=(2,), factors=(3.0,), holders=())
    assert hosts.without(question, alone) is alone


READ = [1.0] * 9 + [5.0]


@pytest.fixture(scope="module")
def skewed() -> Model:
    """Stages of ten tasks, one of which reads five times as much, on 14 slots."""
    return fit(recorded(read=READ))


def test_a_partition_of_five_times_the_bytes_is_cut_in_five(skewed):
    """Ten tasks become 14 of a second, or, if all had equal work, 10 of 1.4 s."""
    question = exact(skewed, np.tile(READ, 12))
    growth = Unequal.of(question, 0).growth[0]
    assert growth == pytest.approx(1.0, abs=0.05)
    piece = 5.0 ** (1 - min(growth, 1.0))
    np.testing.assert_allclose(stage_times(question, "split"), max(1.0, piece))
    np.testing.assert_allclose(stage_times(question, "split ceiling"), 1.4)
    (plays,) = replicate(question, [NONE], range(1))
    np.testing.assert_allclose(plays[0].stage_times, 5.0)
    (cut,) = replicate(remedied(question, "split"), [NONE], range(1))
    assert cut[0].slot_time == pytest.approx(12 * (9 + 5 * piece))
    assert splitting.described(question) == (
        "one task (count) holds 5 times the bytes of the usual one; 12 tasks of 12 stages would be cut"
    )


def test_a_first_piece_keeps_the_luck_of_its_task_and_others_draw_their_own(skewed):
    question = replace(exact(skewed), model=replace(exact(skewed).model, law=Law((0.5, 1.0, 4.0))))
    whole, cut = (one.conditions(0, 2) for one in (question, remedied(question, "split")))
    assert cut.tasks.tolist() == [14] * 12
    first = np.flatnonzero(np.tile([1] * 10 + [0] * 4, 12))
    np.testing.assert_array_equal(cut.luck[:, first], whole.luck)
    others = np.delete(cut.luck[0], first)
    assert np.unique(others).size == others.size == 48
    assert set(others).isdisjoint(whole.luck.ravel())


def test_large_tasks_cost_more_in_pieces_where_work_grows_slower_than_bytes():
    """Sixteen times the bytes take four times as long: a piece a quarter of the whole, as others do."""
    history = recorded(read=[1.0] * 9 + [4.0])
    copies = history.copies.to_pandas()
    copies.loc[copies["bytes"] > 2e6, "bytes"] = 16e6
    table = pa.Table.from_pandas(copies, history.copies.schema, preserve_index=False)
    rooted = replace(history, copies=table)
    question = exact(fit(rooted), np.tile([1.0] * 9 + [4.0], 12))
    cut = remedied(question, "split").conditions(0, 2)
    assert cut.tasks[0] == 25
    np.testing.assert_allclose(cut.work[9:25], 1.0, rtol=0.1)


def test_first_tasks_on_a_slot_are_as_fast_as_others_where_slots_are_kept_warm():
    """Six slots, twelve tasks of 2 s in two waves; the very first wave takes four times as long."""
    model = fit(recorded(machines=(3, 2), tasks=12, frozen=4.0))
    question = exact(model)
    assert stage_times(question, "warm")[0] == pytest.approx(4.0, rel=0.1)
    assert stage_times(question, "warm")[1:] == pytest.approx(4.0, rel=0.1)
    (plays,) = replicate(question, [NONE], range(1))
    assert 9.0 < plays[0].stage_times[0] < 18.0  # 10 s in the order of the log, 16 s at worst
    low, middle, high = np.exp(np.quantile(model.evidence.copies.draws.cold[:, 1], (0.025, 0.5, 0.975)))
    assert 0.9 * low < 4.0 < 1.1 * high
    assert f"the first task of all on a slot takes {middle:.2f} times" in remedies_judged.described(question)
    again = exact(fit(recorded(machines=(3, 2), tasks=12, cold=3.0)))
    assert stage_times(again, "warm ceiling") == pytest.approx(4.0, rel=0.1)
    assert stage_times(again, "warm")[1:].min() > 7.0  # 8 s in the order of the log: no setting spares that


def test_kept_executors_are_there_from_the_start():
    dynamic = {"spark.dynamicAllocation.enabled": "true", "spark.executor.cores": "2"}
    model = fit(recorded(machines=(3, 2), tasks=12, frozen=4.0, settings=dynamic))
    grown = replace(model.cluster, changes=((0.0, 2), (20.0, 6)))
    question = Replay(replace(model, cluster=grown))
    assert remedied(question, "warm").cluster.changes == ((0.0, 6),)
    assert remedies_judged.idle_slot_hours(question) == pytest.approx(4 * 20.0 / 3600)
    told = WARM.paste(question, "spark", WARM.ways[0])
    assert told.settings["spark.dynamicAllocation.minExecutors"] == "6"  # the format counts one slot each
    assert told.settings["spark.dynamicAllocation.executorIdleTimeout"] == "61s"  # a pause of a second
    still = Replay(replace(fit(recorded(machines=(3, 2), tasks=12)), cluster=grown))
    assert remedied(still, "warm").cluster.changes == grown.changes


def test_without_luck_all_tasks_last_as_long_as_the_median():
    model = fit(generated(8, pareto(1.6), stages=12, tasks=24))
    even = replace(model, work=np.full(model.work.size, 2.0), power=np.ones(model.work.size))
    even = replace(even, cluster=replace(model.cluster, factors=(1.0,) * len(model.cluster.factors)))
    waves = -(-24 // model.cluster.slots)
    question = Replay(replace(even, cluster=replace(even.cluster, executors={})), doubted=False)
    np.testing.assert_allclose(stage_times(question, "copy ceiling"), 2.0 * waves)


# What is advised.

COPY, HOST, SPLIT, WARM = REMEDIES


def advised(history, **more):
    return answer(Replay(fit(history)), SPARK, replications=40, sweep=False, **more)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("key", "history"),
    [
        ("host", {"machines": (4, 2), "tasks": 24, "slow": {"h3": 3.0}}),
        ("split", {"read": READ}),
        ("copy", None),
    ],
)
def test_the_remedy_of_a_known_cause_is_named(key, history):
    made = generated(8, pareto(1.3), stages=30, tasks=24) if history is None else recorded(**history)
    policies = ["fifo+spark:multiplier=1.5,quantile=0.75"]
    found = advised(made, policies=policies, budget=0.1)
    first = found.remedies.first
    if key == "copy":  # on trial: one run without copies cannot exclude that all of it is work
        assert found.advice.policy == policies[0]
        assert not any(one.sure for one in found.remedies.judged if one.remedy.key != "copy")
        assert of(found.remedies, "copy").change == found.options[policies[0]].change
        return
    assert first is not None
    assert first.remedy.key == key
    assert first.change["mean"].high < 0
    assert found.remedies.sentence.startswith(f"{first.does[:1].upper()}{first.does[1:]} makes the mean job")
    assert first.shows in found.remedies.sentence
    text, page = as_text(found), as_html(found)
    assert found.remedies.sentence in text
    assert f"{first.paste.told} {first.limit}" in text
    assert headline(found).startswith(f"{first.does[:1].upper()}{first.does[1:]}: the mean job time is")
    assert "Which remedy?" in page
    told = as_json(found)["remedies"]
    assert told["first"] == key
    assert told["each"][key]["advised"]
    assert told["each"][key]["change"]["mean"]["value"] == first.change["mean"].value
    assert told["each"]["copy"]["advised"] == (not told["each"]["copy"]["reason"])
    for one in found.remedies.judged:
        assert one.remedy.title in page
        assert one.sure == (not one.reason)


@dataclass(frozen=True)
class Given:
    figures: dict[str, float]


COUNT = 40
WEATHER = np.random.default_rng(5).normal(0, 2, COUNT)


def plays(job_time: float, slot_time: float = 100.0, seed: int = 1) -> list[Given]:
    """Return replications under the same weather, with a little luck of their own."""
    own = np.random.default_rng(seed).normal(0, 0.05, (COUNT, 2))
    return [
        Given(dict.fromkeys(("mean", "p50", "p95"), job_time + sky + a) | {"slot_time": slot_time + b})
        for sky, (a, b) in zip(WEATHER, own, strict=True)
    ]


def judged(model: Model, ways: dict[str, list[Given]], copies: Copies | None = None, **more) -> Remedies:
    """Judge with these replications, and today's 20 s in all other ways."""
    given = {way: ways.get(way, plays(20, seed=9)) for way in WAYS}
    asked = Replay(model)
    played = {way: given[way] for way, _ in plan(asked, COUNT)}
    return judge(asked, "spark", plays(20, seed=2), played, copies or Copies(), Wanted(**more))


def of(found: Remedies, key: str):
    return next(one for one in found.judged if one.remedy.key == key)


def copies_at(job_time: float, sure: bool = True) -> Copies:
    found = plays(job_time, seed=4)
    return Copies("speculation", changes(found, plays(20, seed=2)), found, sure)


def test_of_remedies_that_surely_pay_the_one_that_gains_most_comes_first(slow_host):
    found = judged(
        slow_host,
        {"leave out": plays(14, seed=3), "host ceiling": plays(12, seed=3), "copy ceiling": plays(15)},
        copies_at(19),
    )
    assert found.first is of(found, "host")
    assert found.copies_gain_less
    assert "Copies would gain 5" in found.sentence
    assert "h3 takes" in found.sentence
    less = replace(of(found, "split"), sure=True, change=changes(plays(16), plays(20, seed=2)))
    assert replace(found, judged=(*found.judged, less)).first is of(found, "host")
    more = judged(slow_host, {"leave out": plays(14, seed=3), "copy ceiling": plays(10)}, copies_at(12))
    assert more.first is more.copies
    gain = -100 * of(more, "copy").change["mean"].value
    assert more.sentence.startswith(f"Copying slow tasks makes the mean job time {gain:.1f} % shorter")


def test_what_copies_would_not_do_is_said_only_where_that_is_sure(slow_host):
    """Copies gain 14.95 % of 20 s and leaving out 15 %: which is more is luck."""
    ways = {"leave out": plays(17.0, seed=3), "host ceiling": plays(15)}
    found = judged(slow_host, ways, copies_at(17.01, sure=False))
    assert found.first is of(found, "host")
    assert not found.copies_gain_less
    assert "Copies would" not in found.sentence


def test_copies_come_before_what_mends_a_cause_only_where_that_is_sure(slow_host):
    """They gain more on average, and less in one of twenty models."""
    ways = {"leave out": plays(17.0, seed=3), "host ceiling": plays(15), "copy ceiling": plays(10)}
    copies = copies_at(16)
    gain = SettingEffect(copies.change["mean"].value, -0.4, 0.01, -0.05)
    nearly = judged(slow_host, ways, replace(copies, change=copies.change | {"mean": gain}))
    assert gain.value < of(nearly, "host").change["mean"].value < -0.05
    assert nearly.first is of(nearly, "host") is nearly.other
    surely = judged(slow_host, ways, copies_at(14))
    assert surely.first is surely.copies
    assert surely.other is None


def test_what_mends_a_cause_may_cost_beyond_the_budget_in_the_worst_of_the_models(slow_host):
    ways = {"leave out": plays(17, slot_time=104.9), "host ceiling": plays(15)}
    found = judged(slow_host, ways)
    cost = of(found, "host").change["slot_time"]
    assert cost.value < 0.05 < 0.06 < cost.sure  # 6 % is the most that copies may cost
    assert found.first is of(found, "host")


def test_what_asks_less_of_the_operator_is_shown_and_the_other_way_beside_it(slow_host):
    both = {"leave out": plays(17, seed=3), "replace": plays(15, seed=4), "host ceiling": plays(15)}
    host = of(judged(slow_host, both), "host")
    assert host.does == "leaving out slow hosts"
    assert host.others["replacing slow hosts"]["mean"].value == pytest.approx(-0.25, abs=0.02)
    dear = {"leave out": plays(21, seed=3), "replace": plays(15, seed=4), "host ceiling": plays(15)}
    host = of(judged(slow_host, dear), "host")
    assert host.sure
    assert host.does == "replacing slow hosts"
    assert "healthy machine" in host.paste.told
    assert host.shows == hosts.slowness_told(Replay(slow_host))


def test_what_is_not_sure_is_not_advised_and_says_why(slow_host):
    def reason(**ways: list[Given]) -> str:
        given = {name.replace("_", " "): series for name, series in ways.items()}
        return of(judged(slow_host, given), "host").reason

    assert "with its cause mended entirely the change would be" in reason()
    assert "leaving out slow hosts reaches" in reason(host_ceiling=plays(15))
    over = plays(15, slot_time=120.0)
    assert "more than the budget of 5 %" in reason(host_ceiling=plays(15), leave_out=over, replace=over)
    none = judged(slow_host, {})
    assert none.first is None
    assert none.sentence.startswith("No remedy is worth its trouble: even with its cause mended entirely")
    some = judged(slow_host, {"host ceiling": plays(15), "leave out": over})
    assert some.sentence.startswith("No remedy surely pays. Leaving out slow hosts would change the mean")
    little = judged(slow_host, {"host ceiling": plays(15)})
    assert little.sentence.startswith("No remedy makes the mean job time much shorter")


def test_a_fair_check_widens_what_remedies_promise(slow_host):
    ways = {"leave out": plays(18.6, seed=3), "host ceiling": plays(15)}
    assert of(judged(slow_host, ways), "host").sure
    assert not of(judged(slow_host, ways, widened=20.0), "host").sure


def test_it_is_said_that_luck_and_hidden_work_cannot_be_told_apart(slow_host):
    def known(probability: float, excluded: bool) -> Model:
        hidden = replace(slow_host.evidence.hidden, probability=probability, excluded=excluded)
        return replace(slow_host, evidence=replace(slow_host.evidence, hidden=hidden))

    assert "(probability 20 % that slow tasks are slow by themselves)" in judged(known(0.2, False), {}).caveat
    assert judged(known(0.2, True), {}).caveat == judged(known(0.99, False), {}).caveat == ""


# Nothing to do, and why.


def test_where_there_is_nothing_to_do_the_reason_is_said(skewed, slow_host):
    one = fit(recorded(machines=(1, 6), tasks=12))
    nameless = replace(slow_host, cluster=replace(slow_host.cluster, hosts=()))
    said = {
        "there is one host": (HOST, one),
        "does not tell where tasks ran": (HOST, nameless),
        "hidden in luck: this log does not tell what tasks read": (SPLIT, slow_host),
        "all tasks of a stage read as much": (SPLIT, fit(recorded(read=[1.0] * 10))),
        "no task reads more than 2 times": (SPLIT, fit(recorded(read=[1.0] * 9 + [1.5]))),
        "in each stage every task, or none, was the first": (WARM, fit(recorded(machines=(3, 2), tasks=6))),
    }
    for reason, (remedy, model) in said.items():
        assert reason in remedy.untold(Replay(model))
    ways = [way for way, _ in plan(Replay(one), 100)]
    assert ways == ["warm", "copy ceiling", "host ceiling", "split ceiling", "warm ceiling"]
    assert dict(plan(Replay(skewed), 100))["split"] == 60
    assert dict(plan(Replay(skewed), 100))["split ceiling"] == 40


def test_what_keeps_copies_from_helping_is_said(slow_host):
    assert hindered(Replay(fit(recorded(machines=(1, 6), tasks=12)))).startswith("there is one host")
    assert hindered(Replay(fit(recorded(tasks=2, stages=30)))).startswith("stages of one or two tasks have")
    short = hindered(Replay(fit(recorded(tasks=24, base=0.02))))
    assert short.startswith("most of the work is in tasks shorter than 100 ms")
    assert hindered(Replay(slow_host, rate=50.0)).startswith("the cluster is full (offered load")
    assert hindered(Replay(fit(recorded(tasks=24)))) == ""


@pytest.mark.parametrize(
    ("settings", "names", "told", "lines"),
    [
        ({}, "m1,m2", "On YARN paste the line. Of a standalone cluster run sbin", True),
        ({"spark.master": "yarn"}, "m1,m2", "Paste the line.", True),
        ({"spark.master": "spark"}, "m1,m2", "Run sbin/decommission-worker.sh on m1,m2", False),
        ({"spark.master": "k8s"}, "node-1,node-2", "Run kubectl cordon node-1 node-2.", False),
        (
            {"spark.master": "k8s"},
            "10.0.0.7,fd00::1",
            "Find the nodes of the pods 10.0.0.7,fd",
            False,
        ),
        ({"spark.master": "spark", "platform": "Databricks"}, "10.0.0.7", "Databricks has no setting", False),
    ],
)
def test_hosts_are_left_out_as_the_launcher_has_it(settings, names, told, lines):
    found = hosts._spark(names, settings)
    assert found.told.startswith(told)
    assert found.settings == ({"spark.yarn.exclude.nodes": names} if lines else {})


def test_lines_to_paste_are_those_of_the_system(skewed, slow_host):
    question, way = Replay(slow_host), HOST.ways[0]
    assert HOST.paste(question, "spark", way).settings == {"spark.yarn.exclude.nodes": "h3"}
    assert "spark.excludeOnFailure does not do it" in HOST.limit(question, "spark", way)
    assert "--exclude=h3" in HOST.paste(question, "slurm", way).told
    for system in ("hadoop", "tez", "flink", "ray", "csv"):
        assert "h3" in HOST.paste(question, system, way).told
    cut, way = Replay(skewed), SPLIT.ways[0]
    assert SPLIT.paste(cut, "spark", way).settings == {"spark.sql.files.maxPartitionBytes": "1000000b"}
    assert SPLIT.paste(cut, "hadoop", way).settings == {
        "mapreduce.input.fileinputformat.split.maxsize": "1000000"
    }
    assert splitting._spark({"shuffle": 64e6}).settings == {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.adaptive.skewJoin.enabled": "true",
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor": "2",
        "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "64000000b",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "64000000b",
    }
    assert "repartition()" in splitting._spark({}).told
    table = skewed.history.stages
    # of a stage of another job, as with adaptive execution
    for reads in ("shuffle", UNTOLD):
        column = pa.array(["", *[reads] * (len(table) - 1)])
        told = table.set_column(table.schema.get_field_index("reads"), "reads", column)
        adaptive = Replay(replace(skewed, history=replace(skewed.history, stages=told)))
        assert SPLIT.paste(adaptive, "spark", way) == splitting._spark({"input": 1e6, reads: 1e6})
    assert "give the log itself" in splitting._spark({UNTOLD: 1e6}).told
    for remedy in (HOST, SPLIT, WARM):
        for system in ("spark", "hadoop", "tez", "flink", "slurm", "ray"):
            assert remedy.paste(cut, system, remedy.ways[0]).told
            assert remedy.limit(cut, system, remedy.ways[0])


def test_tasks_that_are_slow_in_every_run_are_no_luck_that_hides_work():
    """Task 4 of each run takes four times as long; the log counts nothing."""

    def always(random, stage, task):
        return float(np.exp(random.normal(0, 0.1))) * (4.0 if task == 4 else 1.0)

    def by_luck(random, stage, task):
        return float(np.exp(random.normal(0, 0.1))) * (4.0 if random.random() < 0.1 else 1.0)

    model = fit(stages(3, 30, 10, always, names=("map",)))
    assert splitting.always_slow(model) == pytest.approx(4.0, rel=0.15)
    assert splitting.always_slow(fit(stages(3, 30, 10, by_luck, names=("map",)))) == 0.0
    found = judged(model, {"split ceiling": plays(13)})
    assert "slow in every run of their stage" in found.caveat
    assert found.sentence.startswith("No setting makes the mean job time much shorter. Splitting large tasks")
