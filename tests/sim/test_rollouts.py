"""Over-sampled rollouts: the best number of extra answers against plain heaps, and the gang engine."""

from __future__ import annotations

import heapq
import json
import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from sim.advice.rollouts import LIST, Interval, Lengths, Rollouts, as_json, as_text, listed, notes, sentence
from sim.engines.gang.scenario import GangScenario
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.agreement import assert_mean
from tests.depth import every, some
from tests.sim.gang.runs import run_to_end
from tests.sim.gang.test_theory import alone
from theory.rollouts import exponential_step_time

_MADE = random.Random(7)
STUCK = tuple(_MADE.lognormvariate(3, 0.5) * (4 if _MADE.random() < 0.06 else 1) for _ in range(200))
EVEN = tuple(float(round(_MADE.gammavariate(4, 10) + 1)) for _ in range(60))
#: Law, its numbers, and a price at which the cost has a clear minimum.
ASKED = [
    ("exponential", (30.0,), 4.0),
    ("pareto", (10.0, 1.6), 3.0),
    ("lognormal", (20.0, 0.8), 3.0),
    (LIST, STUCK, 4.0),
    (LIST, EVEN, 3.0),
]
CASES = [(n, *asked) for n in (8, 32, 64) for asked in ASKED]
CASES += [(256, "exponential", (30.0,), 12.0), (256, "lognormal", (20.0, 0.8), 12.0), (256, LIST, EVEN, 3.0)]


def drawing(law: str, numbers: tuple[float, ...]) -> Callable[[], float]:
    """Return what draws lengths one by one, the same ones whenever it is called."""
    rng = random.Random(99)
    match law:
        case "exponential":
            return lambda: rng.expovariate(1 / numbers[0])
        case "pareto":
            return lambda: numbers[0] * rng.paretovariate(numbers[1])
        case "lognormal":
            return lambda: rng.lognormvariate(math.log(numbers[0]), numbers[1])
    return lambda: rng.choice(numbers)


def with_discarding(n: int, most: int, draw: Callable[[], float], steps: int) -> list[float]:
    """Return the mean time of a step by number of extra answers: the largest of a heap of the n shortest."""
    total = np.zeros(most + 1)
    for _ in range(steps):
        shortest = [-draw() for _ in range(n)]
        heapq.heapify(shortest)
        total[0] -= shortest[0]
        for k in range(1, most + 1):
            heapq.heappushpop(shortest, -draw())
            total[k] -= shortest[0]
    return list(total / steps)


def with_carrying_over(n: int, k: int, draw: Callable[[], float], steps: int) -> float:
    """Return the mean time of a step: a heap of the ends of all answers that run, and a clock."""
    running = [draw() for _ in range(k)]
    heapq.heapify(running)
    clock = begun = 0.0
    warm_up = max(8000 // n, 60)
    for step in range(warm_up + steps):
        begun = clock if step == warm_up else begun
        for _ in range(n):
            heapq.heappush(running, clock + draw())
        for _ in range(n):
            clock = heapq.heappop(running)
    return (clock - begun) / steps


def cheapest(times: dict[int, float], n: int, price: float) -> int:
    return min(times, key=lambda k: times[k] * (1 + price * k / n))


@pytest.mark.parametrize(("n", "law", "numbers", "price"), every(4, CASES))
def test_the_best_number_is_that_of_heaps_if_answers_are_discarded(n, law, numbers, price):
    found = Rollouts(n, Lengths(law, numbers), price)
    most = min(2 * n, 64)
    times = dict(enumerate(with_discarding(n, most, drawing(law, numbers), max(200_000 // n, 4000))))
    assert abs(found.best - cheapest(times, n, price)) <= 1
    assert found.times[found.best] == pytest.approx(times[found.best], rel=0.02)


@pytest.mark.parametrize(("n", "law", "numbers", "price"), every(4, CASES))
def test_the_best_number_is_that_of_heaps_if_answers_are_carried_over(n, law, numbers, price):
    found = Rollouts(n, Lengths(law, numbers), price, carry_over=True)
    near = range(max(found.best - 6, 1), found.best + 7)
    far = {max(int(found.best * factor), 1) for factor in (0.3, 0.5, 0.75, 1.3, 2)}
    steps = max(100_000 // n, 1000)
    times = {k: with_carrying_over(n, k, drawing(law, numbers), steps) for k in {*near, *far}}
    times[0] = float(found.times[0])  # nothing is carried over
    assert abs(found.best - cheapest(times, n, price)) <= 1
    assert found.times[found.best] == pytest.approx(times[found.best], rel=0.03)


@pytest.mark.parametrize("n", [8, 64])
def test_without_memory_carrying_over_takes_as_long_as_discarding(n):
    found = Rollouts(n, Lengths("exponential", (30.0,)), price=3.0, carry_over=True)
    near = np.arange(max(found.best - 2, 1), found.best + 3)
    np.testing.assert_allclose(found.times[near], exponential_step_time(n, near, 30.0), rtol=0.01)
    assert 0 < found.error < 0.01 * found.times[found.best]


def test_many_answers_are_carried_over_as_often_as_balance_asks():
    """Of many, k / N are carried over per step: the mean of how often a length has a whole step before it."""
    found = Rollouts(500, Lengths("pareto", (10.0, 3.0)), price=3.0, carry_over=True)
    step, whole = found.times[found.best], np.arange(1, 2000)
    balance = np.minimum((whole * step / 10.0) ** -3.0, 1.0).sum()
    assert balance == pytest.approx(found.best / 500, rel=0.03)


def test_a_list_that_repeats_a_law_has_its_answer_and_an_interval_around_it():
    law = Lengths("exponential", (30.0,))
    drawn = Lengths(LIST, tuple(law.at((np.arange(2000) + 0.5) / 2000)))
    exact, found = Rollouts(16, law, price=4.0), Rollouts(16, drawn, price=4.0)
    assert found.best == exact.best
    assert found.best_interval.low <= exact.best <= found.best_interval.high
    time = found.time_of(found.best)
    assert time.low < exact.times[exact.best] < time.high
    assert exact.best_interval == Interval(exact.best, exact.best, exact.best)


@pytest.mark.parametrize("carry_over", some([False, True], 0))
def test_intervals_have_the_true_number_as_often_as_they_say(carry_over):
    """Of lists of 60 from one law: 90 % of the intervals, and at least 16 of 24 with a chance of 0.9996."""
    true = Rollouts(16, Lengths("lognormal", (20.0, 0.8)), 3.0, carry_over).best
    hits = 0
    for seed in range(24):
        lengths = np.random.default_rng(seed).lognormal(math.log(20), 0.8, 60)
        found = Rollouts(16, Lengths(LIST, tuple(lengths)), 3.0, carry_over, seed=seed).best_interval
        hits += found.low <= true <= found.high
        assert found.high > found.low
    assert hits >= 16


@pytest.mark.compiled
def test_the_gang_engine_ends_such_a_step_as_soon_and_for_as_much_slot_time():
    found = Rollouts(10, Lengths("pareto", (2.5, 4.0)))
    jobs = alone(10)
    outcome = run_to_end(GangScenario(straggle_tail=4), "all:r=1.5", jobs)
    assert_mean(outcome.finish - outcome.start, found.times[5], resolution=0.02)
    assert_mean(outcome.resource, found.slot_times[5], resolution=0.02)
    with pytest.raises(AssertionError):
        assert_mean(outcome.resource, found.slot_times[6])


def test_what_is_wasted_is_the_time_of_the_extra_answers():
    found = Rollouts(8, Lengths("exponential", (30.0,)), price=2.0)  # the slot-time is 8 means whatever k is
    assert found.wasted[3] == pytest.approx(3 * exponential_step_time(8, 3, 30.0) / 240)
    carried = Rollouts(8, Lengths("exponential", (30.0,)), price=2.5, carry_over=True)
    assert carried.best > 0
    assert carried.wasted_of(carried.best).value == 0
    assert carried.best == 4
    assert "0.50 steps old" in sentence(carried)


def test_a_higher_price_never_asks_for_more():
    best = [Rollouts(32, Lengths(LIST, STUCK), price).best for price in (0, 0.5, 1, 2, 4, 8, 100)]
    assert best == sorted(best, reverse=True)
    assert (best[0], best[-1]) == (64, 0)


def test_where_even_more_might_be_better_it_is_said():
    free = Rollouts(8, Lengths("exponential", (30.0,)), price=0.0, most=12)
    assert (free.best, free.at_edge) == (12, True)
    assert "More than 12 extra answers are not looked at" in notes(free)[0]
    assert not notes(Rollouts(8, Lengths("pareto", (10.0, 2.0))))


def test_everything_can_be_told_of_a_short_list():
    found = Rollouts(8, listed("12 15 13 90 1:30"), price=3.0)
    assert "often has a longer answer than any of 5" in as_text(found)
    told = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert told["table"][3]["step_time_s"] == found.times[3]
    assert told["lengths"] == [12, 15, 13, 90, 90]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Lengths("weibull", (1.0,)), "law: 'weibull' is not accepted; give one of exponential"),
        (lambda: Lengths("pareto", (1.0,)), "law: pareto has shortest and tail"),
        (lambda: Lengths("pareto", (1.0, 1.0)), "tail: 1.0 is not accepted; give a number above 1"),
        (lambda: Lengths(LIST, (1.0, 2.0)), "list: 2 lengths are not accepted; give 5 to 2,000"),
        (lambda: listed("1 2 3 4 0"), "list: 0.0 is not accepted; give a number above 0"),
        (lambda: Rollouts(0, Lengths(LIST, EVEN)), "awaited: 0 is not accepted"),
        (lambda: Rollouts(1, Lengths(LIST, EVEN), -1.0), "price: -1.0 is not accepted"),
        (lambda: Rollouts(1, Lengths(LIST, EVEN), most=0), "most: 0 is not accepted"),
    ],
)
def test_what_is_not_accepted_is_named(make, message):
    with pytest.raises(BadInput, match=message):
        make()


def test_the_shell_answers_from_a_law_a_list_and_a_file(tmp_path, capsys):
    file, target = tmp_path / "lengths.txt", tmp_path / "found.json"
    file.write_text("\n".join(map(str, EVEN)))
    for words in (["--list", str(file)], ["--list", ",".join(map(str, EVEN))]):
        assert main(["rollouts", "--awaited", "32", "--price", "3", *words, "--json", str(target)]) == 0
        assert json.loads(target.read_text())["best_extra"]["value"] == 2
        assert capsys.readouterr().out.startswith("Start 2 more than the 32 you wait for")
    assert main(["rollouts", "--awaited", "32", "--list", str(file), "--json", str(file)]) == 2
    assert "json: " in capsys.readouterr().err
    law = ["--law", "exponential", "--mean", "30", "--price", "4", "--carry-over"]
    assert main(["rollouts", "--awaited", "32", *law]) == 0
    assert "nothing is thrown away" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "list: give either --list or --law"),
        (["--law", "pareto", "--tail", "2"], "shortest: pareto needs --shortest"),
        (["--list", "1,2,3,4,5", "--mean", "2"], "mean: a list has no --mean"),
        (["--list", "no such file"], "list: 'no' is not accepted"),
        (["--law", "zipf"], "law: 'zipf' is not accepted"),
    ],
)
def test_the_shell_says_in_a_line_what_is_missing(words, message, capsys):
    assert main(["rollouts", "--awaited", "8", *words]) == 2
    assert message in capsys.readouterr().err
