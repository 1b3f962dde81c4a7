r"""A rule that weighs what redundancy gains a job against what its slots cost others, at a price.

A job of k tasks of size b that starts n of them gains, in units of its size,
:math:`E[S_{k:k}] - E[S_{n:k}]`, and takes :math:`b\,(E[C_{n,k}] - E[C_{k,k}])` more slot-time (Aktas &
Soljanin, section 4). The rule chooses the expansion rate that gains most beyond the price of that time. The
price is :math:`p\,e^{g x}` at the load x that the rule sees; p and g are those of the smallest mean slowdown
on other jobs. So rules that know different things of a job or of the cluster are compared, each at its best.

A rule that knows the demand k b alone takes what jobs of that demand gain and cost on average.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from sim.engines.gang.learning.network import best_rate, load_seen
from sim.engines.gang.redundancy.expansion import expanded
from sim.engines.gang.redundancy.rl import shipped
from sim.engines.gang.run import GangRun, read_policy
from sim.engines.gang.scenario import GangScenario, Redundancy
from sim.engines.gang.signatures import decide
from sim.kernel.compile import inlined
from sim.model.statistics import Estimate, student
from sim.model.workload import Workload, generate
from sim.papers.claim import Measured
from sim.papers.runs import largest
from sim.papers.sweeps import LEARNED_SEED, LOADS

#: Rates among which the rule chooses: those of Redundant-RL.
RATES = (1.0, 1.5, 2.0, 3.0)
#: Tail indices of the size, and the cases that are compared: each at each offered load.
TAILS = (3.0, 1.5)
CASES = tuple(product(TAILS, LOADS))
#: Prices of slot-time in units of the smallest size, at load 0, and the growth of their logarithm with it.
PRICES, GROWTHS = tuple(2.0 ** (half / 2) for half in range(-22, 1)), (2.0, 4.0, 6.0)
#: The jobs by which prices are chosen are not those by which rules are compared.
FITTING_SEED = 5
#: What a rule sees of the load: nothing, the nodes of the job's tasks, or all that runs and waits.
NOTHING, ASSIGNED, ALL = range(3)


class Values(NamedTuple):
    """The numbers `worth` reads; `blind` is the price of a rule that sees no load."""

    price: float
    growth: float
    apart: float
    sees: float
    blind: float
    unit: float
    most: float


@inlined
def best_at(store: Any, row: Any, price: Any) -> Any:
    """Return the rate that gains a row most beyond the price, the first of equals."""
    best, top = RATES[0], -math.inf
    for action in range(len(RATES)):
        at = 2 * (row * len(RATES) + action)
        value = store[at] - price * store[at + 1]
        if value > top:
            best, top = RATES[action], value
    return best


@inlined
def load_of_assigned(cluster: Any, nodes: Any, tasks: Any) -> Any:
    """Return the share of their slots that the nodes hold on which the tasks of a job would start."""
    c = cluster[0]
    held, left = 0, tasks
    for level in range(c.capacity + 1):
        for node in range(c.nodes):
            if left > 0 and nodes[node].held == level:
                held += level
                left -= 1
    return held / (tasks * c.capacity)


@decide
def worth(world: Any, values: Any, j: Any) -> Any:
    """Start what is worth its price; note whether a rule that sees no load would start another number."""
    job, store = world.jobs[j], world.store
    amount, row = job.task_size / values.unit, int(job.tasks)
    if values.apart == 0.0:
        amount *= job.tasks
        row = int(min(values.most, math.floor(amount + 1e-9)))
    load = 0.0
    if values.sees == ALL:
        load = load_seen(world.cluster, job.tasks)
    elif values.sees == ASSIGNED:
        load = load_of_assigned(world.cluster, world.nodes, job.tasks)
    rate = best_at(store, row, amount * values.price * math.exp(values.growth * load))
    blind = best_at(store, row, amount * values.blind)
    places = world.cluster[0].places
    started = min(expanded(rate, job.tasks), places)
    store[store.size - 1 - j] = 1.0 if min(expanded(blind, job.tasks), places) != started else 0.0
    return started


class Unit(NamedTuple):
    """The number `learned` reads."""

    unit: float


@decide
def learned(world: Any, values: Any, j: Any) -> Any:
    """Start what Redundant-RL starts; note the load it sees."""
    job, store = world.jobs[j], world.store
    load = load_seen(world.cluster, job.tasks)
    store[store.size - 1 - j] = load
    _, rate = best_rate(store, 0, job.tasks * job.task_size / values.unit, load)
    return expanded(rate, job.tasks)


class NotingRun(GangRun):
    """A run under a rule that is not registered: it reads some numbers, and notes one of each job."""

    def __init__(
        self, scenario: GangScenario, replication: int, rule: Any, values: Any, numbers: np.ndarray
    ) -> None:
        super().__init__(scenario, read_policy("none"), replication, jobs_of(scenario, replication))
        self._rule = Redundancy(
            key="noting",
            title="",
            summary="",
            decide=rule,
            prepare=lambda scenario, chosen: values,
            store=lambda scenario, chosen: np.concatenate([numbers, np.zeros(self.workload.n)]),
        )
        while not self.advance():
            pass

    @property
    def noted(self) -> np.ndarray:
        """What was noted of each job."""
        return self.store[: -self.workload.n - 1 : -1]

    @property
    def slowdown(self) -> float:
        """Mean slowdown of the counted jobs."""
        flowtime = self.jobs.finish - self.jobs.arrival
        return float((flowtime / self.workload.size)[self.cluster[0].first_counted :].mean())


@lru_cache(maxsize=32)
def jobs_of(scenario: GangScenario, replication: int) -> Workload:
    """Return the jobs of a replication."""
    return generate(scenario, replication)


def gains_and_costs(scenario: GangScenario, apart: bool) -> np.ndarray:
    r"""Return what each rate gains a job and takes of slot-time, shape (rows, rates, 2); row 0 is empty.

    A row is of a number of tasks, its times in units of the size. If k and b are not known apart, it is of
    the largest number of tasks that jobs of a demand can have, its times in units of the demand. Of jobs of
    one demand k is as likely as :math:`k^{\beta - 1}`, as k is Zipf's and sizes are Pareto.
    """
    from theory.coding import coded_cost, expanded_tasks
    from theory.order_statistics import order_statistic_moment

    alpha = scenario.straggle_tail
    k = np.arange(1, scenario.tasks_max + 1)[:, None]
    n = np.hstack([np.minimum(expanded_tasks(k, rate), scenario.places) for rate in RATES])
    gain = order_statistic_moment(k, k, alpha) - order_statistic_moment(n, k, alpha)
    cost = coded_cost(n, k, alpha) - coded_cost(k, k, alpha)
    if not apart:
        likely = k ** (scenario.size_tail - 1)
        gain, cost = (
            np.cumsum(likely * part, axis=0) / np.cumsum(likely, axis=0) for part in (gain, cost / k)
        )
    rows = np.stack([gain, cost], axis=-1)
    return np.concatenate([np.zeros_like(rows[:1]), rows])


class Priced(NamedTuple):
    """A rule: whether it knows k and b apart, what it sees of the load, and its price."""

    apart: bool
    sees: int
    price: float
    growth: float

    def run(self, scenario: GangScenario, replication: int, blind: float = 0.0) -> NotingRun:
        """Run it; `blind` is the price of a rule that sees no load, with which it is compared."""
        limits = (scenario.size_min, scenario.tasks_max)
        values = Values(self.price, self.growth, self.apart, self.sees, blind, *limits)
        numbers = gains_and_costs(scenario, self.apart).ravel()
        return NotingRun(scenario, replication, worth, values, numbers)


def compared(tail: float, load: float, quick: bool) -> tuple[GangScenario, range]:
    """Return the scenario in which rules are compared, and its replications."""
    jobs = 4_000 if quick else 60_000 if load == LOADS[-1] else 15_000  # the last, where luck is largest
    return GangScenario(size_tail=tail, load=load, jobs=jobs, seed=LEARNED_SEED), range(4 if quick else 8)


@lru_cache(maxsize=256)
def fitted(tail: float, load: float, apart: bool, sees: int, quick: bool) -> Priced:
    """Return the rule at the price of the smallest mean slowdown on jobs of its own."""
    scenario, luck = compared(tail, load, quick)[0].replace(seed=FITTING_SEED), range(1 if quick else 4)
    growths = (0.0,) if sees == NOTHING else GROWTHS
    rules = [Priced(apart, sees, *price) for price in product(PRICES[:: 2 if quick else 1], growths)]
    return min(rules, key=lambda rule: sum(rule.run(scenario, one).slowdown for one in luck))


@lru_cache(maxsize=256)
def outcomes(tail: float, load: float, apart: bool, sees: int, quick: bool) -> np.ndarray:
    """Return of each replication the mean slowdown and the share of jobs that load gives other tasks."""
    scenario, luck = compared(tail, load, quick)
    rule = fitted(tail, load, apart, sees, quick)
    blind = fitted(tail, load, apart, NOTHING, quick).price if sees == ASSIGNED else 0.0
    runs = [rule.run(scenario, one, blind) for one in luck]
    return np.array([(one.slowdown, one.noted.mean()) for one in runs])


@lru_cache(maxsize=64)
def of_learned(tail: float, load: float, quick: bool) -> np.ndarray:
    """Return the same under Redundant-RL as shipped; the others are those at the mean load it sees."""
    scenario, luck = compared(tail, load, quick)
    network, unit = shipped(), Unit(scenario.size_min)
    found = []
    for one in luck:
        run = NotingRun(scenario, one, learned, unit, network.packed(load))
        tasks, seen = run.workload.tasks, run.noted
        usual = network.best(tasks * run.workload.size / unit.unit, seen.mean(), load)
        others = np.minimum(np.ceil(usual * tasks), scenario.places)
        found.append((run.slowdown, np.mean(run.jobs.copies != others)))
    return np.array(found)


def excess(mine: np.ndarray, other: np.ndarray) -> Estimate:
    """Return by how much the mean slowdown exceeds another rule's, relative to it, paired by replication."""
    return student((mine[:, 0] / other[:, 0] - 1).tolist())


def named(tail: float, load: float) -> str:
    """Return what a case is called."""
    return f"beta = {tail:g}, offered load {load}"


def knowing_demand_alone(quick: bool) -> Measured:
    """Return the largest excess of knowing the demand alone over knowing k and b apart."""
    found, of_network, of_blind = {}, [], []
    for tail, load in CASES:
        apart, alone = (outcomes(tail, load, one, ALL, quick) for one in (True, False))
        found[named(tail, load)] = excess(alone, apart)
        of_network.append(excess(of_learned(tail, load, quick), apart))
        of_blind.append(excess(*(outcomes(tail, load, one, NOTHING, quick) for one in (False, True))))
    more = {"Redundant-RL": largest(of_network), "no load is seen": largest(of_blind)}
    return Measured(largest(found.values()), 4 if quick else 8, LEARNED_SEED, found | more)


def influence_of_load(quick: bool) -> Measured:
    """Return the largest share of jobs that the load of the assigned nodes gives another number of tasks."""
    found, of_network, saved, beyond = {}, [], [], []
    for tail, load in CASES:
        nothing, assigned, everything = (
            outcomes(tail, load, False, sees, quick) for sees in (NOTHING, ASSIGNED, ALL)
        )
        found[named(tail, load)] = student(assigned[:, 1].tolist())
        of_network.append(student(of_learned(tail, load, quick)[:, 1].tolist()))
        saved.append(student((1 - assigned[:, 0] / nothing[:, 0]).tolist()))
        beyond.append(excess(assigned, everything))
    more = {
        "Redundant-RL": largest(of_network),
        "saved of the mean slowdown": largest(saved),
        "more mean slowdown than with the load of all": largest(beyond),
    }
    return Measured(largest(found.values()), 4 if quick else 8, LEARNED_SEED, found | more)
