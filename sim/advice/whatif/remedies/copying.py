"""Copy slow tasks: its ceiling is luck at its median for every task; settings are compared as policies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sim.advice.whatif.conditions import Conditions
from sim.advice.whatif.remedies.way import Paste, Remedy, Way
from sim.advice.whatif.runs import Question

#: Offered load from which the cluster is called full.
FULL = 0.9
#: Share of all work from which something is said of most of it.
_MOST = 0.5
#: Seconds until systems first look for slow tasks, and below which Spark copies none.
NOTICED = 0.1


def without_luck(question: Question, replication: int, given: Conditions) -> Conditions:
    """Give every copy the luck of the median."""
    return replace(given, luck=np.ones_like(given.luck))


def hindered(question: Question) -> str:
    """Return what in a history keeps copies from helping; empty if nothing does."""
    model, cluster = question.model, question.cluster
    if len(cluster.hosts) == 1:
        return "there is one host, and copies are made on another than the original's"
    stage = np.repeat(np.arange(model.tasks.size), model.tasks)
    work = np.bincount(stage, model.work, model.tasks.size)
    if work[model.tasks <= 2].sum() > _MOST * work.sum():
        share = 100 * work[model.tasks <= 2].sum() / work.sum()
        return (
            f"stages of one or two tasks have {share:.0f} % of the work: too few tasks end in time to tell "
            "which are slow"
        )
    if model.work[model.work < NOTICED].sum() > _MOST * model.work.sum():
        return f"most of the work is in tasks shorter than {1000 * NOTICED:.0f} ms, which end before a check"
    if question.load > FULL:
        load = f" (offered load {question.load:.2f})" if math.isfinite(question.load) else ""
        return f"the cluster is full{load}: a copy takes the place of an original"
    return ""


def _nothing_untold(question: Question) -> str:
    return ""


def _paste(question: Question, system: str, way: Way) -> Paste:
    return Paste("Its settings are those of the advice above.")


def _limit(question: Question, system: str, way: Way) -> str:
    return "A copy does the same work again: it mends luck and slow hosts, not large tasks."


COPY = Remedy(
    "copy",
    "Copy slow tasks",
    "every task has the luck of the median",
    Way("copy ceiling", "luck at its median", conditions=without_luck),
    (),
    _nothing_untold,
    _paste,
    _limit,
)
