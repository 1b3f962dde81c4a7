"""How a job of k tasks is expanded by a rate r, for the rules that do so."""

from __future__ import annotations

import math

from sim.kernel.compile import inlined
from sim.model.policy import parameter

#: The rate at which a job is expanded.
RATE = parameter("r", 2, "expansion rate: a job of k tasks starts r k of them, rounded up", low=1, high=100)


@inlined
def expanded(rate, tasks):
    """Return r k, rounded up: `theory.coding.expanded_tasks`, which also forgives the last rounding error."""
    product = rate * tasks
    nearest = math.floor(product + 0.5)
    return int(nearest) if abs(product - nearest) <= 1e-9 * nearest else math.ceil(product)
