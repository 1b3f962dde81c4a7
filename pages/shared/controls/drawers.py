"""Parts of a page that are made only while they are open: a class of a hundred does not pay for them."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def drawer(page: str, name: str, label: str, icon: str) -> DeltaGenerator | None:
    """Draw a drawer; return it if it is open, to be filled."""
    box = st.expander(label, icon=icon, key=f"{page}:open:{name}", on_change="rerun")
    return box if box.open else None
