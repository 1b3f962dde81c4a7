"""The layout of the Map page: the answer, the map itself, cards, what to notice."""

from __future__ import annotations

import shlex
from functools import partial
from math import isfinite

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import sim
from pages.frame.menu import go, onwards
from pages.map import charts
from pages.map.controls import PAGE
from pages.map.question import Request, compare_link
from pages.map.words import alt, answer, cards, csv, lowest, notices, of_cell, place, reading, verdict
from pages.shared.app.turns import Placeholders
from pages.shared.charts.on_page import CONFIG, is_dark
from pages.shared.live.cards import Drawing, Layout, Screen, show_card
from pages.shared.words.tables import FormulaPart, Latex, charts_page, downloads, json_text, show_formulas
from sim.engines.registry import preset
from sim.map.picture import SIMULATED, Picture
from sim.map.plane import BUDGET, PRECISION, Axis
from sim.map.shipped import as_json
from sim.map.survey import CLEAR, FEWEST, STRIDE, boundaries
from sim.model.fields import settable
from sim.shell.experiment import plugin_files
from sim.telling.words import begun, plain

# How the numbers of the Map page are computed, and what they assume.


def formulas(found: Picture) -> tuple[FormulaPart, ...]:
    """Return the formulas and assumptions, with the numbers of what is seen."""
    precision = found.plane.precision
    return (
        "**Gain** of the best policy over the second best, and **regret** of a policy, in a cell:",
        Latex(
            r"\text{gain} = \frac{x_{\text{second}} - x_{\text{best}}}{x_{\text{second}}}, \qquad "
            r"\text{regret} = \frac{x_{\text{policy}} - x_{\text{best}}}{x_{\text{best}}}"
        ),
        "Every policy of a cell runs the same jobs with the same luck, so differences are paired; intervals "
        "are Student’s over replications, 95 %. A cell is hatched where the interval of the best against "
        "any other holds 0. Of a hundred cells without any difference about five would be coloured, "
        "somewhat more since a cell is looked at several times. The half width of a mean regret is the mean "
        "of the cells’ half widths, as if all erred the same way.",
        f"**Which cells are simulated.** First every {STRIDE}th, both ways, then the cells in the middle "
        "between them, finer and finer; but none that lies on a line between two cells that are alike: the "
        "same winner, or a tie of the same policies. Its colour is linear between theirs. **How often.** "
        f"Until the gain over the second best is known to ± {precision:g} percentage points; another policy "
        f"is let go from {FEWEST} replications on once it is above the best by {CLEAR:g} half widths. "
        "Replications have as many jobs as the interval of a difference needs at that load.",
        *(f"**{begun(one.title)}** (line of theory): {one.about}" for one in boundaries(found.plane)),
    )


# Details below a map: one cell in numbers, files, the shell line, how it is worked out.


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


#: Where a session has the cell that was clicked.
CLICKED = f"{PAGE}:clicked"


class PageLayout:
    """The places of the page: the answer, the map with the cards beside it, what to notice."""

    def __init__(self) -> None:
        self._top, self._below = Layout(), Layout()
        self._map: DeltaGenerator | None = None
        self._words: Placeholders
        self._cards: list[Placeholders] = []
        self._drawn = 0

    def show(self, asked: Request, found: Picture) -> Screen:
        """Draw what is known of a map; return what has been drawn."""
        drawing, beside, remarks = drawn(asked, found, dark=is_dark()), cards(found), notices(found)
        self._top.show(Screen((), (), (), answer(found)))
        place = self._map or self._lay_out(len(beside))
        self._drawn += 1
        key = f"{PAGE}:chart:{drawing.figure.digest}:{self._drawn if not found.final else 0}"
        place.plotly_chart(
            drawing.figure,
            config=CONFIG,
            alt=drawing.alt,
            key=key,
            theme=None,
            on_select=partial(_clicked, key),
            selection_mode="points",
        )
        self._words.caption("caption", drawing.caption)
        for places, card in zip(self._cards, beside, strict=True):
            show_card(places, card)
        self._below.show(Screen((), (), remarks))
        return Screen((), (drawing,), remarks)

    def _lay_out(self, policies: int) -> DeltaGenerator:
        """Make the places of the map and of a card for each policy; return that of the map."""
        left, right = st.columns([3, 1], gap="medium")
        with left:
            self._map, self._words = st.empty(), Placeholders(st.container())
        with right, st.container(key="beside"):
            self._cards = [Placeholders(st.container(border=True)) for _ in range(policies)]
        return self._map


def drawn(asked: Request, found: Picture, *, dark: bool) -> Drawing:
    """Return the map with its title, its words and how it is read."""
    title = f"Which policy has the {lowest(found.plane.by)}?"
    return Drawing.of(title, charts.draw(asked, found, dark), alt(found), reading(found))


def _clicked(key: str) -> None:
    """Note which cell was clicked; the page opens it."""
    points = st.session_state[key].selection.points
    place = [points[0].get(axis) for axis in ("x", "y")] if points else []
    # a stranger may say that anything was clicked
    if place and all(isinstance(one, (int, float)) and isfinite(one) for one in place):
        st.session_state[CLICKED] = tuple(place)


def open_clicked(asked: Request, found: Picture) -> None:
    """Open the page Compare at the cell that was clicked, if one was."""
    place = st.session_state.pop(CLICKED, None)
    cell = charts.cell_at(found, *place) if place else None
    if cell is None:
        return
    link = compare_link(asked, cell, found.squares[cell].standing.best)
    if link is not None:
        go("compare", link)
