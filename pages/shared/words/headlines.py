"""The headlines of a page of theory: a few numbers side by side, each with what it is and a remark."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

#: What it is called, its number, a remark.
Headline = tuple[str, str, str]


def show_headlines(headlines: Sequence[Headline]) -> None:
    """Draw the headlines of a page side by side."""
    for column, (label, number, remark) in zip(st.columns(len(headlines)), headlines, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(label, number)
            st.caption(remark)
