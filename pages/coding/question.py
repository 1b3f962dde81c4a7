"""The question of the Coding page: a cluster and its jobs, Redundant-small(r, d), several offered loads.

Straggle factors have the tail index beta, as everywhere here; that of the task sizes has no letter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.engines.gang.prediction import bounded_as_run
from sim.engines.gang.run import GangPolicy, redundancy_rules
from sim.engines.gang.scenario import GangScenario
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.gang_sweep import LEARNED, demand_sweep
from sim.running.live import RunRequest
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
