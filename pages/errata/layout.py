"""A paper's findings on the page, one card each."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from pages.errata.charts import draw
from pages.errata.words import PAPERS, Evidence, Finding, Paper
from pages.frame.menu import onwards
from pages.shared.charts.on_page import show_figure
from pages.shared.controls.links import VERSION


@lru_cache(maxsize=100)
def evidence(key: str, place: int) -> Evidence:
    """Compute what shows a finding, once a process: nothing in it depends on the visitor."""
    return PAPERS[key].findings[place].show()


def show_card(paper: Paper, finding: Finding, dark: bool) -> None:
    """Draw one finding: what is printed, what is right, an instance, how we know."""
    place = paper.findings.index(finding)
    name = paper.anchor(finding)
    with st.container(border=True):
        st.header(f"{place + 1}. {finding.title}", anchor=name)
        st.caption(f"{'Remark on ' if finding.remark else ''}{paper.short}, {finding.place}")
        shown = evidence(paper.key, place)
        words, seen = st.columns(2, gap="medium") if shown.table is not None or shown.picture else (st, st)
        words.markdown(f"**{'Said' if finding.remark else 'Printed'}**\n\n{finding.printed}")
        words.markdown(f"**{'Worth knowing' if finding.remark else 'Right'}**\n\n{finding.right}")
        words.markdown(f"**An instance.** {shown.told}")
        if shown.table is not None:
            seen.table(shown.table, border="horizontal")
        if shown.picture is not None:
            told = f"{shown.picture.upwards} against {shown.picture.across}. {shown.alt}"
            show_figure(name, draw(shown.picture, dark, name), told, seen)
        if finding.play is not None:
            page, query = finding.play
            onwards(page, f"Play with it on the page {page.capitalize()}", {"v": VERSION} | query)
        with st.expander("How we know", icon=":material/fact_check:"):
            st.markdown(finding.known)
            st.markdown("\n".join(f"- `{test.replace('::', ': ')}`" for test in finding.tests))
