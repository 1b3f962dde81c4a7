"""Helpers on a page: which theme the reader sees, and numbers or charts side by side."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

#: A number of a page of theory: what it is called, the number, a remark.
Headline = tuple[str, str, str]


def is_dark() -> bool:
    """Tell whether this visitor sees the dark theme.

    Streamlit gives Plotly a grey of contrast 3.7:1 on white for axes and notes, too pale for small print: a
    figure takes its `ink` from the palette of this theme.
    """
    return st.context.theme.type == "dark"


def side_by_side(**charts: tuple[str, go.Figure, str]) -> None:
    """Draw charts side by side: key of each = (title, figure, what it says in words)."""
    for column, (name, (title, figure, alt)) in zip(st.columns(len(charts)), charts.items(), strict=True):
        with column:
            st.markdown(f"**{title}**")
            st.plotly_chart(figure, key=name, config={"displayModeBar": False}, alt=alt)


def show_headlines(headlines: Sequence[Headline], widths: Sequence[int] = ()) -> None:
    """Draw the headlines of a page of theory side by side, as wide as each other or as told."""
    columns = st.columns(widths or len(headlines))
    for column, (label, number, remark) in zip(columns, headlines, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(label, number)
            st.caption(remark)
