"""The app: its pages, what surrounds every page, and a warm start. Run it with ``streamlit run app.py``."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.frame.foot import show_chapter, show_glossary, show_next
from pages.frame.menu import begin, entries, pages, show_head, show_tabs
from pages.frame.vote import here, is_vote, show_alone
from pages.server.capacity import admitted, show_full, waiting_is_told
from pages.server.headers import MARK, pages_are_ours, warm_start
from pages.shared.app.turns import turns
from pages.shared.app.uploads import free_left

if __name__ == "__main__":  # run for one visitor, at each move
    warm_start()
    if not admitted():
        st.navigation(pages(here()), position="hidden")  # who is let in later is on the page of the address
        show_full()
        st.stop()
    with turns().taken(waiting_is_told()):
        position: Literal["hidden", "top"] = "hidden" if is_vote(here(), st.query_params) else "top"
        page = st.navigation(pages(here()), position=position)
        entry = begin(page)
        st.set_page_config(page_title=f"{entry.title} · straggler-lab", page_icon=MARK, layout="wide")
        st.logo(MARK, size="large")
        free_left(entry.folder or entry.name)
        if is_vote(entry.name, st.query_params):
            show_alone()
        show_tabs(entry)
        show_head(entry)
        page.run()
        if not is_vote(entry.name, st.query_params):
            show_next(entry)
            show_chapter(entry)
            show_glossary()
else:  # imported by the server at start-up
    from pages.server.run import lifespan, middleware

    app = st.App(__file__, lifespan=lifespan, middleware=middleware(page.name for page in entries()))
    pages_are_ours()
