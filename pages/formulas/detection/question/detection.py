r"""Thresholds of the Detection page: which load is light, when to copy a straggler, how many copies.

:math:`\alpha` is the tail index of task times. Jobs differ in mean task time as in the simulations of Xu
and Lau, uniform on [1, 4]. Times are in mean task times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.model.cached import cached_property
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
