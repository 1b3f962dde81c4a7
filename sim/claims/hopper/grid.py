"""The runs behind Hopper's Fig. 5: ratios to the centralised run at four utilisations, computed once.

The paper states 50 schedulers, 10,000 workers and Pareto task sizes of tail index (beta) 1.5. It leaves
open how many tasks jobs have, how Sparrow speculates, the latency and what a straggler looks like. Taken
here: U{1..100} tasks, the duration of every copy Pareto(1, 1.5) on its own, one millisecond against a
mean duration of three seconds, LATE for Sparrow. `OTHERS` are as reasonable.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sim.statistics import Estimate

UTILISATIONS = (0.6, 0.7, 0.8, 0.9)
REPLICATIONS, QUICK = 4, 2
SEED = 1
PROBES = (2, 4, 6, 8, 10)
REFUSALS = (0, 1, 2, 3, 4, 6, 8, 10)

FIG5A = (
    "central",
    *(f"hopper:probes={d}" for d in PROBES),
    *(f"sparrow:probes={d}+late" for d in PROBES),
)
FIG5B = ("central", *(f"hopper:refusal_threshold={count}" for count in REFUSALS))

#: What else the open choices could have been: fields of the scenario.
OTHERS: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "jobs of Pareto(0.7) tasks up to 1,000": (("tasks", "pareto"), ("tasks_tail", 0.7), ("tasks_max", 1000)),
    "latency 0.1 s": (("latency", 0.1),),
    "Pareto sizes that copies share": (
        ("size", "pareto"),
        ("size_per", "task"),
        ("straggle", "deterministic"),
    ),
    "remaining time known at once": (("observe", "age:0"),),
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

    scenario = preset("hopper-fig5a").scenario.replace(load=utilisation, seed=SEED, **dict(changes))
    if quick:
        scenario = scenario.replace(workers=1000, schedulers=5, jobs=1500)
    comparison = compare(Experiment(scenario, policies), replications=QUICK if quick else REPLICATIONS)
    return {policy: comparison.ratio(policy, "flowtime", "mean") for policy in policies}


def worst(policies: tuple[str, ...], policy: str, quick: bool) -> Estimate:
    """Return the largest ratio of a policy over the utilisations."""
    found = [ratios(policies, utilisation, quick)[policy] for utilisation in UTILISATIONS]
    return max(found, key=lambda estimate: estimate.value or 0.0)


def choices(policies: tuple[str, ...], policy: str, utilisation: float, quick: bool) -> dict[str, Estimate]:
    """Return the ratio of a policy under every other choice, and at every utilisation under ours."""
    needed = ("central", policy)
    found = {f"utilisation {one:.0%}": ratios(policies, one, quick)[policy] for one in UTILISATIONS}
    if not quick:
        found |= {
            name: ratios(needed, utilisation, quick, changes)[policy] for name, changes in OTHERS.items()
        }
    return found
