"""The question of the Detection page: when to copy a straggler, and how many clones to make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sim.model.cached import cached_property
from theory.cloned_job import cloned_job_duration
from theory.cutoff import cloned_delay, cloning_load_limit, cutoff_load, single_copy_delay
from theory.detection import (
    DetectionOptimum,
    critical_tail_index,
    detection_optimum,
    detection_probability,
    detection_resource,
    sigma_star,
)
from theory.ese import ese_resource, mantri_sigma
from theory.gradient_projection import Trajectory, gradient_projection, largest_stable_step
from theory.optimal_cloning import CloningPlan, optimal_cloning

# Thresholds of the Detection page: which load is light, when to copy a straggler, how many copies.
#
# :math:`\alpha` is the tail index of task times. Jobs differ in mean task time as in the simulations of Xu
# and Lau, uniform on [1, 4]. Times are in mean task times.

#: Second moment of the jobs' mean task times over their squared mean, 7 / 2.5^2 for uniform on [1, 4].
VARIABILITY = 1.12
#: The largest number of copies that is considered.
MOST_COPIES = 5


@dataclass(frozen=True)
class Request:
    r"""A cluster, and how its stragglers are detected.

    Parameters
    ----------
    alpha : float
        Tail index of task times, > 1.
    load : float
        Offered load :math:`\omega` without any copy.
    sigma : float
        A straggler has more than this left, in mean task times.
    copies : int
        Copies of a straggler, the original included.
    share : float
        Share of the work after which a task is looked at.
    delta : float
        Probability that Mantri's rule asks for.
    """

    alpha: float
    load: float
    sigma: float
    copies: int
    share: float
    delta: float

    @cached_property
    def cutoff(self) -> float:
        """Load up to which two copies mean less delay than one, were every slot a queue of its own."""
        return float(cutoff_load(self.alpha, VARIABILITY))

    @cached_property
    def limit(self) -> float:
        """Load from which a cluster that runs every task twice is overloaded."""
        return float(cloning_load_limit(self.alpha))

    @property
    def light(self) -> bool:
        """Whether the load is below the cutoff."""
        return self.load < self.cutoff

    @cached_property
    def delays(self) -> tuple[float, float]:
        """Mean time of a task in the system with one copy and with two, as the cutoff; perhaps infinite."""
        return (
            float(single_copy_delay(self.load, self.alpha, VARIABILITY)),
            float(cloned_delay(self.load, self.alpha, VARIABILITY)),
        )

    @cached_property
    def best(self) -> DetectionOptimum:
        """The copies and the threshold that use least."""
        return detection_optimum(self.alpha, MOST_COPIES)

    @cached_property
    def critical(self) -> float:
        """Tail index below which three copies of a straggler are better than two."""
        return critical_tail_index()

    @cached_property
    def mantri(self) -> float:
        """Threshold that Mantri's rule amounts to."""
        return float(mantri_sigma(self.alpha, self.delta))

    @cached_property
    def detected(self) -> float:
        """Share of the tasks that are found to be stragglers."""
        return float(detection_probability(self.sigma, self.alpha, self.share))

    def best_sigma(self, copies: int) -> float:
        """Threshold that uses least with this many copies."""
        return float(sigma_star(self.alpha, copies))

    def resource(self, sigma: np.ndarray | float, copies: int) -> np.ndarray:
        """Slot-time of a task that gets copies if it straggles; 1 without copies.

        Examples
        --------
        >>> asked = Request(2.0, 0.25, 1.7, 2, 0.0, 0.25)
        >>> round(float(asked.resource(1.0, 2)), 4)  # 1 + (5/3 - 2) / 4
        0.9167
        """
        return np.asarray(detection_resource(copies, sigma, self.alpha, self.share))

    def random_look(self, sigma: np.ndarray | float) -> np.ndarray:
        """Slot-time of a task that is looked at in a random moment of its run (ESE)."""
        return np.asarray(ese_resource(sigma, self.alpha))

    @cached_property
    def used(self) -> float:
        """Slot-time of a task as chosen."""
        return float(self.resource(self.sigma, self.copies))

    @cached_property
    def least(self) -> float:
        """Slot-time of a task at the best copies and threshold, looked at as chosen."""
        return float(self.resource(self.best.sigma, self.best.copies))


# Problem P2 of Xu and Lau for four waiting jobs: its solution, and the iteration meant to find it.

NAMES = ("A", "B", "C", "D")
#: Shortest task times of the four jobs of the paper's Fig. 1.
SCALES = (1.0, 2.0, 1.0, 2.0)
#: The largest number of copies of a task (the paper's r), and rounds of the iteration.
LIMIT, ROUNDS = 8, 120
#: Steps of the two other multipliers, as in Fig. 1.
OTHER_STEPS = (0.3, 0.4)
#: Copies that differ by less are the same for the eye.
SETTLED = 0.01


@dataclass(frozen=True, slots=True)
class Waiting:
    """Jobs that wait for machines.

    Parameters
    ----------
    tasks : tuple of int
        Of each job.
    machines : int
        Machines that are free.
    alpha : float
        Tail index of task times.
    gamma : float
        Weight of slot-time against duration.
    """

    tasks: tuple[int, ...]
    machines: int
    alpha: float
    gamma: float

    @property
    def fits(self) -> bool:
        """Whether there is a machine for every task, without which there is no problem P2."""
        return sum(self.tasks) <= self.machines


@dataclass(frozen=True, slots=True)
class Solution:
    """What problem P2 asks for, and where the iteration leads.

    Attributes
    ----------
    real, whole : CloningPlan
        Best copies, as real and as whole numbers.
    printed, mended : Trajectory
        The iteration with a constant step, and with steps that shrink.
    stable : float
        Step from which a constant one cannot settle.
    once, cloned : ndarray
        Mean duration of each job without clones, and with the whole numbers of copies.
    """

    jobs: Waiting
    step: float
    real: CloningPlan
    whole: CloningPlan
    printed: Trajectory
    mended: Trajectory
    stable: float
    once: np.ndarray
    cloned: np.ndarray

    def wanted(self, path: Trajectory) -> np.ndarray:
        """Return the machines asked for in each round."""
        return np.asarray(path.copies @ np.array(self.jobs.tasks))

    def settles(self, path: Trajectory) -> bool:
        """Tell whether the last rounds are at the solution.

        Examples
        --------
        >>> found = solution(Waiting((10, 20, 5, 10), 100, 2.0, 0.01), 0.2)
        >>> found.settles(found.printed), found.settles(found.mended)
        (False, True)
        """
        return bool(np.abs(path.copies[-10:] - self.real.copies).max() < SETTLED)


@lru_cache(maxsize=200)
def solution(jobs: Waiting, step: float) -> Solution:
    """Solve P2 exactly, and run the iteration with this step; cached for all sessions.

    Parameters
    ----------
    jobs : Waiting
        Which fit.
    step : float
        Of the price of a machine.
    """
    problem = (jobs.tasks, SCALES, jobs.alpha, jobs.machines, LIMIT, jobs.gamma)
    whole = optimal_cloning(*problem, integer=True)
    tasks, scale = np.array(jobs.tasks), np.array(SCALES)
    steps = (step, *OTHER_STEPS)
    return Solution(
        jobs=jobs,
        step=step,
        real=optimal_cloning(*problem),
        whole=whole,
        printed=gradient_projection(*problem, steps=steps, iterations=ROUNDS),
        mended=gradient_projection(*problem, steps=steps, decay=1.0, iterations=ROUNDS),
        stable=largest_stable_step(*problem),
        once=np.asarray(cloned_job_duration(tasks, 1, scale, jobs.alpha)),
        cloned=np.asarray(cloned_job_duration(tasks, whole.copies, scale, jobs.alpha)),
    )
