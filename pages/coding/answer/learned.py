"""The learned policy at an offered load: a map over demand and load, and the same in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from pages.shared.app.runs import made_once
from sim.engines.gang.learning.network import Network, read_network
from sim.engines.gang.prediction import expanded_share
from sim.engines.gang.scenario import GangScenario
from sim.telling.words import number, percent, plain

#: Cells of the map: loads that a job may find, demands in seconds.
LOAD_EDGES = np.linspace(0, 1.25, 51)
DEMAND_EDGES = np.geomspace(9.5, 7800, 61)
#: Shares of the jobs that are called nearly all and none, since every map is rugged at its ends.
MOST, NONE = 0.95, 0.01
#: Loads at which the map is put into words, between those where it says the same to all.
TOLD = (0.7, 0.9)


@cache
def network() -> Network:
    """Return the network that is shipped."""
    return read_network()


@dataclass(frozen=True, eq=False)
class Map:
    """What the network does in each cell.

    Attributes
    ----------
    loads, demands : ndarray
        Middles of the cells.
    rates : ndarray, shape (loads, demands)
        Expansion rates.
    weights : ndarray, shape (demands,)
        Share of the jobs in each.
    """

    loads: np.ndarray
    demands: np.ndarray
    rates: np.ndarray
    weights: np.ndarray

    @property
    def chosen(self) -> list[float]:
        """Rates that it chooses somewhere, from the smallest."""
        return sorted(set(self.rates.ravel().tolist()))

    @property
    def expanded(self) -> np.ndarray:
        """Share of the jobs that have any redundancy, at each load."""
        return np.asarray((self.rates > 1) @ self.weights)

    @property
    def mean(self) -> np.ndarray:
        """Mean rate of the jobs at each load."""
        return np.asarray(self.rates @ self.weights)

    @property
    def is_the_rule(self) -> bool:
        """Whether redundancy falls with the load, and at loads where sizes matter with the demand."""
        middle = (self.expanded > NONE) & (self.mean < 0.98 * self.mean[0])
        if not middle.any():
            return False
        few, many = np.array_split(self.rates[middle], 2, axis=1)
        return bool(np.diff(self.mean).max() < 0.05 and few.mean() > many.mean())

    def steps(self, load: float) -> list[tuple[float, float]]:
        """Return (rate, largest demand that has it) at a load, by demand; the last demand is infinite."""
        row = self.rates[int(np.abs(self.loads - load).argmin())]
        ends = np.flatnonzero(np.diff(row))
        edges = [*np.sqrt(self.demands[ends] * self.demands[ends + 1]).tolist(), math.inf]
        rates = row[[*ends.tolist(), row.size - 1]].tolist()
        return list(zip(rates, edges, strict=True))

    def share_up_to(self, demand: float) -> float:
        """Return the share of the jobs of at most a demand."""
        return float(self.weights[self.demands <= demand].sum())

    def in_words(self) -> str:
        """Say what the network does, from the lowest load to the highest."""
        most = float(self.rates.max())
        if most == 1:
            return "It starts no redundancy at any load."
        told = []
        begins = _until(self.loads, (self.rates == most) @ self.weights > MOST)
        ends = -_until(-self.loads[::-1], self.expanded[::-1] <= NONE)
        if begins > self.loads[0]:
            told.append(f"Nearly all jobs that find a load below {plain(begins)} start {_n(most)}.")
        told += [
            f"At a load of {plain(load)} it starts {self._at(load)}." for load in TOLD if begins < load < ends
        ]
        if ends < self.loads[-1]:
            told.append(f"From {plain(ends)} on it starts no redundancy.")
        return " ".join(told)

    def _at(self, load: float) -> str:
        """Say what is started at a load, by demand."""
        steps = self.steps(load)
        (first, end), last = steps[0], steps[-1][0]
        if len(steps) == 1:
            return f"{_n(first)} whatever the demand"
        if len(steps) > 2:
            return f"{_n(first)} for the smallest jobs and {_n(last)} for the largest"
        share = percent(self.share_up_to(end))
        return f"{_n(first)} up to a demand of {number(end, 2)} s ({share} of the jobs), {_n(last)} above"


def _n(rate: float) -> str:
    """Return how many tasks a job of k starts."""
    return "k tasks" if rate == 1 else f"⌈{plain(rate)} k⌉"


def _until(loads: np.ndarray, holds: np.ndarray) -> float:
    """Return where something ends that holds from the first load on; the first load if it does not."""
    end = int(holds.cumprod().sum())
    if end in (0, holds.size):
        return float(loads[0 if end == 0 else -1])
    return round(float(loads[end - 1] + loads[end]) / 2, 2)


def map_of(scenario: GangScenario) -> Map:
    """Return the map for the jobs of a scenario at its offered load; cached for all sessions."""
    return made_once(("learned", repr(scenario)), lambda: _map_of(scenario))


def _map_of(scenario: GangScenario) -> Map:
    loads = (LOAD_EDGES[:-1] + LOAD_EDGES[1:]) / 2
    demands = np.sqrt(DEMAND_EDGES[:-1] * DEMAND_EDGES[1:])
    rates = network().best(demands[None, :] / scenario.size_min, loads[:, None], scenario.load)
    below = expanded_share(scenario, [0.0, *DEMAND_EDGES[1:-1].tolist(), math.inf])
    return Map(loads, demands, rates, np.diff(below))


def untrained(scenario: GangScenario) -> list[str]:
    """Return in what a scenario differs from those the network has learned in."""
    notes = network().notes
    there = GangScenario(size_tail=notes["tails"][0])
    named = {
        "nodes": "nodes",
        "capacity": "tasks a node runs",
        "tasks_max": "tasks in a job",
        "straggle_tail": "β",
        "size_max": "largest size",
        "placement": "placement",
        "redundancy": "kind of redundant tasks",
    }
    found = [word for name, word in named.items() if getattr(scenario, name) != getattr(there, name)]
    if not min(notes["tails"]) <= scenario.size_tail <= max(notes["tails"]):
        found.append("the size tail")
    if not min(notes["loads"]) <= scenario.load <= max(notes["loads"]):
        found.append("offered load")
    return found
