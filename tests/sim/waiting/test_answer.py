"""Wait, copy or restart: relations that hold for all siblings, by hand where there is a hand, and no harm."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.advice.waiting.answer import (
    COPY,
    FEWEST,
    RESTART,
    UNKNOWN,
    WAIT,
    Decided,
    Options,
    Waiting,
    answered,
    chosen,
    exponents,
    rules,
)
from sim.advice.waiting.report import as_json, as_text, change, cost, sentence
from sim.advice.waiting.siblings import Siblings
from sim.model.fields import BadInput
from tests.depth import each
from tests.sim.waiting.follow import Stage, above, judged, run

durations = st.lists(st.floats(1.0, 1e3), min_size=5, max_size=30).map(np.array)


def of(done: np.ndarray, age: float, draws: int = 60, **options: float | str) -> Waiting:
    return Waiting(Siblings(done, np.array([age])), Options(**options), draws)  # type: ignore[arg-type]


@given(durations, st.floats(0.5, 20.0), st.sampled_from(["idle", "queue"]))
@settings(max_examples=20, deadline=None)
def test_relations_of_the_choices(done: np.ndarray, times: float, slots: str) -> None:
    asked = of(done, times * float(np.median(done)), slots=slots)
    task = asked.tasks[0]
    assert task.choices is not None
    wait, copy, restart = (task.choices[one] for one in (WAIT, COPY, RESTART))
    assert copy.rest.value <= wait.rest.value <= task.counted
    assert copy.rest.value <= restart.rest.value + 1e-9  # the copy of a copy's draw, and the task beside it
    for one in (wait, copy, restart):
        within = [each.value for each in one.within]
        assert within == sorted(within)
        assert all(low <= value <= high for value, low, high in (*one.within, one.rest) if high - low > 0.02)
    assert all(a.value >= b.value for a, b in zip(copy.within, wait.within, strict=True))
    json.dumps(as_json(asked), allow_nan=False)
    assert not {"nan", "inf"} & set(as_text(asked).split())


@given(durations, st.floats(1.0, 9.0))
@settings(max_examples=15, deadline=None)
def test_dearer_slots_and_slower_starts_never_make_a_copy_better(done: np.ndarray, times: float) -> None:
    def saves(**options: float) -> float:
        asked = of(done, times * float(np.median(done)), **options)  # type: ignore[arg-type]
        cost = asked.decided(0).cost.mean(axis=1)
        return float(1 - cost[1] / cost[0])

    by_price = [saves(price=price) for price in (0.0, 0.3, 1.0, 5.0)]
    assert by_price == sorted(by_price, reverse=True)
    by_start = [saves(start=start) for start in (0.0, 10.0, 1000.0)]
    assert by_start == pytest.approx(sorted(by_start, reverse=True), abs=1e-9)


def test_what_is_chosen_follows_from_costs_by_hand() -> None:
    """Costs of ten draws: the mean decides, and how many draws agree."""

    def costs(wait: list[float], copy: list[float], restart: list[float]) -> Decided:
        return Decided(np.array([wait, copy, restart]), np.empty(0), np.empty(0))

    ten = [10.0] * 10
    assert chosen(costs(ten, [9.6] * 10, ten), "idle")[0] == WAIT  # saves 4 %
    assert chosen(costs(ten, [9.4] * 10, ten), "idle") == (COPY, 1.0)  # saves 6 %
    assert chosen(costs(ten, [9.4] * 10, [8.0] * 10), "queue") == (RESTART, 1.0)
    assert chosen(costs(ten, [9.4] * 10, [8.0] * 10), "idle") == (COPY, 1.0)  # no slot is missing
    assert chosen(costs(ten, [8.2] * 10, [8.0] * 10), "queue") == (COPY, 1.0)  # it keeps what is done
    some = [1.0] * 6 + [10.5] * 4
    assert chosen(costs(ten, some, ten), "idle") == (COPY, 0.6)
    assert chosen(costs(ten, some, ten), "queue") == (UNKNOWN, 0.6)
    assert chosen(costs([100.0, *ten[1:]], [1.0, *[10.1] * 9], ten), "queue")[0] == WAIT


def test_a_light_tail_waits_and_a_heavy_one_copies() -> None:
    levels = (np.arange(60) + 0.5) / 60
    normal = 100 + 10 * np.sqrt(2) * np.vectorize(_erfinv)(2 * levels - 1)
    heavy = 60 * (1 - levels) ** (-1 / 1.2)
    assert of(normal, 105.0).tasks[0].action == WAIT
    assert of(heavy, 400.0).tasks[0].action == COPY
    assert sentence(of(heavy, 400.0)).startswith("Start a copy of task 61: it then takes ")


def _erfinv(x: float) -> float:
    from scipy.special import erfinv

    return float(erfinv(x))


def test_too_few_siblings_tell_nothing_and_say_how_many_are_needed() -> None:
    asked = of(np.arange(1.0, FEWEST), 9.0)
    assert asked.tasks[0].action == UNKNOWN
    assert sentence(asked).startswith(f"Cannot tell: {FEWEST - 1} siblings are done.")
    assert as_json(asked)["tasks"][0]["action"] == UNKNOWN
    assert of(np.arange(1.0, FEWEST + 1), 9.0).tasks[0].choices


SIZES = np.geomspace(0.8, 1.25, 30)


@each("times", [2.0, 4.0, 8.0])
def test_no_copy_against_a_size_that_explains_the_age(times: float) -> None:
    """A task of so many times the bytes is as old as siblings of its size would be; else it is not."""
    done = 100 * SIZES
    age = np.array([90.0 * times])
    known = answered(Siblings(done, age, done_work=SIZES * 1e6, work=np.array([times * 1e6])))
    task = known.tasks[0]
    assert task.action == WAIT
    assert task.larger == pytest.approx(times / np.median(SIZES), rel=1e-6)
    assert "as slow as its size" in sentence(known)
    assert answered(Siblings(done, age)).tasks[0].action != WAIT
    older = answered(Siblings(done, 5 * age, done_work=SIZES * 1e6, work=np.array([times * 1e6])))
    assert older.tasks[0].action != WAIT
    assert older.tasks[0].explained < 0.5


@given(
    st.integers(0, 10**6),
    st.floats(2.5, 30.0),
    st.floats(0.3, 1.2),
    st.floats(0.0, 0.3),
    st.floats(0.0, 0.2),
    st.sampled_from(["idle", "queue"]),
)
@settings(max_examples=30, deadline=None)
def test_whatever_the_noise_a_far_larger_task_waits_for_its_size(
    seed: int, times: float, part: float, luck: float, sizes: float, slots: str
) -> None:
    """Of any siblings, whose sizes differ by chance only: it is no older than its size makes it, in part."""
    random = np.random.default_rng(seed)
    work = random.lognormal(0, sizes, 20)
    done = 30 * work * random.lognormal(0, luck, 20)
    larger = times * float(work.max())
    age = part * float(np.median(done)) * larger / float(np.median(work))
    task = Waiting(
        Siblings(done, np.array([age]), done_work=work, work=np.array([larger])), Options(slots=slots), 60
    ).tasks[0]
    assert task.action == WAIT, (task.explained, task.larger)


def test_the_exponent_of_the_work_is_found() -> None:
    random = np.random.default_rng(3)
    work = random.lognormal(0, 0.8, 200)
    for exponent in (0.0, 0.5, 1.0):
        likely = exponents(work**exponent * random.lognormal(0, 0.2, 200), work)
        assert likely @ np.array([0.0, 0.25, 0.5, 0.75, 1.0]) == pytest.approx(exponent, abs=0.1)


def test_a_task_on_a_slow_host_is_late_for_its_host_only() -> None:
    random = np.random.default_rng(1)
    hosts = tuple(f"h{number % 5}" for number in range(60))
    slow = np.array([2.5 if host == "h0" else 1.0 for host in hosts])
    done = 100 * slow * random.lognormal(0, 0.15, 60)

    def at(host: str) -> Waiting:
        return answered(
            Siblings(done, np.array([150.0]), done_hosts=hosts, hosts=(host,)), Options(slots="idle")
        )

    there, here = at("h0").tasks[0], at("h1").tasks[0]
    assert there.slower.low < 2.5 < there.slower.high * 1.1
    assert here.slower.value == pytest.approx(1.0, abs=0.1)
    assert there.choices is not None
    assert here.choices is not None
    # on the slow host it is not late: it takes 250 there, and a copy elsewhere would take the other 100
    assert there.choices[WAIT].rest.value == pytest.approx(100, abs=15)
    assert there.action == WAIT
    assert here.choices[WAIT].rest.high > 3 * there.choices[WAIT].rest.high


def test_the_task_with_the_longest_rest_comes_first_and_all_are_done_later_than_each() -> None:
    random = np.random.default_rng(2)
    asked = answered(Siblings(random.lognormal(0, 0.5, 40), np.array([0.5, 6.0, 2.0])))
    rests = [task.choices[WAIT].rest.value for task in asked.tasks if task.choices]
    assert rests == sorted(rests, reverse=True)
    for place, both in enumerate(asked.all_done):
        assert both.value <= min(
            task.choices[WAIT].within[place].value for task in asked.tasks if task.choices
        )


def test_the_advice_changes_at_an_age_and_rules_have_theirs() -> None:
    random = np.random.default_rng(1)
    asked = of(120 * random.lognormal(0, 0.3, 49), 150.0, slots="queue")
    ages = [one.age for one in asked.profile]
    assert ages == sorted(ages)
    assert asked.tasks[0].action == WAIT
    assert asked.changes is not None
    age, action = asked.changes
    assert age > 150.0
    assert action in (COPY, RESTART)
    assert change(asked).startswith("If it still runs at an age of ")
    assert rules(asked)["Spark 1.5 × median"] == pytest.approx(1.5 * np.median(asked.siblings.done))
    assert all(age is None or age > 0 for age in rules(asked).values())


def test_what_a_copy_costs_the_others_depends_on_the_slots() -> None:
    done = 60 * (1 - (np.arange(40) + 0.5) / 40) ** (-1 / 2)
    for slots, said in (("idle", "nobody else is slower"), ("queue", "tasks wait for slots")):
        asked = of(done, 80.0, slots=slots)
        assert said in cost(asked, asked.tasks[0])


@each(
    "options, name",
    [
        ({"slots": "some"}, "slots"),
        ({"start": -1.0}, "start"),
        ({"deadline": 0.0}, "deadline"),
        ({"price": -1.0}, "price"),
    ],
)
def test_an_option_that_is_not_accepted_is_named(options: dict[str, float], name: str) -> None:
    with pytest.raises(BadInput, match=f"^{name}: .* is not accepted; give"):
        Options(**options)  # type: ignore[arg-type]


def test_no_running_task_is_no_question() -> None:
    with pytest.raises(BadInput, match=r"^running: no task is running; give the age"):
        answered(Siblings(np.ones(9), np.empty(0)))


def test_of_stages_whose_work_differs_few_copies_are_lost_on_large_tasks() -> None:
    """Held out: tasks of up to 6 times the work, whose luck is small. A copy never wins by much."""
    random = np.random.default_rng(4)
    advised: Counter[str] = Counter()
    for _ in range(40):
        work = random.lognormal(0, 0.7, 40)
        took = work * random.lognormal(0, 0.15, 40)
        now = float(np.sort(took)[-3]) * 1.0001
        done = took <= now
        seen = Siblings(took[done], np.full(2, now), done_work=work[done], work=work[~done])
        advised += Counter(task.action for task in answered(seen).tasks)
    assert advised[COPY] + advised[RESTART] <= 0.1 * advised.total(), advised


def test_a_stage_is_run_as_by_hand() -> None:
    """Four of five are done at 1; the median is 1. At 1.75 the fifth gets a copy, which takes 1."""
    stage = Stage(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 9.0]), np.ones(6), None)
    assert run(above(1.5), stage) == (2.75, 5.0 + 2.75 + 1.0)
    assert run(above(20.0), stage) == (9.0, 14.0)


@pytest.mark.slow
def test_following_the_answer_beats_thresholds_at_equal_slot_time() -> None:
    found = [judged(seed) for seed in range(10)]
    for name in ("1.5 × median", "3 × median", "LATE"):
        assert sum(one[name][2] < one[name][0] for one in found) >= 8, name


def test_a_task_that_is_not_late_or_has_a_copy_waits_and_says_why() -> None:
    heavy = 60 * (1 - (np.arange(60) + 0.5) / 60) ** (-1 / 1.2)
    young = of(heavy, float(np.median(heavy)) * 0.9)
    assert young.tasks[0].action == WAIT
    assert "it is younger than the middle sibling was" in sentence(young)
    twice = answered(Siblings(heavy, np.array([400.0]), copied=(True,)))
    assert twice.tasks[0].action == WAIT
    assert "it has a copy already" in sentence(twice)
