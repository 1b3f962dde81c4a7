"""The glossary at the foot of every page: the same words as in the documents."""

from __future__ import annotations

import streamlit as st

from sim.glossary import table


def show_glossary() -> None:
    """Draw the drawer; what is in it is sent only while it is open."""
    box = st.expander("Glossary", icon=":material/menu_book:", key="glossary", on_change="rerun")
    if box.open:
        box.markdown(table())
