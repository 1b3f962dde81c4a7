"""The network inside the engine: from the observed state of a job and the cluster to an action.

A network is packed behind other numbers of a rule as [actions, first, second, rates, both halves, room for
what they see and for their hidden layers and values], a half as [W1, b1, W2, b2, W3, b3];
`sim.engines.gang.learning.network` packs it, and is its slow twin. The offered load, which the second half
sees too, does not change in a run: it is packed into b1.
"""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel

#: Demands are observed on a logarithmic scale up to this multiple of the unit, beyond which all look alike.
LARGEST = 300.0
#: Divisor of the logarithm of a demand in the observation.
STRETCH = 3.0
#: Demand for which the second half says by how much others are delayed; in proportion for other jobs.
MIDDLE = 10.0
#: Loads are observed up to this one, beyond which all look alike.
HIGHEST = 3.0


@inlined
def demand_seen(demand):
    """Return what is observed of a demand in units of the smallest size."""
    return math.log(min(max(demand, 1.0), LARGEST)) / STRETCH


@inlined
def weight_of(demand):
    """Return what the second half is multiplied by: a job costs others about as much as it demands."""
    return min(max(demand, 1.0), LARGEST) / MIDDLE


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


@inlined
def half(numbers, at, first, second, actions, inputs, source, target):
    """Compute half a network, the room for its hidden layers before `target`; return where it ends."""
    deeper = target - second
    hidden = deeper - first
    at = layer(numbers, at, inputs, first, source, hidden, True)
    at = layer(numbers, at, first, second, hidden, deeper, True)
    return layer(numbers, at, second, actions, deeper, target, False)


@kernel
def best_rate(numbers, at, demand, load):
    """Return the number of the action of the largest value, the first of equals, and its expansion rate.

    `demand` is in units of the smallest size, `load` as `load_seen` returns it.
    """
    actions = int(numbers[at])
    first = int(numbers[at + 1])
    second = int(numbers[at + 2])
    rates = at + 3
    begin = rates + actions
    inputs = begin + 3 * first + 2 * (first + first * second + second + second * actions + actions)
    own = inputs + 2 + first + second
    others = own + actions + first + second
    numbers[inputs] = demand_seen(demand)
    numbers[inputs + 1] = load
    begin = half(numbers, begin, first, second, actions, 1, inputs, own)
    half(numbers, begin, first, second, actions, 2, inputs, others)
    weight = weight_of(demand)
    best = 0
    for action in range(actions):
        numbers[others + action] = numbers[own + action] + weight * numbers[others + action]
        if numbers[others + action] > numbers[others + best]:
            best = action
    return best, numbers[rates + best]
