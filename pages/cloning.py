"""Cloning: how many clones keep a job free of outliers, and what they do to a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from pages.shared.cloning import charts
from pages.shared.cloning.formulas import write_formulas
from pages.shared.cloning.question import Question
from pages.shared.cloning.setting import JOBS, SLOTS, STARTS, Cluster, at_scale, policies, wish
from pages.shared.cloning.words import cards, notices, readings, remarks, small_headline
from pages.shared.dials import Dial, choice, say
from pages.shared.drawers import drawer
from pages.shared.links import Entry, key, open_link, remember, write_link
from pages.shared.race import Race, cards_with_room, flowtimes, run
from pages.shared.ready import Ready
from pages.shared.theme import is_dark
from pages.shared.view import Drawing
from sim.result import Comparison

PAGE = "cloning"
CHART = {"displayModeBar": False}
MAIN = (
    Dial("p", "Probability p that a copy is an outlier", 0.01, 0.4, 0.01, "Each copy anew."),
    Dial("epsilon", "Acceptable for the job ε", 0.01, 0.3, 0.01, "Probability that it has an outlier."),
    Dial("tasks", "Tasks n of the job", 1, 200, 1, "The curves are read here."),
    Dial("omega", "Offered load ω", 0.05, 0.95, 0.05, "Share of the slots busy if every task ran once."),
    Dial("tau", "Ceiling τ for clones", 0.1, 1.0, 0.05, "Share of the slots up to which clones may fill."),
    Dial("age", "Stragglers are seen after", 0.0, 5.0, 0.25, "Mean task times from the start of a copy."),
)
MORE = (
    Dial("small", "Small jobs have at most, tasks", 1, 100, 1, "For Dolly that clones small jobs only."),
    Dial("outlier", "An outlier is slower at least, times", 2.0, 20.0, 0.5),
    Dial("tail", "Tail index β of outliers", 1.1, 4.0, 0.1, "The smaller, the slower the slowest."),
    Dial("spread", "p differs between slots by ±", 0.0, 1.0, 0.1, "As a share of p."),
    Dial("window", "Learn p of each slot every, units", 0.0, 200.0, 10.0, "0: p is known and the same."),
    Dial("seed", "Seed of all luck", 1, 100, 1),
)


def entries(given: Mapping[str, str]) -> list[Entry]:
    """Return the page's entries; the defaults are those of the start that is named."""
    start = STARTS.get(given.get("start", "dolly"), STARTS["dolly"])
    return [
        choice("start", STARTS, "dolly"),
        *(dial.entry(getattr(start, dial.name, 1)) for dial in (*MAIN, *MORE)),
    ]


def choose_start() -> None:
    """Set every control to what the chosen start says."""
    for entry in entries({"start": st.session_state[key(PAGE, "start")]}):
        if entry.name != "start":
            remember(PAGE, entry.name, entry.default)


def draw(comparison: Comparison, dark: bool) -> list[Drawing]:
    """Draw who gains by size of job, and the distribution of flowtimes."""
    sizes = Drawing(
        "Who gains, by tasks of a job, simulated",
        Ready(charts.size_chart(comparison, dark)),
        charts.size_alt(comparison),
    )
    return [sizes, flowtimes(comparison, dark)]


messages = open_link(PAGE, entries)
with st.sidebar:
    st.selectbox(
        "Start from", list(STARTS), key=key(PAGE, "start"), on_change=choose_start,
        format_func=lambda name: STARTS[name].title, help="Sets every control below.",
    )  # fmt: skip
    for dial in MAIN:
        dial.draw(PAGE)
    if box := drawer(PAGE, "more", "Outliers and learning", ":material/tune:"):
        with box:
            for dial in MORE:
                dial.draw(PAGE)
listed = entries({"start": st.session_state[key(PAGE, "start")]})
values: dict[str, Any] = {entry.name: st.session_state[key(PAGE, entry.name)] for entry in listed}
values |= {dial.name: round(values[dial.name], 6) for dial in (*MAIN, *MORE)}
write_link(PAGE, listed, values)
asked = Question(values["p"], values["epsilon"], values["tasks"])
cluster = Cluster(
    values["omega"], values["tau"], values["small"], values["outlier"], values["tail"], values["spread"],
    values["window"], values["age"], values["seed"],
)  # fmt: skip

say(messages)
st.title("Should I clone small jobs?", anchor=False)
st.markdown(
    "A job waits for its slowest task. Clones from the start make a slow one unlikely, and small jobs need "
    "few slots for them."
)
headline = cards_with_room(cards(asked), "Small jobs, simulated")
left, right = st.columns(2)
dark = is_dark()
with left:
    st.markdown("**How likely an outlier is, with so many copies**")
    st.plotly_chart(
        charts.outlier_chart(asked, dark), key="outliers", config=CHART, alt=charts.outlier_alt(asked)
    )
with right:
    st.markdown("**How many copies a job needs**")
    st.plotly_chart(
        charts.copies_chart(asked, dark), key="copies", config=CHART, alt=charts.copies_alt(asked)
    )
st.caption("Theory, no simulation: a copy is an outlier with probability p, independently of all others.")
st.markdown("**What to notice**\n\n" + "\n".join(f"- {notice}" for notice in notices(asked)))

st.subheader("And in a cluster?", anchor=False)
st.caption(
    f"Simulated with {SLOTS:,} slots and {JOBS:,} jobs a replication; the paper replays a trace of a cluster "
    "of thousands. Four jobs in five have fewer than 10 tasks, the largest 200. A task takes one unit on a "
    "healthy slot; LATE and Mantri learn its remaining time when stragglers are seen, Dolly never looks."
)
run(
    Race(
        PAGE, wish(asked, cluster), policies(asked, cluster), at_scale(asked, cluster), "light",
        partial(remarks, cluster=cluster), readings(asked), draw, small_headline,
    ),
    headline,
)  # fmt: skip
if box := drawer(PAGE, "formulas", "The formulas", ":material/function:"):
    write_formulas(box)
