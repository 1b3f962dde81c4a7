"""Charts on a page: in which theme, with their words, numbers or charts side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.charts.serialized import SerializedFigure
from sim.telling.figure import figure as figure

#: Of all charts.
CONFIG = {"displaylogo": False, "displayModeBar": False}
Seen = TypeVar("Seen")
#: A number of a page of theory: what it is called, the number, a remark.
Headline = tuple[str, str, str]


def is_dark() -> bool:
    """Tell whether this visitor sees the dark theme.

    Streamlit gives Plotly a grey of contrast 3.7:1 on white for axes and notes, too pale for small print: a
    figure takes its `ink` from the palette of this theme.
    """
    return st.context.theme.type == "dark"


@dataclass(frozen=True, slots=True)
class Chart(Generic[Seen]):
    """A chart of a page, made of what the page has seen: a chart without its words cannot be declared.

    Attributes
    ----------
    title : str or callable
    draw : callable
        What is seen, whether the theme is dark -> figure.
    words : callable
        What is seen -> what the figure shows, in words and with its numbers.
    about : str or callable, optional
        What stands below it.
    """

    title: str | Callable[[Seen], str]
    draw: Callable[[Seen, bool], go.Figure]
    words: Callable[[Seen], str]
    about: str | Callable[[Seen], str] = ""

    @classmethod
    def of(cls, module: ModuleType, about: Callable[[Seen], str] | None = None) -> Chart[Seen]:
        """Return the chart of a module that a report has, too: it has `TITLE`, `draw`, `alt` and `about`."""

        def draw(seen: Seen, dark: bool) -> go.Figure:
            drawn = module.draw(seen, dark)
            return drawn if isinstance(drawn, go.Figure) else figure(drawn)

        return cls(module.TITLE, draw, module.alt, about or module.about)

    def show(self, key: str, seen: Seen) -> None:
        """Draw the figure alone, in the reader's theme."""
        show_figure(key, self.draw(seen, is_dark()), self.words(seen))


def said(text: str | Callable[[Seen], str], seen: Seen) -> str:
    """Return a text that may depend on what is seen."""
    return text if isinstance(text, str) else text(seen)


def show_figure(key: str, figure: go.Figure | SerializedFigure, words: str, place: Any = st) -> None:
    """Draw a figure that says in words what it shows; one in JSON has the looks of its theme already."""
    theme = None if isinstance(figure, SerializedFigure) else "streamlit"
    place.plotly_chart(figure, key=key, config=CONFIG, alt=words, theme=theme)


def side_by_side(seen: Seen, **charts: Chart[Seen]) -> None:
    """Draw charts of what is seen side by side, by their keys, each below its title."""
    for column, (key, chart) in zip(st.columns(len(charts)), charts.items(), strict=True):
        with column:
            st.markdown(f"**{said(chart.title, seen)}**")
            chart.show(key, seen)


def show_headlines(headlines: Sequence[Headline], widths: Sequence[int] = ()) -> list[DeltaGenerator]:
    """Draw the headlines of a page of theory side by side, as wide as each other or as told.

    Return their columns, and the empty ones behind them where there are more widths.
    """
    columns = st.columns(widths or len(headlines))
    for column, (label, number, remark) in zip(columns, headlines, strict=False):
        with column.container(border=True, height="stretch"):
            st.metric(label, number)
            st.caption(remark)
    return columns
