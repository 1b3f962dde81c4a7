"""Reproductions: what the papers report, beside our results."""

from __future__ import annotations

import streamlit as st

from pages.reproductions.controls import CLAIM, FILTERS, NONE, PAGE, PANEL
from pages.reproductions.layout import show_claim, show_table
from pages.reproductions.question import asked, rows
from pages.reproductions.words import answer
from pages.shared.app.turns import answer_place
from pages.shared.charts.on_page import is_dark

PANEL.begin()
st.title("Which of the papers' numbers can be reproduced?", anchor=False)
place = answer_place()
*narrow, wide = st.columns([*[2] * len(FILTERS), 4])
for column, control in zip(narrow, FILTERS, strict=True):
    with column:
        control.draw(PAGE)
with wide:
    opened = CLAIM.draw(PAGE)
values = PANEL.values()
PANEL.write(values)

some = asked(values["paper"], values["system"], values["verdict"])
place.markdown("answer", answer(some))
if opened != NONE:
    row = next((one for one in rows() if one.claim.key == opened), None)
    if row:
        show_claim(row, is_dark())
    else:
        st.info(
            "What is recorded of this claim was computed by another version of its rule, so it is not shown."
        )
show_table(some)
