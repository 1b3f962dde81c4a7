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

from sim.advice.whatif.check import POOR, Check
from sim.advice.whatif.checking import FIT, check_model, fitted
from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.played import quantile
from sim.advice.whatif.runs import Question, in_parts, plays
from sim.advice.whatif.systems import today
from sim.engines.slots.policy import SlotPolicy, read_policy
from sim.logs.history import History
from sim.model.fields import BadInput
from sim.running.player import HERE, Player

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

    question: Question
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
    question: Question, policy: SlotPolicy, numbers: Sequence[int], place: np.ndarray, **options: Any
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
        question = Question(player(fitted, history, tasks=FIT * history.copies.num_rows), seed=seed)
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
