"""Errata: what the papers print, the correction, and an instance that shows the difference."""

from __future__ import annotations

import streamlit as st

from pages.errata.controls import PANEL
from pages.errata.layout import show_card
from pages.errata.words import PAPERS, found
from pages.shared.app.turns import answer_place
from pages.shared.charts.on_page import is_dark

PANEL.begin()
st.title("What do the papers print, and what is right?", anchor=False)
chosen = PANEL.draw("paper", label_visibility="collapsed")
PANEL.write({"paper": chosen})
paper = PAPERS[chosen]

answer_place().markdown("answer", found(paper))
with st.expander("What is confirmed, and all that was found", icon=":material/toc:"):
    left, right = st.columns(2, gap="medium")
    left.markdown("**Confirmed**\n\n" + "\n".join(f"- {fact}" for fact in paper.confirmed))
    contents = [
        f"{place}. [{f.title}](#{paper.anchor(f)}){' (remark)' if f.remark else ''}"
        for place, f in enumerate(paper.findings, 1)
    ]
    right.markdown("**Found**\n\n" + "\n".join(contents))
for finding in paper.findings:
    show_card(paper, finding, is_dark())
st.header("Small slips", anchor=f"{paper.key}-slips")
st.markdown("\n".join(f"- {slip}" for slip in paper.slips))
st.markdown(
    "This lab is built on these papers. They asked the right questions and found most of the answers; here "
    "is what we found when testing every formula **by two independent routes**. Most findings are a slip in "
    "one line, and the idea stands. Every example is computed now, as printed and corrected."
)
st.markdown(f"{paper.reference}.")
st.caption(
    "If you think that we are wrong, we want to know. Each finding has its own address: the link beside its "
    "title. This page keeps the letters of each paper: β is the tail index of task times in Hopper, α is "
    "that of task times in Xu & Lau, of slowdowns in Aktas & Soljanin, and a DAG weight in Hopper. All "
    "other pages write β for the tail index and α for the DAG weight."
)
