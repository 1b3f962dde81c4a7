"""What makes pages live: requests that are followed, a layout that is redrawn, what is made once."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Generator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.app import turns
from pages.shared.app.turns import made_once
from pages.shared.live import follow
from pages.shared.live.follow import is_final, listen
from sim.running.byte_cache import ByteCache


def key() -> tuple[str, ...]:
    """Return a key that nobody has used."""
    return "test", uuid.uuid4().hex


def test_what_could_not_be_made_is_tried_again() -> None:
    mine, made = key(), []

    def make() -> str:
        made.append(1)
        if len(made) < 3:
            raise OSError("not now")
        return "made"

    for _ in range(2):
        with pytest.raises(OSError, match="not now"):
            made_once(mine, make)
    assert made_once(mine, make) == made_once(mine, make) == "made"
    assert len(made) == 3


def test_who_waits_while_another_fails_makes_it() -> None:
    mine, made, found = key(), [], []
    together = threading.Barrier(12)

    def make() -> object:
        made.append(1)
        if len(made) == 1:
            raise OSError("not now")
        return object()

    def visitor() -> None:
        together.wait(10)
        try:
            found.append(made_once(mine, make))
        except OSError:
            found.append(None)

    visitors = [threading.Thread(target=visitor) for _ in range(12)]
    for one in visitors:
        one.start()
    for one in visitors:
        one.join(20)
    assert found.count(None) == 1
    assert len({id(one) for one in found if one is not None}) == 1
    assert len(made) == 2


def test_nothing_made_is_kept_for_ever_and_none_is_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ByteCache(1_000_000)
    monkeypatch.setattr(turns, "_drawings", lambda: kept)
    mine, made = key(), []
    for _ in range(2):
        made_once(mine, lambda: made.append(1))
    assert len(made) == 1
    for _ in range(20):
        made_once(key(), lambda: bytes(100_000))
    assert kept.bytes <= 1_000_000
    made_once(mine, lambda: made.append(1))
    assert len(made) == 2


class Script:
    """Workers that answer as written: for each request its snapshots, None where it has nothing new."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: list[Any]) -> None:
        self.answers = answers
        self.begun: list[tuple[str, int]] = []
        self.left: list[str] = []
        monkeypatch.setattr(follow, "pool", lambda: self)

    def follow(self, request: str, urgency: int = 0) -> Generator[Any, float | None, None]:
        self.begun.append((request, urgency))
        try:
            answers = iter(self.answers[request])
            while True:
                yield next(answers, None)
        finally:
            self.left.append(request)


def answer(name: str, *, final: bool = False) -> Any:
    return SimpleNamespace(name=name, final=final, done=1, most=2, preview=False)


def names(known: tuple[Any, ...]) -> list[str]:
    return [one.name for one in known]


def test_requests_are_begun_when_those_before_have_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Script(
        monkeypatch,
        a=[None, None, answer("a1"), answer("a2", final=True)],
        b=[None, answer("b1", final=True)],
        c=[answer("c1", final=True)],
    )
    rounds = listen(["a", "b", "c"], urgency=2)
    assert next(rounds) == ()
    assert workers.begun == [("a", 0)]
    found = [names(known) for known in rounds]
    assert workers.begun == [("a", 0), ("b", 2), ("c", 2)]
    assert found[-1] == ["a2", "b1", "c1"]
    assert all(len(after) >= len(before) for before, after in pairwise(found))
    assert sorted(workers.left) == ["a", "b", "c"]


def test_no_more_are_worked_out_at_once_than_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Script(monkeypatch, a=[answer("a1")], b=[answer("b1")], c=[answer("c1")], d=[answer("d1")])
    rounds = listen(["a", "b", "c", "d"], at_once=2)
    for _ in range(5):
        known = next(rounds)
    assert names(known) == ["a1", "b1", "c1"]
    assert [request for request, _ in workers.begun] == ["a", "b", "c"]
    assert next(rounds) is known
    rounds.close()
    assert sorted(workers.left) == ["a", "b", "c"]


def test_what_is_known_already_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Script(monkeypatch, a=[answer("a", final=True)], b=[answer("b", final=True)])
    (known,) = listen(["a", "b"], at_once=1)
    assert names(known) == ["a", "b"]
    assert is_final(known, 2)
    assert not is_final(known, 3)


def test_what_goes_wrong_gives_all_requests_up(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Script(monkeypatch, a=[answer("a1")])
    with pytest.raises(KeyError, match="b"):
        list(listen(["a", "b"]))
    assert workers.left == ["b", "a"]


def layout() -> None:
    import streamlit as st

    from pages.shared.charts.on_page import figure
    from pages.shared.live.cards import Card, Drawing, Layout, Screen
    from sim.telling.plot import Plot

    def drawing(title: str, high: int) -> Drawing:
        plot = Plot(title, dark=False)
        plot.line([0, 1], [0, high], "a line", plot.colors.ink)
        plot.axis("x", range=[0, 1])
        plot.axis("y", range=[0, high])
        return Drawing.of(title, figure(plot), f"{title} {high}", "", f"rests on {high}")

    shown = Layout()
    for high in st.session_state.get("highs", (1, 2, 2, 1)):
        cards = [Card("one", str(high), "more"), Card("two", "2", "less", dot="blue", details=("a", "b"))]
        drawings = [drawing(title, high) for title in ("first", "second", "third")]
        shown.show(Screen(cards, drawings, [f"notice {high}"]))


def test_a_board_shows_its_last_screen_also_one_that_comes_back() -> None:
    app = AppTest.from_function(layout).run()
    assert not app.exception
    charts = [json.loads(one.proto.spec) for one in app.get("plotly_chart")]
    assert [one["layout"]["title"]["text"] for one in charts] == [
        "<b>first</b>",
        "<b>second</b>",
        "<b>third</b>",
    ]
    assert [one["layout"]["yaxis"]["range"][1] for one in charts] == [1, 1, 1]
    assert [one.value for one in app.metric] == ["1", "2"]
    assert [one.value for one in app.caption] == ["rests on 1"] * 3
    assert [one.value for one in app.markdown] == [
        ":small[a]  \n:small[b]",
        "**What to notice**\n\n- notice 1",
    ]
