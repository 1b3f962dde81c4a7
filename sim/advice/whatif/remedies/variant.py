"""A way to mend a cause of slow tasks: its change of the played world, and how to apply it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.model import Model
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import Conditions

#: Systems whose settings are known by heart here; others read the sentence for any system.
ANY = "any"


@dataclass(frozen=True)
class SettingLines:
    """How a remedy is applied.

    Parameters
    ----------
    told : str
        What to do, in a sentence or two.
    file : str, optional
        Where lines are written; empty where there are none.
    settings : mapping of str to str, optional
        Exact names and values.
    """

    told: str
    file: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def _same_cluster(question: Replay, cluster: Cluster) -> Cluster:
    return cluster


def _same_conditions(question: Replay, replication: int, given: Conditions) -> Conditions:
    return given


@dataclass(frozen=True)
class Variant:
    """What is changed where a remedy is played.

    Parameters
    ----------
    key : str
        Unique among all ways.
    does : str
        What is done, as the subject of a sentence ("splitting large tasks").
    cluster : callable, optional
        (question, its cluster) -> the cluster that is played.
    conditions : callable, optional
        (question, replication, its conditions) -> those that are played.
    """

    key: str
    does: str
    cluster: Callable[[Replay, Cluster], Cluster] = _same_cluster
    conditions: Callable[[Replay, int, Conditions], Conditions] = _same_conditions


@dataclass(frozen=True)
class Remedy:
    """A remedy.

    Parameters
    ----------
    key, title : str
        How the JSON calls it, and people.
    about : str
        What its ceiling supposes, in words.
    ceiling : Variant
        Its cause mended entirely.
    ways : tuple of Variant
        What settings reach, that which asks least of the operator first; none where the settings of copies
        are compared as policies.
    untold : callable
        Why there is nothing to do, as far as the history tells before anything is played; else empty.
    paste : callable
        (question, key of the system, way) -> how it is applied.
    limit : callable
        The same arguments -> what it cannot do, or what does not do it; may be empty.
    """

    key: str
    title: str
    about: str
    ceiling: Variant
    ways: tuple[Variant, ...]
    untold: Callable[[Replay], str]
    paste: Callable[[Replay, str, Variant], SettingLines]
    limit: Callable[[Replay, str, Variant], str]


@dataclass(frozen=True, eq=False)
class Unequal:
    """What makes the work of the tasks of a stage unequal, as logarithms.

    Parameters
    ----------
    cold : ndarray, shape (tasks, 2)
        What a slot adds that is cold for the stage, and one that is cold for everything.
    read : ndarray
        Bytes a task reads over the median of its stage; records where bytes do not differ.
    growth : ndarray
        Power by which its work grows with them.
    """

    cold: np.ndarray
    read: np.ndarray
    growth: np.ndarray

    @classmethod
    def of(cls, question: Replay, replication: int) -> Unequal:
        """Return what a replication has, task by task."""
        model, evidence = question.model, question.model.evidence
        draw = evidence.row(replication) if question.doubted else None
        tasks, origin = evidence.tasks, model.origin
        return cls(tasks.first_waves(draw)[origin], read_of(model), tasks.growth(draw)[origin])


def read_of(model: Model) -> np.ndarray:
    """Return the log of what each task reads over the median of its stage."""
    return np.asarray(model.evidence.tasks.columns.x[model.origin, 0])


def changed(before: float, after: float) -> str:
    """Return a number of slots before and after.

    Examples
    --------
    >>> changed(24, 18)
    '18 of 24'
    """
    return f"{after:,.0f} of {before:,.0f}"


# Copy slow tasks: its ceiling is luck at its median for every task; settings are compared as policies.

#: Offered load from which the cluster is called full.
FULL = 0.9
#: Share of all work from which something is said of most of it.
_MOST = 0.5
#: Seconds until systems first look for slow tasks, and below which Spark copies none.
NOTICED = 0.1


def without_luck(question: Replay, replication: int, given: Conditions) -> Conditions:
    """Give every copy the luck of the median."""
    return replace(given, luck=np.ones_like(given.luck))


def hindered(question: Replay) -> str:
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


def _nothing_untold(question: Replay) -> str:
    return ""


def _paste(question: Replay, system: str, way: Variant) -> SettingLines:
    return SettingLines("Its settings are those of the advice above.")


def _limit(question: Replay, system: str, way: Variant) -> str:
    return "A copy does the same work again: it mends luck and slow hosts, not large tasks."


COPY = Remedy(
    "copy",
    "Copy slow tasks",
    "every task has the luck of the median",
    Variant("copy ceiling", "luck at its median", conditions=without_luck),
    (),
    _nothing_untold,
    _paste,
    _limit,
)
