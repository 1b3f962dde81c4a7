"""Repeated runs of a job: what their pairs measure, beside what one run lets infer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.advice.diagnosis.durations import ratios
from sim.advice.diagnosis.shares import Share, shares
from sim.advice.several.layout import PARTS, Measured, measure
from sim.advice.several.matching import PairedTasks, paired_tasks
from sim.logs.history import History
from sim.telling.words import counted, in_percent, listed

#: What a part is, in a sentence.
MEANING = {
    "luck": "luck, which a second copy does not repeat",
    "machine": "machine: some hosts are slower",
    "work": "work: some tasks take longer in every run",
}


@dataclass(frozen=True, eq=False)
class Repeated:
    """What repeated runs say.

    Parameters
    ----------
    tasks : PairedTasks
    measured : Measured
    inferred : mapping of str to Share
        The same parts as the diagnosis of the first run infers them, where it can.
    reasons : mapping of str to str
        Why it cannot infer the others.
    """

    tasks: PairedTasks
    measured: Measured
    inferred: dict[str, Share]
    reasons: dict[str, str]

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        told = self.measured.shares
        if not told:
            reason = next(iter(self.measured.reasons.values()))
            return f"These runs cannot tell luck from work: {reason}."
        parts = [f"{in_percent(told[name].value)} {name}" for name in PARTS if name in told]
        said = f"Over {self.tasks.runs} runs, tasks of a stage are unequal by {listed(parts)}"
        slow = len(self.measured.slow)
        if slow:
            return f"{said}; {counted(slow, 'task is', 'tasks are')} slow in every run."
        return f"{said}; no task is slow in every run beyond doubt."

    def agrees(self, part: str) -> bool | None:
        """Whether the two intervals of a part overlap; None where either is missing."""
        one, other = self.measured.shares.get(part), self.inferred.get(part)
        return None if one is None or other is None else one.low <= other.high and other.low <= one.high


def repeated(histories: Sequence[History], seed: int = 1) -> Repeated:
    """Measure luck, machine and work from two or more histories of the same job.

    In the inference from the first run, too, every task counts the same.

    Parameters
    ----------
    histories : sequence of History
    seed : int, optional
        Of the draws of the inference.

    Raises
    ------
    BadInput
        If they have no tasks in common.
    """
    tasks = paired_tasks(histories)
    first = histories[0]
    rows = ratios(first).assign(weight=1.0)
    found = shares(rows[rows["stage"].isin(tasks.rows)], first.frame("stages"), seed)
    inferred = {name: share for name in PARTS if (share := getattr(found, name)) is not None}
    return Repeated(tasks, measure(tasks), inferred, {k: v for k, v in found.reasons.items() if k in PARTS})
