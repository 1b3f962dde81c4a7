"""The byte cache: each value is computed once, and all together are bounded."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

from sim.running.byte_cache import ByteCache, size_of

MB = 2**20


def test_the_least_used_goes_when_there_is_no_more_room():
    kept = ByteCache(10 * MB)
    for name in "abc":
        kept.keep(name, np.zeros(3 * MB // 8))
    assert kept.get("a") is not None  # used again
    kept.keep("d", np.zeros(3 * MB // 8))
    assert [name for name in "abcd" if kept.get(name) is not None] == ["a", "c", "d"]
    assert 9 * MB < kept.bytes < 10 * MB


def test_what_is_too_large_is_made_and_not_kept():
    kept, made = ByteCache(MB), []
    for _ in range(2):
        kept.made("a", lambda: made.append(1) or np.zeros(MB))
    assert len(made) == 2
    assert kept.bytes == len(kept) == 0


def test_a_value_in_the_place_of_another_is_counted_once():
    kept = ByteCache(10 * MB)
    for _ in range(20):
        kept.keep("a", np.zeros(MB // 8))
    assert kept.bytes < 1.1 * MB


def test_any_number_of_values_has_room_if_they_are_small():
    kept = ByteCache(10 * MB)
    for number in range(5000):
        kept.keep(number, number)
    assert len(kept) == 5000


def test_others_wait_for_one_key_and_not_for_another():
    kept = ByteCache(MB)
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        assert go_on.wait(10)
        return "slow"

    maker = threading.Thread(target=lambda: kept.made("slow", slow))
    maker.start()
    assert begun.wait(10)
    assert kept.made("other", lambda: "other") == "other"
    looks: list[int] = []

    def look_up() -> None:
        looks.append(1)
        if len(looks) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        kept.made("slow", lambda: "never", look_up)
    go_on.set()
    maker.join(10)
    assert kept.made("slow", lambda: "never") == "slow"
    assert not kept._makers


def test_one_makes_while_a_crowd_waits():
    kept, made, found = ByteCache(MB), [], []
    together = threading.Barrier(12)

    def make() -> object:
        made.append(1)
        time.sleep(0.1)
        return object()

    def visitor() -> None:
        together.wait(10)
        found.append(kept.made("a", make))

    visitors = [threading.Thread(target=visitor) for _ in range(12)]
    for one in visitors:
        one.start()
    for one in visitors:
        one.join(20)
    assert len(made) == 1
    assert len(set(map(id, found))) == 1


@dataclass(frozen=True, slots=True)
class Slotted:
    numbers: np.ndarray


@dataclass
class Plain:
    inner: object


def test_all_parts_of_a_value_are_counted_once():
    numbers = np.zeros(MB // 8)
    for value in (
        numbers,
        Slotted(numbers),
        Plain(Slotted(numbers)),
        {"a": [numbers, (numbers, Plain(numbers))]},
        pa.table({"a": numbers}),
    ):
        assert MB <= size_of(value) < 1.01 * MB, value
    assert size_of("x" * MB) == pytest.approx(MB, rel=0.01)
    itself: list[object] = []
    itself.append(itself)
    assert size_of(itself) < 200


def test_a_class_may_say_its_size_itself():
    class Known:
        def __init__(self) -> None:
            self.hidden = np.zeros(MB)

        def __sizeof__(self) -> int:
            return 5 * MB

    assert size_of(Known()) == pytest.approx(5 * MB, rel=0.01)


def test_a_view_is_as_large_as_what_it_keeps():
    whole = np.zeros(MB, np.uint8)
    assert size_of(whole[:0]) == pytest.approx(MB, rel=0.01)
    assert size_of([whole[:5], whole[5:9].view("u2")]) == pytest.approx(MB, rel=0.01)
