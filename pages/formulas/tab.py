"""A tab of the formulas as a value: what it asks, answers and draws. The page puts all in the same places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol

import pandas as pd
import streamlit as st

from pages.formulas.simulation import Simulation
from pages.frame.carry_over import KEY
from pages.frame.limits import limits
from pages.shared.charts.on_page import Chart, Headline, Seen
from pages.shared.controls.control import Control, Panel, Range
from pages.shared.controls.links import key
from pages.shared.words.tables import FormulaPart

# The letters that several tabs of the formulas have: one label each, in one order.
#
# A tab takes a letter's control with the range and the default of its own.

BETA = Control(
    "beta",
    "Tail index β of task times",
    Range(1.1, 4.0, 0.05),
    1.5,
    "The smaller, the worse the stragglers. Xu & Lau and Aktas & Soljanin write α.",
)
OUTLIERS = Control(
    "tail",
    "Tail index β of outliers",
    Range(1.1, 4.0, 0.1),
    2.0,
    "Of the factor by which they are slower. The smaller, the slower the slowest.",
    symbol="beta",
)
TASKS = Control("tasks", "Tasks T of a job", Range(1, 200, 1), 10)
SLOTS = Control("S", "Slots S", Range(1, 500, 1), 100, symbol="slots")
MOST_HELD = Range(1, 400, 1)
HELD = Control("S", "Slots S of each job", MOST_HELD, 30, "The curves are read here.", symbol="slots")
LOAD = Control(
    "omega",
    "Offered load ρ₀",
    Range(0.05, 0.95, 0.01),
    0.25,
    "Share of the slots busy if every task ran once.",
    symbol="load",
)
COPIES = Control("copies", "Copies c of a straggler", Range(2, 5, 1), 2, "With the original.")
UNFAIRNESS = Control(
    "epsilon",
    "Unfairness ε allowed",
    Range(0.0, 1.0, 0.05),
    0.5,
    "0: equal shares. 1: only the sum of rates counts. Hopper’s ε; Dolly’s is a risk.",
)
RISK = Control(
    "epsilon",
    "Accepted risk ε of an outlier",
    Range(0.01, 0.3, 0.01),
    0.05,
    "Probability that the job has one. Dolly’s ε; Hopper’s is an unfairness.",
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter of the formulas.

    Attributes
    ----------
    idle : Control
        What is drawn where a tab does not use it.
    carried : str
        What its value means on all pages (`pages.frame.carry_over`).
    labels : tuple of str
        Of the controls that are it, two where it means two things.
    """

    idle: Control
    carried: str
    labels: tuple[str, ...]


#: All letters in their order.
LETTERS = {
    "β": Letter(BETA, "tail index", (BETA.label, OUTLIERS.label)),
    "T": Letter(TASKS, "tasks", (TASKS.label,)),
    "S": Letter(SLOTS, "slots", (SLOTS.label, HELD.label)),
    "ρ₀": Letter(LOAD, "offered load", (LOAD.label,)),
    "c": Letter(COPIES, "copies", (COPIES.label,)),
    "ε": Letter(UNFAIRNESS, "unfairness", (UNFAIRNESS.label, RISK.label)),
}


Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of a formula that only a link asks for.

    Attributes
    ----------
    told : callable
        What is read otherwise, in a line; empty where nothing is.
    back : str
        What the way back is called.
    """

    told: Callable[[Values], str]
    back: str = "Use the corrected formula"


class Words(Protocol):
    """What a tab says of what is seen: a module."""

    @property
    def answer(self) -> Callable[[Any], str]:
        """In a sentence."""

    @property
    def cards(self) -> Callable[[Any], list[Headline]]:
        """In cards."""

    @property
    def notices(self) -> Callable[[Any], list[str]]:
        """What to notice."""

    @property
    def reading(self) -> Callable[[Any], dict[str, object]]:
        """The parameters and what was read, for the JSON."""


@dataclass(frozen=True)
class Tab(Generic[Seen]):
    """A tab.

    Attributes
    ----------
    panel : Panel
    title : str
        A question.
    paper : str
        Whose errata these are, by their name in links.
    idle : mapping of str to str
        Letter of the sidebar that the tab does not use -> the reason.
    drawers : mapping of str to tuple
        Drawer of the sidebar -> its label, its icon and its controls; the first one is open at first.
    ask : callable
        What the page has seen, from the values of its controls.
    words : Words
    charts : mapping of str to Chart
        Two, by their keys.
    about : str or callable
        What stands below them.
    formulas : sequence of Part
    table : callable, optional
        All numbers, for the CSV; a simulation has its own.
    extra : callable, optional
        Draws what only this tab has, from what is seen and the values of the controls.
    simulated : callable, optional
        What is simulated beside, of what is seen and the values.
    readings : mapping of str to Reading, optional
        Control that only a link sets -> what is said of it.
    """

    panel: Panel
    title: str
    paper: str
    idle: Mapping[str, str]
    drawers: Mapping[str, tuple[str, str, Sequence[Control | str]]]
    ask: Callable[[Values], Seen]
    words: Words
    charts: Mapping[str, Chart[Seen]]
    about: str | Callable[[Seen], str]
    formulas: Sequence[FormulaPart]
    table: Callable[[Seen], pd.DataFrame] | None = None
    extra: Callable[[Seen, Values], None] | None = None
    simulated: Callable[[Seen, Values], Simulation] | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)


# The sidebar of the formulas: the letters that several tabs have, in one order, then what only one has.
#
# A letter that the open tab does not use is drawn all the same, with the value chosen elsewhere and the
# reason.


def draw_sidebar(tab: Tab[Any]) -> dict[str, Any]:
    """Draw the sidebar of a tab, put its values into the address, and return them."""
    panel = tab.panel
    panel.begin()
    with st.sidebar:
        if panel.starts:
            panel.draw_start()
        for name, letter in LETTERS.items():
            _draw(panel, letter, tab.idle.get(name, ""))
        for place, (name, (label, icon, controls)) in enumerate(tab.drawers.items()):
            if place == 0:
                st.session_state.setdefault(f"{panel.page}:open:{name}", True)
            panel.draw_folded(name, label, icon, controls)
    values = panel.values()  # a table is read as it is drawn
    panel.write(values)
    return values


def _draw(panel: Panel, letter: Letter, why: str) -> None:
    """Draw a letter as the tab has it, or idle."""
    own = next((one for one in panel.controls.values() if one.label in letter.labels), None)
    if own is not None:
        panel.draw(own.name)
    elif limits(panel.page).shown is None:
        control, held = letter.idle, st.session_state.get(KEY, {})
        values, value = control.values, held.get(letter.carried, control.default)
        assert isinstance(values, Range)
        wide = replace(values, low=min(values.low, value), high=max(values.high, value))
        st.session_state[key("formulas", control.name)] = value
        replace(control, values=wide).widget("formulas", idle=why)
