"""Names of policies on a map, without the parameters that are on an axis."""

from __future__ import annotations

from functools import lru_cache

from sim.map.plane import Plane
from sim.policy import Policy


@lru_cache(maxsize=64)
def names(plane: Plane) -> tuple[str, ...]:
    """Return the names of the policies.

    Examples
    --------
    >>> from sim.experiment import Experiment
    >>> from sim.map.axis import Axis
    >>> from sim.slots.scenario import SlotScenario
    >>> asked = Experiment.of_texts(SlotScenario(), ["fair+none", "hopper:epsilon=0.3"])
    >>> names(Plane(asked, Axis("hopper.epsilon", (0.2, 0.4)), Axis("load", (0.3, 0.6))))
    ('Fair shares + no copies', 'Hopper')
    """
    return tuple(_without_axes(policy, plane).name for policy in plane.experiment.policies)


def codes(plane: Plane) -> tuple[str, ...]:
    """Return what the shell calls the policies."""
    return tuple(_without_axes(policy, plane).text for policy in plane.experiment.policies)


def _without_axes(policy: Policy, plane: Plane) -> Policy:
    """Return a policy whose parameters on an axis are at their defaults, which a name leaves out."""
    for axis in (plane.x, plane.y):
        rule, _, parameter = axis.name.partition(".")
        for kind, chosen in policy.rules.items():
            if parameter and chosen.key == rule:
                policy = policy.with_(**{kind: {parameter: chosen.parameter(parameter).default}})
    return policy
