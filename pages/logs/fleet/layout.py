"""The layout of the tab Fleet: the answer, cards, charts, what to notice, and a table of the logs."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.logs.controls import dropped
from pages.logs.fleet.answer import Step, follow
from pages.logs.fleet.charts import account
from pages.logs.fleet.controls import PAGE, PANEL
from pages.logs.fleet.details import chosen, show_details, show_table
from pages.logs.fleet.question import given, named
from pages.logs.fleet.words import cards, notices, sentence
from pages.shared.app.placeholders import Placeholders, body_and_foot
from pages.shared.charts.on_page import is_dark
from pages.shared.controls import file_in_link
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.live.layout import Layout
from sim.advice.fleet import charts
from sim.advice.fleet.look import Look
from sim.advice.fleet.report import logs_of
from sim.advice.whatif.price import Price


def show(values: dict[str, Any]) -> None:
    """Show the logs that are looked at; raises `BadInput`."""
    for column, name in zip(st.columns(2), ("compute", "price"), strict=True):
        with column:
            values[name] = PANEL.draw(name)
    files = dropped(values[file_in_link.NAME])
    values[file_in_link.NAME] = file_in_link.note(PAGE, files, values[file_in_link.NAME])
    fleet = given(files) if files else named(values["fleet"])
    above = st.container()
    st.header("Logs", anchor=False)
    for column, name in zip(st.columns(3), ("format", "rows", "sort"), strict=True):
        with column:
            values[name] = PANEL.draw(name)
    PANEL.write(values)
    with above:
        body, foot = body_and_foot()
    layout, price, dark = Layout(), Price(slot=values["price"]), is_dark()
    known: list[tuple[Step, list[Look], Screen]] = []
    below: Placeholders | None = None
    for seen in follow(fleet, values["compute"], foot):
        rows = chosen(seen.looks, values["format"], values["rows"], values["sort"])
        known.append((seen, rows, screen(seen, price, dark)))
        with body:
            layout.show(known[-1][2])
        if not logs_of(seen.looks):
            continue  # no filter is to blame for an empty table
        if below is None:  # the table stands while remedies come in
            below = Placeholders(st.container())
            show_table(below, rows, price)
            show_details(lambda: known[-1], price)
        else:
            show_table(below, rows, price)


def screen(seen: Step, price: Price, dark: bool) -> Screen:
    """Return what is shown of a fleet."""
    looks = seen.looks
    told = any(one.hours > 0 and one.lost is not None for one in looks)
    drawn = [Drawing.by(chart, looks, dark) for chart in (charts, account) if told]
    return Screen(cards(seen, price), drawn, notices(seen, price), sentence(seen))
