"""Keep slots warm: its ceiling is that no task is slower because it is the first on its slot.

Executors that are started early and kept spare what the first of all tasks on a slot takes longer. What the
first task of each stage takes longer (its code, its broadcasts) no setting spares; it is in the ceiling.
Where executors come and go by demand, they are played as there from the start, and the slot-time they idle is
said.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.remedies.way import Paste, Remedy, Unequal, Way
from sim.advice.whatif.runs import Question
from sim.advice.whatif.setting_effect import Conditions


def kept(question: Question, cluster: Cluster) -> Cluster:
    """Return the cluster with all its slots from the start, where they come and go by demand."""
    return replace(cluster, changes=((0.0, cluster.slots),)) if by_demand(question) else cluster


def by_demand(question: Question) -> bool:
    """Say whether executors come and go by demand."""
    allocation = question.model.history.settings.get("spark.dynamicAllocation.enabled", "")
    return allocation.lower() == "true"


def warm(question: Question, replication: int, given: Conditions) -> Conditions:
    """Take away what the first of all tasks on a slot takes longer."""
    return replace(given, work=given.work / np.exp(Unequal.of(question, replication).cold[:, 1]))


def never_cold(question: Question, replication: int, given: Conditions) -> Conditions:
    """Take away all that a cold slot adds."""
    return replace(given, work=given.work / np.exp(Unequal.of(question, replication).cold.sum(axis=1)))


def _untold(question: Question) -> str:
    columns = question.model.evidence.tasks.columns
    if not columns.cold.any():
        return "the log does not tell which task was the first on its slot"
    first = pd.Series(columns.cold[:, 1]).groupby(columns.stage)
    if (first.min() == first.max()).all():
        return (
            "in each stage every task, or none, was the first of all on its slot: that it made them slow "
            "cannot be told from what the stage does"
        )
    return ""


def idle_slot_hours(question: Question) -> float:
    """Return the slot-time that kept executors add, in hours, until the last job of the log has ended."""
    cluster, span = question.model.cluster, float(question.model.history.span)
    return (kept(question, cluster).slot_time(span) - cluster.slot_time(span)) / 3600


def longest_pause(question: Question) -> float:
    """Return the longest time in the log in which no task ran, in seconds."""
    copies = question.model.history.frame("copies").dropna(subset=["launch", "end"]).sort_values("launch")
    if len(copies) < 2:
        return 0.0
    until = copies["end"].cummax().to_numpy(float)
    return max(0.0, float((copies["launch"].to_numpy(float)[1:] - until[:-1]).max()))


def described(question: Question) -> str:
    """Say how much longer first tasks take."""
    cold = np.exp(question.model.evidence.copies.draws.cold)
    told = []
    for column, who in ((1, "the first task of all on a slot"), (0, "the first of each stage")):
        low, middle, high = np.quantile(cold[:, column], (0.025, 0.5, 0.975))
        told.append(f"{who} takes {middle:.2f} times as long as others ({low:.2f} to {high:.2f})")
    more = f"; kept executors would idle for {idle_slot_hours(question):.3g} slot-hours more"
    return "; ".join(told) + more * by_demand(question)


def _paste(question: Question, system: str, way: Way) -> Paste:
    if system == "spark" and by_demand(question):
        each = max(1, question.model.cluster.executor_slots)
        executors = str(math.ceil(question.model.cluster.slots / each))
        idle = f"{math.ceil(longest_pause(question)) + 60}s"
        return Paste(
            "Executors are there from the start and outlive the longest pause of the log.",
            "spark-defaults.conf",
            {
                "spark.dynamicAllocation.minExecutors": executors,
                "spark.dynamicAllocation.initialExecutors": executors,
                "spark.dynamicAllocation.executorIdleTimeout": idle,
            },
        )
    if system == "spark":
        return Paste(
            "Executors stay for the whole application: keep one application for many jobs, and run a small "
            "job of the same code first."
        )
    if system == "tez":
        containers = str(question.model.cluster.slots)
        return Paste(
            "Containers are used again and held.",
            "tez-site.xml",
            {
                "tez.am.container.reuse.enabled": "true",
                "tez.am.session.min.held-containers": containers,
            },
        )
    if system == "flink":
        idle = str(1000 * (math.ceil(longest_pause(question)) + 60))
        return Paste(
            "In a session cluster TaskManagers outlive the longest pause of the log.",
            "flink-conf.yaml",
            {"resourcemanager.taskmanager-timeout": idle},
        )
    if system == "hadoop":
        return Paste("MapReduce starts a process a task and has no setting for it.")
    return Paste("Keep workers for many tasks, and run a small one first.")


def _limit(question: Question, system: str, way: Way) -> str:
    return "What the first task of each stage takes longer, no setting spares."


WARM = Remedy(
    "warm",
    "Keep slots warm",
    "no task is slower because it is the first on its slot",
    Way("warm ceiling", "no cold slots", cluster=kept, conditions=never_cold),
    (Way("warm", "keeping slots warm", cluster=kept, conditions=warm),),
    _untold,
    _paste,
    _limit,
)
