"""Closed forms of Aktas and Soljanin by integration, and Claim 1 by simulation with little waiting."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.aktas_soljanin import SETTING
from sim.papers.claim import Claim, Measured, Region

#: (n, k, alpha) of the jobs.
JOBS = ((1, 1, 3.0), (2, 1, 1.5), (4, 2, 3.0), (10, 5, 3.0), (20, 10, 2.2), (12, 11, 4.0))
#: Offered loads at which Claim 1 is compared with runs, and the demands beside none and all.
LOADS, DEMANDS = (0.1, 0.3, 0.5), (60.0, math.inf)
PAPER, QUICK = 8, 4


def exact(value: float) -> Estimate:
    """Return a number without doubt."""
    return Estimate(float(value), float(value), float(value))


def moment(n: int, k: int, alpha: float) -> float:
    """Return the mean of the k-th of n slowdowns by integrating the law's quantile against a beta density."""
    from scipy.integrate import quad
    from scipy.stats import beta

    density = beta(k, n - k + 1).pdf
    return float(quad(lambda u: (1 - u) ** (-1 / alpha) * density(u), 0, 1, limit=200, epsabs=1e-11)[0])


def latency(quick: bool) -> Measured:
    """Return the largest relative gap of E[S_n:k]."""
    from theory.order_statistics import order_statistic_moment

    gaps = [abs(float(order_statistic_moment(n, k, a)) / moment(n, k, a) - 1) for n, k, a in JOBS]
    return Measured(exact(max(gaps)))


def cost(quick: bool) -> Measured:
    """Return the largest relative gap of E[C_n,k] from the sum of the order statistics."""
    from theory.coding import coded_cost

    gaps = []
    for n, k, a in JOBS:
        summed = sum(moment(n, i, a) for i in range(1, k + 1)) + (n - k) * moment(n, k, a)
        gaps.append(abs(float(coded_cost(n, k, a)) / summed - 1))
    return Measured(exact(max(gaps)))


def claim_1(quick: bool) -> Measured:
    """Return the largest gap of Claim 1 from the simulated mean at low offered loads, with that of each."""
    from sim.engines.gang.scenario import GangScenario
    from sim.papers.runs import farthest
    from sim.running.experiment import compare
    from sim.running.gang_sweep import claim1, demand_sweep, points

    gaps = {}
    count = QUICK if quick else PAPER
    for load in LOADS:
        scenario = GangScenario(size_tail=3.0, load=load, jobs=5_000 if quick else 20_000)
        found = compare(demand_sweep(scenario, DEMANDS, 2), replications=count).with_all_intervals()
        seen = points(found, DEMANDS)
        promised = np.asarray(claim1(scenario, [one.demand for one in seen], 2)).tolist()
        for promise, one in zip(promised, seen, strict=True):
            mean = one.estimate
            if mean.value and mean.low and mean.high:
                gap = Estimate(*(promise / x - 1 for x in (mean.value, mean.high, mean.low)))
                demand = f"d = {one.demand:g}" if math.isfinite(one.demand) else "d infinite"
                gaps[f"offered load {load:g}, {demand}"] = gap
    return Measured(farthest(gaps.values()), count, GangScenario().seed, gaps)


claim = partial(Claim, paper="AS", system="Theorem", reported=0.0)

CLAIMS = (
    claim(
        key="as-theorems-latency",
        place="section 4, E[S]",
        statement="The mean of the k-th of n slowdowns has the printed closed form.",
        setting="Pareto slowdowns, any k of n tasks end the job",
        method="Largest relative gap from an integral over the law's quantiles, six jobs of up to 20 tasks.",
        unit="of the mean",
        compute=latency,
        region=Region(-1e-6, 1e-6),
    ),
    claim(
        key="as-theorems-cost",
        place="section 4, E[C]",
        statement="The mean cost of a job has the printed closed form.",
        setting="Pareto slowdowns, any k of n tasks end the job",
        method="Largest relative gap from the sum of the integrals of all order statistics, six jobs.",
        unit="of the mean",
        compute=cost,
        region=Region(-1e-6, 1e-6),
    ),
    claim(
        key="as-theorems-claim1",
        place="Claim 1, offered load up to 0.5",
        statement="The mean response time is as Claim 1 approximates it where the offered load is low.",
        setting=SETTING.format(3),
        method="Largest gap from simulated means at offered loads 0.1, 0.3 and 0.5, for d = 0, 60 and "
        "infinity, 8 runs of 20,000 jobs each; 10 % would be close.",
        unit="of the simulated mean",
        compute=claim_1,
        region=Region(-0.1, 0.1),
    ),
)
