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
from pages.decentralised.formulas import FORMULAS
from pages.decentralised.setting import HOPPER, PAPER, Setting
from pages.decentralised.words import SHELL, costs, dependence, reported, table
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import is_dark, show_figure
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Screen
from pages.shared.words.downloads import SHARE, charts_page, downloads, json_text
from pages.shared.words.formulas import show_formulas
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.report import as_json
from sim.shell.experiment import shell_line
from sim.telling.words import counted

#: Of the shell line at the scale of the paper.
AT_SCALE = Effort(replications=4)


def show_decision(setting: Setting) -> None:
    """Draw one decision of a free slot, a message at a time."""
    from sim.engines.probes.decision import telling_decision

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
            "Step",
            1,
            len(told),
            1,
            help="Arrow keys move it one message.",
            key=f"{PAGE}:step:{len(told)}",  # a slider whose range moves forgets its place
        )
        st.markdown(told[at - 1].sentence)
        st.markdown(f"**The queue of worker {decision.worker + 1} when its slot becomes free**")
        st.table(queue_table(decision, unit), border="horizontal")
    with left:
        figure = sequence(decision, unit, at, is_dark())
        show_figure(f"{PAGE}:sequence", figure, sequence_alt(decision, unit, at))
    st.caption(
        f"A run of decentralised Hopper small enough to follow: {scenario.workers} workers, "
        f"{scenario.schedulers} schedulers, jobs of one phase and at most "
        f"{counted(scenario.tasks_max, 'task')}; d, refusals, load, β, delay, copies and seed as chosen. "
        "Time runs down, not to scale."
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
    show_formulas(PAGE, FORMULAS, "How it works, formulas and assumptions")


def _report(answer: Answer, line: str) -> dict[str, Any]:
    return as_json(answer.first.comparison, sim.__version__, line)


def _csv(answer: Answer) -> bytes:
    parts = [table(answer.points(axis), axis) for axis in answer.curves.axes]
    return pd.concat(parts, ignore_index=True).to_csv(index=False).encode()
