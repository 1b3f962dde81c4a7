"""Hopper: Theorems 1 and 2 and Algorithm 3 of the theory note, and sections 4.2 to 5 of SIGCOMM 2015."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import RunRecord, exact, largest, mean_saved, measured, replicated

# --- the theorems, against a linear programme on random instances

#: Levels of speculation that a job may mix, and the highest: so fine that the error is below 1e-4.
LEVELS, HIGHEST = 700, 3000.0


def best_total_rate(
    T: ArrayLike,
    S: float,
    beta: float,
    weight: ArrayLike | None = None,
    floor: float = 0.0,
    least_copies: float = 1.0,
) -> float:
    """Return the largest weighted rate by a linear programme written from the note's equation (1) alone.

    Each job may run parts of its slots at any of many levels k of speculation, x[i, k] slots at
    level k doing B(k) work each and holding x / k tasks, of which there are T; slots may also idle.

    Parameters
    ----------
    T : array_like
        Tasks left of each job.
    S : float
        Slots.
    beta : float
        Tail index of task times, > 1.
    weight : array_like, optional
        Of each job's rate.
    floor : float, optional
        Slots that every job must hold.
    least_copies : float, optional
        Copies that a running task has at least.

    Examples
    --------
    >>> round(best_total_rate([10], 10, 1.5), 3)  # 9/8 a slot below the threshold
    11.25
    """
    from scipy import sparse
    from scipy.optimize import linprog

    tasks_left = np.asarray(T, dtype=float)
    weights = np.ones(tasks_left.size) if weight is None else np.asarray(weight, dtype=float)
    k = np.geomspace(least_copies, HIGHEST, LEVELS)
    work = (k * beta - 1) / (k**2 * (beta - 1))
    jobs, levels = tasks_left.size, k.size
    value = np.concatenate([np.outer(weights, work).ravel(), np.zeros(jobs)])  # last: idle slots of a job
    running = sparse.kron(sparse.eye(jobs), np.ones((1, levels)))
    tasks = sparse.hstack([sparse.kron(sparse.eye(jobs), (1 / k)[None, :]), sparse.csr_matrix((jobs, jobs))])
    held = sparse.hstack([running, sparse.eye(jobs)])
    everything = sparse.csr_matrix(np.ones((1, value.size)))
    solved = linprog(
        -value,
        A_ub=sparse.vstack([tasks, -held, everything]).tocsr(),
        b_ub=np.concatenate([tasks_left, np.full(jobs, -floor), [S]]),
        method="highs",
    )
    if solved.status != 0:
        raise ValueError(f"the linear programme has no solution: {solved.message}")
    return float(-solved.fun)


#: Random instances at the scale of a paper and for a quick answer.
INSTANCES, FEW = 60, 8


class Instance(NamedTuple):
    """Tasks left of each job, slots, tail index of task times, unfairness allowed."""

    T: np.ndarray
    S: float
    beta: float
    epsilon: float


def instances(quick: bool) -> list[Instance]:
    """Return random instances: tasks of one to eight jobs, slots, tail index, unfairness."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(FEW if quick else INSTANCES):
        tasks = rng.integers(1, 100, rng.integers(1, 9)).astype(float)
        slots = float(tasks.sum() * rng.uniform(0.2, 4.0))
        found.append(Instance(tasks, slots, float(rng.uniform(1.1, 3.0)), float(rng.uniform(0, 1))))
    return found


def shortfall(rule: Callable[[Instance], np.ndarray], fair: bool, quick: bool) -> Estimate:
    """Return the share of the best sum of rates that a rule loses, where it is farthest from none."""
    from theory.objective import total_rate

    lost = []
    for one in instances(quick):
        tasks, slots, beta, epsilon = one
        floor = (1 - epsilon) * slots / tasks.size * (1 - 1e-9) if fair else 0.0
        try:
            given = rule(one)
        except ValueError:  # as printed, there are instances for which it says nothing
            continue
        lost.append(
            1 - float(total_rate(tasks, given, beta)) / best_total_rate(tasks, slots, beta, floor=floor)
        )
    most = max(lost, key=abs)
    return Estimate(most, most, most)


def algorithm_1(quick: bool) -> Measured:
    """Return what Algorithm 1 loses, and what equal shares and shortest jobs first lose beside it."""
    from theory.allocation import fair_allocation, hopper_allocation, srpt_allocation

    rules = {
        "equal shares": lambda one: fair_allocation(one.T, one.S),
        "shortest job first, blind to copies": lambda one: srpt_allocation(one.T, one.S),
    }
    others = {name: shortfall(rule, False, quick) for name, rule in rules.items()}
    own = shortfall(lambda one: hopper_allocation(one.T, one.S, one.beta), False, quick)
    return Measured(own, FEW if quick else INSTANCES, SEED, others)


def algorithm_2(quick: bool) -> Measured:
    """Return what Algorithm 2 loses with its slips mended, as printed, and what one projection loses."""
    from theory.fairness import fair_hopper_allocation, projected_fair_allocation

    rules = {
        "as printed": lambda one: fair_hopper_allocation(
            one.T, one.S, one.beta, one.epsilon, as_printed=True
        ),
        "one projection (SIGCOMM 4.3), not always epsilon-fair": lambda one: projected_fair_allocation(
            one.T, one.S, one.beta, one.epsilon, as_printed=True
        ),
    }
    others = {name: shortfall(rule, True, quick) for name, rule in rules.items()}
    own = shortfall(lambda one: fair_hopper_allocation(one.T, one.S, one.beta, one.epsilon), True, quick)
    return Measured(own, FEW if quick else INSTANCES, SEED, others)


#: Transfers to come out of a phase are drawn below this number, as its tasks are.
TRANSFERS = 100


def weighted_losses(rule: Callable[[Instance, np.ndarray], np.ndarray], quick: bool) -> np.ndarray:
    """Return the share of the best weighted sum of rates that a rule loses, instance by instance.

    A weight is the number of transfers to come out of a phase over that of its tasks left. Instances of
    which a rule says nothing are left out.

    Parameters
    ----------
    rule : callable
        (instance, weights) -> slots of each job.
    quick : bool
        Whether few instances will do.
    """
    from theory.objective import total_rate

    rng = np.random.default_rng(SEED)
    lost = []
    for one in instances(quick):
        weight = rng.integers(1, TRANSFERS, one.T.size) / one.T
        try:
            given = rule(one, weight)
        except ValueError:  # as printed, no case or several may apply
            continue
        best = best_total_rate(one.T, one.S, one.beta, weight)
        lost.append(1 - float(total_rate(one.T, given, one.beta, weight)) / best)
    return np.array(lost)


def algorithm_3(quick: bool) -> Measured:
    """Return what Algorithm 3 loses at most with its slips mended, as printed, and what others lose."""
    from theory.allocation import hopper_allocation
    from theory.dag_allocation import dag_allocation
    from theory.weighted_optimum import weighted_optimum

    rules: dict[str, Callable[[Instance, np.ndarray], np.ndarray]] = {
        "as printed, where one case applies": lambda one, weight: dag_allocation(
            one.T, weight, one.S, one.beta, as_printed=True
        ),
        "the exact weighted optimum": lambda one, weight: weighted_optimum(one.T, weight, one.S, one.beta),
        "Algorithm 1, blind to weights": lambda one, _: hopper_allocation(one.T, one.S, one.beta),
    }
    own = weighted_losses(lambda one, weight: dag_allocation(one.T, weight, one.S, one.beta), quick)
    lost = {name: weighted_losses(rule, quick) for name, rule in rules.items()}
    others = {name: exact(max(each, key=abs)) for name, each in lost.items()}
    others["the mean over the instances"] = exact(own.mean())
    others["Algorithm 1, blind to weights: the mean"] = exact(lost["Algorithm 1, blind to weights"].mean())
    return Measured(exact(max(own, key=abs)), FEW if quick else INSTANCES, SEED, others)


# --- section 4.2: weighing the transfers downstream against the tasks left
#
# Hopper without weights is the sharing by the open tasks of the same phases whose targets are renewed as
# often: `hopper-fair` that owes nobody a share. Tasks known to be slow are copied, as in Fig. 5 below.

PHASES_PRESET, SLOW_COPIED = "hopper-dag", "budget:benefit=1"
UNWEIGHTED, WEIGHTED, EXACT = (
    "hopper-fair:epsilon=1,refresh=0.005",
    "hopper-dag:optimum=0",
    "hopper-dag",
)
#: Other rules: without weights, with weights, and which tasks get copies.
PHASES_OTHERS = {
    "the exact weighted optimum": (UNWEIGHTED, EXACT, SLOW_COPIED),
    "against sizes by the tasks of all phases": ("hopper", WEIGHTED, SLOW_COPIED),
    "transfer times are learned": (UNWEIGHTED, f"{WEIGHTED},learn_weight=1", SLOW_COPIED),
    "a last phase weighs 0.25": (UNWEIGHTED, f"{WEIGHTED},final_weight=0.25", SLOW_COPIED),
    "a last phase weighs 4": (UNWEIGHTED, f"{WEIGHTED},final_weight=4", SLOW_COPIED),
    "targets 5 % out of date": (
        "hopper-fair:epsilon=1,refresh=0.05",
        f"{WEIGHTED},refresh=0.05",
        SLOW_COPIED,
    ),
    "no copies": (UNWEIGHTED, WEIGHTED, "none"),
    "LATE": (UNWEIGHTED, WEIGHTED, "late"),
    "one extra copy of any running task": (UNWEIGHTED, WEIGHTED, "budget:copies=2"),
    "up to four copies of any running task": (UNWEIGHTED, WEIGHTED, "budget"),
}
#: Other jobs.
PHASES_CHOICES: dict[str, dict[str, Any]] = {
    "load 0.6": {"load": 0.6},
    "chains of phases": {"shape": "chain"},
    "two phases": {"phases": 2, "phases_law": "constant"},
    "transfers a quarter as long": {"transfer": 0.25},
    "transfers four times as long": {"transfer": 4.0},
}
#: Tasks of a job that counts as small.
SMALL = 20


def small_saved(before: RunRecord, after: RunRecord) -> float:
    """Share of the mean flowtime of small jobs that the second policy saves."""
    small = before.tasks <= SMALL
    return float(1 - after.age[small].mean() / before.age[small].mean())


def slot_time_saved(before: RunRecord, after: RunRecord) -> float:
    """Share of the slot-time that the second policy saves."""
    return float(1 - after.resource.sum() / before.resource.sum())


def weights(quick: bool) -> Measured:
    """Return the share of the mean flowtime that Algorithm 3 saves against the same without weights."""
    pair = (f"{UNWEIGHTED}+{SLOW_COPIED}", f"{WEIGHTED}+{SLOW_COPIED}")
    others = {
        "of jobs of at most 20 tasks": replicated(PHASES_PRESET, pair, small_saved, quick),
        "of the slot-time": replicated(PHASES_PRESET, pair, slot_time_saved, quick),
    }
    for name, (before, after, copies) in PHASES_OTHERS.items():
        texts = (f"{before}+{copies}", f"{after}+{copies}")
        others[name] = replicated(PHASES_PRESET, texts, mean_saved, quick)
    return measured(PHASES_PRESET, pair, mean_saved, quick, PHASES_CHOICES, more=others)


# --- section 4.3: at moderate epsilon nearly all jobs are faster than under fair sharing

FAIRNESS_PRESET, FAIRNESS_POLICY, FAIR_SHARES = "hopper-fair", "hopper-fair:epsilon=0.3", "fair+late"
#: Other unfairness, and fair shares that run the same copies as Hopper.
FAIRNESS_OTHERS = {
    "epsilon = 0": (FAIR_SHARES, "hopper-fair:epsilon=0"),
    "epsilon = 0.1": (FAIR_SHARES, "hopper-fair:epsilon=0.1"),
    "epsilon = 0.5": (FAIR_SHARES, "hopper-fair:epsilon=0.5"),
    "epsilon = 1": (FAIR_SHARES, "hopper-fair:epsilon=1"),
    "Algorithm 2, epsilon = 0.3": (FAIR_SHARES, "hopper:epsilon=0.3"),
    "against fair shares with the same copies": ("fair+budget", FAIRNESS_POLICY),
}


def not_slower(before: RunRecord, after: RunRecord) -> float:
    """Share of the jobs that take no longer under the second policy."""
    return float((after.finish <= before.finish).mean())


def fairness(quick: bool) -> Measured:
    """Return the share of jobs that take no longer than under fair sharing, on the same luck."""
    others = {
        name: replicated(FAIRNESS_PRESET, pair, not_slower, quick) for name, pair in FAIRNESS_OTHERS.items()
    }
    return measured(FAIRNESS_PRESET, (FAIR_SHARES, FAIRNESS_POLICY), not_slower, quick, more=others)


# --- section 4.4: letting the smallest 5 % of the jobs overtake is enough for locality

LOCALITY_PRESET, LOCALITY_POLICY = "hopper-locality", "hopper-local"
PERCENTAGES = (0, 2, 10, 20, 50, 100)


def ratio(one: RunRecord, other: RunRecord) -> float:
    """Mean flowtime under the second policy over that under the first, of jobs that all ended."""
    return float(other.age.mean() / one.age.mean())


def locality(quick: bool) -> Measured:
    """Return what 5 % leave to be gained by 20 %, and all percentages beside 5 %."""
    others = {
        f"{percent} % against 5 %": replicated(
            LOCALITY_PRESET, (LOCALITY_POLICY, f"hopper-local:percent={percent}"), ratio, quick
        )
        for percent in PERCENTAGES
    }
    return measured(LOCALITY_PRESET, ("hopper-local:percent=20", LOCALITY_POLICY), ratio, quick, more=others)


# --- Fig. 5: ratios to the centralised run at four utilisations, by several readings
#
# The paper states 50 schedulers, 10,000 workers and Pareto task sizes of tail index (beta) 1.5. It leaves
# open which tasks get copies and how many, how many tasks jobs have, how Sparrow speculates, the latency and
# what a straggler looks like. A *reading* is a choice of the first of these; all claims of the figure are
# judged under one and the same, the `HEADLINE`: the authors call speculation running copies "of tasks that
# have already, or are likely to become, stragglers", so a task is copied once it is known to be slow. The
# rest is taken as U{1..100} tasks a job, the duration of every copy Pareto(1, 1.5) on its own, one
# millisecond against a mean duration of three seconds, LATE for Sparrow; `OTHERS` are as reasonable.
#
# What the paper calls utilisation is taken as the load offered without copies. The share of the slots that
# is busy is another number, which depends on the copies; one reading takes that for the utilisation.

LOADS = (0.6, 0.7, 0.8, 0.9)
#: A medium utilisation, at which the other choices are tried, and a high one.
MEDIUM, HIGH = 0.7, 0.9
#: Three replications of 3,000 jobs are 450,000 tasks a point.
JOBS, REPLICATIONS, SEED = 3000, 3, 1
CENTRAL, HOPPER, TEN_PROBES, SPARROW = "central", "hopper", "hopper:probes=10", "sparrow"
PROBES = (2, 4, 6, 8, 10)
REFUSALS = (0, 1, 2, 3, 5, 10)
#: The criterion for every reading.
JUDGED = (CENTRAL, HOPPER, TEN_PROBES, SPARROW)


def hopper(probes: int = 4, refusals: int = 3) -> str:
    """Return decentralised Hopper with these parameters, as a policy's text; those declared are left out.

    Examples
    --------
    >>> hopper(), hopper(10), hopper(refusals=2)
    ('hopper', 'hopper:probes=10', 'hopper:refusal_threshold=2')
    """
    given = [f"probes={probes}"] * (probes != 4) + [f"refusal_threshold={refusals}"] * (refusals != 3)
    return f"hopper:{','.join(given)}" if given else "hopper"


#: Of the figures.
OF_PROBES = (CENTRAL, *map(hopper, PROBES), SPARROW, f"{SPARROW}:probes=4")
OF_REFUSALS = (CENTRAL, *(hopper(refusals=one) for one in REFUSALS))


@dataclass(frozen=True, slots=True)
class Reading:
    """What the paper leaves open, chosen in one way.

    Parameters
    ----------
    copies : str, optional
        Speculation rule of decentralised and centralised Hopper.
    sparrow : str, optional
        Speculation rule of Sparrow.
    fields : tuple of (str, value), optional
        Fields of the scenario.
    busy : float, optional
        Busy share of the slots for each unit of offered load, by which utilisations become offered loads;
        1 takes a utilisation as the load offered without copies.
    """

    copies: str = "budget:benefit=1"
    sparrow: str = "late"
    fields: tuple[tuple[str, Any], ...] = ()
    busy: float = 1.0

    def offered(self, utilisation: float) -> float:
        """Return the load that is offered for what the paper calls a utilisation.

        Examples
        --------
        >>> Reading().offered(0.6), Reading(busy=0.75).offered(0.6)
        (0.6, 0.8)
        """
        return round(utilisation / self.busy, 3)

    def written(self, policy: str) -> str:
        """Return a policy of this module under this reading.

        Examples
        --------
        >>> Reading("none").written("hopper:probes=10"), Reading().written("sparrow")
        ('hopper:probes=10+none', 'sparrow+late')
        """
        return f"{policy}+{self.sparrow if policy.startswith(SPARROW) else self.copies}"


HEADLINE = Reading()
#: Which tasks get copies, and how many: what decides the figure. Each is tried at every utilisation.
READINGS: Mapping[str, Reading] = {
    "copies of tasks known to be slow": HEADLINE,
    "the same, utilisation as the busy share of the slots": Reading(busy=0.732),
    "one extra copy of any running task": Reading("budget:copies=2"),
    "up to four copies of any running task": Reading("budget"),
}
#: What else the paper leaves open, tried at the medium utilisation.
OTHERS: Mapping[str, Reading] = {
    "no copies": Reading("none", "none"),
    "jobs of Pareto(0.7) tasks up to 1,000": Reading(
        fields=(("tasks", "pareto"), ("tasks_tail", 0.7), ("tasks_max", 1000))
    ),
    "latency 0.1 s": Reading(fields=(("latency", 0.1),)),
    "no latency": Reading(fields=(("latency", 0.0),)),
    "Pareto sizes that copies share": Reading(
        fields=(("size", "pareto"), ("size_per", "task"), ("straggle", "deterministic"))
    ),
    "only elapsed times are known": Reading(fields=(("observe", "never"),)),
}


@dataclass(frozen=True, slots=True)
class Runs:
    """Mean flowtimes of each policy, one a replication, on the same jobs; and how busy the slots were."""

    means: Mapping[str, tuple[float | None, ...]]
    busy: Mapping[str, Estimate]

    def ratio(self, policy: str) -> Estimate:
        """Return a policy's mean flowtime over the centralised one's, paired over replications."""
        return student(self.ratios(policy))

    def fall(self, policy: str = HOPPER, other: str = TEN_PROBES) -> Estimate:
        """Return by how much the ratio falls from one policy to another, paired over replications.

        Examples
        --------
        >>> means = {"central": (1.0, 2.0), "hopper": (1.5, 3.0), "hopper:probes=10": (1.2, 2.4)}
        >>> round(Runs(means, {}).fall().value, 6)
        0.3
        """
        pairs = zip(self.ratios(policy), self.ratios(other), strict=True)
        return student([None if a is None or b is None else a - b for a, b in pairs])

    def ratios(self, policy: str) -> list[float | None]:
        """Return the ratio of each replication."""
        pairs = zip(self.means[policy], self.means[CENTRAL], strict=True)
        return [None if a is None or not b else a / b for a, b in pairs]


@cache
def runs(
    utilisation: float, quick: bool, reading: Reading = HEADLINE, policies: tuple[str, ...] = JUDGED
) -> Runs:
    """Run policies, the centralised one among them, under a reading."""
    from sim.engines.registry import preset
    from sim.running.experiment import Experiment, compare

    fields = {"load": reading.offered(utilisation), "jobs": JOBS, "seed": SEED, **dict(reading.fields)}
    if quick:
        fields |= {"workers": 200, "schedulers": 4, "jobs": 200}
    scenario = preset("hopper-fig5a").scenario.replace(**fields)
    experiment = Experiment.of_texts(scenario, tuple(map(reading.written, policies)))
    found = compare(experiment, replications=REPLICATIONS).with_all_intervals().policies
    named = dict(zip(policies, found.values(), strict=True))
    return Runs(
        {policy: tuple(one.values("flowtime", "mean")) for policy, one in named.items()},
        {policy: one.estimate("utilisation") for policy, one in named.items()},
    )


def worst(policy: str, quick: bool, reading: Reading = HEADLINE) -> Estimate:
    """Return the largest ratio of a policy that is judged over the utilisations."""
    return largest(runs(load, quick, reading).ratio(policy) for load in LOADS)


def largest_fall(quick: bool, reading: Reading = HEADLINE) -> Estimate:
    """Return the largest fall of the ratio from four probes to ten over the utilisations."""
    return largest(runs(load, quick, reading).fall() for load in LOADS)


def further(quick: bool, reading: Reading = HEADLINE) -> Estimate:
    """Return by how much Sparrow's ratio rises from the medium utilisation to the high one.

    The same replications at two loads have the same jobs and luck, so they are paired.
    """
    high, medium = (runs(load, quick, reading) for load in (HIGH, MEDIUM))
    pairs = zip(high.ratios(SPARROW), medium.ratios(SPARROW), strict=True)
    return student([None if a is None or b is None else a - b for a, b in pairs])


def as_measured(
    judged: Estimate, quick: bool, readings: Mapping[str, Estimate], others: Iterable[tuple[str, Estimate]]
) -> Measured:
    """Return what a claim's `compute` returns: the headline's number, that of each reading, and others."""
    return Measured(judged, REPLICATIONS, SEED, {**readings, **dict(others)})


# --- Fig. 5a: how many probes per task are enough, and how far off Sparrow is


def judged(
    of_reading: Callable[[bool, Reading], Estimate], at_load: Callable[[Runs], Estimate] | None, quick: bool
) -> Measured:
    """Return a claim's number under the headline and each other reading, at each load, and under `OTHERS`.

    Parameters
    ----------
    of_reading : callable
        What is judged: (quick, reading) -> number over the utilisations.
    at_load : callable, optional
        The same at one utilisation, from its runs.
    """
    others: list[tuple[str, Estimate]] = []
    if at_load:
        others += [(f"utilisation {load:.0%}", at_load(runs(load, quick))) for load in LOADS]
        if not quick:
            others += [(f"{n}, {MEDIUM:.0%}", at_load(runs(MEDIUM, quick, r))) for n, r in OTHERS.items()]
    readings = {name: of_reading(quick, reading) for name, reading in READINGS.items()}
    return as_measured(of_reading(quick, HEADLINE), quick, readings, others)


def four_probes(quick: bool) -> Measured:
    """Return the largest ratio over the utilisations at d = 4."""
    return judged(partial(worst, HOPPER), lambda found: found.ratio(HOPPER), quick)


def plateau(quick: bool) -> Measured:
    """Return how much d = 10 gains on d = 4, at the utilisation where it is most."""
    return judged(largest_fall, Runs.fall, quick)


def sparrow(quick: bool) -> Measured:
    """Return Sparrow's ratio at the medium utilisation."""
    return judged(
        lambda quick, reading: runs(MEDIUM, quick, reading).ratio(SPARROW),
        lambda found: found.ratio(SPARROW),
        quick,
    )


def sparrow_further(quick: bool) -> Measured:
    """Return by how much Sparrow's ratio is higher at the high utilisation than at the medium one."""
    return judged(further, None, quick)


# --- section 5.1: the figure's simulations leave out what messages cost

#: Mean duration of a task, without copies, in the time unit of the figure.
MEAN_TASK = 3.0
#: One-way latencies as shares of it: none, the figure's, those of Sparrow's simulations, judged, and beyond.
LATENCIES, LATENCY = (0.0, 1 / 3000, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1), 0.01


def delayed(share: float, reading: Reading = HEADLINE) -> Reading:
    """Return a reading whose messages take this share of a mean task.

    Examples
    --------
    >>> delayed(0.01).fields
    (('latency', 0.03),)
    """
    latency = round(share * MEAN_TASK, 6)
    return Reading(reading.copies, reading.sparrow, (*reading.fields, ("latency", latency)), reading.busy)


def overheads(quick: bool) -> Measured:
    """Return the largest ratio over the utilisations at d = 4 with a latency that counts."""

    def at(load: float, reading: Reading, policy: str = HOPPER) -> Estimate:
        return runs(load, quick, reading, (CENTRAL, policy)).ratio(policy)

    def worst_of(reading: Reading, policy: str = HOPPER) -> Estimate:
        return largest(at(load, reading, policy) for load in LOADS)

    others = {f"utilisation {load:.0%}": at(load, delayed(LATENCY)) for load in LOADS}
    others |= {f"latency {100 * one:.2g} % of a task": worst_of(delayed(one)) for one in LATENCIES}
    others |= {name: worst_of(delayed(LATENCY, one)) for name, one in READINGS.items()}
    others["ten probes"] = worst_of(delayed(LATENCY), TEN_PROBES)
    return Measured(worst_of(delayed(LATENCY)), REPLICATIONS, SEED, others)


# --- Fig. 5b: how many refusals are enough before a job must accept


def refusals(count: int, quick: bool) -> Measured:
    """Return the largest ratio over the utilisations with so many refusals, and that of each number."""
    shown = {
        f"{one} refusals, {load:.0%}": runs(load, quick, HEADLINE, OF_REFUSALS).ratio(hopper(refusals=one))
        for load in LOADS
        for one in REFUSALS
    }
    judged = largest(shown[f"{count} refusals, {load:.0%}"] for load in LOADS)
    return Measured(judged, REPLICATIONS, SEED, shown)


# --- section 5.3: sizes that workers learn from messages that are sent anyway

SEEING = "hopper:piggyback=0"


@cache
def piggybacked(utilisation: float, quick: bool, reading: Reading = HEADLINE) -> tuple[Estimate, Estimate]:
    """Return the mean flowtime over that with sizes known at once, paired; by how much sizes are overstated.

    The latter is a share of what workers believe of the jobs they ask for.
    """
    from sim.engines.registry import preset
    from sim.running.experiment import Experiment, compare

    fields = {"load": reading.offered(utilisation), "jobs": JOBS, "seed": SEED, **dict(reading.fields)}
    if quick:
        fields |= {"workers": 200, "schedulers": 4, "jobs": 200}
    scenario = preset("hopper-fig5a").scenario.replace(**fields)
    experiment = Experiment.of_texts(scenario, tuple(map(reading.written, (SEEING, HOPPER))))
    found = compare(experiment, replications=REPLICATIONS).with_all_intervals().policies
    seeing, told = found.values()
    pairs = zip(seeing.values("flowtime", "mean"), told.values("flowtime", "mean"), strict=True)
    ratios = [None if a is None or b is None else b / a for a, b in pairs]
    return student(ratios), told.estimate("overstatement")


def piggyback(quick: bool) -> Measured:
    """Return the largest such ratio over the utilisations."""
    at = {load: piggybacked(load, quick) for load in LOADS}
    others = {f"utilisation {load:.0%}": ratio for load, (ratio, _) in at.items()}
    for name, reading in {**READINGS, **OTHERS}.items():
        others[f"{name}, {HIGH:.0%}"] = piggybacked(HIGH, quick, reading)[0]
    others[f"by which share sizes are overstated, {HIGH:.0%}"] = at[HIGH][1]
    return Measured(largest(ratio for ratio, _ in at.values()), REPLICATIONS, SEED, others)


#: Key of a claim -> what measures it.
COMPUTE: dict[str, Callable[[bool], Measured]] = {
    "hopper-theorems-one": algorithm_1,
    "hopper-theorems-two": algorithm_2,
    "hopper-theorems-three": algorithm_3,
    "hopper-section42-weights": weights,
    "hopper-section43-fairness": fairness,
    "hopper-section44-locality": locality,
    "hopper-fig5a-four-probes": four_probes,
    "hopper-fig5a-plateau": plateau,
    "hopper-fig5a-sparrow": sparrow,
    "hopper-fig5a-sparrow-further": sparrow_further,
    "hopper-section51-overheads": overheads,
    "hopper-fig5b-two-refusals": partial(refusals, 2),
    "hopper-section53-piggyback": piggyback,
}
