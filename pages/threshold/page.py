"""Threshold: why there is a point at which another slot begins to be worth less."""

from __future__ import annotations

import streamlit as st

from pages.shared.charts.on_page import is_dark
from pages.shared.controls.dials import Dial, choice, say, show_cards, switch
from pages.shared.controls.drawers import drawer
from pages.shared.controls.links import key, open_link, write_link
from pages.shared.words.downloads import SHARE, downloads, json_text
from pages.shared.words.numbers import noticed
from pages.threshold.charts import rate_alt, rate_chart, slot_limit, value_alt, value_chart
from pages.threshold.question import NAMES, SlotValue, scene
from pages.threshold.words import cards, curves, job_columns, notices, readings

PAGE = "threshold"
COPIES = {"any": "Fractional, as in the paper", "whole": "Whole, as on a cluster"}
DIALS = (
    Dial("beta", "Tail index β of task times", 1.1, 4.0, 0.05, "The smaller, the worse the stragglers."),
    Dial("S", "Slots S that each job holds", 1, 400, 1, "The curves are read here."),
    *(Dial(f"T{name}", f"Tasks left in job {name}", 1, 100, 1) for name in NAMES),
)
DEFAULTS = (1.5, 30, 10, 20, 40)
ENTRIES = [
    *(dial.entry(default) for dial, default in zip(DIALS, DEFAULTS, strict=True)),
    choice("copies", COPIES, "any"),
    switch("printed"),
]

messages = open_link(PAGE, lambda given: ENTRIES)
with st.sidebar:
    values = {dial.name: dial.draw(PAGE) for dial in DIALS}
    copies = st.radio(
        "Copies of a task", list(COPIES), key=key(PAGE, "copies"), format_func=COPIES.__getitem__,
        help="The paper's formula takes any number of copies, 1.33 for example. A cluster runs 1 or 2.",
    )  # fmt: skip
    idle = values["beta"] <= 2 or copies == "whole"
    printed = st.toggle(
        "As the paper prints it", key=key(PAGE, "printed"), disabled=idle,
        help="Differs for β above 2 and fractional copies: θ = 2/β, less than one copy of each task.",
    )  # fmt: skip
write_link(PAGE, ENTRIES, values | {"copies": copies, "printed": printed})

tasks = tuple(values[f"T{name}"] for name in NAMES)
law = SlotValue(values["beta"], copies == "whole", printed and not idle)
seen = scene(law, tasks, values["S"], slot_limit(tasks, values["S"]))

say(messages)
st.title("Why is there a point where another slot is worth less?", anchor=False)
st.markdown(
    "Slots beyond one a task run **second copies**, an insurance against stragglers that pays less and less."
)
show_cards(cards(seen))
left, right = st.columns(2)
dark, config = is_dark(), {"displayModeBar": False}
with left:
    st.markdown("**What a job gets done**")
    st.plotly_chart(rate_chart(seen, dark), key="rates", config=config, alt=rate_alt(seen))
with right:
    st.markdown("**What another slot adds to it**")
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
if box := drawer(PAGE, "formulas", "The formulas", ":material/function:"):
    box.markdown("A job of $T$ tasks holds $S$ slots and runs $k$ copies of each task it serves:")
    box.latex(
        r"\mu(S) = \min(S, kT)\, B(k), \qquad "
        r"B(k) = \frac{E[\tau]}{k\, E[\min(\tau_1, \dots, \tau_k)]} = \frac{k\beta - 1}{k^2 (\beta - 1)}"
    )
    box.markdown(
        r"The best $k$ is $\theta = \max(1, 2/\beta)$ up to the threshold $\theta T$, and $S/T$ beyond. So"
    )
    box.latex(
        r"\mu'(S) = B(\theta)\ \ (S < \theta T), \qquad "
        r"\mu'(S) = \frac{1}{\beta - 1} \Big( \frac{T}{S} \Big)^2\ \ (S > \theta T)"
    )
    box.markdown(
        r"For $\beta \le 2$ both agree at $S = \theta T$, so that the value of a slot is continuous. With "
        r"whole copies $c$ the rate is the least concave function above the points $(cT,\ cT\,B(c))$, whose "
        r"slope is a staircase: $\frac{1}{c(c+1)(\beta-1)}$ from $c$ to $c + 1$ slots a task."
    )
    box.markdown(
        "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, equations (1) to (4)."
    )
    box.page_link(
        "pages/errata/page.py", label="What is printed otherwise there", icon=":material/fact_check:"
    )
downloads(
    ("CSV", "threshold.csv", lambda: curves(seen).to_csv(index=False)),
    ("JSON", "threshold.json", lambda: json_text(readings(seen))),
)
st.caption(SHARE)
