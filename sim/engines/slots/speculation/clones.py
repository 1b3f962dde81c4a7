r"""Clones that make way for others: the common part of Dolly's two ways of cloning.

Running clones stand in a queue, the oldest first. The clone launched last goes first when more than
:math:`\tau S` slots are busy, or when the next original belongs to a job that holds fewer slots than its
fair share S/N and no slot is free.
"""

from __future__ import annotations

from sim.kernel.compile import inlined
from sim.kernel.queue import append, last_of
from sim.model.policy import parameter
from sim.model.speculative import SpeculativeScenario

#: Queue of the running clones, oldest first.
CLONES = 2
#: The store begins with the number of clones launched so far.
LAUNCHED = 0
#: A product that misses the target by a rounding error has met it.
SLACK = 1 + 1e-9

EPSILON = parameter(
    "epsilon",
    0.05,
    "accepted probability that a job has an outlier",
    low=0.001,
    high=0.999,
    label="Accepted risk of an outlier",
    symbol="risk",
)
TAU = parameter(
    "tau",
    0.7,
    "share of the slots up to which clones may fill the cluster",
    low=0,
    high=1,
    label="Ceiling τ for clones",
    symbol="τ",
)
SMALL = parameter(
    "small",
    0,
    "clone only jobs of at most so many tasks; 0: all",
    whole=True,
    low=0,
    high=1000,
    label="Largest small job (0: clone all)",
    symbol="largest small job",
)


@inlined
def queue_clone(world, s):
    """Put the clone that has just been launched in slot `s` at the end of the queue."""
    world.store[LAUNCHED] += 1.0
    world.slots[s].first = world.store[LAUNCHED]
    world.slots[s].second = 0.0
    append(world.slots, world.slot_heaps, CLONES, s)


@inlined
def newest_clone(world):
    """Return the slot of the running clone launched last, or -1."""
    return last_of(world.slots, world.slot_heaps, CLONES)


@inlined
def must_give_way(world, tau, j):
    """Tell whether too many slots are busy, or job `j` (-1: none) is owed the slot of a clone."""
    c = world.cluster[0]
    return c.busy > tau * c.slots or (j >= 0 and world.jobs[j].held * c.active < c.slots)


def outlier_probability(scenario: SpeculativeScenario) -> float:
    """Probability that a copy takes more than twice the median of its job.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> round(outlier_probability(SlotScenario(straggle_tail=2)), 6)  # 2^-2 / 2
    0.125
    """
    law = scenario.straggle_law
    return float(law.survival(2 * law.quantile(0.5)))
