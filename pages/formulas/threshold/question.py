r"""The value of another slot to each of a few jobs: curves of the theory, read at one number of slots.

Copies may be fractional, as in the papers, or whole, as on a cluster; as printed, they may also be fewer
than one. :math:`\beta` is the tail index of task times.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

import numpy as np

from theory.service_rate import blow_up, marginal_rate, optimal_copies, rate_per_slot, service_rate, threshold
from theory.whole_copies import whole_marginal_rate, whole_service_rate, whole_threshold

NAMES = ("A", "B", "C")
POINTS = 300


@dataclass(frozen=True, slots=True)
class SlotValue:
    """The rules under which a slot has its value.

    Parameters
    ----------
    beta : float
        Tail index of task times, > 1.
    whole : bool
        Whether copies come in whole numbers.
    printed : bool
        Whether the formula is taken as printed where it asks for less than one copy (`beta` > 2).
    """

    beta: float
    whole: bool = False
    printed: bool = False

    @property
    def theta(self) -> float:
        """Slots per task from which on another slot is worth less.

        Examples
        --------
        >>> SlotValue(1.6).theta, SlotValue(4).theta, SlotValue(4, printed=True).theta
        (1.25, 1.0, 0.5)
        >>> SlotValue(1.6, whole=True).theta, SlotValue(1.5, whole=True).theta  # the latter by a tie
        (1.0, 2.0)
        """
        if not self.whole:
            return float(threshold(self.beta, not self.printed))
        first = float(whole_threshold(self.beta))
        return first + 1 if isclose(self.value(first, 1), self.plateau) else first

    @property
    def plateau(self) -> float:
        """What every slot below the threshold adds."""
        if self.whole:
            return float(blow_up(whole_threshold(self.beta), self.beta))
        return float(rate_per_slot(self.beta, not self.printed))

    def rate(self, slots: np.ndarray | float, tasks: float) -> np.ndarray:
        """Return the service rate of a job."""
        if self.whole:
            return np.asarray(whole_service_rate(slots, tasks, self.beta))
        return np.asarray(service_rate(slots, tasks, self.beta, not self.printed))

    def value(self, slots: np.ndarray | float, tasks: float) -> np.ndarray:
        """Return the rate that another slot adds."""
        if self.whole:
            return np.asarray(whole_marginal_rate(slots, tasks, self.beta))
        return np.asarray(marginal_rate(slots, tasks, self.beta, not self.printed))

    def copies(self, slots: float, tasks: float) -> float:
        """Return the copies of each task in service, the mean of a mixture if they must be whole.

        Examples
        --------
        >>> SlotValue(1.6).copies(10, 20), SlotValue(1.6, whole=True).copies(30, 20)
        (1.25, 1.5)
        """
        if self.whole:
            return max(float(whole_threshold(self.beta)), slots / tasks)
        return float(optimal_copies(slots, tasks, self.beta, not self.printed))


@dataclass(frozen=True, slots=True)
class Job:
    """One job's curves over `slots`, and what they are at the chosen number.

    Attributes
    ----------
    slots, rates, values : ndarray
        The curves; where the value jumps, both its ends are there.
    threshold : float
        Slots from which on another one is worth less.
    copies, in_service, rate, value : float
        At the chosen number of slots: copies of each task in service, tasks in service, service rate,
        and the value of one more slot.
    """

    name: str
    tasks: int
    slots: np.ndarray
    rates: np.ndarray
    values: np.ndarray
    threshold: float
    copies: float
    in_service: float
    rate: float
    value: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Some jobs, each with the same number of slots."""

    law: SlotValue
    jobs: tuple[Job, ...]
    chosen: float

    @property
    def below(self) -> tuple[Job, ...]:
        """Return the jobs to which another slot is still worth most."""
        return tuple(job for job in self.jobs if self.chosen < job.threshold)

    @property
    def neediest(self) -> tuple[Job, ...]:
        """Return the jobs in which another slot does most: several if they are level."""
        most = max(job.value for job in self.jobs)
        return tuple(job for job in self.jobs if isclose(job.value, most))

    @property
    def contented(self) -> Job:
        """Return a job in which another slot does least, the first among equals."""
        return min(self.jobs, key=lambda job: job.value)

    @property
    def level(self) -> bool:
        """Tell whether another slot does as much in any of the jobs."""
        return len(self.neediest) == len(self.jobs)


def scene(law: SlotValue, tasks: tuple[int, ...], chosen: float, limit: float) -> Scene:
    """Return jobs of these numbers of tasks, their curves from 0 to `limit` slots read at `chosen`.

    Examples
    --------
    >>> seen = scene(SlotValue(1.5), (9, 36), chosen=24, limit=100)
    >>> [(job.name, job.threshold, job.value) for job in seen.jobs]  # a quarter of 9/8 in job A
    [('A', 12.0, 0.28125), ('B', 48.0, 1.125)]
    """
    return Scene(law, tuple(map(lambda n, t: _job(law, n, t, chosen, limit), NAMES, tasks)), chosen)


def _job(law: SlotValue, name: str, tasks: int, chosen: float, limit: float) -> Job:
    slots = _grid(law, tasks, limit)
    copies = law.copies(chosen, tasks)
    return Job(
        name,
        tasks,
        slots,
        law.rate(slots, tasks),
        law.value(slots, tasks),
        law.theta * tasks,
        copies,
        min(float(tasks), chosen / copies),
        float(law.rate(chosen, tasks)),
        float(law.value(chosen, tasks)),
    )


def _grid(law: SlotValue, tasks: int, limit: float) -> np.ndarray:
    """Return slots to draw at: even ones, closer ones where a job bends, each corner from both sides."""
    corners = np.arange(1, limit / tasks + 1) if law.whole else np.array([law.theta])
    at = tasks * corners
    at = at[at <= limit]
    bend = np.geomspace(min(law.theta * tasks, limit), limit, POINTS // 3)
    return np.unique(np.concatenate([np.linspace(0, limit, POINTS), bend, at, at * (1 - 1e-9)]))
