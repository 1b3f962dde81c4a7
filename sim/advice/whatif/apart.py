"""The gain where only stages are copied that nothing in the log speaks against.

Spark never copies the task of a stage of one: there are no others by which it could be slow. So a stage that
must not be copied is played as so many stages of one task, in its place: with its parents, its gap and its
luck, and its children wait for all of them. Served first come, first served, its tasks then launch when and
where they did, and nothing else of the run is changed.

That does not hold where stages share the slots equally, for a stage would become many, nor where a
``spark.speculation.task.duration.threshold`` is set, after which the task of a stage of one is copied, too.
Then nothing is played, and the reason is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from sim.advice.whatif.model import Model
from sim.advice.whatif.played import Tally
from sim.advice.whatif.runs import Question, in_parts, tallies
from sim.advice.whatif.safety import Safety
from sim.advice.whatif.setting_effect import SettingEffect
from sim.engines.slots.policy import SlotPolicy
from sim.running.player import HERE, Player
from sim.telling.words import counted, in_percent

#: Pairs of a stage and one that it waits for, from which a run would take too long.
MOST_WAITS = 300_000


@dataclass(frozen=True, eq=False)
class Apart:
    """Stages that something speaks against, and what is gained without copies of their tasks.

    Parameters
    ----------
    kept : ndarray of bool
        For each stage of the model whether its tasks are not copied.
    work : float
        Share of the work that is in the other stages.
    why : str, optional
        Why nothing is played; empty where it is.
    change : mapping, optional
        Figure -> change against today's setting, once it has been played.
    """

    kept: np.ndarray
    work: float
    why: str = ""
    change: Mapping[str, SettingEffect] = field(default_factory=dict)

    def told(self, objective: str, whole: Mapping[str, SettingEffect]) -> str:
        """Say what is gained with copies in all stages, and in those that nothing speaks against.

        Parameters
        ----------
        objective : str
            Mean or p95.
        whole : mapping
            Changes with copies in all stages.
        """
        others = int((~self.kept).sum())
        which = f"{others:,} of {counted(self.kept.size, 'stage')}, {in_percent(self.work)} of the work"
        if self.why or not self.change:
            reason = f": {self.why}" if self.why else ""
            return f"What is gained with copies in the other stages alone ({which}) is not known{reason}."
        return (
            f"With copies in all stages the {objective} job time changes by {whole[objective].percent}; "
            f"with copies only in stages that nothing speaks against ({which}) by "
            f"{self.change[objective].percent}, and slot-time by {self.change['slot_time'].percent}."
        )


def apart_of(question: Question, safety: Safety, policy: SlotPolicy) -> Apart | None:
    """Return the stages without copies under a policy; None where nothing speaks against any stage."""
    model, rows = question.model, [row for one in safety.against for row in one.rows]
    kept = np.isin(model.stages, rows)
    if any(not one.stages for one in safety.against):  # the whole application
        kept[:] = True
    if not kept.any():
        return None
    of_stage = np.add.reduceat(model.work, np.cumsum(model.tasks) - model.tasks)
    return Apart(kept, float(of_stage[~kept].sum() / of_stage.sum()), _why(question, kept, policy))


def _why(question: Question, kept: np.ndarray, policy: SlotPolicy) -> str:
    """Return why a policy is not played with some stages without copies; empty if it is."""
    if kept.all():
        return "there are none"
    if policy.speculation.key != "spark":
        return "single stages can be left out of the rule of Spark only"
    if policy.sharing.key != "fifo":
        return "with FAIR, stages that are played task by task would get more than their share of the slots"
    if policy.speculation.as_dict["threshold"]:
        return (
            "with spark.speculation.task.duration.threshold, tasks are copied without others of their stage"
        )
    changed = replace(question, model=without_copies(question.model, kept))
    if sum(map(len, changed.recorded.parents)) > MOST_WAITS:
        return "it has too many stages that wait for each other"
    return ""


def one_by_one(
    tasks: np.ndarray, parents: Sequence[Sequence[int]], kept: np.ndarray
) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Make stages of one task each of some stages.

    Parameters
    ----------
    tasks : ndarray of int
        Of each stage.
    parents : sequence of sequence of int
        Stages that each stage waits for.
    kept : ndarray of bool
        Which are taken apart.

    Returns
    -------
    ndarray of int
        For each new stage the one it was, or is a task of.
    tuple of tuple of int
        New stages that each new stage waits for.

    Examples
    --------
    >>> one_by_one(np.array([2, 3, 1]), [[], [0], [0, 1]], np.array([True, False, False]))
    (array([0, 0, 1, 2]), ((), (), (0, 1), (0, 1, 2)))
    """
    count = np.where(kept, tasks, 1)
    first = np.cumsum(count) - count
    of = np.repeat(np.arange(tasks.size), count)
    new = [range(begin, begin + many) for begin, many in zip(first.tolist(), count.tolist(), strict=True)]
    waits = [tuple(chain.from_iterable(new[parent] for parent in listed)) for listed in parents]
    return of, tuple(waits[stage] for stage in of.tolist())


def without_copies(model: Model, kept: np.ndarray) -> Model:
    """Return a model in which some stages, each in its place, are stages of one task."""
    of, parents = one_by_one(model.tasks, model.parents, kept)
    return replace(
        model,
        stage_job=model.stage_job[of],
        parents=parents,
        gap=model.gap[of],
        recorded=model.recorded[of],
        tasks=np.where(kept[of], 1, model.tasks[of]),
        stages=model.stages[of],
    )


def play_apart(
    question: Question, policy: SlotPolicy, kept: np.ndarray, numbers: range, player: Player = HERE
) -> list[Tally]:
    """Play a policy in some replications with some stages without copies."""
    asked = replace(question, model=without_copies(question.model, kept))
    return in_parts(player, tallies, asked, policy, numbers)
