"""Two charts of a page of theory side by side, each below its title."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

CHART = {"displayModeBar": False}


def side_by_side(**charts: tuple[str, go.Figure, str]) -> None:
    """Draw charts side by side: key of each = (title, figure, what it says in words)."""
    for column, (name, (title, figure, alt)) in zip(st.columns(len(charts)), charts.items(), strict=True):
        with column:
            st.markdown(f"**{title}**")
            st.plotly_chart(figure, key=name, config=CHART, alt=alt)
