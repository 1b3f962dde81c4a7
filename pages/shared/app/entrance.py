"""The way in: every page is run by `app.py`, also for the first visitor of a fresh server.

Until `st.navigation` has been called once in a process, Streamlit takes the files in a folder named
``pages`` for an older kind of page and runs the one in the address on its own, without `app.py`.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def enter() -> None:
    """Start again through `app.py` if this page was run without it."""
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
