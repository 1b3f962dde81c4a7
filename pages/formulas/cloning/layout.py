"""The Cloning tab: how many clones keep a job free of outliers, and what they do to a cluster."""

from __future__ import annotations

from functools import partial

from pages.formulas.cloning import charts, words
from pages.formulas.cloning.controls import (
    JOBS,
    MORE,
    OWN,
    PANEL,
    PAPER,
    SLOTS,
    Cluster,
    at_scale,
    policies,
    scenario,
)
from pages.formulas.cloning.question import Request
from pages.formulas.cloning.words import remarks, simulated_answer, small_headline
from pages.formulas.simulation import Simulation
from pages.formulas.tab import Tab, Values
from pages.shared.controls.control import filled
from pages.shared.live.cards import Drawing, flowtimes
from pages.shared.words.tables import Equation, Source
from sim.model.result import Comparison
from theory.cloning import (
    job_level_copies,
    job_outlier_probability,
    task_level_copies,
    task_outlier_probability,
)

FORMULAS = (
    "A copy is an outlier with probability $p$, whatever the others are. A job of $n$ tasks with $c$ "
    "copies has an outlier with these probabilities, if the whole job is cloned, and if every task is:",
    Equation(job_outlier_probability, task_outlier_probability),
    r"so that it stays within the accepted risk $\epsilon$ (the paper's letter; elsewhere here "
    r"$\epsilon$ is Hopper's unfairness) from these numbers of copies on:",
    Equation(job_level_copies, task_level_copies),
    r"In the cluster a task is cloned while $U + 1 < \tau S$, with $U$ busy of $S$ slots, and until the "
    r"product of the probabilities $p_m$ of its slots is at most $1 - (1 - \epsilon)^{1/n}$. Clones are "
    r"dropped when more than $\tau S$ slots are busy, or when another job is owed the slot. If learned, "
    "$p_m$ becomes the mean of itself and the share of outliers that slot $m$ had in the last window.",
    Source(
        "Ananthanarayanan, Ghodsi, Shenker & Stoica, *Why let resources idle? Aggressive cloning with "
        "Dolly*, HotCloud 2012, Fig. 5 and Pseudocode 1, corrected."
    ),
)


def draw(comparison: Comparison, dark: bool, statistic: str) -> list[Drawing]:
    """Draw the gain by size of job, and the distribution of flowtimes."""
    sizes = Drawing.of(
        "Gain by tasks of a job, simulated",
        charts.size_chart(comparison, dark, statistic),
        charts.size_alt(comparison, statistic),
        charts.size_remark(comparison),
    )
    return [sizes, flowtimes(comparison, dark, note=", simulated")]


def simulated(asked: Request, values: Values) -> Simulation:
    """Return the cluster; the median job is so small that it has no outlier under any rule."""
    cluster = filled(Cluster, values, load=values["omega"])
    return Simulation(
        policies=policies(asked, cluster),
        scenario=scenario(asked, cluster),
        full=at_scale(asked, cluster),
        start=PAPER,
        about=f"Simulated with {SLOTS:,} slots and {JOBS:,} jobs per replication; the paper replays a trace "
        "of a cluster of thousands. Four jobs in five have fewer than 10 tasks, the largest 200. A task "
        "takes one unit on a healthy slot; LATE and Mantri learn its remaining time once stragglers can be "
        "detected; Dolly does not use it.",
        remarks=partial(remarks, cluster=cluster),
        draw=draw,
        card="Small jobs, simulated",
        headline=small_headline,
        answer=simulated_answer,
        whose=" of all jobs",
        median="p95",
    )


TAB = Tab(
    panel=PANEL,
    title="Should I clone small jobs?",
    paper="dolly",
    idle={"S": f"Cloning is simulated with {SLOTS:,} slots.", "c": "Cloning finds how many are needed."},
    drawers={
        "own": ("Outliers and clones", "content_copy", OWN),
        "more": ("The cluster simulated", "tune", MORE),
    },
    ask=partial(filled, Request),
    words=words,
    charts={"outliers": charts.OUTLIERS, "copies": charts.COPIES},
    about=(
        "A job waits for its slowest task. Clones from the start make a slow one unlikely, and small jobs "
        "need few slots for them. Theory, no simulation: a copy is an outlier with probability p, "
        "independently of all others."
    ),
    formulas=FORMULAS,
    simulated=simulated,
)
