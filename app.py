"""The app: its pages and a warm start. Run it with ``streamlit run app.py``."""

from __future__ import annotations

import copy
import gc
import threading
from pathlib import Path

import streamlit as st

from pages.shared.turns import turns

MARK = Path(__file__).parent / "pages" / "shared" / "mark.svg"


@st.cache_resource(show_spinner=False)
def pages() -> list[st.Page]:
    """Return the pages, one a line. None has an icon, since Streamlit would fetch it from the internet."""
    return [
        st.Page("pages/start.py", title="Start", default=True),
        st.Page("pages/compare.py", title="Compare"),
        st.Page("pages/threshold.py", title="Threshold"),
        st.Page("pages/allocation.py", title="Allocation"),
        st.Page("pages/cloning.py", title="Cloning"),
        st.Page("pages/detection.py", title="Detection"),
        st.Page("pages/coding.py", title="Coding"),
        st.Page("pages/decentralised.py", title="Decentralised"),
        st.Page("pages/errata.py", title="Errata"),
    ]


@st.cache_resource(show_spinner=False)
def warm_start() -> threading.Thread:
    """Load what the pages will need, once a process, while the first page is already shown."""
    thread = threading.Thread(target=load, name="warm start", daemon=True)
    thread.start()
    return thread


def load() -> None:
    """Make the engines ready, then set all that is loaded apart from what is searched for garbage.

    The search is to be rarer, too: a hundred answers at once are a lot of objects that are still needed, and
    Python would look through them over and over. A class waits about a tenth less.
    """
    from sim.gang.warm import warm_up as warm_up_gang  # these import Numba, for which
    from sim.probes.warm import warm_up as warm_up_probes  # the first page need not wait
    from sim.slots.warm import warm_up

    warm_up()
    warm_up_gang()
    warm_up_probes()
    gc.collect()
    gc.set_threshold(50_000, 10, 10)
    gc.freeze()  # with all that loaded a full search stops everybody for 40 ms


warm_start()
with turns().taken():
    # A copy for each run, which a page remembers; to make them looks for nine files.
    page = st.navigation([copy.copy(page) for page in pages()], position="top")
    st.set_page_config(page_title=f"{page.title} · straggler-lab", page_icon=MARK, layout="wide")
    st.logo(MARK, size="large")
    page.run()
