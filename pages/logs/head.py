"""What stands above every tab: what it asks, where files are dropped, what else can be looked at."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from pages.frame.menu import Entry
from pages.logs.controls import draw_files, forget_removed, go_where_chosen, has_files
from pages.logs.words import show_help


def show(here: Entry) -> None:
    """Draw it; what was dropped stays while a visitor goes from tab to tab."""
    go_where_chosen()
    forget_removed()
    controls = import_module(f"{here.package}.controls")
    controls.PANEL.begin()
    st.title(controls.TITLE, anchor=False)
    left, right, beside = st.columns([5, 4, 2])
    with left:
        draw_files()
    with right:
        controls.PANEL.draw(next(iter(controls.PANEL.controls)), disabled=has_files())
    with beside:
        show_help()
