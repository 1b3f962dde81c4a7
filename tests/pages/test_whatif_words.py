"""Words beside the charts of the What-if page have the right numbers: made so that no two are the same."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.logs.whatif import charts
from pages.shared.controls import control
from sim.advice.whatif.answer import Advice, Option
from sim.advice.whatif.charts import front, recorded
from sim.advice.whatif.check import GOOD, Item, Pictures
from sim.advice.whatif.document import copying
from sim.advice.whatif.price import PRICED
from sim.advice.whatif.safety import NEVER, SAFE, WRITERS, Found, Safety
from sim.advice.whatif.setting_effect import CHANGES, SettingEffect
from sim.telling.document import as_markdown

#: Four jobs, three of them inside; figures of 1 to 100, whose 90 % band is 5.95 to 95.05.
SEEN = Pictures(
    recorded=np.array([10.0, 20.0, 30.0, 80.0]),
    low=np.array([6.0, 11.0, 25.0, 40.0]),
    middle=np.array([9.0, 21.0, 33.0, 51.0]),
    high=np.array([15.0, 32.0, 45.0, 64.0]),
    ranks=np.array([0.1, 0.2, 0.9, 0.95]),
    figures={"p95": np.arange(1.0, 101.0), "p50": np.ones(100)},
)


def test_recorded_times_are_told_with_their_ends_and_how_many_are_inside() -> None:
    told = recorded.alt(SEEN)
    assert "Recorded times of 4 jobs, 10.0 s to 80.0 s" in told
    assert "75 % of them are inside" in told
    assert recorded.about(SEEN).startswith("3 of 4 recorded job times lie inside")
    assert "(75 %)" in recorded.about(SEEN)


def test_the_mean_rank_is_told_and_not_the_median() -> None:
    assert "Mean rank 54 of 100" in charts.about_ranks(SEEN)
    assert charts.alt_ranks(SEEN).endswith(": 0, 1, 1, 0, 0, 0, 0, 0, 0, 2.")


def test_ratios_are_told_with_both_ends_of_their_band() -> None:
    parts = (Item("p95", 60.0, 50.0, GOOD, ""),), SEEN
    assert "1.20 (90 % of replications: 0.119 to 1.90)" in charts.alt_ratios(parts)


def answer_of(found: Safety, told: str = "") -> Any:
    """Return what the words about safety read of an answer."""
    return SimpleNamespace(safety=found, apart_told=told, copies=True, system=None)


def risks(found: Safety, told: str = "") -> str:
    """Return what is said of running tasks twice."""
    return as_markdown(copying(answer_of(found, told), cast("Advice", None)))


def test_what_speaks_against_copies_is_told_with_its_reason_and_where_that_is_said() -> None:
    assert risks(Safety(SAFE)).endswith("Nothing in this log speaks against running a task twice.")
    writer = WRITERS["jdbc"]
    told = risks(Safety(NEVER, (Found(writer, ("save at [x](http://evil) A.scala:1",), 1),)))
    assert f"{writer.reason} [Why]({writer.reference})" in told
    assert "[x](http://evil)" not in told.replace("`[x](http://evil)`", "")
    assert "application of their own" in told
    gain = "With copies in all stages the mean job time changes by -9.0 % (-12.0 to -6.0)."
    said = risks(Safety(NEVER), gain)
    assert "by −9.0 % (−12.0 to −6.0)" in said


def test_settings_are_told_by_what_is_to_become_small_and_by_their_slot_time() -> None:
    change = dict.fromkeys(CHANGES, SettingEffect(0.9, 0.8, 1.0)) | {
        "mean": SettingEffect(-0.1, -0.15, -0.05),
        "p95": SettingEffect(-0.3, -0.36, -0.21),
        "slot_time": SettingEffect(0.04, 0.01, 0.07),
    }
    option = Option("fifo+spark", {}, change)
    for objective, told in (("mean", "−10.0 % (−15.0 to −5.0)"), ("p95", "−30.0 % (−36.0 to −21.0)")):
        shown = front.Front({"Spark": option}, "", "", "", objective, 0.05)
        assert f" {told}, slot-time +4.0 % (+1.0 to +7.0)." in front.alt(shown)


def test_today_has_its_mark_also_where_it_is_what_is_advised() -> None:
    change = dict.fromkeys(CHANGES, SettingEffect(0.1, 0.05, 0.2))
    options = {"none": Option("fifo+none", {}, change), "Spark": Option("fifo+spark", {}, change)}
    drawn = front.draw(front.Front(options, "none", "", "today", "mean", 0.05), dark=False)
    assert [trace["name"] for trace in drawn.traces] == ["front", "today", "other settings"]


def sidebar() -> None:
    """Draw the sidebar, and keep what it is at in the link."""
    from pages.logs.whatif.controls import PANEL, draw_sidebar

    PANEL.open()
    PANEL.write(draw_sidebar(PANEL.values(), []))


@pytest.mark.parametrize(
    ("link", "fields"),
    [
        ({}, {"slot": 0.0}),
        ({"price": "0.05"}, {"slot": 0.05}),  # as links were before executors had prices
        ({"price_kind": "executor", "price_executor": "0.4", "price": "0.05"}, {"executor": 0.4}),
        ({"price_kind": "billed", "price_vcpu": "0.05", "price_gb": "0.0058"}, {"vcpu": 0.05, "gb": 0.0058}),
    ],
)
def test_the_sidebar_has_the_prices_of_the_kind_that_is_chosen(link, fields, monkeypatch) -> None:
    monkeypatch.setattr(control, "drawer", lambda *drawn: st.container())
    app = AppTest.from_function(sidebar)
    for name, value in ({"v": "1"} | link).items():
        app.query_params[name] = value
    app.run(timeout=60)
    assert not app.exception
    prices = {one.label.split()[-1]: one.value for one in app.number_input if one.label.startswith("Price")}
    assert prices == {PRICED[name]: value for name, value in fields.items()}
    assert dict(app.query_params) == {"v": "1"} | link


def section() -> None:
    from unittest.mock import patch

    import streamlit as st

    from pages.logs.whatif.words import Section
    from sim.telling.document import Head, Lines, Part, Said

    place = Section()
    st.markdown("below")
    with patch.object(st, "header", wraps=st.header) as header:
        for told in ("first", "*second*", "*second*"):
            parts: list[Part] = [Said(told), Said("small", small=True), Head("To paste")]
            parts.append(Lines("a: 1", "b.yaml"))
            place.show("Setting", parts, anchor="here")
    st.markdown(str(header.call_count))


def test_parts_are_shown_as_they_stand_and_replaced_once_they_say_something_else() -> None:
    app = AppTest.from_function(section).run()
    assert [one.value for one in app.markdown] == [r"\*second\*", "**To paste**", "below", "2"]
    assert [one.value for one in (*app.header, *app.caption)] == ["Setting", "small"]
    assert [(one.value, one.language) for one in app.code] == [("a: 1", "yaml")]
