"""The runs behind Hopper's Fig. 5: ratios to the centralised run at four utilisations, by several readings.

The paper states 50 schedulers, 10,000 workers and Pareto task sizes of tail index (beta) 1.5. It leaves
open which tasks get copies and how many, how many tasks jobs have, how Sparrow speculates, the latency and
what a straggler looks like. A *reading* is a choice of the first of these; all claims of the figure are
judged under one and the same, the `HEADLINE`: the authors call speculation running copies "of tasks that
have already, or are likely to become, stragglers", so a task is copied once it is known to be slow. The
rest is taken as U{1..100} tasks a job, the duration of every copy Pareto(1, 1.5) on its own, one
millisecond against a mean duration of three seconds, LATE for Sparrow; `OTHERS` are as reasonable.

What the paper calls utilisation is taken as the load offered without copies. The share of the slots that
is busy is another number, which depends on the copies; one reading takes that for the utilisation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import largest

SETTING = (
    "50 schedulers, 10,000 workers, Pareto task sizes with beta = 1.5, utilisation 60 to 90 %, "
    "taken as the load offered without copies"
)
#: Our choices, as a method states them.
CHOSEN = (
    "U{1..100} tasks a job, every copy's duration Pareto(1, 1.5), latency 1 ms, 3,000 jobs a run, within "
    "Hopper's budget copies of tasks known to take longer than average, LATE for Sparrow."
)
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
