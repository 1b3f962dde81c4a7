"""A tab of the formulas as a value: what it asks, answers and draws. The page puts all in the same places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol

import pandas as pd

from pages.formulas.simulation import Simulation
from pages.shared.charts.on_page import Chart, Headline, Seen
from pages.shared.controls.control import Control
from pages.shared.controls.panel import Panel
from pages.shared.words.formulas import Part

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
    formulas: Sequence[Part]
    table: Callable[[Seen], pd.DataFrame] | None = None
    extra: Callable[[Seen, Values], None] | None = None
    simulated: Callable[[Seen, Values], Simulation] | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)
