"""Allocation: which job should get the slots, under every rule of the theory."""

from __future__ import annotations

import streamlit as st

from pages.allocation.charts import bars, bars_alt, water, water_alt
from pages.allocation.controls import PANEL, SLIDERS
from pages.allocation.formulas import FORMULAS
from pages.allocation.question.jobs import checked
from pages.allocation.question.shares import Question, answers
from pages.allocation.words import answer, by_name, cards, decided, notices, reading, sums, table
from pages.shared.app.placeholders import show_answer
from pages.shared.charts.on_page import is_dark, show_figure, show_headlines
from pages.shared.controls.panel import drawer, filled
from pages.shared.words.downloads import SHARE, downloads, json_text
from pages.shared.words.foreign import show_error
from pages.shared.words.formulas import show_formulas
from pages.shared.words.numbers import noticed

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
        "No job has any tasks to look at. Type how many tasks T a job has left into the table.",
        icon=":material/edit:",
    )
    st.stop()

asked = filled(Question, values, jobs=jobs, slots=values["S"])
shares = answers(asked)
st.markdown(
    "Every job could use more slots. Which ones get them decides **how much work** all jobs get done."
)
show_answer(answer(asked, shares))
show_headlines(cards(asked, shares))
left, right = st.columns(2)
with left:
    st.markdown("**Which job gets which slots**")
    show_figure("shares", bars(asked, shares, is_dark()), bars_alt(asked, shares))
with right:
    pour = PANEL.draw("pour")
    poured = by_name(shares)[pour]
    show_figure("water", water(asked, poured, is_dark()), water_alt(asked, poured))
    st.caption(f"The area of a job is its slots. {pour}: {poured.case}.")
PANEL.write(values)

st.markdown(noticed(notices(asked, shares)))
st.markdown("**How much work is done**")
st.table(sums(asked, shares), border="horizontal")
st.caption(
    "Theory, no simulation: Pareto task times with one tail index β, slots are real numbers. μ counts work "
    "in mean task times per unit of time, α is a job's DAG weight. The best sums are exact optima over all "
    "shares."
)
if box := drawer(PANEL.page, "cases", "What decides each", ":material/rule:"):
    box.markdown(decided(shares))
show_formulas(PANEL.page, FORMULAS, errata=True)
downloads(
    ("CSV", "allocation.csv", lambda: table(asked, shares).to_csv(index=False)),
    ("JSON", "allocation.json", lambda: json_text(reading(asked, shares))),
)
st.caption(SHARE)
