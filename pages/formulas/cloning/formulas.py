"""The formulas of the Cloning page, with their assumptions and sources."""

from __future__ import annotations

from pages.shared.words.formulas import Equation, Source
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
