"""What a theory page gives to take away: its table as CSV, its reading as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pandas as pd
import streamlit as st


def take_away(name: str, table: pd.DataFrame, reading: Mapping[str, object]) -> None:
    """Draw the two download buttons of a page.

    Parameters
    ----------
    name : str
        What the files are called.
    table : DataFrame
        For the CSV.
    reading : mapping
        For the JSON: parameters and results.
    """
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            table.to_csv(index=False),
            f"{name}.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "JSON",
            json.dumps(reading, indent=2, ensure_ascii=False, allow_nan=False),
            f"{name}.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )
    st.caption("The address of this page holds every control: copy it to share what you see.")
