"""Details below a map: one cell in numbers, files, the shell line, how it is worked out."""

from __future__ import annotations

import shlex
from functools import partial

import streamlit as st

import sim
from pages.frame.tabs import onwards
from pages.map.controls import PAGE
from pages.map.formulas import formulas
from pages.map.question.asked import Request, compare_link
from pages.map.words import csv, of_cell, place, verdict
from pages.shared.live.drawing import Screen
from pages.shared.words.downloads import charts_page, downloads, json_text
from pages.shared.words.formulas import show_formulas
from sim.engines.presets import preset
from sim.map.picture import SIMULATED, Picture
from sim.map.plane import BUDGET, PRECISION, Axis
from sim.map.report import as_json
from sim.model.fields import settable
from sim.shell.experiment import plugin_files
from sim.telling.words import plain


def show_details(asked: Request, found: Picture, screen: Screen) -> None:
    """Draw everything that is not needed at first sight."""
    show_cell(asked, found)
    downloads(
        ("Cells (CSV)", "map.csv", lambda: csv(found)),
        ("Everything (JSON)", "map.json", lambda: json_text({"version": sim.__version__} | as_json(found))),
        ("Chart (HTML)", "map.html", lambda: charts_page(screen.figures)),
    )
    st.caption("The same in the shell:")
    st.code(shell_line(asked), language="bash", wrap_lines=True)
    show_formulas(PAGE, partial(formulas, found), "How the numbers are made")


def show_cell(asked: Request, found: Picture) -> None:
    """Draw the numbers of one cell, which is chosen by two sliders, and the way to the page Compare."""
    plane = found.plane
    st.header("A cell in numbers", anchor=False)
    left, right = st.columns(2)
    with left:
        across = _look(asked.labels[0], plane.x)
    with right:
        up = _look(asked.labels[1], plane.y)
    cell = across, up
    one = found.squares[cell]
    told = verdict(plane, one)
    st.markdown(f"**{place(plane, cell)}**: {told}")
    if one.known == SIMULATED:
        st.dataframe(of_cell(found, cell), alt=f"Policies at {place(plane, cell)}")
    else:
        st.caption("Not simulated: like the simulated cells around it. The page Compare simulates it.")
    query = compare_link(asked, cell, one.standing.best)
    if query is None:
        st.caption("The page Compare has no control for one of these fields; the shell can run this cell.")
        return
    onwards("compare", "Open Compare at this cell", query)


def _look(label: str, axis: Axis) -> int:
    """Draw the slider that chooses a value of an axis; return its place."""
    places = range(len(axis.values))
    return st.select_slider(
        label, places, key=f"{PAGE}:look:{axis.text}", format_func=lambda i: plain(axis.values[i])
    )


def shell_line(asked: Request) -> str:
    """Return the line that makes the same map; options that are at their defaults are left out."""
    plane = asked.plane
    experiment, base = plane.experiment, preset(asked.preset).scenario
    words = ["python", "-m", "sim", "map", "--preset", asked.preset]
    for axis, option in ((plane.x, "--x"), (plane.y, "--y")):
        words += [option, axis.text]
    for name in settable(type(base)):
        value = getattr(experiment.scenario, name)
        if value != getattr(base, name) and not _varies(name, plane.x.name, plane.y.name):
            words += ["--set", f"{name}={value}"]
    for text in experiment.texts:
        words += ["--policy", text]
    words += plugin_files(experiment)
    if plane.criterion != "mean":
        words += ["--criterion", plane.criterion]
    if plane.criterion == "budget" and plane.budget != BUDGET:
        words += ["--budget", f"{100 * plane.budget:g}%"]
    if plane.precision != PRECISION:
        words += ["--precision", f"{plane.precision:g}"]
    return shlex.join([*words, "--json", "-"])


def _varies(name: str, *axes: str) -> bool:
    return name in axes or (name == "observe" and any(axis.startswith("observe.") for axis in axes))
