"""The runs behind Hopper's Fig. 5: ratios to the centralised run at four utilisations, computed once.

The paper states 50 schedulers, 10,000 workers and Pareto task sizes of tail index (beta) 1.5. It leaves
open how many tasks jobs have, which tasks get copies and how many, how Sparrow speculates, the latency and
what a straggler looks like. Taken here: U{1..100} tasks, the duration of every copy Pareto(1, 1.5) on its
own, one millisecond against a mean duration of three seconds, utilisation as offered load, up to four copies
of any running task within Hopper's budget, LATE for Sparrow. `OTHERS` are as reasonable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sim.claims.claim import Measured
from sim.claims.runs import largest
from sim.statistics import Estimate

SETTING = "50 schedulers, 10,000 workers, Pareto task sizes with beta = 1.5, utilisation 60 to 90 %"
#: What is chosen here, as a method says it.
CHOICES = (
    "U{1..100} tasks a job, every copy's duration Pareto(1, 1.5), latency 1 ms, "
    "Hopper's budget for up to four copies of any running task, LATE for Sparrow."
)
UTILISATIONS = (0.6, 0.7, 0.8, 0.9)
#: Where most slots idle and the ratios are largest: the other choices are tried there.
OTHERS_AT = 0.6
#: Three replications of 3,000 jobs are 450,000 tasks a point.
JOBS, REPLICATIONS, SEED = 3000, 3, 1

SPARROW = "sparrow+late"
FIG5A = ("central", "hopper:probes=2", "hopper", "hopper:probes=10", SPARROW)
FIG5B = ("central", "hopper:refusal_threshold=0", "hopper:refusal_threshold=2", "hopper")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the paper leaves open, chosen otherwise.

    Parameters
    ----------
    fields : tuple of (str, value)
        Fields of the scenario.
    copies : str
        Speculation rule of decentralised and centralised Hopper.
    sparrow : str
        Speculation rule of Sparrow.
    """

    fields: tuple[tuple[str, Any], ...] = ()
    copies: str = "budget"
    sparrow: str = "late"

    def written(self, policy: str) -> str:
        """Return a policy of `FIG5A` under this choice.

        Examples
        --------
        >>> Choice(copies="none").written("hopper:probes=10")
        'hopper:probes=10+none'
        """
        protocol = policy.partition("+")[0]
        return f"{protocol}+{self.sparrow if protocol == 'sparrow' else self.copies}"


CHOSEN = Choice()
OTHERS: Mapping[str, Choice] = {
    "one extra copy a task": Choice(copies="budget:copies=2"),
    "copies of tasks known to take longer than average": Choice(copies="budget:benefit=1"),
    "no copies": Choice(copies="none", sparrow="none"),
    "jobs of Pareto(0.7) tasks up to 1,000": Choice(
        (("tasks", "pareto"), ("tasks_tail", 0.7), ("tasks_max", 1000))
    ),
    "latency 0.1 s": Choice((("latency", 0.1),)),
    "no latency": Choice((("latency", 0.0),)),
    "Pareto sizes that copies share": Choice(
        (("size", "pareto"), ("size_per", "task"), ("straggle", "deterministic"))
    ),
    "LATE knows elapsed times only": Choice((("observe", "never"),)),
}


@cache
def ratios(
    policies: tuple[str, ...], utilisation: float, quick: bool, choice: Choice = CHOSEN
) -> dict[str, Estimate]:
    """Return each policy's mean flowtime over the centralised one's, paired over replications."""
    from sim.experiment import Experiment, compare
    from sim.presets import preset

    fields = {"load": utilisation, "jobs": JOBS, "seed": SEED, **dict(choice.fields)}
    if quick:
        fields |= {"workers": 500, "schedulers": 5, "jobs": 300}
    scenario = preset("hopper-fig5a").scenario.replace(**fields)
    written = tuple(choice.written(policy) for policy in policies)
    experiment = Experiment.of_texts(scenario, written)
    comparison = compare(experiment, replications=REPLICATIONS).with_all_intervals()
    found = zip(policies, comparison.policies, strict=True)
    return {policy: comparison.ratio(name, "flowtime", "mean") for policy, name in found}


def worst(policies: tuple[str, ...], policy: str, quick: bool) -> Estimate:
    """Return the largest ratio of a policy over the utilisations."""
    return largest(ratios(policies, utilisation, quick)[policy] for utilisation in UTILISATIONS)


def fall(found: Mapping[str, Estimate]) -> Estimate:
    """Return by how much the ratio falls from d = 4 to d = 10."""
    four, ten = found["hopper"], found["hopper:probes=10"]
    if four.value is None or ten.value is None:
        return Estimate(None)
    half = four.half + ten.half  # at most: the two share their luck
    gain = four.value - ten.value
    return Estimate(gain, gain - half, gain + half)


def everywhere(quick: bool) -> dict[str, dict[str, Estimate]]:
    """Return the ratios at every utilisation, and under every other choice."""
    found = {f"utilisation {one:.0%}": ratios(FIG5A, one, quick) for one in UTILISATIONS}
    if not quick:
        for name, choice in OTHERS.items():
            found[f"{name}, {OTHERS_AT:.0%}"] = ratios(FIG5A, OTHERS_AT, quick, choice)
    return found


def measured(policy: str, judged: Estimate, quick: bool) -> Measured:
    """Return what is judged, with the policy's ratio everywhere."""
    choices = {name: found[policy] for name, found in everywhere(quick).items()}
    return Measured(judged, replications=REPLICATIONS, seed=SEED, choices=choices)
