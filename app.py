"""The app: its pages and a warm start. Run it with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

from pages.frame.glossary import show_glossary
from pages.frame.next import show_next
from pages.server.capacity import admitted, show_full, waiting_is_told
from pages.server.frame import MARK, pages, pages_are_ours, warm_start
from pages.shared.app.turns import turns
from pages.shared.app.uploads import free_left

#: The pages, one a line: its folder in ``pages/`` and its title.
PAGES = (
    ("start", "Start"),
    ("learn", "Learn"),
    ("diagnose", "Diagnose"),
    ("whatif", "What-if"),
    ("compare", "Compare"),
    ("threshold", "Threshold"),
    ("allocation", "Allocation"),
    ("cloning", "Cloning"),
    ("detection", "Detection"),
    ("coding", "Coding"),
    ("decentralised", "Decentralised"),
    ("reproductions", "Reproductions"),
    ("errata", "Errata"),
    ("room", "Room"),
)

if __name__ == "__main__":  # run for one visitor, at each move
    warm_start()
    if not admitted():
        st.navigation(pages(PAGES), position="hidden")  # who is let in later is on the page of the address
        show_full()
        st.stop()
    with turns().taken(waiting_is_told()):
        page = st.navigation(pages(PAGES), position="top")
        st.set_page_config(page_title=f"{page.title} · straggler-lab", page_icon=MARK, layout="wide")
        st.logo(MARK, size="large")
        free_left(page.url_path)
        page.run()
        show_next(page.url_path or PAGES[0][0])
        show_glossary()
else:  # looked at by the server, before any visitor comes
    from pages.server.run import lifespan, middleware

    app = st.App(__file__, lifespan=lifespan, middleware=middleware(name for name, _ in PAGES))
    pages_are_ours()
