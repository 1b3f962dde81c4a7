"""The first screen: a cluster to play with, and the doors of those who teach, run clusters or read papers."""

from __future__ import annotations

import streamlit as st

from pages.animation.sandbox import LARGEST, LATE, SLOTS, TAILS, TASKS, Sandbox
from pages.frame.limits import limits
from pages.shared.charts.on_page import is_dark
from pages.start.controls import PANEL, show_doors
from sim.telling.words import plain

values = PANEL.begin()
shown = tuple(name for name in Sandbox().shown if limits(PANEL.page).leaves(name))
PANEL.write(values)
for name in limits(PANEL.page).fixed:
    PANEL.draw(name)
st.title("Why does the whole job wait for one task?", anchor=False)
st.html(Sandbox(**values, shown=shown).element(is_dark(), links=PANEL.defaults()))
show_doors()
with st.expander("Where the numbers come from", icon=":material/function:"):
    tails = ", ".join(f"{name} β = {plain(tail)}" for name, tail in TAILS.items())
    st.markdown(
        f"A job of {TASKS} tasks is done when its **last** task is. Each of the {SLOTS} slots runs one task "
        "at a time. Jobs arrive by a Poisson process and are served in that order. A task takes a minute on "
        f"a healthy slot, times a straggle factor: bounded Pareto from 1 to {plain(LARGEST)} with tail index "
        f"β ({tails}). The load is the share of the slots that is busy without copies.\n\n"
        f"A task that has run for {plain(LATE)} times the mean is a **straggler**. With *only stragglers* it "
        "gets one more copy, before any other task begins; with *copies on* every task gets two. The first "
        "copy to end counts, and the other is cancelled.\n\n"
        "The sentence above the cluster compares 40 runs of 900 jobs with the same jobs without copies. The "
        "engine in your browser is tested against the slot engine, job by job."
    )
