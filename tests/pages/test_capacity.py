"""Admission of visitors, and the messages to those inside and outside."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.server import capacity
from pages.server.capacity import IDLE_S, Inside, waiting_is_told


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_above_capacity_a_newcomer_waits_and_those_inside_go_on() -> None:
    there = {"a", "b", "c"}
    inside = Inside(2, there.__contains__, Clock())
    assert inside.admits("a")
    assert inside.admits("b")
    assert not inside.admits("c")
    assert inside.admits("a")
    there.remove("b")
    assert inside.admits("c")
    assert inside.count == 2


def test_where_it_is_crowded_nobody_new_is_let_in() -> None:
    inside = Inside(9, lambda session: True, Clock())
    assert inside.admits("a")
    assert not inside.admits("b", crowded=True)
    assert inside.admits("a", crowded=True)


def test_who_does_nothing_keeps_nobody_out_and_may_go_on() -> None:
    clock = Clock()
    inside = Inside(1, lambda session: True, clock)
    assert inside.admits("a")
    clock.now = IDLE_S - 1
    assert not inside.admits("b")
    clock.now = IDLE_S
    assert inside.admits("b")
    assert inside.admits("a")
    assert not inside.admits("c")


def test_those_who_have_gone_are_forgotten() -> None:
    there: set[str] = set()
    inside = Inside(10, there.__contains__, Clock())
    for number in range(1000):
        assert inside.admits(str(number))
    assert len(inside._seen) <= 10


def newcomer() -> None:
    import streamlit as st

    from pages.server.capacity import admitted, show_full

    if admitted():
        st.markdown("inside")
    else:
        show_full()


def test_a_newcomer_is_told_and_comes_in_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Inside(0, lambda session: True)
    monkeypatch.setattr(capacity, "inside", lambda: full)
    app = AppTest.from_function(newcomer).run()
    assert app.title[0].value == "This server is full"
    assert "tries again every 20 seconds" in app.info[0].value
    assert not app.markdown
    full.most = 1
    assert [one.value for one in app.run().markdown] == ["inside"]
    full.most = 0
    assert [one.value for one in app.run().markdown] == ["inside"]


def tells() -> None:
    from pages.server.capacity import waiting_is_told

    tell = waiting_is_told()
    for before, seconds in ((30, 0.3), (20, 1.9), (12, 2.0), (9, 3.0), (1, 4.1), (0, 6.2)):
        tell(before, seconds)


def test_who_waits_long_is_told_how_many_go_before() -> None:
    app = AppTest.from_function(tells).run()
    assert [one.value for one in app.toast] == [
        "Many visitors at once: 12 go before you.",
        "Many visitors at once: 1 goes before you.",
        "Many visitors at once: you are next.",
    ]
    assert waiting_is_told()(5, 0.1) is None
