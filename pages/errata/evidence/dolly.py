"""Dolly: how many clones, where they go, and what an outlier is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pages.errata.evidence import OTHER, PRINTED, RIGHT, Line, Numbers, Picture, by_name
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


def parentheses() -> Numbers:
    """Return the copies and the risk they leave by both readings of Pseudocode 1."""
    jobs = ((0.1, 5), (0.1, 10), (0.2, 10), (0.2, 100))
    rows = []
    for p, n in jobs:
        counts = [int(f(p, n, EPSILON)) for f in (task_level_copies, misread_task_level_copies)]
        risks = [float(task_outlier_probability(p, n, c)) for c in counts]
        rows.append([f"{c}, risk {percent(risk)}" for c, risk in zip(counts, risks, strict=True)])
    table = pd.DataFrame(
        rows, columns=["copies, right", "other reading"], index=[f"p = {p}, n = {n}" for p, n in jobs]
    )
    return Numbers({}, table)


def cap() -> Numbers:
    """Return the copies granted by the slots taken, as printed and corrected."""
    running = np.arange(0, 101)
    right, printed = (
        np.asarray(capped_copies(4, 10, running, 100, 0.7, as_printed=p)) for p in (False, True)
    )
    at = 45
    used = [at + 10 * float(c[at]) for c in (right, printed)]
    values = {
        "at": f"{at}",
        "right": plain(float(right[at])),
        "printed": plain(float(printed[at])),
        "filled": plain(used[1]),
        "instead": plain(used[0]),
    }
    lines = (Line("right", running, right), Line("as printed", running, np.maximum(printed, 0), PRINTED))
    axes: tuple[Part, Part] = ({}, {"range": [0, 4.4]})
    return Numbers(values, picture=Picture(lines, "slots taken by others", "copies granted", axes=axes))


def _placed(
    outlier: Sequence[float], original: Sequence[int], as_printed: bool, slots: int = 100
) -> ClonePlacement:
    return clone_placement(outlier, [1] * len(outlier), original, EPSILON, 4, slots, 1.0, as_printed)


def one_short() -> Numbers:
    """Return where the clones of a task go on five equal machines."""
    outlier = [0.3, 0.3, 0.3, 0.3, 0.3]
    return Numbers({"target": number(_placed(outlier, [0], False).target, 2)}, _placements(outlier, [0]))


def worst_first() -> Numbers:
    """Return where the clones of a task go on five machines, one worse than the other."""
    outlier = [0.3, 0.05, 0.1, 0.5, 0.6]
    return Numbers({"outlier": ", ".join(map(str, outlier))}, _placements(outlier, [0]))


def same_machine() -> Numbers:
    """Return where the clones of two tasks go."""
    outlier = [0.4, 0.2, 0.3, 0.2]
    printed, right = (_placed(outlier, [0, 1], p).machines for p in (True, False))
    told = {"as printed": printed, "corrected": right}
    table = pd.DataFrame(
        [[_machines(task) for task in machines] for machines in told.values()],
        columns=["clones of task 1 on", "clones of task 2 on"],
        index=list(told),
    )
    return Numbers({}, table)


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


def half() -> Numbers:
    """Return the share of the tasks below half and below twice the median rate, by the tail index."""
    alpha = np.linspace(1.05, 4, 120)
    below_half, below_twice = (np.asarray(slow_task_probability(f, alpha)) for f in (2.0, 0.5))
    lines = (
        Line("below half the median rate", alpha, below_half),
        Line("below twice the median rate, as printed", alpha, below_twice, PRINTED),
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 1.05], "tickformat": ".0%"})
    values = {
        "half": percent(float(slow_task_probability(2.0, 1.5))),
        "twice": percent(float(slow_task_probability(0.5, 1.5))),
    }
    return Numbers(values, picture=Picture(lines, "tail index α of task times", "share of tasks", axes=axes))


def empty_window() -> Numbers:
    """Return the learned probability after a window without tasks, by both readings."""
    kept = float(learned_outlier_probability(0.2, [0.4, None, 0.1]))
    zero = float(learned_outlier_probability(0.2, [0.4, 0.0, 0.1]))
    return Numbers({"kept": plain(round(kept, 4)), "zero": plain(round(zero, 4))})


def three_replicas() -> Numbers:
    """Return the largest job of two and of three copies, by the outlier probability of a task."""
    p = np.linspace(0.01, 0.4, 118)
    lines = tuple(
        Line(f"{c} copies", p, np.asarray(task_level_tasks(p, c, EPSILON), dtype=float), role)
        for c, role in ((2, OTHER), (3, RIGHT))
    )
    sizes = {share: int(task_level_tasks(share, 3, EPSILON)) for share in (0.05, 0.1, 0.2)}
    axes: tuple[Part, Part] = ({}, {"type": "log", "range": [0, 4], "tickvals": [1, 10, 100, 1000, 10000]})
    return Numbers(
        {"sizes": ", ".join(f"{n:,} tasks at p = {share}" for share, n in sizes.items())},
        picture=Picture(lines, "outlier probability p of a task", "largest job (tasks)", axes=axes),
    )


EVIDENCE = by_name(
    *(parentheses, cap, one_short, worst_first),
    *(same_machine, half, empty_window, three_replicas),
)
