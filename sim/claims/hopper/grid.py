"""The runs behind Hopper's Fig. 5: ratios to the centralised run at four utilisations, computed once.

The paper states 50 schedulers, 10,000 workers and Pareto task sizes of tail index (beta) 1.5. It leaves
open how many tasks jobs have, how Sparrow speculates, the latency and what a straggler looks like. Taken
here: U{1..100} tasks, the duration of every copy Pareto(1, 1.5) on its own, one millisecond against a
mean duration of three seconds, utilisation as offered load, LATE for Sparrow. `OTHERS` are as reasonable.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sim.claims.claim import Measured
from sim.statistics import Estimate

UTILISATIONS = (0.6, 0.7, 0.8, 0.9)
#: Three replications of 3,000 jobs are 450,000 tasks a point.
JOBS, REPLICATIONS, SEED = 3000, 3, 1

SPARROW = "sparrow+late"
FIG5A = ("central", "hopper:probes=2", "hopper", "hopper:probes=10", SPARROW)
AT_80 = ("central", "hopper", "hopper:probes=10", SPARROW)
FIG5B = ("central", "hopper:refusal_threshold=0", "hopper:refusal_threshold=2", "hopper")

#: What else the open choices could have been: fields of the scenario.
OTHERS: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "jobs of Pareto(0.7) tasks up to 1,000": (("tasks", "pareto"), ("tasks_tail", 0.7), ("tasks_max", 1000)),
    "latency 0.1 s": (("latency", 0.1),),
    "Pareto sizes that copies share": (
        ("size", "pareto"),
        ("size_per", "task"),
        ("straggle", "deterministic"),
    ),
    "only elapsed times known": (("observe", "never"),),
}


@cache
def ratios(
    policies: tuple[str, ...],
    utilisation: float,
    quick: bool,
    changes: tuple[tuple[str, Any], ...] = (),
) -> dict[str, Estimate]:
    """Return each policy's mean flowtime over the centralised one's, paired over replications."""
    from sim.experiment import Experiment, compare
    from sim.presets import preset

    fields = {"load": utilisation, "jobs": JOBS, "seed": SEED, **dict(changes)}
    if quick:
        fields |= {"workers": 500, "schedulers": 5, "jobs": 300}
    scenario = preset("hopper-fig5a").scenario.replace(**fields)
    comparison = compare(Experiment(scenario, policies), replications=REPLICATIONS)
    return {policy: comparison.ratio(policy, "flowtime", "mean") for policy in policies}


def worst(policies: tuple[str, ...], policy: str, quick: bool) -> Estimate:
    """Return the largest ratio of a policy over the utilisations."""
    found = [ratios(policies, utilisation, quick)[policy] for utilisation in UTILISATIONS]
    return max(found, key=lambda estimate: estimate.value or 0.0)


def measured(policies: tuple[str, ...], policy: str, judged: Estimate, quick: bool) -> Measured:
    """Return what is judged, with the ratio at every utilisation and under every other choice at 80 %."""
    found = {f"utilisation {one:.0%}": ratios(policies, one, quick)[policy] for one in UTILISATIONS}
    if not quick:
        for name, changes in OTHERS.items():
            found[f"{name}, 80%"] = ratios(AT_80, 0.8, quick, changes)[policy]
    return Measured(judged, replications=REPLICATIONS, seed=SEED, choices=found)
