"""Allocation: which job should get the slots, under every rule of the theory."""

from __future__ import annotations

import streamlit as st

from pages.formulas.allocation.charts import SHARES, WATER
from pages.formulas.allocation.controls import PANEL, SLIDERS
from pages.formulas.allocation.formulas import FORMULAS
from pages.formulas.allocation.question.jobs import checked
from pages.formulas.allocation.question.shares import Request, Scene
from pages.formulas.allocation.words import answer, cards, decided, notices, reading, sums, table
from pages.shared.app.placeholders import show_answer
from pages.shared.charts.on_page import said, show_headlines
from pages.shared.controls.panel import drawer, filled
from pages.shared.words.downloads import SHARE, downloads, json_text
from pages.shared.words.foreign import noticed, show_error
from pages.shared.words.formulas import show_formulas

values = PANEL.begin()
with st.sidebar:
    PANEL.draw_start()
    PANEL.draw_all(SLIDERS)
    PANEL.draw("printed")
    values["jobs"] = PANEL.draw("jobs")

st.title("Who should get the slots?", anchor=False)
jobs, complaints = checked(values["jobs"])
for complaint in complaints:
    show_error(f"{complaint}. Left out until then.")
if jobs is None:
    st.info(
        "No job has a task left. Type into the table how many tasks T a job has left.",
        icon=":material/edit:",
    )
    st.stop()

seen = Scene(filled(Request, values, jobs=jobs, slots=values["S"]), values["pour"])
st.markdown(
    "Every job could use more slots. Which ones get them decides **how much work** all jobs get done."
)
show_answer(answer(seen))
show_headlines(cards(seen))
left, right = st.columns(2)
with left:
    st.markdown(f"**{SHARES.title}**")
    SHARES.show("shares", seen)
with right:
    PANEL.draw("pour")
    WATER.show("water", seen)
    st.caption(said(WATER.about, seen))
PANEL.write(values)

st.markdown(noticed(notices(seen)))
st.markdown("**How much work is done**")
st.table(sums(seen), border="horizontal")
st.caption(
    "Theory, no simulation: Pareto task times with one tail index β, slots are real numbers. μ counts work "
    "in mean task times per unit of time, α is a job's DAG weight. The best sums are exact optima over all "
    "shares."
)
if box := drawer(PANEL.page, "cases", "What decides each", ":material/rule:"):
    box.markdown(decided(seen))
show_formulas(PANEL.page, FORMULAS, errata=True)
downloads(
    ("CSV", "allocation.csv", lambda: table(seen).to_csv(index=False)),
    ("JSON", "allocation.json", lambda: json_text(reading(seen))),
)
st.caption(SHARE)
