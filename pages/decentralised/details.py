"""Details below the charts: one decision step by step, the costs, formulas, files, the shell line."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import sim
from pages.decentralised.answer import Answer
from pages.decentralised.charts.decision import queue_table, sequence, sequence_alt, steps
from pages.decentralised.controls import PAGE
from pages.decentralised.setting import HOPPER, PAPER, Setting
from pages.decentralised.words.cards import costs, table
from pages.decentralised.words.reported import SHELL, dependence, reported
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import is_dark
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Screen
from pages.shared.live.layout import CHART
from pages.shared.words.downloads import SHARE, charts_page, downloads, json_text
from sim.command import shell_line
from sim.effort import Effort
from sim.experiment import Experiment
from sim.report import as_json

#: Of the shell line at the scale of the paper.
AT_SCALE = Effort(replications=4)


def show_decision(setting: Setting) -> None:
    """Draw one decision of a free slot, a message at a time."""
    from sim.probes.decision import telling_decision

    st.header("One decision, message by message", anchor=False)
    policy = setting.but(rivals=(HOPPER,)).policies[HOPPER.name]
    scenario = setting.small
    find = partial(telling_decision, scenario, policy)
    decision = made_once(("decision", scenario, policy.text), find)
    if decision is None:
        st.info("No slot became free with a reservation in its queue: more load or more probes show one.")
        return
    unit = scenario.time_unit
    told = steps(decision, unit)
    left, right = st.columns([5, 4])
    with right:
        at = st.slider(
            "Step", 1, len(told), 1, help="Arrow keys move it one message.",
            key=f"{PAGE}:step:{len(told)}",  # a slider whose range moves forgets its place
        )  # fmt: skip
        st.markdown(told[at - 1].sentence)
        st.markdown(f"**The queue of worker {decision.worker + 1} when its slot becomes free**")
        st.table(queue_table(decision, unit), border="horizontal")
    with left:
        figure = sequence(decision, unit, at, is_dark())
        st.plotly_chart(figure, config=CHART, alt=sequence_alt(decision, unit, at), key=f"{PAGE}:sequence")
    st.caption(
        f"A run of decentralised Hopper small enough to follow: {scenario.workers} workers, "
        f"{scenario.schedulers} schedulers, jobs of one phase and at most {scenario.tasks_max} tasks; d, "
        f"refusals, load, β, delay, copies and seed as chosen. Time runs down, not to scale."
    )


def show_details(answer: Answer, shown: Screen) -> None:
    """Draw everything that is not needed at first sight."""
    setting = answer.setting
    st.header("What asking costs", anchor=False)
    st.table(costs(answer.comparison), border="horizontal")
    st.caption(
        "Messages of every kind: probes, questions and answers, tasks, ends, kills, withdrawals. A worker "
        "knows virtual sizes only from messages, and they age on the way. Central sends none. Scaled to "
        f"{setting.workers:,} workers; the paper’s 10,000 run from the shell (line below)."
    )
    asked = answer.curves.answer
    line = shell_line(PAPER, asked.experiment, asked.effort)
    downloads(
        ("Curves (CSV)", "decentralised.csv", lambda: _csv(answer)),
        ("Everything (JSON)", "decentralised.json", lambda: json_text(_report(answer, line))),
        ("Charts (HTML)", "decentralised.html", lambda: charts_page(shown.figures)),
    )
    st.caption(SHARE)
    if box := drawer(
        PAGE, "shell", "The shell line that repeats it, and the paper’s cluster", ":material/terminal:"
    ):
        box.code(line, language="bash", wrap_lines=True)
        whole = Experiment(setting.whole, setting.experiment.policies)
        box.markdown("The same jobs and policies with the paper’s 50 schedulers and 10,000 workers:")
        box.code(shell_line(PAPER, whole, AT_SCALE), language="bash", wrap_lines=True)
    if box := drawer(
        PAGE,
        "reported",
        "What the paper reports, and what its 10,000 workers gave here",
        ":material/fact_check:",
    ):
        box.markdown("\n".join(f"- {claim}" for claim in reported()))
        box.markdown(
            "**What the paper leaves open, and how much it matters.** Mean flowtime ÷ Central’s on 10,000 "
            "workers: at four utilisations, and with one thing chosen otherwise."
        )
        box.table(dependence(), border="horizontal")
        box.code(SHELL, language="bash", wrap_lines=True)
    if box := drawer(PAGE, "formulas", "How it works, formulas and assumptions", ":material/function:"):
        _explain(box)


def _report(answer: Answer, line: str) -> dict[str, Any]:
    return as_json(answer.first.comparison, sim.__version__, line)


def _csv(answer: Answer) -> bytes:
    parts = [table(answer.points(axis), axis) for axis in answer.curves.axes]
    return pd.concat(parts, ignore_index=True).to_csv(index=False).encode()


def _explain(box: Any) -> None:
    box.markdown(
        "**Ratio.** In each replication every policy meets the same jobs and the same luck; its flowtime is "
        "divided by that of Central, and the interval is Student’s over these ratios."
    )
    box.latex(
        r"r_i = \frac{\bar F_i(\text{policy})}{\bar F_i(\text{Central})}, \qquad "
        r"\bar r \pm t_{n-1,\,0.975}\, \frac{s_r}{\sqrt n}"
    )
    box.markdown(
        "**Hopper.** A job with $T$ tasks left has virtual size $V = \\theta T$, $\\theta = \\max(1, "
        "2/\\beta)$. A scheduler accepts a slot while its job holds fewer slots than $V$ (Guideline 2). "
        "After the last refusal the question goes to the smallest unsatisfied job that was named, else "
        "to one drawn with weight $V$ (Guideline 3)."
    )
    box.markdown(
        "**Phases.** Where jobs have them, $T$ counts the open tasks of the running phases, $T'$ the "
        "transfers still to come out of them, and $\\alpha = T'/T$ (1 where none is left) weighs the job: "
        "$V = \\theta T \\sqrt\\alpha$. Messages say $\\max(V, \\alpha V)$, and Central is the weighted "
        "optimum (Hopper, section 4.2). What may start is probed for when its scheduler hears that its "
        "inputs have come."
    )
    box.markdown(
        "**Sparrow.** A free slot asks for the oldest reservation (shortest first: for the job with the "
        "fewest remaining tasks) and gets a task, a copy, or nothing. Ren et al., *Hopper*, SIGCOMM 2015, "
        "section 5 and Fig. 5; Ousterhout et al., *Sparrow*, SOSP 2013."
    )
    box.markdown(
        "**Assumptions.** Poisson arrivals, jobs of 1 to the most tasks (uniform), tasks of 1 s on a healthy "
        "slot, Pareto straggle factors drawn anew for each copy, every message takes the same time, "
        "schedulers and workers decide at once. A job’s phases share its tasks evenly, transfers take no "
        "slot, and a phase may start the share of its tasks for which inputs have come. Hopper’s budget "
        "copies any running task up to the most copies, unless only those known to need longer. The paper "
        "leaves job sizes, copies, delays and what a straggler looks like open: the second curve shows how "
        "the ratio depends on each. 10 % of the jobs are warm-up."
    )
