"""The end of every page: the question that follows, as a link that carries what has been chosen."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from pages.frame.travel import arriving
from pages.shared.controls.links import VERSION
from pages.shared.controls.panel import Panel
from sim.fields import BadInput

#: Page -> the page that follows, and its question.
NEXT = {
    "start": ("learn", "Can you predict what stragglers do?"),
    "learn": ("diagnose", "What do stragglers cost your own cluster?"),
    "diagnose": ("whatif", "Which setting should you switch on, and what would it gain?"),
    "whatif": ("compare", "Which policy would shorten such jobs?"),
    "compare": ("threshold", "From which point on is another slot worth less?"),
    "threshold": ("allocation", "Which job should get the next slot?"),
    "allocation": ("cloning", "Should small jobs be cloned from the start?"),
    "cloning": ("detection", "When does copying a straggler pay?"),
    "detection": ("coding", "Do coded tasks do better than copies?"),
    "coding": ("decentralised", "What if no scheduler knows everything?"),
    "decentralised": ("reproductions", "Which of the papers' numbers can be reproduced?"),
    "reproductions": ("errata", "What do the papers print, and what is right?"),
    "errata": ("compare", "How do the policies compare on the same jobs?"),
    "room": ("start", "Why does a job wait for its slowest task?"),
}


def show_next(page: str) -> None:
    """Draw the link to the page that follows."""
    name, question = NEXT[page]
    st.page_link(
        f"pages/{name}/page.py",
        label=f"Next: {question}",
        icon=":material/arrow_forward:",
        icon_position="right",
        query_params={"v": VERSION} | carried(name),
    )


def carried(page: str) -> dict[str, str]:
    """Return what of the visitor's choices a page can be set to, as its links have it."""
    here = {name: value for name, _, value in arriving(page)}
    if not here:
        return {}
    panel: Panel = import_module(f"pages.{page}.controls").PANEL
    texts = {}
    for name, value in here.items():
        values = panel.controls[name].values
        try:
            texts[name] = values.write(values.read(name, values.write(value)))
        except BadInput:
            continue  # a page that cannot be set to that keeps its own
    return texts
