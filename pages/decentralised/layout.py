"""The layout of the page: the answer at once, then the points of its curves as they are found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import sim
from pages.decentralised import charts
from pages.decentralised.charts import queue_table, sequence, sequence_alt, steps
from pages.decentralised.controls import PAGE
from pages.decentralised.question import AXES, CENTRAL, HOPPER, PAPER, Answer, Axis, Curves, Points, Setting
from pages.decentralised.words import SHELL, cards_of, costs, dependence, losses, notices, reported, table
from pages.shared.app.turns import body_and_foot, made_once
from pages.shared.charts.on_page import is_dark, show_figure
from pages.shared.controls.control import drawer
from pages.shared.live.cards import Drawing, Layout, Screen, flowtimes
from pages.shared.live.follow import Snapshots, follow, is_final, rests_on
from pages.shared.words.tables import SHARE, Latex, charts_page, downloads, json_text, show_formulas
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import Snapshot
from sim.running.report import as_json
from sim.shell.experiment import shell_line
from sim.telling.words import counted

# How the Decentralised page works, its formulas and assumptions.

FORMULAS = (
    "**Ratio.** In each replication every policy meets the same jobs and the same luck; its flowtime is "
    "divided by that of Central, and the interval is Student’s over these ratios.",
    Latex(
        r"r_i = \frac{\bar F_i(\text{policy})}{\bar F_i(\text{Central})}, \qquad "
        r"\bar r \pm t_{n-1,\,0.975}\, \frac{s_r}{\sqrt n}"
    ),
    "**Hopper.** A job with $T$ tasks left has virtual size $V = \\theta T$, $\\theta = \\max(1, "
    "2/\\beta)$. A scheduler accepts a slot while its job holds fewer slots than $V$ (Guideline 2). "
    "After the last refusal the question goes to the smallest unsatisfied job that was named, else "
    "to one drawn with weight $V$ (Guideline 3).",
    "**Phases.** Where jobs have them, $T$ counts the open tasks of the running phases, $T'$ the transfers "
    "still to come out of them, and $\\alpha = T'/T$ (1 where none is left) weighs the job: $V = \\theta T "
    "\\sqrt\\alpha$. Messages say $\\max(V, \\alpha V)$, and Central is the weighted optimum (Hopper, "
    "section 4.2). What may start is probed for when its scheduler hears that its inputs have come.",
    "**Sparrow.** A free slot asks for the oldest reservation (shortest first: for the job with the "
    "fewest remaining tasks) and gets a task, a copy, or nothing. Ren et al., *Hopper*, SIGCOMM 2015, "
    "section 5 and Fig. 5; Ousterhout et al., *Sparrow*, SOSP 2013.",
    "**Assumptions.** Poisson arrivals, jobs of 1 to the most tasks (uniform), tasks of 1 s on a healthy "
    "slot, Pareto straggle factors drawn anew for each copy, every message takes the same time, "
    "schedulers and workers decide at once. A job’s phases share its tasks evenly, transfers take no "
    "slot, and a phase may start the share of its tasks for which inputs have come. Hopper’s budget "
    "copies any running task up to the most copies, unless only those known to need longer. The paper "
    "leaves job sizes, copies, delays and what a straggler looks like open: the second curve shows how "
    "the ratio depends on each. 10 % of the jobs are warm-up.",
)


# Details below the charts: one decision step by step, the costs, formulas, files, the shell line.

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


#: Points of one visitor computed at the same time, after the first answers of all visitors.
AT_ONCE, URGENCY = 2, 2


def show(curves: Curves, dark: bool, statistic: str) -> tuple[Answer, Screen] | None:
    """Follow the answer and the points, draw what is known, and return the last of it."""
    layout, last = Layout(), None
    body, foot = body_and_foot()
    known = follow(
        curves.requests, foot, partial(progress, len(curves.places)), at_once=AT_ONCE, urgency=URGENCY
    )
    for snapshots in known:
        answer = Answer(curves, snapshots)
        shown = screen(answer, dark, statistic)
        with body:
            layout.show(shown)
        last = answer, shown
    return last


def progress(points: int, snapshots: Snapshots) -> tuple[float, str]:
    """Return how many points of the curves are found, and how good the answer is."""
    answer, *others = snapshots
    if is_final(snapshots, 1 + points):
        return 1.0, f"{rests_on(answer)} {curves_rest_on(answer, others)}"
    found = sum(one.final for one in others)
    first = (
        "First answer from fewer jobs; the full run follows"
        if answer.preview
        else f"Replication {answer.done} of at most {answer.most}"
    )
    return found / points, f"{first}. Curves: {found} of {points} points."


def screen(answer: Answer, dark: bool, statistic: str) -> Screen:
    """Return what is shown of an answer, made once for all visitors."""
    known = tuple((one.done, one.preview) for one in answer.snapshots)
    key = ("decentralised", repr(answer.setting), *(axis.field for axis in answer.curves.axes), known)
    return made_once((*key, dark, statistic), partial(_screen, answer, dark, statistic))


def _screen(answer: Answer, dark: bool, statistic: str) -> Screen:
    probes = AXES["probes"]
    return Screen(
        cards_of(answer.comparison, statistic),
        drawings(answer, dark, statistic),
        notices(answer.comparison, answer.points(probes), probes, answer.setting, statistic),
        losses(answer.comparison, statistic),
    )


def drawings(answer: Answer, dark: bool, statistic: str) -> list[Drawing]:
    """Return the four charts of the page in their order, each made anew only if it shows more."""
    first, second = answer.curves.axes
    setting = answer.setting
    look = repr(setting), dark, statistic

    def curve(name: str, axis: Axis) -> Drawing:
        known = [(value, one.done) for value, one in answer.along(axis)]
        make = {"ratio": ratio_drawing, "price": price_drawing}[name]
        return made_once(
            (name, axis.field, known, *look),
            lambda: make(answer.points(axis), axis, setting, dark, statistic),
        )

    flowtime = made_once(
        ("flowtime", answer.first.done, answer.first.preview, *look),
        lambda: flowtimes(answer.comparison, dark),
    )
    return [curve("ratio", first), curve("ratio", second), flowtime, curve("price", first)]


def ratio_drawing(points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str) -> Drawing:
    """Draw the ratio along an axis."""
    return Drawing.of(
        f"Ratio to {CENTRAL} by {axis.name}",
        charts.ratio_chart(points, axis, setting, dark, statistic),
        charts.ratio_alt(points, axis, setting, statistic),
        charts.ratio_remark(axis, statistic),
        charts.not_drawn(points, axis, setting, statistic),
    )


def price_drawing(points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str) -> Drawing:
    """Draw the ratio against the messages it takes."""
    return Drawing.of(
        "Ratio to Central and messages sent",
        charts.price_chart(points, setting, dark, statistic),
        charts.price_alt(points, setting, statistic),
        charts.not_drawn(points, axis, setting, statistic),
    )


def curves_rest_on(answer: Snapshot, others: Sequence[Snapshot]) -> str:
    """Say what the points of the curves rest on: replications, and jobs where they have fewer."""
    whole, shorter = (
        next(iter(one.comparison.policies.values())).samples[0].jobs for one in (answer, others[0])
    )
    jobs = "the same jobs" if shorter == whole else f"the first {shorter:,} of the {whole:,} jobs"
    replications = counted(max(one.done for one in others), "replication")
    return f"Curves: {counted(len(others), 'point')} of {replications} each, on {jobs} with the same luck."
