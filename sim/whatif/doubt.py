"""What a history leaves open: other laws of luck and other scales that fit it nearly as well.

A model learned from few copies is one of many. Each draw takes stages of the history again with replacement
(copies, where stages are few) for the law of luck, and moves the scale of each stage by the error of its
estimate. A replication has a draw of its own. It is also played under the model itself, with the same luck,
so that what the model does can be told from what luck does: the interval of a change then says how far the
true cluster may lie from the promise, and not only how well the mean over replications is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sim.whatif.law import Law, law_of

#: Stages below which copies are drawn instead.
_FEW_STAGES = 10


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the law of luck was learned from.

    Parameters
    ----------
    values : ndarray of float
        Luck of each copy, or a lower bound.
    complete : ndarray of bool
        Which it is.
    stage : ndarray of int
        Stage of each copy.
    error : dict of int to float
        Standard error of the logarithm of the scale of each stage.
    """

    values: np.ndarray = field(repr=False)
    complete: np.ndarray = field(repr=False)
    stage: np.ndarray = field(repr=False)
    error: dict[int, float] = field(repr=False)

    def law(self, draw: int) -> Law:
        """Return another law that the history allows."""
        random = np.random.default_rng([draw, 23])
        units = self.stage if np.unique(self.stage).size >= _FEW_STAGES else np.arange(self.stage.size)
        names, of = np.unique(units, return_inverse=True)
        times = np.bincount(random.integers(names.size, size=names.size), minlength=names.size)
        rows = np.repeat(np.arange(of.size), times[of])
        if not self.complete[rows].any():
            rows = np.arange(of.size)
        law = law_of(self.values[rows], self.complete[rows])
        middle = float(law.draw(np.array(0.5)))
        return Law(tuple(value / middle for value in law.samples))

    def factors(self, draw: int, stages: np.ndarray) -> np.ndarray:
        """Return by what the scales of these stages are multiplied; 1 on average."""
        error = np.array([self.error.get(int(stage), 0.0) for stage in stages])
        normal = np.random.default_rng([draw, 29]).standard_normal(error.size)
        return np.asarray(np.exp(error * normal - error**2 / 2))


def spread_of_mean(values: np.ndarray, plain: np.ndarray) -> float:
    """Return the standard error of a mean over replications, what the model leaves open included.

    Parameters
    ----------
    values : ndarray
        A figure in each replication, each with a draw of its own of the model.
    plain : ndarray
        The same figure with the same luck under the model itself: what differs is the model.

    Examples
    --------
    >>> round(spread_of_mean(np.array([1.0, 3.0, 2.0, 2.0]), np.array([2.0, 2.0, 2.0, 2.0])), 3)
    0.913
    """
    model = float((values - plain).var(ddof=1))
    return math.sqrt(model + float(values.var(ddof=1)) / values.size)
