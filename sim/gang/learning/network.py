"""A value network as data: how it is kept, computed with NumPy and packed for the engine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.gang.learning.forward import HIGHEST, LARGEST, STRETCH

#: The network that is shipped, and how it was learned, round by round.
SHIPPED = Path(__file__).with_name("network.json")
CURVE = Path(__file__).with_name("curve.json")


@dataclass(frozen=True, eq=False)
class Network:
    r"""Values of actions: two rectified layers and a linear one.

    .. math:: Q(x) = W_3 \max(0, W_2 \max(0, W_1 x + b_1) + b_2) + b_3

    Parameters
    ----------
    rates : tuple of float
        Expansion rates, one an action; the first is 1, no redundancy.
    layers : tuple of (ndarray, ndarray)
        Three pairs of weights, shape (inputs, outputs), and biases. The inputs are two: see `observed`.
    notes : dict, optional
        How it was trained.
    """

    rates: tuple[float, ...]
    layers: tuple[tuple[np.ndarray, np.ndarray], ...]
    notes: dict[str, Any]

    def values(self, observation: np.ndarray) -> np.ndarray:
        """Return the value of each action, shape (..., actions), at observations of shape (..., 2).

        Values are minus slowdowns: those that an action adds or saves, of the job and of those behind it.
        """
        hidden = np.asarray(observation, dtype=float)
        for weights, bias in self.layers[:-1]:
            hidden = np.maximum(hidden @ weights + bias, 0.0)
        weights, bias = self.layers[-1]
        return hidden @ weights + bias

    def best(self, demand: ArrayLike, load: ArrayLike) -> np.ndarray:
        """Return the expansion rate it chooses; the arguments are those of `observed`."""
        return np.array(self.rates)[self.values(observed(demand, load)).argmax(axis=-1)]

    def packed(self) -> np.ndarray:
        """Return it as the numbers that `sim.gang.learning.forward` reads."""
        (one, _), (two, _), _ = self.layers
        head = [len(self.rates), one.shape[1], two.shape[1], *self.rates]
        room = np.zeros(2 + one.shape[1] + two.shape[1] + len(self.rates))
        return np.concatenate([head, *(part.ravel() for layer in self.layers for part in layer), room])

    def as_json(self) -> str:
        """Return it as text, weights to six digits."""
        layers = [
            {"weights": [[float(f"{w:.6g}") for w in row] for row in weights.tolist()],
             "bias": [float(f"{b:.6g}") for b in bias.tolist()]}
            for weights, bias in self.layers
        ]  # fmt: skip
        return json.dumps({"notes": self.notes, "rates": self.rates, "layers": layers}, allow_nan=False)


def observed(demand: ArrayLike, load: ArrayLike) -> np.ndarray:
    """Return what the network sees, shape (..., 2): the stretched logarithm of a demand, and a load.

    Parameters
    ----------
    demand : array_like of float
        Tasks x size, in units of the smallest size.
    load : array_like of float
        Tasks that run, and of other jobs that wait, over slots.

    Examples
    --------
    >>> observed([1, 300, 900], [0.5, 1, 3]).round(2).tolist()
    [[0.0, 0.5], [1.9, 1.0], [1.9, 1.5]]
    """
    seen = np.log(np.clip(np.asarray(demand, dtype=float), 1.0, LARGEST)) / STRETCH
    return np.stack(np.broadcast_arrays(seen, np.minimum(np.asarray(load, dtype=float), HIGHEST)), axis=-1)


def read_network(path: Path = SHIPPED) -> Network:
    """Read a network that was kept.

    Examples
    --------
    >>> read_network().rates[0]
    1.0
    """
    kept = json.loads(path.read_text(encoding="utf-8"))
    layers = tuple((np.array(layer["weights"]), np.array(layer["bias"])) for layer in kept["layers"])
    return Network(tuple(kept["rates"]), layers, kept["notes"])
