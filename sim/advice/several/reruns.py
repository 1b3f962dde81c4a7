"""What a rerun would show: the jobs of a run played again as they were, for how far runs differ by luck.

Jobs that wait for each other's slots have times that depend on each other, and no block of them stands for
itself. What-if knows how: its model of a run plays the run again and again under its own setting, with luck
drawn anew and another model that the log allows each time. How far these plays differ is how far two runs
differ by luck. Nothing is played where the model does not reproduce the run. A run without a giant does not
know how heavy the tail of its luck is: so these intervals are shown, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.advice.diagnosis.costs import ratios
from sim.advice.diagnosis.shares import Share, shares
from sim.advice.several.layout import PARTS, Measured, measure
from sim.advice.several.matching import PairedTasks, paired_tasks
from sim.advice.whatif.check import FIT, POOR, Check, check_model, fitted
from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.runs import Replay, in_parts, plays, quantile
from sim.advice.whatif.systems import today
from sim.engines.slots.scenario import SlotPolicy, read_policy
from sim.logs.history import History
from sim.model.fields import BadInput
from sim.running.parallel import HERE, Player
from sim.telling.words import counted, in_percent, listed

# Repeated runs of a job: what their pairs measure, beside what one run lets infer.


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


#: Figure -> its quantile, 0 for a mean.
FIGURES = {"mean": 0.0, "p50": 0.5, "p95": 0.95, "p99": 0.99, "slot-time": 0.0}
#: Plays of a run: most, fewest, and tasks of all of them together, about.
MOST, FEWEST, TASKS = 200, 20, 6_000_000


@dataclass(frozen=True, eq=False)
class Replayed:
    """A run that can be played again.

    Parameters
    ----------
    question : Question
        About its jobs.
    place : ndarray of int
        Of the jobs that are looked at, among those of the model.
    checked : Check
        Of the model.
    count : int
        Plays.
    """

    question: Replay
    place: np.ndarray
    checked: Check
    count: int

    def plays(self, text: str, player: Player = HERE) -> dict[str, np.ndarray]:
        """Return each figure in each play under a policy; slot-time only where all jobs are looked at.

        Parameters
        ----------
        text : str
        player : Player, optional
        """
        policy = read_policy(text)
        found = in_parts(player, _figures, self.question, policy, range(self.count), self.place)
        return {name: np.array([one[name] for one in found]) for name in found[0]}


def _figures(
    question: Replay, policy: SlotPolicy, numbers: Sequence[int], place: np.ndarray, **options: Any
) -> list[dict[str, float]]:
    """Return the figures of some jobs in some plays."""
    found = []
    for one in plays(question, policy, numbers, **options):
        times = one.job_times[place]
        figures = {name: figure_of(times, share) for name, share in FIGURES.items() if name != "slot-time"}
        if len(place) == len(question.model.jobs):
            figures["slot-time"] = one.slot_time / len(place)
        found.append(figures)
    return found


def figure_of(values: np.ndarray, share: float) -> float:
    """Return a quantile, or the mean where the share is 0."""
    return quantile(values, share) if share else float(values.mean())


def count_of(tasks: int, most: int = MOST) -> int:
    """Return how often a run of so many tasks is played again.

    Examples
    --------
    >>> count_of(500), count_of(60_000), count_of(10_000_000)
    (200, 100, 20)
    """
    return max(min(most, TASKS // max(tasks, 1)), FEWEST)


def replayed(
    history: History,
    rows: Sequence[int] | np.ndarray,
    seed: int = 1,
    count: int = MOST,
    player: Player = HERE,
) -> Replayed | str:
    """Return a run that can be played again, or why it cannot.

    Parameters
    ----------
    history : History
    rows : sequence of int
        Rows of the jobs that are looked at.
    seed : int, optional
    count : int, optional
        Plays; fewer of a large run.
    player : Player, optional
    """
    try:
        question = Replay(player(fitted, history, tasks=FIT * history.copies.num_rows), seed=seed)
        place = question.model.jobs.index.get_indexer(np.asarray(rows))
        if not place.size or (place < 0).any():
            return "some of the jobs cannot be played again"
        count = count_of(int(question.model.tasks.sum()), count)
        checked, _ = check_model(question, read_policy(today(history)), count, player)
    except BadInput as error:
        return str(error)
    if checked.verdict == POOR:
        return "the model does not reproduce the run"
    return Replayed(question, place, checked, count)


@dataclass(frozen=True, eq=False)
class Reruns:
    """How far two runs differ by luck: logarithms of figures in plays, around the mean of their model.

    Parameters
    ----------
    early, late : mapping of str to ndarray
        Figure -> a value a play.
    """

    early: Mapping[str, np.ndarray]
    late: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, early: Mapping[str, np.ndarray], late: Mapping[str, np.ndarray]) -> Reruns:
        """Return the same from figures in seconds."""
        return cls(_around(early), _around(late))

    def apart(self, figure: str) -> np.ndarray | None:
        """Return by how much the logarithm of a figure is larger in the later run by luck, over all pairs."""
        if figure not in self.early or figure not in self.late:
            return None
        return np.asarray((self.late[figure][:, None] - self.early[figure][None, :]).ravel())


def _around(figures: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return logarithms around the mean of the plays of the same model: how fast a run is, its log tells."""
    found = {}
    for name, values in figures.items():
        logs = np.log(np.maximum(values, 1e-300))
        model = np.arange(logs.size) % (MODELS if logs.size >= 2 * MODELS else 1)
        size = np.bincount(model)
        apart = logs - (np.bincount(model, logs) / size)[model]
        found[name] = apart * np.sqrt(size / (size - 1))[model]
    return found
