"""The ages from which Mantri judges by elapsed time alone satisfy its condition, and no others do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from sim.engines.slots.speculation.mantri import qualifying_ages
from sim.model.laws import StraggleLaw
from tests.depth import every

SIGMA = 1.2
#: Ratio of neighbouring ages that are tried, or a little more.
STEP = 1.01
#: The laws beside SciPy's.
LAWS = {
    "pareto": (StraggleLaw("pareto", (1.5,)), stats.pareto(1.5)),
    "lognormal": (StraggleLaw("lognormal", (SIGMA,)), stats.lognorm(SIGMA, scale=math.exp(-(SIGMA**2) / 2))),
    "bounded-pareto": (StraggleLaw("bounded-pareto", (1.5, 50.0)), stats.truncpareto(1.5, 50)),
}


def chance(twin, age: float) -> float:
    """Probability that what is left of a copy of this age exceeds twice a new copy's duration."""
    beyond, _ = integrate.quad(lambda share: twin.sf(age + 2 * twin.isf(share)), 0, 1, limit=200)
    return beyond / twin.sf(age)


@pytest.mark.parametrize(
    ("name", "delta"), every(4, [(name, delta) for name in LAWS for delta in (0.1, 0.25, 0.5)])
)
def test_the_condition_holds_from_the_first_age_to_the_last(name, delta):
    law, twin = LAWS[name]
    first, last = qualifying_ages(law, delta)
    edges = [age for edge in (first, last) if 0 < edge < math.inf for age in (edge / STEP, edge * STEP)]
    for age in [*edges, *np.geomspace(0.05, 40, 15)]:
        if first * 1.001 < age < last / 1.001:
            assert chance(twin, age) > delta
        elif age < first / 1.001 or last * 1.001 < age:
            assert chance(twin, age) < delta


@pytest.mark.parametrize(("delta", "expected"), [(0.3, (0.0, math.inf)), (0.34, (math.inf, math.inf))])
def test_an_exponential_copy_is_as_good_as_new_at_any_age(delta, expected):
    """The chance that one exponential time exceeds twice another is 1/3."""
    assert qualifying_ages(StraggleLaw("exponential"), delta) == expected
