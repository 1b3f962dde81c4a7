"""Findings in Dolly: how many clones, where they go, and what an outlier is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pages.errata.words.finding import OTHER, PRINTED, Evidence, Finding, Line, Picture
from sim.telling.plot import Part
from sim.telling.words import number, percent, plain
from theory.clone_placement import ClonePlacement, clone_placement
from theory.cloning import (
    capped_copies,
    misread_task_level_copies,
    task_level_copies,
    task_level_tasks,
    task_outlier_probability,
)
from theory.outliers import learned_outlier_probability, slow_task_probability

#: The paper's target, the probability that a job has an outlier.
EPSILON = 0.05


def _parentheses() -> Evidence:
    jobs = ((0.1, 5), (0.1, 10), (0.2, 10), (0.2, 100))
    rows = []
    for p, n in jobs:
        counts = [int(f(p, n, EPSILON)) for f in (task_level_copies, misread_task_level_copies)]
        risks = [float(task_outlier_probability(p, n, c)) for c in counts]
        rows.append([f"{c}, risk {percent(risk)}" for c, risk in zip(counts, risks, strict=True)])
    table = pd.DataFrame(
        rows, columns=["copies, right", "other reading"], index=[f"p = {p}, n = {n}" for p, n in jobs]
    )
    return Evidence("Copies of each task for a target of 5 %, and the risk they leave.", table)


def _cap() -> Evidence:
    running = np.arange(0, 101)
    right, printed = (
        np.asarray(capped_copies(4, 10, running, 100, 0.7, as_printed=p)) for p in (False, True)
    )
    at = 45
    used = [at + 10 * float(c[at]) for c in (right, printed)]
    told = (
        f"A job of 10 tasks that wants 4 copies, 100 slots, ceiling 70 %. With {at} slots taken there is "
        f"room for {plain(float(right[at]))}; the printed formula grants {plain(float(printed[at]))} and "
        f"fills the cluster to {plain(used[1])} instead of {plain(used[0])} slots."
    )
    lines = (Line("right", running, right), Line("as printed", running, np.maximum(printed, 0), PRINTED))
    axes: tuple[Part, Part] = ({}, {"range": [0, 4.4]})
    return Evidence(told, picture=Picture(lines, "slots taken by others", "copies granted", told, axes=axes))


def _placed(
    outlier: Sequence[float], original: Sequence[int], as_printed: bool, slots: int = 100
) -> ClonePlacement:
    return clone_placement(outlier, [1] * len(outlier), original, EPSILON, 4, slots, 1.0, as_printed)


def _one_short() -> Evidence:
    outlier = [0.3, 0.3, 0.3, 0.3, 0.3]
    table = _placements(outlier, [0])
    target = _placed(outlier, [0], False).target
    return Evidence(
        "One task on five equal machines of outlier probability 0.3; its copies should all be outliers with "
        f"at most {number(target, 2)}.",
        table,
    )


def _worst_first() -> Evidence:
    outlier = [0.3, 0.05, 0.1, 0.5, 0.6]
    return Evidence(
        f"One task on the first of five machines with outlier probabilities {', '.join(map(str, outlier))}.",
        _placements(outlier, [0]),
    )


def _same_machine() -> Evidence:
    outlier = [0.4, 0.2, 0.3, 0.2]
    printed, right = (_placed(outlier, [0, 1], p).machines for p in (True, False))
    told = {"as printed": printed, "corrected": right}
    table = pd.DataFrame(
        [[_machines(task) for task in machines] for machines in told.values()],
        columns=["clones of task 1 on", "clones of task 2 on"],
        index=list(told),
    )
    return Evidence(
        "Two tasks, with originals on machines 1 and 2; each of four machines has one free slot.", table
    )


def _placements(outlier: Sequence[float], original: Sequence[int]) -> pd.DataFrame:
    found = {name: _placed(outlier, original, p) for name, p in (("as printed", True), ("corrected", False))}
    return pd.DataFrame(
        {
            "clones on machines": [_machines(placed.machines[0]) for placed in found.values()],
            "risk left": [number(placed.outlier[0], 2) for placed in found.values()],
        },
        index=list(found),
    )


def _machines(machines: Sequence[int]) -> str:
    return ", ".join(str(machine + 1) for machine in machines) or "none"


def _half() -> Evidence:
    alpha = np.linspace(1.05, 4, 120)
    twice, half = (np.asarray(slow_task_probability(f, alpha)) for f in (2.0, 0.5))
    told = (
        f"With Pareto task times of tail index 1.5, {percent(float(slow_task_probability(2.0, 1.5)))} of the "
        f"tasks are slower than half the median rate; {percent(float(slow_task_probability(0.5, 1.5)))} of "
        "them are slower than twice the median rate."
    )
    lines = (
        Line("below half the median rate", alpha, twice),
        Line("below twice the median rate, as printed", alpha, half, PRINTED),
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 1.05], "tickformat": ".0%"})
    return Evidence(
        told, picture=Picture(lines, "tail index α of task times", "share of tasks", told, axes=axes)
    )


def _empty_window() -> Evidence:
    windows = [0.4, None, 0.1]
    kept = float(learned_outlier_probability(0.2, windows))
    zero = float(learned_outlier_probability(0.2, [0.4, 0.0, 0.1]))
    return Evidence(
        f"From 0.2, after windows with shares 0.4, none (no task ran), 0.1: {plain(round(kept, 4))} if the "
        f"old value is kept, {plain(round(zero, 4))} if an empty window is taken for one without outliers."
    )


def _three_replicas() -> Evidence:
    p = np.linspace(0.01, 0.4, 118)
    lines = tuple(
        Line(f"{c} copies", p, np.asarray(task_level_tasks(p, c, EPSILON), dtype=float), role)
        for c, role in ((2, OTHER), (3, 0))
    )
    sizes = {share: int(task_level_tasks(share, 3, EPSILON)) for share in (0.05, 0.1, 0.2)}
    told = "With three copies of each task at most 5 % of the jobs have an outlier up to " + ", ".join(
        f"{n:,} tasks at p = {share}" for share, n in sizes.items()
    )
    axes: tuple[Part, Part] = ({}, {"type": "log", "range": [0, 4], "tickvals": [1, 10, 100, 1000, 10000]})
    picture = Picture(lines, "outlier probability p of a task", "largest job (tasks)", told + ".", axes=axes)
    return Evidence(told + ".", picture=picture)


FINDINGS = (
    Finding(
        "A cap that never binds",
        "section 3, job-level cloning",
        r"$\min \{ c,\ (\tau - U + c \cdot n) / n \}$ clones are spawned.",
        r"As long as $U \le \tau$ the second term exceeds $c$. What fits below the ceiling is $\lfloor (\tau "
        r"S - U) / n \rfloor$ copies (with $\tau$ a share of the $S$ slots), and at least the original.",
        _cap,
        "Algebra, and the utilisation afterwards.",
        (
            "test_cloning.py::test_the_printed_cap_never_binds_while_there_is_room",
            "test_cloning.py::test_capped_copies_fit_and_one_more_would_not",
        ),
    ),
    Finding(
        "Where the parentheses go",
        "Pseudocode 1, first line",
        r"$c_o = \log 1 - \epsilon^{(1/t)} / \log p$.",
        r"$c_o = \frac{\log(1 - (1 - \epsilon)^{1/n})}{\log p}$ with $n$ tasks. The other way to restore the "
        r"parentheses, $\log(1 - \epsilon^{1/n}) / \log p$, misses the target widely.",
        _parentheses,
        "Counting up until the target is met.",
        (
            "test_cloning.py::test_copies_agree_with_counting_up",
            "test_cloning.py::test_the_other_reading_of_pseudocode_1_misses_the_target",
        ),
    ),
    Finding(
        "The loop stops one clone short",
        "Pseudocode 1, the loop's condition",
        r"while $p_t \times M[i].p_m > p^{c_o}$: clone $t$ on $M[i]$.",
        r"That asks what the *next* clone would achieve, and stops before launching it. The condition is "
        r"$p_t > p^{c_o}$, where $p^{c_o} = 1 - (1 - \epsilon)^{1/n}$ needs no $p$ at all.",
        _one_short,
        "The target met after the loop, and missed with one clone less.",
        (
            "test_clone_placement.py::test_the_printed_loop_stops_one_clone_short",
            "test_clone_placement.py::test_with_room_the_job_meets_its_target_and_one_clone_less_would_not",
        ),
    ),
    Finding(
        "Best machines first",
        "Pseudocode 1 and the text on it",
        "Machines in *descending* order of outlier probability; *the smallest set of machines* is picked.",
        "Descending order starts with the worst machines and needs the most of them. The smallest set comes "
        "from ascending order.",
        _worst_first,
        "All sets of machines tried.",
        (
            "test_clone_placement.py::test_each_task_gets_the_smallest_set_that_will_do",
            "test_clone_placement.py::test_the_printed_order_uses_the_worst_machines_and_the_most_of_them",
        ),
    ),
    Finding(
        "Every task's first clone on one machine",
        "Pseudocode 1, i ← 0 for each task",
        "Each task begins at the head of the list.",
        "So all first clones go to the same machine, whether it has a free slot or even runs the original. "
        "Skip machines without a slot and the original's own.",
        _same_machine,
        "Slots and homes respected on random clusters.",
        (
            "test_clone_placement.py::test_the_printed_code_overfills_the_first_machine_and_clones_onto_the_original",
            "test_clone_placement.py::test_a_placement_respects_slots_homes_and_ceiling",
        ),
    ),
    Finding(
        "Half the median rate, not twice",
        "section 3, definition of an outlier",
        r"An outlier is *a task whose progress rate is less than 2× the median progress rate*.",
        "Below half the median. (Most tasks are slower than twice the median.) For equal input and Pareto "
        "task times the "
        r"share is $f^{-\alpha}/2$ for tasks $f$ times as long as the median.",
        _half,
        "Algebra, and simulated tasks.",
        (
            "test_outliers.py::test_less_than_half_the_median_progress_rate_is_the_outlier_of_the_text",
            "test_outliers.py::test_simulated_tasks_are_slow_as_often",
        ),
    ),
    Finding(
        "Learning from a window without tasks",
        "section 3, estimating outliers",
        r"$p_{m,t+1} = (p_{m,t} + p_m[t]) / 2$.",
        r"Right; but a machine that ran no task in the window has $p_m[t] = 0/0$. Keep the old value then.",
        _empty_window,
        "The filter written out.",
        ("test_outliers.py::test_a_window_without_tasks_keeps_the_old_value",),
        remark=True,
    ),
    Finding(
        "What three replicas are enough for",
        "section 3.1",
        "*For 96 % of jobs in the cluster, task-level cloning results in ≤ 5 % chance of outliers with just "
        "three replicas.*",
        r"A statement about the trace: 96 % of its jobs have no more than $\ln 0.95 / \ln(1 - p^3)$ tasks. "
        r"The outlier probability $p$ is not given, and the size depends on it strongly.",
        _three_replicas,
        "The inverse of the outlier probability, and counting.",
        (
            "test_cloning.py::test_three_replicas_carry_the_stated_jobs",
            "test_cloning.py::test_largest_job_meets_the_target_and_one_task_more_does_not",
        ),
        remark=True,
    ),
)
