"""Threshold: why there is a point from which another slot is worth less."""

from __future__ import annotations

import streamlit as st

from pages.shared.app.placeholders import answer_place
from pages.shared.charts.on_page import is_dark, show_headlines
from pages.shared.controls.links import show_messages
from pages.shared.controls.panel import drawer
from pages.shared.words.downloads import SHARE, downloads, json_text
from pages.shared.words.numbers import noticed
from pages.threshold.charts import rate_alt, rate_chart, slot_limit, value_alt, value_chart
from pages.threshold.controls import PANEL, SLIDERS
from pages.threshold.formulas import write_formulas
from pages.threshold.question import NAMES, SlotValue, scene
from pages.threshold.words import answer, cards, curves, job_columns, notices, readings
from sim.glossary import defined

messages = PANEL.open()
values = PANEL.values()
idle = values["beta"] <= 2 or values["copies"] == "whole"
with st.sidebar:
    PANEL.draw_all(SLIDERS)
    PANEL.draw("copies")
    PANEL.draw("printed", disabled=idle)
PANEL.write(values)

tasks = tuple(values[f"T{name}"] for name in NAMES)
law = SlotValue(values["beta"], values["copies"] == "whole", values["printed"] and not idle)
seen = scene(law, tasks, values["S"], slot_limit(tasks, values["S"]))

show_messages(messages)
st.title("Why is there a point where another slot is worth less?", anchor=False)
st.markdown("Slots beyond one per task run **second copies** against stragglers, with diminishing returns.")
told = answer(seen)
answer_place().markdown("answer", told, help=defined(told) or None)
show_headlines(cards(seen))
left, right = st.columns(2)
dark, config = is_dark(), {"displayModeBar": False}
with left:
    st.markdown("**What a job gets done**")
    st.plotly_chart(rate_chart(seen, dark), key="rates", config=config, alt=rate_alt(seen))
with right:
    st.markdown("**Value of one more slot**")
    st.plotly_chart(value_chart(seen, dark), key="slot_values", config=config, alt=value_alt(seen))
st.caption(
    "Theory, no simulation: Pareto task times, slots are real numbers. A plain slot does the work of one "
    "task in the mean time of a task. Open marks are thresholds, dots the chosen S."
    + (" Dotted curves: fractional copies." if law.whole else "")
)
st.markdown(noticed(notices(seen)))

st.markdown(f"**What each job does with {values['S']} slots**")
st.table(job_columns(seen), border="horizontal")
st.caption(
    "k is the number of copies of each task that does most work. With fewer slots than the threshold some "
    "tasks wait while the others have their k copies; beyond it all tasks run and k = S/T."
)
if box := drawer(PANEL.page, "formulas", "The formulas", ":material/function:"):
    write_formulas(box)
downloads(
    ("CSV", "threshold.csv", lambda: curves(seen).to_csv(index=False)),
    ("JSON", "threshold.json", lambda: json_text(readings(seen))),
)
st.caption(SHARE)
