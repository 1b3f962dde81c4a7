"""Problem P2 of Xu and Lau for four waiting jobs: its solution, and the iteration meant to find it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from theory.cloned_job import cloned_job_duration
from theory.gradient_projection import Trajectory, gradient_projection, largest_stable_step
from theory.optimal_cloning import CloningPlan, optimal_cloning

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
