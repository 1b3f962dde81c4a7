"""The question of the Coding page: a cluster and its jobs, Redundant-small(r, d), several offered loads.

Straggle factors have the tail index beta, as everywhere here; that of the task sizes has no letter.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pages.shared.app.turns import made_once
from sim.engines.gang.learning.network import Network, read_network
from sim.engines.gang.prediction import (
    bounded_as_run,
    brought_load,
    claim1_demands,
    expanded_share,
    stable_loads,
)
from sim.engines.gang.run import GangPolicy, redundancy_rules
from sim.engines.gang.scenario import GangScenario
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.model.result import Comparison, PolicyResult
from sim.model.statistics import Estimate
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.gang_sweep import (
    BASELINE,
    LEARNED,
    Best,
    Point,
    best,
    claim1,
    demand_sweep,
    points,
    redundant_small,
)
from sim.running.live import RunRequest, Snapshot
from sim.telling.words import number, percent, plain
from theory.response_time import Moments

#: Demands d that are simulated, beside none: the same for all settings, so that moving d runs nothing anew.
DEMANDS = (15.0, 30.0, 60.0, 120.0, 250.0, 500.0, 1000.0, 3000.0, math.inf)
#: Offered loads that are always shown beside the chosen one.
LANDMARKS = (0.3, 0.5, 0.7, 0.9)
EFFORT = Effort(replications=6, precision=1)
#: Rules that the page shows in ways of their own; any other is run beside them.
SHOWN = ("none", "all", "redundant-small", LEARNED)
MOST_BESIDE = 2


def others() -> list[str]:
    """Return the rules that can be run beside those of the page, such as one's own."""
    return [key for key in redundancy_rules() if key not in SHOWN]


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured of the jobs: a column of the results and a statistic of it."""

    title: str
    column: str
    statistic: str
    symbol: str
    unit: str = ""


MEASURES = {
    "mean": Measure("Mean time E[T]", "flowtime", "mean", "E[T]", "s"),
    "slowdown": Measure("Mean slowdown", "slowdown", "mean", "mean slowdown"),
    "p50": Measure("Slowdown of half the jobs", "slowdown", "p50", "median slowdown"),
    "p95": Measure("Slowdown of 95 %", "slowdown", "p95", "slowdown of 95 %"),
    "p99": Measure("Slowdown of 99 %", "slowdown", "p99", "slowdown of 99 %"),
}


@dataclass(frozen=True, slots=True)
class Approximation:
    """A reading of Claim 1."""

    title: str
    in_words: str
    moments: Moments = "two"
    printed: bool = False
    bounded: bool = False

    def of(self, scenario: GangScenario) -> GangScenario:
        """Return the scenario the approximation is computed for."""
        return bounded_as_run(scenario) if self.bounded else scenario


CLAIMS = {
    "two": Approximation("Claim 1, corrected", "Claim 1, corrected"),
    "printed": Approximation("Claim 1, as printed", "Claim 1 with its moments as printed", printed=True),
    "bounded": Approximation(
        "Claim 1, sizes bounded", "Claim 1, corrected, sizes bounded at the largest of a run", bounded=True
    ),
    "one": Approximation("Claim 1, first moments", "Claim 1 from first moments only", moments="one"),
}


@dataclass(frozen=True, slots=True)
class Request:
    """A question to the page.

    Parameters
    ----------
    scenario : GangScenario
        At the chosen offered load.
    rate : float
        Expansion rate r.
    demand : float
        The d that is looked at, one of `DEMANDS`.
    measure, claim : str
        Keys of `MEASURES` and `CLAIMS`.
    learned : bool, optional
        Whether the learned policy is run beside, at the chosen load.
    beside : tuple of GangPolicy, optional
        Policies of other rules (`others`), which are run there, too.
    """

    scenario: GangScenario
    rate: float
    demand: float
    measure: str
    claim: str
    learned: bool = False
    beside: tuple[GangPolicy, ...] = ()

    @property
    def loads(self) -> tuple[float, ...]:
        """Offered loads: the chosen one first, as it is simulated first.

        Examples
        --------
        >>> Request(GangScenario(load=0.5), 2, 120, "mean", "two").loads
        (0.5, 0.3, 0.7, 0.9)
        """
        chosen = self.scenario.load
        return (chosen, *(load for load in LANDMARKS if load != chosen))

    @property
    def requests(self) -> tuple[RunRequest, ...]:
        """One for each of `loads`; they depend neither on d nor on what is measured."""
        sweeps = [demand_sweep(self.scenario.replace(load=load), DEMANDS, self.rate) for load in self.loads]
        if more := (*([GangPolicy.of(LEARNED)] if self.learned else []), *self.beside):
            sweeps[0] = Experiment(sweeps[0].scenario, (*sweeps[0].policies, *more))
        return tuple(RunRequest(sweep, EFFORT) for sweep in sweeps)

    @property
    def measure_info(self) -> Measure:
        """What is measured."""
        return MEASURES[self.measure]

    @property
    def approximation(self) -> Approximation:
        """The reading of Claim 1 that is put beside the simulation."""
        return CLAIMS[self.claim]


# The learned policy at an offered load: a map over demand and load, and the same in words.

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


# The results so far: for each offered load the simulated points, their best, and the theory.

#: Demands at which the theory is drawn; below the smallest size nobody is expanded.
GRID = np.geomspace(7, 4200, 160)
#: Offered loads at which d* is drawn.
LOADS = np.linspace(0.02, 0.98, 49)


@dataclass(frozen=True)
class Theory:
    """What the theory says of one offered load, over `GRID` and at d = 0, `DEMANDS`.

    Attributes
    ----------
    star : float
        Best demand by Claim 1; NaN where that is infinite for every demand.
    times, loads : ndarray
        Mean response time by Claim 1 (infinite where it is) and load brought, over `GRID`.
    at : dict of float to float
        Demand -> mean response time.
    brought : dict of float to float
        Demand -> load.
    """

    star: float
    times: np.ndarray
    loads: np.ndarray
    at: dict[float, float]
    brought: dict[float, float]


@dataclass(frozen=True)
class Sweep:
    """One offered load.

    Attributes
    ----------
    load : float
    points : tuple of Point
        d = 0 and `DEMANDS`; empty while nothing is simulated.
    best : Best or None
        Of the demands that bring a load below 1: from 1 on a queue grows in the end, whatever a run has seen.
    theory : Theory or None
        None if the theory is not about the scenario.
    """

    load: float
    points: tuple[Point, ...]
    best: Best | None
    theory: Theory | None

    def at(self, demand: float) -> Point:
        """Return the point of a demand."""
        return self.points[(0.0, *DEMANDS).index(demand)]

    def brought(self, demand: float) -> float:
        """Return the load that the jobs bring: by theory, which is exact, where there is one."""
        return self.at(demand).load.value or 0.0 if self.theory is None else self.theory.brought[demand]

    def is_too_much(self, demand: float) -> bool:
        """Tell whether the jobs bring a load of 1 or more when those up to a demand are expanded."""
        return self.brought(demand) >= 1


@dataclass(frozen=True)
class Rule:
    """The theory's answer to which jobs to expand.

    Attributes
    ----------
    demands : ndarray or None
        d* at `LOADS`; NaN where it is undefined, None if the theory is not about the scenario.
    limit : ndarray
        Offered load from which the cluster is unstable, over `GRID`.
    limit_all : float
        The same if every job is expanded.
    """

    demands: np.ndarray | None
    limit: np.ndarray
    limit_all: float


@dataclass(frozen=True)
class Beside:
    """A policy that has no d, run beside the demands at the chosen load: the learned one, or another.

    Attributes
    ----------
    estimate : Estimate
        The measure.
    gain, over_best : Estimate
        Its paired differences from no redundancy and from the best d tried (no value if there is none).
    load : Estimate
        Load the jobs brought, redundancy included.
    unstable : bool
        Whether the queue grew through the run.
    result : PolicyResult
        Its runs.
    title : str
        How people call it.
    """

    estimate: Estimate
    gain: Estimate
    over_best: Estimate
    load: Estimate
    unstable: bool
    result: PolicyResult
    title: str = "learned"


@dataclass(frozen=True)
class Step:
    """All that is drawn: the chosen load first; its runs without those of policies beside the demands."""

    asked: Request
    sweeps: tuple[Sweep, ...]
    rule: Rule
    comparison: Comparison
    learned: Beside | None = None
    others: tuple[Beside, ...] = ()

    @property
    def beside(self) -> tuple[Beside, ...]:
        """All policies beside the demands, the learned one first."""
        return (*([self.learned] if self.learned else []), *self.others)

    @property
    def chosen(self) -> Sweep:
        """The sweep of the chosen load."""
        return self.sweeps[0]

    @cached_property
    def done(self) -> tuple[Sweep, ...]:
        """Sweeps with points, by increasing load."""
        return tuple(sorted((one for one in self.sweeps if one.points), key=lambda one: one.load))

    @property
    def shares(self) -> dict[float, float]:
        """Demand -> share of the jobs that is expanded."""
        found = expanded_share(self.asked.scenario, DEMANDS).tolist()
        return dict(zip(DEMANDS, found, strict=True))

    @property
    def looked_at(self) -> Comparison:
        """The chosen load's runs without redundancy, with the chosen d and with all jobs expanded."""
        found = self.comparison.policies
        names = {"no redundancy": "none"}
        if self.asked.demand < math.inf:
            names[f"d = {self.asked.demand:g}"] = redundant_small(self.asked.demand, self.asked.rate).text
        names["all jobs"] = redundant_small(math.inf, self.asked.rate).text
        policies = {name: found[policy] for name, policy in names.items()}
        return Comparison(self.comparison.scenario, policies, "no redundancy")


def see(asked: Request, snapshots: Sequence[Snapshot | None]) -> Step:
    """Return what is known, given a snapshot for each of the first loads; that of the chosen one is there."""
    padded = [*snapshots, *[None] * (len(asked.loads) - len(snapshots))]
    sweeps = tuple(_sweep(asked, load, snap) for load, snap in zip(asked.loads, padded, strict=True))
    first = snapshots[0]
    assert first is not None

    def beside(text: str, title: str) -> Beside:
        return _beside(asked, first.comparison, sweeps[0].best, text, title)

    learned = beside(LEARNED, "learned") if asked.learned else None
    others = tuple(beside(policy.text, policy.name) for policy in asked.beside)
    return Step(asked, sweeps, rule(asked), swept(first.comparison), learned, others)


def swept(comparison: Comparison) -> Comparison:
    """Return what was found of the demands alone, which come first."""
    found = list(comparison.policies.items())[: 1 + len(DEMANDS)]
    return dataclasses.replace(comparison, policies=dict(found))


def _beside(asked: Request, comparison: Comparison, best: Best | None, text: str, title: str) -> Beside:
    what = asked.measure_info.column, asked.measure_info.statistic
    result = comparison.policies[text]
    over_best = Estimate(None)
    if best is not None:
        name = redundant_small(best.demand, asked.rate).text if best.demand else BASELINE
        over_best = dataclasses.replace(comparison, baseline=name).share(text, *what)
    return Beside(
        result.estimate(*what),
        comparison.share(text, *what),
        over_best,
        result.estimate("load"),
        result.unstable(comparison.scenario.slots),
        result,
        title,
    )


def _sweep(asked: Request, load: float, snapshot: Snapshot | None) -> Sweep:
    beside = theory(asked, asked.scenario.replace(load=load))
    if snapshot is None:
        return Sweep(load, (), None, beside)
    what = asked.measure_info.column, asked.measure_info.statistic
    comparison = swept(snapshot.comparison)
    sweep = Sweep(load, points(comparison, DEMANDS, *what), None, beside)
    settles = [demand for demand in DEMANDS if not sweep.is_too_much(demand)]
    names = dict(zip((0.0, *DEMANDS), comparison.policies, strict=True))
    kept = {names[demand]: comparison.policies[names[demand]] for demand in (0.0, *settles)}
    of = dataclasses.replace(comparison, policies=kept)
    return dataclasses.replace(sweep, best=best(of, settles, *what))


def theory(asked: Request, scenario: GangScenario) -> Theory | None:
    """Return the theory's answer for a scenario; cached for all sessions."""
    return made_once(("theory", repr(scenario), asked.rate, asked.claim), lambda: _theory(asked, scenario))


def _theory(asked: Request, scenario: GangScenario) -> Theory | None:
    claim = asked.approximation
    demands = [*GRID.tolist(), 0.0, *DEMANDS]
    reading: Any = {"moments": claim.moments, "as_printed": claim.printed}
    try:
        times = claim1(claim.of(scenario), demands, asked.rate, **reading)
    except BadInput:
        return None
    star = claim1_demands(claim.of(scenario), [scenario.load], asked.rate, **reading)
    loads = brought_load(scenario, demands, asked.rate)
    read = (0.0, *DEMANDS)
    return Theory(
        float(star[0]),
        times[: GRID.size],
        loads[: GRID.size],
        dict(zip(read, times[GRID.size :].tolist(), strict=True)),
        dict(zip(read, loads[GRID.size :].tolist(), strict=True)),
    )


def rule(asked: Request) -> Rule:
    """Return which jobs the theory would expand at which load; cached for all sessions."""
    scenario = asked.scenario.replace(load=0.5)  # whatever the chosen load is
    return made_once(("rule", repr(scenario), asked.rate, asked.claim), lambda: _rule(asked, scenario))


def _rule(asked: Request, scenario: GangScenario) -> Rule:
    claim = asked.approximation
    limit = stable_loads(scenario, [*GRID.tolist(), math.inf], asked.rate)
    demands = None
    if theory(asked, scenario) is not None:
        reading: Any = {"moments": claim.moments, "as_printed": claim.printed}
        demands = claim1_demands(claim.of(scenario), LOADS.tolist(), asked.rate, **reading)
    return Rule(demands, limit[:-1], float(limit[-1]))
