"""The network inside the engine: from what is observed of a job and the cluster to an action.

A network is packed behind other numbers of a rule as [actions, first, second, rates, W1, b1, W2, b2, W3, b3,
room for both hidden layers and the values]; `sim.gang.learning.network` packs it, and is its slow twin.
"""

from __future__ import annotations

import math

from sim.compile import inlined, kernel

#: Demands are observed on a logarithmic scale up to this multiple of the unit, beyond which all look alike.
LARGEST = 300.0
#: What the observation divides the logarithm of a demand by.
STRETCH = 3.0
#: Loads are observed up to this one.
HIGHEST = 1.5


@inlined
def demand_seen(demand):
    """Return what is observed of a demand in units of the smallest size."""
    return math.log(min(max(demand, 1.0), LARGEST)) / STRETCH


@inlined
def load_seen(cluster, tasks):
    """Return what is observed of the load as a job of so many tasks is decided on.

    The tasks that run and those of the other jobs that wait, over the slots; so it may be above 1.
    """
    c = cluster[0]
    return min((c.busy + c.waiting - tasks) / c.slots, HIGHEST)


@inlined
def layer(numbers, at, inputs, outputs, source, target, rectified):
    """Compute one layer from `source` to `target`; return where the next one is packed."""
    bias = at + inputs * outputs
    for o in range(outputs):
        numbers[target + o] = numbers[bias + o]
    for i in range(inputs):
        value = numbers[source + i]
        if value != 0.0:  # half of what is rectified
            row = at + i * outputs
            for o in range(outputs):
                numbers[target + o] += value * numbers[row + o]
    if rectified:
        for o in range(outputs):
            numbers[target + o] = max(numbers[target + o], 0.0)
    return bias + outputs


@kernel
def best_rate(numbers, at, demand, load):
    """Return the number of the action of the largest value, the first of equals, and its expansion rate.

    `demand` is in units of the smallest size, `load` as `load_seen` returns it.
    """
    actions = int(numbers[at])
    first = int(numbers[at + 1])
    second = int(numbers[at + 2])
    rates = at + 3
    weights = rates + actions
    inputs = weights + 3 * first + (first + 1) * second + (second + 1) * actions
    hidden = inputs + 2
    deeper = hidden + first
    values = deeper + second
    numbers[inputs] = demand_seen(demand)
    numbers[inputs + 1] = load
    weights = layer(numbers, weights, 2, first, inputs, hidden, True)
    weights = layer(numbers, weights, first, second, hidden, deeper, True)
    layer(numbers, weights, second, actions, deeper, values, False)
    best = 0
    for action in range(1, actions):
        if numbers[values + action] > numbers[values + best]:
            best = action
    return best, numbers[rates + best]
