"""Cloning: how many clones keep a job free of outliers, and what they do to a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pages.cloning import charts
from pages.cloning.formulas import write_formulas
from pages.cloning.question import Question
from pages.cloning.setting import JOBS, PAPER, SLOTS, STARTS, Cluster, at_scale, policies, request
from pages.cloning.words import cards, notices, readings, remarks, small_headline
from pages.compare.view import Drawing, drawn
from pages.shared.charts.side_by_side import side_by_side
from pages.shared.charts.theme import is_dark
from pages.shared.controls.dials import Dial, choice, say
from pages.shared.controls.drawers import drawer
from pages.shared.controls.links import Entry, open_link
from pages.shared.controls.starts import choose_start, read_controls
from pages.shared.live.race import Race, cards_with_room, flowtimes, run
from sim.result import Comparison

PAGE = "cloning"
MAIN = (
    Dial("p", "Probability p that a copy is an outlier", 0.01, 0.4, 0.01, "Each copy anew."),
    Dial("epsilon", "Acceptable for the job ε", 0.01, 0.3, 0.01, "Probability that it has an outlier."),
    Dial("tasks", "Tasks n of the job", 1, 200, 1, "The curves are read here."),
    Dial("omega", "Offered load ω", 0.05, 0.95, 0.01, "Share of the slots busy if every task ran once."),
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


def draw(comparison: Comparison, dark: bool) -> list[Drawing]:
    """Draw who gains by size of job, and the distribution of flowtimes."""
    sizes = drawn(
        "Who gains, by tasks of a job, simulated",
        charts.size_chart(comparison, dark),
        charts.size_alt(comparison),
    )
    return [sizes, flowtimes(comparison, dark)]


messages = open_link(PAGE, entries)
with st.sidebar:
    choose_start(PAGE, STARTS, entries)
    for dial in MAIN:
        dial.draw(PAGE)
    if box := drawer(PAGE, "more", "Outliers and learning", ":material/tune:"):
        with box:
            for dial in MORE:
                dial.draw(PAGE)
values = read_controls(PAGE, entries, (*MAIN, *MORE))
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
dark = is_dark()
side_by_side(
    outliers=(
        "How likely an outlier is, with so many copies",
        charts.outlier_chart(asked, dark),
        charts.outlier_alt(asked),
    ),
    copies=("How many copies a job needs", charts.copies_chart(asked, dark), charts.copies_alt(asked)),
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
        PAGE, request(asked, cluster), tuple(policies(asked, cluster)), at_scale(asked, cluster), PAPER,
        partial(remarks, cluster=cluster), readings(asked), draw, small_headline,
    ),
    headline,
)  # fmt: skip
if box := drawer(PAGE, "formulas", "The formulas", ":material/function:"):
    write_formulas(box)
