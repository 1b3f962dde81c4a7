"""Work shared by a class: figures serialised once, elements replaced in place, turns."""

from __future__ import annotations

import json
import threading
import time
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import orjson
import plotly.graph_objects as go
import plotly.io
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.server import headers
from pages.shared.app import turns as app_turns
from pages.shared.app import turns as turns_module
from pages.shared.app.turns import Turns
from pages.shared.charts.serialized import SerializedFigure, rounded


def sent(figure: go.Figure) -> dict:
    return json.loads(plotly.io.to_json(SerializedFigure(figure).to_dict(), validate=False))


def test_a_figure_written_beforehand_says_what_plotly_would_say() -> None:
    x = np.random.default_rng(1).pareto(1.5, 200)
    error = {"type": "data", "array": x / 10}
    trace = {"type": "scatter", "y": list("ab</"), "name": "<b>µ</b>", "line": {"width": 2}}
    layout = {"height": 300, "title": {"text": "a/b"}}
    figure = go.Figure({"data": [trace | {"x": x, "error_x": error}], "layout": layout}, _validate=False)
    got = sent(figure)
    assert isinstance(got["data"][0]["x"], list)  # Plotly takes other arrays for new ones each time
    np.testing.assert_allclose(got["data"][0].pop("x"), x, rtol=5e-4)
    np.testing.assert_allclose(got["data"][0].pop("error_x")["array"], x / 10, rtol=5e-4)
    assert got["data"] == [trace]
    assert layout.items() <= got["layout"].items()
    assert "template" not in got["layout"]


def test_a_figure_has_a_revision_that_tells_its_data() -> None:
    one, same, other = (
        go.Figure({"data": [{"type": "scatter", "y": np.array(y)}]}, _validate=False)
        for y in ([1.0, 2.0], [1.0, 2.0], [1.0, 2.1])
    )
    revisions = [sent(figure)["layout"]["datarevision"] for figure in (one, same, other)]
    assert revisions[0] == revisions[1] != revisions[2]


finite = st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-200)


@given(numbers=st.lists(finite | st.just(np.nan), min_size=1, max_size=20), shift=finite)
def test_numbers_lose_nothing_a_screen_shows(numbers: list[float], shift: float) -> None:
    exact = np.array(numbers) + shift
    short = rounded(exact)
    np.testing.assert_array_equal(np.isnan(short), np.isnan(exact))
    known = exact[np.isfinite(exact)]
    if known.size:
        allowed = np.minimum(
            5.1e-4 * np.abs(known), 5.1e-4 * (np.ptp(known[known != 0]) if np.any(known) else 0) or np.inf
        )
        assert np.all(np.abs(short[np.isfinite(exact)] - known) <= allowed + 1e-15 * np.abs(known).max())


def test_the_height_of_a_figure_can_be_looked_at() -> None:
    figure = go.Figure({"data": [], "layout": {"height": 300}}, _validate=False)
    assert SerializedFigure(figure).to_dict()["layout"]["height"] == 300


letters = st.characters(categories=("L", "Nd"), include_characters=" -÷")


@given(title=st.text(letters, min_size=1, max_size=150).filter(str.strip))
def test_a_title_stands_above_the_chart_in_lines_that_a_phone_has_room_for(title: str) -> None:
    layout = {"height": 300, "margin": {"l": 7, "t": 40}}
    figure = go.Figure({"data": [], "layout": layout}, _validate=False)
    asked = json.loads(orjson.dumps(SerializedFigure(figure, title).to_dict()["layout"]))
    lines = asked["title"]["text"].removeprefix("<b>").removesuffix("</b>").split("<br>")
    assert all(len(line) <= 48 for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(title.split())
    assert asked["height"] - asked["margin"]["t"] == 300 - 40
    assert asked["margin"]["t"] >= 40 + 20 * len(lines)
    assert asked["margin"]["l"] == 7


def script() -> None:
    import streamlit as st

    from pages.shared.app.turns import Placeholders

    places = Placeholders(st.container())
    for count in range(3):
        places.markdown("first", f"first {count}")
        places.caption("second", f"second {count}")
    st.markdown("last")


def test_an_element_is_replaced_where_it_stands() -> None:
    screen = AppTest.from_function(script).run()
    assert [one.value for one in screen.markdown] == ["first 2", "last"]
    assert [one.value for one in screen.caption] == ["second 2"]


def redraw() -> None:
    from unittest.mock import MagicMock

    import streamlit as st

    from pages.shared.app.turns import Placeholders

    container = MagicMock()
    places = Placeholders(container)
    for title, number in (("a", 1.0), ("a", 2.0), ("a", 2.0), ("b", 2.0)):
        places.markdown("title", title)
        places.progress("bar", number, "on its way")
    drawn = container.markdown.return_value
    st.markdown(f"{container.markdown.call_count} {drawn.markdown.call_count}")
    drawn = container.progress.return_value
    st.markdown(f"{container.progress.call_count} {drawn.progress.call_count}")


def test_words_and_numbers_that_stand_there_are_not_sent_again() -> None:
    screen = AppTest.from_function(redraw).run()
    assert [one.value for one in screen.markdown] == ["1 1", "1 1"]


def test_a_class_that_comes_to_a_fresh_server_warms_it_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    monkeypatch.setattr(headers, "_begun", threading.Lock())
    monkeypatch.setattr(headers, "_load", lambda: begun.append(1))
    together = threading.Barrier(30)

    def visitor() -> None:
        together.wait(10)
        headers.warm_start()

    visitors = [threading.Thread(target=visitor) for _ in range(30)]
    for one in visitors:
        one.start()
    for one in visitors:
        one.join()
    time.sleep(0.1)
    assert begun == [1]


@pytest.mark.parametrize(
    ("comes", "answered", "seconds"), [(True, True, 60.0), (True, True, 0.0), (False, False, 0.3)]
)
def test_the_engines_are_loaded_after_the_first_answer_or_if_nobody_comes(
    monkeypatch: pytest.MonkeyPatch, comes: bool, answered: bool, seconds: float
) -> None:
    asked = Turns(1)
    monkeypatch.setattr(headers, "turns", lambda: asked)
    loaded: list[float] = []
    monkeypatch.setattr(headers, "_answered", threading.Event())
    monkeypatch.setattr(headers, "_ready", threading.Event())
    monkeypatch.setattr(headers, "FIRST_S", seconds)
    monkeypatch.setattr(headers, "ALONE_S", 0.0)
    monkeypatch.setattr(
        app_turns, "engines", lambda: SimpleNamespace(load=lambda: loaded.append(time.monotonic()))
    )
    monkeypatch.setattr(headers.gc, "freeze", lambda: None)
    begun = time.monotonic()
    warming = threading.Thread(target=headers._load)
    with asked.taken() if comes else nullcontext():
        warming.start()
        if answered:
            time.sleep(0.1)
            assert not loaded, "who has asked is answered first, however long that takes"
            headers.first_answered()
        warming.join(30)
    assert asked.unanswered == 0
    assert len(loaded) == 1
    assert answered or loaded[0] >= begun + seconds
    assert headers.engines_ready()


class Drawn(Exception):
    pass


def test_no_more_sessions_draw_than_there_are_turns() -> None:
    turns = Turns(2)
    at_once, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2)

    def session() -> None:
        nonlocal at_once, most
        with turns.taken():
            with lock:
                at_once += 1
                most = max(most, at_once)
            both.wait(10)  # two are always let in together, or this breaks
            with lock:
                at_once -= 1

    threads = [threading.Thread(target=session) for _ in range(turns_module.CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == 2
    assert at_once == 0


def test_of_a_crowd_one_draws_at_a_time() -> None:
    turns = Turns(2)
    begun = threading.Semaphore(0)
    inside: list[int] = []
    beside: list[tuple[int, int]] = []  # who waits and who draws beside, when a turn is given

    def session() -> None:
        with turns.taken():
            inside.append(1)
            beside.append((turns.waiting, len(inside)))
            begun.acquire(timeout=10)
            inside.pop()

    with turns.taken(), turns.lent():
        threads = [threading.Thread(target=session) for _ in range(turns_module.CROWD + 4)]
        turns._take(turns_module.ANSWER)
        turns._take(turns_module.ANSWER)  # nobody gets in before all have come
        for thread in threads:
            thread.start()
        while turns.waiting < len(threads):
            time.sleep(0.01)
        turns._give()
        turns._give()
        for _ in threads:
            time.sleep(0.05)
            begun.release()
        for thread in threads:
            thread.join(10)
    crowded = {draw for waiting, draw in beside if waiting >= turns_module.CROWD - 1}
    assert crowded == {1}  # the last of them is called by the eighth that waits
    assert {draw for waiting, draw in beside if waiting < turns_module.CROWD - 1} == {1, 2}


def test_who_waits_for_an_answer_lets_others_draw() -> None:
    turns = Turns(1)
    inside = threading.Event()

    def other() -> None:
        with turns.taken():
            inside.set()

    with turns.taken():
        thread = threading.Thread(target=other)
        thread.start()
        assert not inside.wait(0.1)
        with turns.lent():
            assert inside.wait(10)
    thread.join(10)


def test_a_turn_ends_with_its_page_whatever_happens() -> None:
    turns = Turns(1)
    with pytest.raises(Drawn), turns.taken(), turns.lent():
        raise Drawn
    with turns.lent():  # without a turn there is none to lend
        pass
    thread = threading.Thread(target=lambda: turns.taken().__enter__(), daemon=True)
    with turns.taken():  # the turn is free again ...
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()  # ... and only one
    thread.join(10)
    assert not thread.is_alive()


def test_who_waits_for_an_answer_goes_before_who_has_one() -> None:
    turns = Turns(1)
    order: list[str] = []
    waiting = threading.Barrier(3)

    def session(name: str, *, answered: bool) -> None:
        with turns.taken():
            with turns.lent(answered=answered):
                waiting.wait(10)
                time.sleep(0.1 if answered else 0.3)  # the other one queues first
            order.append(name)

    threads = [
        threading.Thread(target=session, args=("has one",), kwargs={"answered": True}),
        threading.Thread(target=session, args=("waits",), kwargs={"answered": False}),
    ]
    for thread in threads:
        thread.start()
    waiting.wait(10)
    with turns.taken():
        time.sleep(1)
        order.append("first come")
    for thread in threads:
        thread.join(10)
    assert order == ["first come", "waits", "has one"]


def test_a_crowd_is_let_in_when_all_of_it_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "QUIET_S", 0.3)
    turns = Turns(1)
    waiting: list[int] = []
    come = threading.Event()

    def session() -> None:
        with turns.taken():
            waiting.append(len(turns._queue))
            come.wait(10)

    def crowd() -> list[threading.Thread]:
        threads = [threading.Thread(target=session) for _ in range(turns_module.CROWD + 2)]
        for thread in threads:
            thread.start()
            time.sleep(0.01)
        return threads

    for first, alone in ((0, True), (turns_module.CROWD + 1, False)):  # before a crowd was seen, and after
        waiting.clear()
        come.clear()
        threads = crowd()
        time.sleep(0.6)
        assert waiting == [first], alone
        come.set()
        for thread in threads:
            thread.join(10)


def test_whoever_waits_for_a_turn_is_seen() -> None:
    turns = Turns(1)
    with turns.taken():
        assert not turns.wanted
        thread = threading.Thread(target=lambda: turns.taken().__enter__(), daemon=True)
        thread.start()
        thread.join(0.2)
        assert turns.wanted
    thread.join(10)
    assert not turns.wanted
