"""A value network as data: stored, computed with NumPy, and packed for the engine."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.kernel.compile import inlined, kernel

# The network inside the engine: from the observed state of a job and the cluster to an action.
#
# A network is packed behind other numbers of a rule as [actions, first, second, rates, both halves, room
# for what they see and for their hidden layers and values], a half as [W1, b1, W2, b2, W3, b3];
# `sim.engines.gang.learning.network` packs it, and is its slow twin. The offered load, which the second
# half sees too, does not change in a run: it is packed into b1.

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


#: The network that is shipped, and how it was learned, round by round.
SHIPPED = Path(__file__).with_name("network.json")
CURVE = Path(__file__).with_name("curve.json")
#: Weights, shape (inputs, outputs), and biases.
Layer = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Network:
    r"""Values of actions, in two halves of two rectified layers and a linear one each.

    .. math:: Q(x) = h(x_1) + \frac{k b}{10} g(x), \quad
              h(x) = W_3 \max(0, W_2 \max(0, W_1 x + b_1) + b_2) + b_3

    and g alike: what a job gains depends on its demand; what others lose grows with it and depends on the
    loads.

    Parameters
    ----------
    rates : tuple of float
        Expansion rates, one an action; the first is 1, no redundancy.
    own, others : tuple of (ndarray, ndarray)
        Three pairs of weights and biases. The inputs are one and three: see `observed`.
    notes : dict, optional
        How it was trained.
    """

    rates: tuple[float, ...]
    own: tuple[Layer, ...]
    others: tuple[Layer, ...]
    notes: dict[str, Any]

    def values(self, observation: np.ndarray) -> np.ndarray:
        """Return the value of each action, shape (..., actions), at observations of shape (..., 3).

        Values are minus slowdowns: those that an action adds or saves, of the job and of those behind it.
        """
        seen = np.asarray(observation, dtype=float)
        return _half(self.own, seen[..., :1]) + weights(seen) * _half(self.others, seen)

    def best(self, demand: ArrayLike, load: ArrayLike, offered: ArrayLike) -> np.ndarray:
        """Return the expansion rate it chooses; the arguments are those of `observed`."""
        return np.array(self.rates)[self.values(observed(demand, load, offered)).argmax(axis=-1)]

    def packed(self, offered: float) -> np.ndarray:
        """Return it, for runs of an offered load, as the numbers that `forward` reads."""
        (one, bias), (two, _), _ = self.others
        known = float(observed(1, 0, offered)[2])
        layers = (*self.own, (one[:2], bias + known * one[2]), *self.others[1:])
        head = [len(self.rates), *two.shape, *self.rates]
        scratch = np.zeros(2 + 2 * (sum(two.shape) + len(self.rates)))
        return np.concatenate([head, *(part.ravel() for layer in layers for part in layer), scratch])

    def as_json(self) -> str:
        """Return it as text, weights to six digits."""
        halves = {
            name: [
                {
                    "weights": [[float(f"{w:.6g}") for w in row] for row in weights.tolist()],
                    "bias": [float(f"{b:.6g}") for b in bias.tolist()],
                }
                for weights, bias in half
            ]
            for name, half in (("own", self.own), ("others", self.others))
        }
        return json.dumps({"notes": self.notes, "rates": self.rates, **halves}, allow_nan=False)


def _half(layers: tuple[Layer, ...], seen: np.ndarray) -> np.ndarray:
    for weights, bias in layers[:-1]:
        seen = np.maximum(seen @ weights + bias, 0.0)
    weights, bias = layers[-1]
    return np.asarray(seen @ weights + bias)


def weights(observation: np.ndarray) -> np.ndarray:
    """Return what the second half is multiplied by, shape (..., 1).

    Examples
    --------
    >>> weights(observed([1, 20, 900], 0.5, 0.5)).round(2).tolist()
    [[0.1], [2.0], [30.0]]
    """
    return np.exp(STRETCH * observation[..., :1]) / MIDDLE


def observed(demand: ArrayLike, load: ArrayLike, offered: ArrayLike) -> np.ndarray:
    """Return what the network sees, shape (..., 3): the stretched logarithm of a demand, and two loads.

    Parameters
    ----------
    demand : array_like of float
        Tasks x size, in units of the smallest size.
    load : array_like of float
        Tasks that run, and of other jobs that wait, over slots.
    offered : array_like of float
        Offered load: slots that would be busy on average without redundancy, over slots.

    Examples
    --------
    >>> observed([1, 300, 900], [0.5, 1, 3], 0.9).round(2).tolist()
    [[0.0, 0.5, 0.9], [1.9, 1.0, 0.9], [1.9, 3.0, 0.9]]
    """
    seen = np.log(np.clip(np.asarray(demand, dtype=float), 1.0, LARGEST)) / STRETCH
    loads = (np.minimum(np.asarray(part, dtype=float), HIGHEST) for part in (load, offered))
    return np.stack(np.broadcast_arrays(seen, *loads), axis=-1)


def read_network(path: Path = SHIPPED) -> Network:
    """Read a network that was kept.

    Examples
    --------
    >>> read_network().rates[0]
    1.0
    """
    kept = json.loads(path.read_text(encoding="utf-8"))
    own, others = (
        tuple((np.array(layer["weights"]), np.array(layer["bias"])) for layer in kept[name])
        for name in ("own", "others")
    )
    return Network(tuple(kept["rates"]), own, others, kept["notes"])
