"""Allocation: who should get the slots, under every rule of the theory."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.allocation.charts import bars, bars_alt, water, water_alt
from pages.allocation.controls import edit_jobs
from pages.allocation.jobs_table import checked, read_rows, write_rows
from pages.allocation.question import RULES, Question, answers
from pages.allocation.setting import DEFAULT, INSTANCES
from pages.allocation.words import by_name, cards, decided, notices, reading, sums, table
from pages.shared.charts.on_page import is_dark
from pages.shared.controls.dials import Dial, choice, say, show_cards, switch
from pages.shared.controls.drawers import drawer
from pages.shared.controls.links import Entry, key, open_link, remember, write_link
from pages.shared.words.downloads import SHARE, downloads, json_text
from pages.shared.words.numbers import noticed

PAGE = "allocation"
DIALS = (
    Dial("S", "Slots S to share", 1, 500, 1),
    Dial("beta", "Tail index β of task times", 1.1, 4.0, 0.05, "The smaller, the worse the stragglers."),
    Dial(
        "epsilon", "Unfairness ε allowed", 0.0, 1.0, 0.05, "0: equal shares. 1: only the sum of rates counts."
    ),
)
NAMES = {rule.name: rule for rule in RULES}


def entries(given: Mapping[str, str]) -> list[Entry]:
    """Return the page's entries; the defaults are those of the instance that is named."""
    start = INSTANCES.get(given.get("instance", DEFAULT), INSTANCES[DEFAULT])
    return [
        choice("instance", INSTANCES, DEFAULT),
        *(dial.entry(getattr(start, dial.name)) for dial in DIALS),
        switch("printed", start.printed),
        choice("pour", NAMES, start.pour),
        Entry("jobs", read_rows(start.jobs), read_rows, write_rows),
    ]


def choose_instance() -> None:
    """Set every control to what the chosen instance says."""
    for entry in entries({"instance": st.session_state[key(PAGE, "instance")]}):
        if entry.name != "instance":
            remember(PAGE, entry.name, entry.default)


messages = open_link(PAGE, entries)
with st.sidebar:
    instance = st.selectbox(
        "Start from", list(INSTANCES), key=key(PAGE, "instance"), on_change=choose_instance,
        format_func=lambda name: INSTANCES[name].title, help="Sets every control below.",
    )  # fmt: skip
    values = {dial.name: dial.draw(PAGE) for dial in DIALS}
    printed = st.toggle(
        "As the papers print it", key=key(PAGE, "printed"), help="Algorithms 2 and 3, the projection, and θ."
    )
    st.markdown("**Jobs** (the last row adds one)")
    rows = edit_jobs(PAGE)

say(messages)
st.title("Who should get the slots?", anchor=False)
jobs, complaints = checked(rows)
for complaint in complaints:
    st.error(f"{complaint}. Left out until then.", icon=":material/error:")
if jobs is None:
    st.info(
        "No job has any tasks to look at. Type a number of tasks T into the table.", icon=":material/edit:"
    )
    st.stop()

asked = Question(jobs, values["S"], values["beta"], values["epsilon"], printed)
shares = answers(asked)
st.markdown(
    "Every job could use more slots. Who gets them decides **how much work** all jobs get done together."
)
show_cards(cards(asked, shares))
left, right = st.columns(2)
dark, config = is_dark(), {"displayModeBar": False}
with left:
    st.markdown("**Who gets which slots**")
    st.plotly_chart(bars(asked, shares, dark), key="shares", config=config, alt=bars_alt(asked, shares))
with right:
    pour = st.selectbox("Poured as water by", list(NAMES), key=key(PAGE, "pour"))
    poured = by_name(shares)[pour]
    st.plotly_chart(water(asked, poured, dark), key="water", config=config, alt=water_alt(asked, poured))
    st.caption(f"The area of a job is its slots. {pour}: {poured.case}.")
values |= {"instance": instance, "printed": printed, "pour": pour, "jobs": rows}
write_link(PAGE, entries({"instance": instance}), values)

st.markdown(noticed(notices(asked, shares)))
st.markdown("**How much work is done**")
st.table(sums(asked, shares), border="horizontal")
st.caption(
    "Theory, no simulation: Pareto task times with one tail index β, slots are real numbers. μ counts work "
    "in mean task times per unit of time, α is a job's DAG weight. The best sums are exact optima over all "
    "shares."
)
if box := drawer(PAGE, "cases", "What decides each", ":material/rule:"):
    box.markdown(decided(shares))
if box := drawer(PAGE, "formulas", "The formulas", ":material/function:"):
    box.markdown(
        "A job with $T_i$ tasks and $S_i$ slots has virtual size $V_i = \\theta T_i$ and service rate"
    )
    box.latex(
        r"\mu_i = \kappa S_i\ \ (S_i \le V_i), \qquad "
        r"\mu_i = \frac{\beta}{\beta - 1} T_i - \frac{1}{\beta - 1} \frac{T_i^2}{S_i}\ \ (S_i > V_i)"
    )
    box.markdown(
        "**Algorithm 1**: if $S \\le \\sum V_j$, virtual sizes by increasing $T_i$ while slots last; else "
        "$S_i = S\\, T_i / \\sum T_j$. **Algorithm 2** with $F = (1 - \\epsilon) S/N$: if $S \\le \\sum "
        "\\max(F, V_i)$, $F$ for all and then up to $V_i$ by increasing $T_i$; else $S_i = \\max(F, c\\, "
        "T_i)$, the water level $c$ such that all slots are used. **Algorithm 3** has $V_i = \\theta T_i "
        "\\sqrt{\\alpha_i}$ and serves by increasing $\\max(T_i, T'_i)$. The **exact optimum** of $\\sum "
        "\\alpha_i \\mu_i$ has a price $\\nu$ of a slot:"
    )
    box.latex(
        r"S_i = 0\ \ (\alpha_i \kappa < \nu), \qquad S_i = \max\Big( \theta T_i,\ T_i "
        r"\sqrt{\tfrac{\alpha_i}{(\beta - 1) \nu}} \Big)\ \ (\alpha_i \kappa > \nu)"
    )
    box.markdown(
        "Ren, Ananthanarayanan, Wierman & Yu, *Speculation-aware Cluster Scheduling*, section 3; Ren et al., "
        "*Hopper*, SIGCOMM 2015, section 4.3."
    )
    box.page_link(
        "pages/errata/page.py", label="What is printed otherwise there", icon=":material/fact_check:"
    )
downloads(
    ("CSV", "allocation.csv", lambda: table(asked, shares).to_csv(index=False)),
    ("JSON", "allocation.json", lambda: json_text(reading(asked, shares))),
)
st.caption(SHARE)
