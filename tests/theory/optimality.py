"""Two ways to tell whether an allocation is the best, neither of which knows Hopper's algorithms."""

from __future__ import annotations

import numpy as np

from sim.papers.hopper import best_total_rate as best_total_rate
from theory.service_rate import marginal_rate


def assert_no_slot_is_worth_more_elsewhere(T, allocation, beta, weight=None, floor=0.0, physical=True):
    """Assert that no job would gain more from a slot than some other one loses (all rates are concave).

    A job loses its left-hand derivative, unless it is at its guarantee and has nothing to give; and
    gains its right-hand one.
    """
    T, given = np.asarray(T, dtype=float), np.asarray(allocation, dtype=float)
    weight = np.ones(T.size) if weight is None else np.asarray(weight, dtype=float)
    gain = weight * marginal_rate(given * (1 + 1e-9), T, beta, physical)
    loss = weight * marginal_rate(given * (1 - 1e-9), T, beta, physical)
    may_give = given > floor + 1e-9 * max(given.max(), 1.0)
    if may_give.any():
        cheapest = loss[may_give].min()
        assert gain.max() <= cheapest * (1 + 1e-6), f"{gain} to gain, {loss} to lose, held {given}"
