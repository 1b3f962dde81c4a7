"""The layout of the tab Fleet: the answer, cards, charts, what to notice, and a table of the logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.frame.menu import go
from pages.logs.controls import ONE, dropped, open_with
from pages.logs.fleet.charts import ACCOUNT
from pages.logs.fleet.controls import ALL, PAGE, PANEL
from pages.logs.fleet.question import Step, follow, given, named
from pages.logs.fleet.words import cards, notices, sentence
from pages.logs.words import MOST, numbers
from pages.shared.app.turns import Placeholders, body_and_foot
from pages.shared.charts.on_page import Chart, is_dark
from pages.shared.controls import file_in_link
from pages.shared.controls.control import drawer
from pages.shared.live.cards import Drawing, Layout, Screen
from pages.shared.words.tables import charts_page, downloads, json_text, show_formulas
from sim.advice.fleet import charts
from sim.advice.fleet.first_look import Look
from sim.advice.fleet.report import as_csv, as_json, logs_of, table
from sim.advice.fleet.survey import most_first
from sim.advice.whatif.price import Price
from sim.telling.words import clipped

# Below the chart: the table of the fleet, one log to open elsewhere, files, how the numbers are made.

#: How the numbers are made.
HOW = """
**First.** What *Diagnose* says of the log alone. The sentence above has the cause that ranks first once the
seconds of each are added up over logs; the ends of its interval are added as if all logs erred the same way.

**Lost.** The history is replayed on its own slots twice, as on *Diagnose*: with the recorded durations, and
with every task at the median of its stage. Nothing is simulated. It bounds what mending single slow
tasks can win; where most tasks of a stage are slow, a remedy may win more.

**Slot-time beyond the medians.** The sum over tasks of the recorded duration less the median of its stage;
its price is that of the slot-hours.

**Remedy.** The answer of *What-if* as that page begins: 100 replications, a budget of 5 % more
slot-time, the mean job time, all jobs. Its gain is the change of the mean times the recorded job time; the
interval is 95 %.

**Sorted** by the gain where it is computed, by what is lost where it is not.
"""
#: Columns that are in the files only.
_IN_FILES = ("its slot-time (h)", "its slot-time (money)", "told")
_SORTED: dict[str, Callable[[Look], Any]] = {
    "lost": lambda one: -(one.lost or 0.0),
    "jobs": lambda one: -one.jobs,
    "name": lambda one: one.application,
}


def chosen(looks: Sequence[Look], kind: str, show: str, sort: str) -> list[Look]:
    """Return the logs that the filters leave, in the order that is asked for.

    Examples
    --------
    >>> looks = [Look("a", "a", "spark", lost=1.0), Look("b", "b", "slurm", lost=2.0), Look("c", "c")]
    >>> [one.name for one in chosen(looks, "all", "won", "won")]
    ['b', 'a']
    >>> [one.name for one in chosen(looks, "all", "unread", "won")]
    ['c']
    >>> [one.name for one in chosen(looks, "spark", "all", "name")]
    ['a']
    """
    kept = [
        one
        for one in most_first(logs_of(looks))
        if kind in (ALL, one.format)
        and (show != "won" or (one.is_read and one.to_win > 0))
        and (show != "unread" or not one.is_read)
    ]
    return sorted(kept, key=_SORTED[sort]) if sort in _SORTED else kept


def show_table(place: Placeholders, rows: Sequence[Look], price: Price) -> None:
    """Draw the table or replace it where it stands; or say that nothing is left of it."""
    if not rows:
        place.info(
            "table", "No log of this fleet is left by these filters.", icon=":material/filter_alt_off:"
        )
        return
    whole = table(rows[:MOST], price)
    shown = whole.drop(columns=[name for name in whole if name in _IN_FILES or _is_empty(whole[name])])
    columns = numbers(shown, 3)
    if "jobs" in columns:
        columns["jobs"] = st.column_config.NumberColumn(format="%,d")
    place.dataframe(
        "table",
        shown,
        hide_index=True,
        column_config=columns,
        placeholder="–",
        alt="The logs of this fleet, a row each",
    )
    if len(rows) > MOST:
        place.caption("more", f"{MOST:,} of {len(rows):,} rows; the file has all.")


def _is_empty(column: pd.Series) -> bool:
    return bool((column.isna() | column.eq("")).all())


def show_details(latest: Callable[[], tuple[Step, Sequence[Look], Screen]], price: Price) -> None:
    """Draw what is below the table, once; files have what is known by the time that they are made."""
    seen, rows, _ = latest()
    show_opening(seen, rows)
    downloads(
        ("Fleet (CSV)", "fleet.csv", lambda: as_csv(latest()[1], price)),
        ("Fleet (JSON)", "fleet.json", lambda: json_text(as_json(latest()[1], price))),
        ("Charts (HTML)", "fleet.html", lambda: charts_page(latest()[2].figures)),
    )
    if box := drawer(PAGE, "shell", "The same in the shell", ":material/terminal:"):
        box.code("python -m sim fleet FOLDER --csv fleet.csv --json fleet.json", language="bash")
        box.markdown(
            "It reads folders, zips and a History Server, keeps what it has read, and reads only what is new "
            "when it is called again."
        )
    show_formulas(PAGE, [HOW], "How the numbers are made")


def show_opening(seen: Step, rows: Sequence[Look]) -> None:
    """Draw what opens one of the logs on another page."""
    read = [one.name for one in rows if one.is_read]
    if not read:
        return
    titles = {
        one.name: clipped(one.application) + f" ({clipped(one.name, 60)})" * (one.application != one.name)
        for one in rows
        if one.is_read
    }
    left, middle, right = st.columns([3, 1, 1], vertical_alignment="bottom")
    name = left.selectbox(
        "Open one of them",
        read,
        format_func=lambda one: titles.get(one, "?"),
        key=f"fleet:open:{hash(seen.fleet.key)}",
    )
    for column, page, title in ((middle, "diagnose", "Diagnose"), (right, "whatif", "What-if")):
        with column:
            if st.button(title, icon=":material/arrow_forward:", width="stretch", key=f"fleet:{page}"):
                _open(seen, name, page)


def _open(seen: Step, name: str, page: str) -> None:
    """Open a tab with one of the logs: by its name, or as one of those that were dropped."""
    if seen.fleet.kind != "own":
        open_with(page, "log", f"{seen.fleet.kind}/{name}")
    if (place := seen.place(name)) is not None:
        st.session_state[ONE] = seen.fleet.log(place).name
        go(page)


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
    drawn = [Drawing.made(chart, looks, dark) for chart in (Chart.of(charts), ACCOUNT) if told]
    return Screen(cards(seen, price), drawn, notices(seen, price), sentence(seen))
