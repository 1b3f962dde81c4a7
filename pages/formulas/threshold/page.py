"""Threshold: why there is a point from which another slot is worth less."""

from __future__ import annotations

import streamlit as st

from pages.formulas.threshold.charts import RATES, VALUES, slot_limit
from pages.formulas.threshold.controls import PANEL, SLIDERS
from pages.formulas.threshold.formulas import FORMULAS
from pages.formulas.threshold.question import NAMES, SlotValue, scene
from pages.formulas.threshold.words import answer, cards, curves, job_columns, notices, readings
from pages.shared.app.placeholders import show_answer
from pages.shared.charts.on_page import show_headlines, side_by_side
from pages.shared.words.downloads import SHARE, downloads, json_text
from pages.shared.words.foreign import noticed
from pages.shared.words.formulas import show_formulas
from sim.telling.words import counted

values = PANEL.begin()
idle = values["beta"] <= 2 or values["copies"] == "whole"
with st.sidebar:
    PANEL.draw_all(SLIDERS)
    PANEL.draw("copies")
    PANEL.draw("printed", disabled=idle)
PANEL.write(values)

tasks = tuple(values[f"T{name}"] for name in NAMES)
law = SlotValue(values["beta"], values["copies"] == "whole", values["printed"] and not idle)
seen = scene(law, tasks, values["S"], slot_limit(tasks, values["S"]))

st.title("Why is there a point where another slot is worth less?", anchor=False)
st.markdown("Slots beyond one per task run **second copies** against stragglers, with diminishing returns.")
show_answer(answer(seen))
show_headlines(cards(seen))
side_by_side(seen, rates=RATES, slot_values=VALUES)
st.caption(
    "Theory, no simulation: Pareto task times, slots are real numbers. A plain slot does the work of one "
    "task in the mean time of a task. Open marks are thresholds, dots the chosen S."
    + (" Dotted curves: fractional copies." if law.whole else "")
)
st.markdown(noticed(notices(seen)))

st.markdown(f"**What each job does with {counted(values['S'], 'slot')}**")
st.table(job_columns(seen), border="horizontal")
st.caption(
    "k is the number of copies of each task that does most work. With fewer slots than the threshold some "
    "tasks wait while the others have their k copies; beyond it all tasks run and k = S/T."
)
show_formulas(PANEL.page, FORMULAS, errata=True)
downloads(
    ("CSV", "threshold.csv", lambda: curves(seen).to_csv(index=False)),
    ("JSON", "threshold.json", lambda: json_text(readings(seen))),
)
st.caption(SHARE)
