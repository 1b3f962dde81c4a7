"""Every answer and every exercise of the lessons, found again by another route: integrals, roots, sums."""

from __future__ import annotations

import dataclasses
import heapq
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.integrate import quad

from pages.lessons import (
    LESSONS,
    clone_everything,
    coded_or_copied,
    last_task,
    nobody_knows,
    wait_and_see,
    whose_turn,
)
from pages.lessons.lesson import Decision, Exercise
from pages.lessons.second_copy import FREE
from sim.model.result import Comparison, change
from sim.running.experiment import compare
from sim.telling.palette import palette
from sim.telling.words import percent
from tests.pages.made import SCENARIO, made, one

#: Of an integral over an unbounded range.
NEAR = 1e-6


def mean(tail: Callable[[float], float]) -> float:
    """Return the mean of a time of at least 1 that is longer than t with this probability."""
    return 1 + quad(lambda u: tail(1 / u) / u**2, 0, 1, limit=400)[0]


def values(number: int) -> list[float]:
    return [*LESSONS[number].variation.values]


@pytest.mark.parametrize("beta", values(1))
def test_the_slowest_of_fifty_tasks(beta: float) -> None:
    slowest = mean(lambda t: -math.expm1(50 * math.log1p(-(t**-beta))) if t > 1 else 1.0)
    assert LESSONS[1].find(beta).answer == pytest.approx(slowest, rel=1e-5)
    none_long = (1 - 10**-1.5) ** 50
    assert f"{100 * none_long:.0f} %" in LESSONS[1].find(1.5).why[1]


def test_the_words_of_the_slowest_task() -> None:
    """At β = 2 a task takes 2 min on average and half of them √2; 50 and 100 tasks by the integral."""
    job, twice = (mean(lambda t, n=n: 1 - (1 - t**-2.0) ** n) for n in (50, 100))  # type: ignore[misc]
    found = LESSONS[1].find(2.0)
    assert (
        f"**{job:.1f} min** on average, {job / 2:.2g} times as long as one of its tasks (2.00 min)"
        in found.told
    )
    assert "Half of all tasks end within 1.4 min" in found.why[1]
    assert f"the job takes {twice / job:.2f} times as long" in found.why[2]
    assert f"rises from 2.00 minutes with one task to {job:.1f} with 50." in found.draw(None, False).alt
    typical = LESSONS[1].find(LESSONS[1].variation.default).answer
    assert f"It is {typical:.1f} min" in LESSONS[1].plan.mistakes()[1][1]


@pytest.mark.parametrize("beta", values(2))
def test_what_a_second_copy_costs(beta: float) -> None:
    cost = 2 * mean(lambda t: t ** (-2 * beta)) / mean(lambda t: t**-beta)
    kind = "same" if cost == pytest.approx(1, rel=NEAR) else "less" if cost < 1 else "more"
    found = LESSONS[2].find(beta)
    assert found.answer == kind
    if kind == "more":
        assert f"{cost:.2f} times" in found.told


def test_the_words_of_a_second_copy() -> None:
    """A time of index β is β / (β - 1) on average, the shorter of two 2β / (2β - 1)."""

    def cost(beta: float) -> float:
        return 2 * (2 * beta / (2 * beta - 1)) / (beta / (beta - 1))

    assert (
        "2 × 1.20 min = 2.40 min of slot-time. With one copy it is 1.50 min." in LESSONS[2].find(3.0).why[0]
    )
    assert f"{100 * (1 - cost(1.2)):.0f} % less than with one copy" in LESSONS[2].find(1.2).told
    _, (_, lighter), (_, heavier) = LESSONS[2].plan.mistakes()
    assert f"at β = 2 it is {cost(2.0):.2f} times, at β = 3 {cost(3.0):.2f} times" in lighter
    assert f"it is {cost(1.2):.3f} times" in heavier


def test_where_a_second_copy_is_free() -> None:
    def saved(beta: float) -> float:
        return mean(lambda t: t**-beta) - 2 * mean(lambda t: t ** (-2 * beta))

    assert optimize.brentq(saved, 1.3, 2.0, xtol=1e-9) == pytest.approx(FREE, abs=1e-5)


def cloned_at(gains: dict[float, tuple[float, ...]], tail: float = clone_everything.TAIL) -> list[Comparison]:
    """Return runs of lesson 3 at these loads: by which share two copies take longer, in each replication."""
    once, twice = clone_everything.ONCE.text, clone_everything.TWICE.text
    return [
        made(
            {once: [one([2.0] * 20)] * len(shares), twice: [one([2.0 * (1 + x)] * 20) for x in shares]},
            clone_everything.SCENARIO.replace(load=load, straggle_tail=tail),
        )
        for load, shares in gains.items()
    ]


def test_cloning_pays_where_the_paired_difference_changes_its_sign() -> None:
    """On the line from -10 % at 40 % to 20 % at 55 %: 45 %."""
    runs = cloned_at({0.2: (-0.2, -0.2), 0.4: (-0.1, -0.1), 0.55: (0.2, 0.2)})
    found = LESSONS[3].find(3.0, *runs)
    assert found.answer == pytest.approx(45)
    assert "up to a load of **45 %**" in found.told
    assert "interval" not in LESSONS[3].find(3.0, *cloned_at({0.4: (-0.1,), 0.55: (0.2,)})).told
    never, always = (LESSONS[3].find(3.0, *cloned_at({0.2: (x,), 0.4: (x,)})).answer for x in (0.1, -0.1))
    assert (never, always) == (20, 40)


def test_the_interval_has_the_loads_at_which_nothing_is_sure() -> None:
    runs = cloned_at({0.3: (-0.2, -0.19, -0.21), 0.5: (-0.02, 0.0, 0.01), 0.6: (0.3, 0.31, 0.29)})
    found = clone_everything.pays_up_to(tuple(runs))
    assert found.low is not None
    assert found.high is not None
    assert 0.3 < found.low < 0.5 < found.high < 0.6
    drawn = LESSONS[3].find(3.0, *runs).draw(None, False)
    (shaded,) = [one for one in drawn.figure.layout.shapes if one.type == "rect"]
    assert (shaded.x0, shaded.x1) == pytest.approx((100 * found.low, 100 * found.high))
    low, high = (clone_everything.longer(one) for one in runs[::2])
    middle = clone_everything.longer(runs[1])
    assert middle.low is not None
    assert middle.high is not None
    assert low.high is not None
    assert high.low is not None
    at = 0.3 + 0.2 * low.high / (low.high - middle.high), 0.5 + 0.1 * middle.low / (middle.low - high.low)
    assert (found.low, found.high) == pytest.approx(at)


def time_in_system(load: float, copies: int, tail: float, tasks: int = 100_000) -> float:
    """Return the mean time of a task where slots share one queue: each slot by when it is free again.

    The second copy takes the next free slot, unless the first has ended by then.
    """
    random = np.random.default_rng(3)
    slots = clone_everything.SCENARIO.slots
    arrivals = np.cumsum(random.exponential(tail / (tail - 1) / (slots * load), tasks))
    times = 1 + random.pareto(tail, (tasks, 2))
    free, total = [0.0] * slots, 0.0
    for arrival, (first, second) in zip(arrivals.tolist(), times.tolist(), strict=True):
        start = max(arrival, heapq.heappop(free))
        end = start + first
        if copies == 2:
            begin = max(start, other := heapq.heappop(free))
            if launched := begin < end:
                end = min(end, begin + second)
            heapq.heappush(free, end if launched else other)
        heapq.heappush(free, end)
        total += end - arrival
    return total / tasks


def test_with_one_queue_cloning_pays_up_to_the_answer_by_another_simulation() -> None:
    tail = clone_everything.TAIL
    runs = [compare(one.experiment, one.effort) for one in clone_everything.asks(tail)]
    answer = float(LESSONS[3].find(tail, *runs).answer) / 100  # type: ignore[arg-type]
    ratios = [
        time_in_system(load, 2, tail) / time_in_system(load, 1, tail)
        for load in (answer - 0.03, answer + 0.03)
    ]
    assert ratios[0] < 1 < ratios[1]


@pytest.mark.parametrize("beta", values(3))
def test_up_to_which_load_cloning_pays_with_a_queue_for_every_slot(beta: float) -> None:
    """By Pollaczek and Khinchine."""
    shortest = (beta - 1) / beta

    def delay(load: float, copies: int) -> float:
        law = stats.pareto(copies * beta, scale=shortest)
        first, second = law.mean(), law.moment(2)
        return float(first + copies * load * second / (2 * (1 - copies * load * first)))

    full = 1 / (2 * stats.pareto(2 * beta, scale=shortest).mean())
    crossing = optimize.brentq(lambda load: delay(load, 1) - delay(load, 2), 1e-6, full - 1e-6)
    found = LESSONS[3].find(beta, *cloned_at({0.2: (-0.2, -0.2), 0.52: (0.2, 0.2)}, beta))
    assert f"a queue of its own, they would pay only up to **{100 * crossing:.0f} %**" in found.told
    law = stats.pareto(2 * beta, scale=shortest)
    assert f"two copies takes {100 * law.mean():.0f} % of the mean time" in found.why[0]
    assert f"a task uses {2 * law.mean():.2f} times the slot-time" in found.why[1]
    assert f"From a load of {100 * full:.1f} % on the cluster" in found.why[1]
    drawn = found.draw(None, False)
    assert f"up to a load of 36 %, with a queue per slot up to {100 * crossing:.0f} %" in drawn.alt
    lines = [line.x0 for line in drawn.figure.layout.shapes if line.type == "line"]
    assert lines == pytest.approx([36, 100 * crossing])
    texts = [note.text for note in drawn.figure.layout.annotations]
    assert {"one queue: 36 %", f"a queue per slot: {100 * crossing:.0f} %"} <= {*texts}
    if beta == clone_everything.TAIL:
        (_, half), (limit, _), (own, _), _ = LESSONS[3].plan.mistakes()
        assert limit == f"{100 * full:.1f} %"
        assert f"a task uses {1 / full:.2f} times" in half
        assert own == f"About {100 * crossing:.0f} %"
        becomes = ", ".join(f"{load} % becomes {percent(load / 100 / full)}" for load in (20, 40, 60))
        assert becomes in LESSONS[3].scene(0, False).alt


@pytest.mark.parametrize("beta", values(4))
def test_the_threshold_from_which_a_pair_uses_less_than_the_original_alone(beta: float) -> None:
    """Both hold a slot until the shorter of what is left and of a new time has passed."""
    shortest = (beta - 1) / beta
    new = stats.pareto(beta, scale=shortest)

    def saved(left: float) -> float:
        return left - 2 * (shortest + quad(new.sf, shortest, left)[0])

    best = optimize.brentq(saved, 2 * shortest, 3)
    assert LESSONS[4].find(beta).answer == pytest.approx(best, rel=1e-6)
    assert all(
        float(wait_and_see.used(sigma, beta)) > float(wait_and_see.used(best, beta))
        for sigma in (0.97 * best, 1.03 * best)
    )


def test_the_words_of_waiting() -> None:
    """With β = 2 the shorter of what is left and of a new time is 1 - 1 / (4 left) on average."""
    found = LESSONS[4].find(2.0)
    best, law = float(found.answer), stats.pareto(2.0, scale=0.5)  # type: ignore[arg-type]
    kept = 1 - wait_and_see.SHARE  # of a task, when what is left of it is known
    gain = quad(lambda x: (kept * x - 2 + 0.5 / (kept * x)) * law.pdf(x), best / kept, math.inf)[0]
    assert f"{percent(gain)} less than without copies" in found.told
    assert f"only {percent(law.sf(best / kept))} of the tasks are copied" in found.told
    assert f"falls to {100 * (1 - gain):.1f} % of that without copies" in found.draw(None, False).alt
    light, heavy = (float(LESSONS[4].find(tail).answer) for tail in (3.0, 1.5))  # type: ignore[arg-type]
    assert f"from {heavy:.2f} at β = 1.5 to {light:.2f} at β = 3, and" in found.why[2]


@pytest.mark.parametrize("needed", values(7))
def test_coded_against_copied(needed: int) -> None:
    beta = coded_or_copied.TAIL
    coded = mean(lambda t: float(stats.binom(2 * needed, 1 - t**-beta).cdf(needed - 1)))
    copied = mean(lambda t: float(1 - (1 - t ** (-2 * beta)) ** needed))
    found = LESSONS[7].find(needed)
    assert found.answer == pytest.approx(100 * (1 - coded / copied), abs=1e-3)
    if needed > 1:
        assert f"{coded:.2f} min instead of {copied:.2f} min" in found.told


def test_the_words_of_a_coded_job() -> None:
    """Copies run until the k-th of 2k ends: their slot-time is a sum of order statistics, drawn here."""
    beta, needed = coded_or_copied.TAIL, 10
    times = np.sort((1 - np.random.default_rng(7).random((20_000, 2 * needed))) ** (-1 / beta), axis=1)
    used = np.minimum(times, times[:, [needed - 1]]).sum(axis=1).mean() / (needed * beta / (beta - 1))
    found = LESSONS[7].find(needed)
    assert f"It uses {used:.2g} times the slot-time" in found.why[2]
    most = LESSONS[7].find(coded_or_copied.MOST).answer
    assert f"{most:.0f} % with {coded_or_copied.MOST}" in found.draw(None, False).alt
    assert f"{most:.0f} % with {coded_or_copied.MOST}" in LESSONS[7].plan.mistakes()[1][1]


def left_at(law: Any, age: float, copy: Any = None) -> float:
    """Return the mean that remains of a task of some age, or until a copy of it ends, by the integral."""
    tail = lambda t: law.sf(age + t) / law.sf(age) * (copy.sf(t) if copy else 1.0)  # noqa: E731
    return float(quad(tail, 0, 1)[0] + quad(tail, 1, np.inf, limit=400)[0])


def test_exercises_by_another_route() -> None:
    """Sums, integrals and roots; shares of slots by hand; draws without replacement by SciPy."""
    law = stats.pareto(2, scale=1 / 2)  # a task of mean 1 and tail index 2
    long = stats.pareto(2).sf(10)
    first, second = mean(lambda t: t ** (-2 * 4)), mean(lambda t: float(stats.binom(4, 1 - t**-2.0).cdf(1)))
    other = {
        1: (
            mean(lambda t: 1 - (1 - t**-2.0) ** 2),
            next(n for n in range(1, 999) if stats.binom(n, long).sf(0) >= 0.5),
        ),
        2: (2 * (6 / 5) / (3 / 2), (4 - 1.2) / (4 - 2.4)),
        3: (100 * (7 / 8) / (2 * 3 / 4), 100 / (3 * stats.pareto(9, scale=2 / 3).mean())),
        4: (3 * 4, 2 * quad(law.sf, 0, 3)[0]),
        5: (36 - 6 - 12, 36 - 9 - 16),
        6: (100 * (1 - stats.binom(4, 0.1).pmf(0)), 100 * stats.hypergeom(10, 2, 2).sf(0)),
        7: (second, first + 3 * second),
        8: (20 * 350 / 100, 100 * stats.binom(16, stats.pareto(1.5).sf(3 * 2 ** (1 / 1.5))).sf(0)),
        9: (left_at(stats.pareto(2.25), 4), left_at(stats.pareto(2), 4, stats.pareto(2))),
    }
    assert other.keys() == LESSONS.keys()
    for number, right in other.items():
        solved = [one.solve() for one in LESSONS[number].exercises if isinstance(one, Exercise)]
        assert solved == pytest.approx(right, rel=2e-3), number


def test_decisions_by_another_route() -> None:
    """Read off the pictures, or by draws: the shorter of two times, and of four workers the free one."""
    luck = np.random.default_rng(8)

    def bars(number: int) -> dict[str, np.ndarray]:
        decision = LESSONS[number].exercises[0]
        assert isinstance(decision, Decision)
        return {one.name: np.array(one.customdata) for one in decision.picture(False).figure.data}

    took = np.sort(bars(1)["a task"])
    assert max(took[:-1].max() / 2, took[-1]) > max(took[:-1].max(), 0.8 * took[-1]), "the slowest"
    alone, paired = bars(2).values()
    assert (2 * paired < alone).tolist() == [True, False], "those of the heavy tail"
    assert [load < 36.4 for load in bars(3)["offered load"]] == [True, True, False], "night and evening"
    new = 0.5 * (1 + luck.pareto(2.0, 200_000))
    assert 2 * np.minimum(new, 1.4).mean() > 1.4, "leave it alone"
    left, held = (bars(5)[name] for name in ("tasks left", "slots now"))
    assert (held < left * 2 / 1.5).tolist() == [False, True, True], "B, the first one that wants more"
    found = [stats.hypergeom(10, 10 - busy, asked).sf(0) for busy, asked in ((9, 4), (8, 2))]
    assert found[0] > found[1], "A"
    copied, coded = bars(7).values()
    assert (coded + 0.2 < copied).tolist() == [False, False, True], "the large one"
    ages = bars(9)["still running"]
    left = [left_at(stats.expon(scale=2), age) for age in ages]
    assert left == pytest.approx([2, 2, 2]), "all alike"
    right = ("slowest", "heavy", "evening", "leave", "b", "a", "large", "p", "same")
    assert tuple(lesson.exercises[0].solve() for lesson in LESSONS.values()) == right


def test_of_the_last_task_an_early_one_is_left_alone_and_a_late_one_is_not() -> None:
    answers = {case: LESSONS[9].find(case).answer for case in LESSONS[9].variation.values}
    assert (answers["early"], answers["late"], answers["heavy"]) == ("wait", "copy", "copy")
    assert answers["old"] in ("copy", "restart")
    heavy = LESSONS[9].find("heavy")
    shortest = np.median(last_task.NINE) / math.sqrt(2)
    assert np.array(last_task.heavy_nine()) == pytest.approx(
        stats.pareto(2, scale=shortest).ppf((np.arange(9) + 0.5) / 9)
    )
    assert f"a task of 4 min takes {left_at(stats.pareto(2), 4):.3g} more on average" in heavy.why[2]
    assert f"it takes {left_at(stats.expon(scale=2), 7):.3g} min more at every age" in heavy.why[2]


@pytest.mark.parametrize("case", ["late", "heavy"])
def test_the_rests_of_the_last_task_are_means_over_tails_that_its_siblings_allow(case: str) -> None:
    """By sums of the tails: one waits for what remains, a copy has to be outlived, too."""
    seen = last_task.asked(case)
    times = np.linspace(0, seen.tasks[0].counted, 40_001)
    own = last_task.SLOW_BY_ITSELF
    alone, fresh = seen.remaining(0, times), seen.fresh(0, times)
    for name, tail in (("wait", alone), ("copy", alone * (own + (1 - own) * fresh))):
        expected = float(tail.mean(axis=0)[:-1].sum() * times[1] / 60)
        assert last_task.rests(case)[name].value == pytest.approx(expected, rel=0.02)


def ordered() -> dict[str, str]:
    """Return the rules of lesson 5 as results are known by."""
    return {item: policy.text for item, policy in whose_turn.policies(1.0).items()}


def orders(means: dict[str, float], spread: float = 0.01) -> Comparison:
    """Return runs of the rules of lesson 5 with these means, nearly alike in each replication."""
    known = ordered()
    return made(
        {
            text: [one(means[item] + spread * np.random.default_rng([r, place]).random(50)) for r in range(6)]
            for place, (item, text) in enumerate(known.items())
        }
    )


def test_rules_are_ranked_by_their_means_and_ties_are_told() -> None:
    means = {"fifo": 7.0, "fair": 2.0, "hopper": 5.0, "srpt": 3.0}
    found = LESSONS[5].find(1.0, orders(means))
    assert found.answer == ("fair", "srpt", "hopper", "fifo")
    assert "No sure difference" not in found.told
    tied = LESSONS[5].find(1.0, orders(means | {"srpt": 5.0}, spread=2.0))
    assert "No sure difference after 6 replications: " in tied.told
    assert {"Hopper", "Shortest"} <= set(tied.told.split("replications: ")[1].rstrip(".").split(" "))


def test_bars_stand_in_the_order_that_was_predicted() -> None:
    means = {"fifo": 7.0, "fair": 2.0, "hopper": 5.0, "srpt": 3.0}
    runs = orders(means)
    found, known = LESSONS[5].find(1.0, runs), ordered()
    on_compare = dict(zip(("fifo", "fair", "srpt", "hopper"), palette(False).series, strict=False))
    for predicted, right in (
        (("srpt", "fair", "hopper", "fifo"), (False, False, True, True)),
        (None, (True, True, True, True)),
    ):
        rows = predicted or ("fair", "srpt", "hopper", "fifo")
        drawn = found.draw(predicted, False)
        (bar,) = drawn.figure.data
        expected = [runs.policies[known[item]].estimate("flowtime", "mean") for item in rows]
        assert list(bar.x) == [one.value for one in expected]
        assert list(bar.error_x.array) == pytest.approx([one.half for one in expected])
        assert list(bar.marker.color) == [on_compare[item] for item in rows]
        called = [f"{place}. {whose_turn.NAMES[item]}" for place, item in enumerate(rows, start=1)]
        assert list(drawn.figure.layout.yaxis.ticktext) == called
        places = {"fair": 1, "srpt": 2, "hopper": 3, "fifo": 4}
        told = [
            "as predicted" if one and predicted is not None else f"place {places[item]}"
            for item, one in zip(rows, right, strict=True)
        ]
        assert [note.text for note in drawn.figure.layout.annotations] == told
        order = [whose_turn.NAMES[item] for item in rows]
        places_in_alt = [drawn.alt.index(f"{name} ") for name in order]
        assert places_in_alt == sorted(places_in_alt)


def test_the_words_of_lessons_five_and_six() -> None:
    """Three jobs of 6, 12 and 30 tasks share 36 slots: 6 for the smallest under SRPT, 8 under Hopper."""
    assert "gives a job of 6 tasks 6 slots, Hopper 1.33 times as many" in LESSONS[5].plan.mistakes()[2][1]
    why = LESSONS[6].find(3, probed(dict.fromkeys(nobody_knows.PROBES, 1.0))).why
    assert "with probability 80 %, two are both busy with 64 %, four with 41 %" in why[0]
    told = [text for _, text in LESSONS[6].plan.mistakes()]
    assert "both are busy with probability 64 %" in told[1]
    assert "all eight are busy with probability 17 % only" in told[2]


def probed(ratios: dict[int, float]) -> Comparison:
    """Return runs of lesson 6 whose medians are so many times that of the central scheduler.

    Their means are far more: a few jobs take very long, but not under the central one.
    """
    texts = {nobody_knows.CENTRAL.text: 1.0}
    texts |= {policy.text: ratios[d] for d, policy in nobody_knows.policies(3).items()}
    luck = [np.random.default_rng(r).random(49) for r in range(6)]
    few = {text: 1 if text == nobody_knows.CENTRAL.text else 50 for text in texts}
    return made(
        {
            text: [one(2 * factor * (1 + 0.01 * u) * np.where(u > 0.9, few[text], 1)) for u in luck]
            for text, factor in texts.items()
        }
    )


@pytest.mark.parametrize(
    ("ratios", "answer", "said"),
    [
        (
            (9, 1.4, 1.09, 1.0),
            "4",
            ("**9 % longer**; 9 times as long with 1 probe, 40 % longer", "as long with 8"),
        ),
        ((9, 1.09, 1.05, 0.96), "2", ("**9 % longer**", "5 % longer with 4 probes and 4 % shorter with 8")),
        ((1.0, 1, 1, 1), "1", ("**as long**",)),
        ((99, 3, 1.5, 1.11), "none", ("**11 % longer**; over 30 times as long with 1 probe",)),
    ],
)
def test_the_fewest_probes_within_a_tenth(
    ratios: tuple[float, ...], answer: str, said: tuple[str, ...]
) -> None:
    comparison = probed(dict(zip(nobody_knows.PROBES, ratios, strict=True)))
    found = LESSONS[6].find(3, comparison)
    assert found.answer == answer
    for words in said:
        assert words in found.told


def test_what_is_near_a_tenth_is_called_so() -> None:
    texts = [policy.text for policy in (nobody_knows.CENTRAL, *nobody_knows.policies(3).values())]
    luck = np.random.default_rng(1).random((6, 49))
    runs = {text: [one(1 + u) for u in luck] for text in texts}
    runs[texts[3]] = [one((1.0 if r % 2 else 1.19) * (1 + u)) for r, u in enumerate(luck)]
    comparison = made(runs)
    found = LESSONS[6].find(3, comparison)
    assert "too near to a tenth" in found.told
    (curve,) = found.draw(None, False).figure.data
    known = [change(comparison, text, texts[0], "flowtime", "p50") for text in texts[1:]]
    halves = [shown.share.half for shown in known if shown is not None]
    assert list(curve.error_y.array) == pytest.approx(halves)
    assert max(halves) > 0


def test_a_rule_whose_jobs_are_unfinished_comes_last() -> None:
    means = {"fifo": 7.0, "fair": 2.0, "hopper": 5.0, "srpt": 3.0}
    runs = orders(means)
    text = ordered()["fair"]
    endless = [one([math.inf] * 30 + [1.0] * 20) for _ in range(6)]
    broken = dataclasses.replace(runs, policies=runs.policies | {text: made({text: endless}).policies[text]})
    found = LESSONS[5].find(1.0, broken)
    assert found.answer[-1] == "fair"
    assert "unknown" in found.told
    found.draw(("fair", "srpt", "hopper", "fifo"), False)
    assert SCENARIO.time_unit in found.told


@pytest.mark.parametrize("tail", [1.5, 2.0, 3.0])
def test_who_copies_nobody_uses_as_much_slot_time_as_without_copies(tail: float) -> None:
    assert wait_and_see.used(1e9, tail) == pytest.approx(1, rel=1e-4)
