"""The first screen: what a straggler is, when a copy helps and hurts, and where to go from here."""

from __future__ import annotations

from math import isclose

import streamlit as st

from pages.shared.charts.on_page import is_dark, show_figure
from pages.shared.words.foreign import noticed
from pages.start.charts import chart
from pages.start.controls import MOST_TASKS, PANEL
from pages.start.details import show_doors, show_map, show_presets
from pages.start.layout import Moves
from pages.start.question import one_job
from pages.start.words import change, notices

TAIL = 1.5  # tail index of the straggle factors: heavy enough that a second copy costs nothing

PANEL.begin()
st.title("Why does the whole job wait for one task?", anchor=False)
st.markdown(
    "A job is cut into tasks that run side by side, and is done when its **last** task is. Now and then a "
    "task takes far longer than the others: a **straggler**."
)
moves = Moves()
show_doors()
st.header("One job: how much do copies save?", anchor=False)
numbers = st.columns(3)
picture, words = st.columns([6, 5], gap="medium")

with words:
    tasks, copies = PANEL.draw("job_tasks"), PANEL.draw("job_copies")
PANEL.write({"job_tasks": tasks, "job_copies": copies})

job, single = one_job(tasks, copies, TAIL), one_job(tasks, 1, TAIL)

for column, (label, name, meaning) in zip(
    numbers,
    (
        ("A typical task takes", "typical", "half of the tasks take less"),
        ("The job takes", "end", f"{job.end / job.typical:.1f} times a typical task"),
        ("Slot-time used per task", "slot_time", "the mean time of a task"),
    ),
    strict=True,
):
    now, before = getattr(job, name), getattr(single, name)
    same = isclose(now, before)
    column.metric(
        label,
        f"{now:.1f} min",
        meaning if copies == 1 else change(now, before),
        delta_color="gray" if same else "red" if now > before else "green",
        delta_arrow="off" if same else "up" if now > before else "down",
        border=True,
    )

with picture:
    show_figure(
        "one_job",
        chart(job, single, longest=1.1 * one_job(MOST_TASKS, 1, TAIL).end, dark=is_dark()),
        f"Bars of {tasks} tasks in the order they end. Half end within {job.typical:.1f} minutes, "
        f"the slowest after {job.end:.1f} minutes, and the job with it.",
    )

with words:
    st.markdown(noticed(notices(job, single, copies, TAIL)))
st.header("Which copies pay, and when? Compare policies on the same jobs", anchor=False)
show_presets()
st.header("All pages", anchor=False)
show_map()

with st.expander("Where the numbers come from", icon=":material/function:"):
    st.markdown(
        "Each task needs one minute on a healthy machine, times a straggle factor with a Pareto law of "
        f"tail index $\\beta = {TAIL}$. The bars are the means of the fastest, the second fastest, … of "
        "$n$ tasks; with $c$ copies of each task the tail index becomes $c\\beta$."
    )
    st.latex(r"P(Z > t) = t^{-\beta}, \qquad E[Z_{n:n}] = \prod_{j=1}^{n} \frac{j}{j - 1/(c\beta)}")
    st.markdown(
        "Aktas & Soljanin, *Learning Effective Straggler Mitigation from Experience and Modeling*, "
        "section 4; Ren et al., *Speculation-aware Cluster Scheduling*, section 2. "
        "The bars are not simulated: one job, alone on as many slots as it wants. The three clusters above "
        "them are: their numbers are means over simulated jobs, and what moves is one run of a few of them, "
        "chosen because it looks like the mean."
    )

moves.show()
