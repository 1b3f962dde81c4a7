"""An action is chosen, a rule copies, and a number is accepted up to its very limit, in its own unit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from sim.advice.waiting import library
from sim.advice.waiting.answer import (
    COPY,
    MOST_TASKS,
    RESTART,
    UNKNOWN,
    WAIT,
    Decided,
    Interval,
    Options,
    Waiting,
    chosen,
    pays_from,
    rules,
)
from sim.advice.waiting.siblings import Siblings, sizes_in, times_in
from sim.model.fields import BadInput


def test_an_action_is_chosen_at_its_very_limits() -> None:
    def of(copy: list[float], restart: float, slots: str) -> tuple[str, float]:
        costs = np.array([[100.0] * 10, copy, [restart] * 10])
        return chosen(Decided(costs, np.empty(0), np.empty(0)), slots)

    for slots in ("idle", "queue"):
        assert of([95.0] * 10, 200.0, slots) == (COPY, 1.0)  # it saves 5 %
        assert of([95.001] * 10, 200.0, slots) == (WAIT, 0.0)
    for share, idle, queue in ((7, COPY, COPY), (6, COPY, UNKNOWN), (5, COPY, UNKNOWN), (4, UNKNOWN, WAIT)):
        costs = [1.0] * share + [101.0] * (10 - share)
        assert of(costs, 200.0, "idle")[0] == idle
        assert of(costs, 200.0, "queue")[0] == queue
    assert of([1.0] * 3 + [101.0] * 7, 200.0, "idle")[0] == UNKNOWN
    assert of([1.0] * 2 + [101.0] * 8, 200.0, "idle") == (WAIT, 0.8)
    assert of([80.0] * 10, 76.0, "queue")[0] == COPY
    assert of([80.0] * 10, 75.9, "queue")[0] == RESTART


@pytest.mark.parametrize("start", [0.0, 3.0])
def test_rules_have_their_own_ages(start: float) -> None:
    """A copy of an exponential task of mean 10 saves slot-time from the rest at which both take as much."""

    def fresh(place: int, times: np.ndarray) -> np.ndarray:
        assert place == 2
        return np.where(times > 0, np.exp(-np.maximum(times, 0) / 10), 1.0)[None]

    older = [SimpleNamespace(age=age, wait=5.0 * age, mantri=0.05 * age) for age in (1.0, 3.0, 5.0, 6.0, 9.0)]
    tasks, options = [SimpleNamespace(place=2)], SimpleNamespace(start=start)
    asked: Any = SimpleNamespace(median=10.0, fresh=fresh, tasks=tasks, options=options, profile=older)
    rest = optimize.brentq(lambda r: 2 * (start + 10 * (1 - np.exp((start - r) / 10))) - r, start + 1, 90)
    assert pays_from(asked) == pytest.approx(rest, rel=0.01)
    of_sda = next(one.age for one in older if 5 * one.age > rest)
    spark = {"Spark 1.5 × median": 15.0, "Spark 3 × median": 30.0}
    assert rules(asked) == {"SDA": of_sda, "Mantri": 6.0} | spark


UNITS = {
    "90": 90,
    "90 s": 90,
    "1.5 min": 90,
    "1:30": 90,
    "0.025 h": 90,
    "90000 ms": 90,
    "0.5 days": 43_200,
    "1:00:30": 3630,
    "2-00:00:01": 172_801,
    "3 hours": 10_800,
    "2 m": 120,
    ".5 sec": 0.5,
}
SIZES = {"7": 7, "2kB": 2e3, "2KiB": 2048, "3MB": 3e6, "3MiB": 3 * 2**20, "1.5 GiB": 1.5 * 2**30, "1TB": 1e12}


@pytest.mark.parametrize("text", UNITS)
def test_times_have_their_units_wherever_they_are_given(text: str) -> None:
    assert times_in(text, "x") == pytest.approx([UNITS[text]])
    words = {"done": "1 2 3 4 5", "running": f"9, {text}"}
    found = library.wait(**words, deadline=text, start=text)
    assert found.siblings.ages == pytest.approx([9.0, UNITS[text]])
    assert (found.horizons, found.options.start) == (
        pytest.approx((UNITS[text],)),
        pytest.approx(UNITS[text]),
    )


def test_sizes_have_theirs_and_numbers_are_taken_up_to_their_limits() -> None:
    assert sizes_in(" ".join(SIZES), "x") == pytest.approx([*SIZES.values()])
    for name, inside, outside in (
        *(("start", (0.0, 9.99e8), (-1e-9, 1e9)), ("price", (0.0, 999_999.0), (-1e-9, 1e6))),
        ("deadline", (1e-9, 9.99e8), (0.0, 1e9)),
    ):
        assert [getattr(Options(**{name: one}), name) for one in inside] == [*inside]
        for one in outside:
            with pytest.raises(BadInput, match=f"^{name}: "):
                Options(**{name: one})
    paid = {None: (0.3, 1.0), 0.0: (0.0, 0.0), 2.0: (2.0, 2.0)}
    for price, (idle, queue) in paid.items():
        assert [Options(slots=one, price=price).paid for one in ("idle", "queue")] == [idle, queue]
    ages = np.arange(1.0, MOST_TASKS + 2)
    oldest = Waiting(Siblings(np.ones(4), ages))
    assert [one.age for one in oldest.tasks] == ages[:0:-1].tolist()
    assert Interval.of(2.0, np.arange(101.0)) == (2.0, 2.0, 95.0)
    assert Interval.of(98.0, np.arange(101.0)) == (98.0, 5.0, 98.0)
