"""Lines of theory: on a map only where they apply, at the loads of their formulas."""

from __future__ import annotations

import pytest

from sim.map.survey import boundaries
from tests.sim.map.made import SMALL, plane
from theory.cutoff import cloned_delay, single_copy_delay

WIDE = "load=0.1:1.4:14"


def of(**given) -> dict[str, tuple[float, ...]]:
    return {one.key: one.loads for one in boundaries(plane(**given))}


def test_at_the_cutoff_one_copy_waits_as_long_as_two() -> None:
    loads = of(x=WIDE, y="beta=2.2,2.6,3.4")["cutoff"]
    for load, beta in zip(loads, (2.2, 2.6, 3.4), strict=True):
        assert single_copy_delay(load, beta) == pytest.approx(cloned_delay(load, beta))


def test_sizes_that_differ_move_the_cutoff() -> None:
    uniform = SMALL.replace(size="uniform", size_max=4.0)
    given = {"x": WIDE, "y": "beta=2.2,2.6"}
    assert all(
        a != b for a, b in zip(of(scenario=uniform, **given)["cutoff"], of(**given)["cutoff"], strict=True)
    )


def test_the_threshold_and_the_limits_of_stability_are_there_where_they_apply() -> None:
    found = of(x=WIDE, y="beta=1.25,1.5,2,3", policies=("srpt+none", "srpt+clone"))
    assert found["threshold"] == (0.625, 0.75, 1.0, 1.0)  # beta / 2, at most 1
    assert found["load"] == (1.0, 1.0, 1.0, 1.0)
    assert found["clones"] == pytest.approx((1.5, 1.0, 0.75, 0.625))  # (2 beta - 1) / (4 (beta - 1))
    assert "clones" not in of(x=WIDE, policies=("srpt+none", "srpt+late"))
    assert "load" not in of(x="load=0.3:0.9:4")
    assert of(x="slots=10,20") == {}
    light = SMALL.replace(straggle="exponential")
    assert of(x=WIDE, y="slots=10,20", scenario=light).keys() == {"load"}


def test_the_load_may_be_on_either_axis() -> None:
    assert of(x="beta=1.25,1.5", y=WIDE)["threshold"] == (0.625, 0.75)
    for x, y, sides in (
        ("beta=1.25,1.5", WIDE, ("Below", "Above")),
        (WIDE, "beta=1.25,1.5", ("Left", "Right")),
    ):
        assert all(one.about.startswith(sides) for one in boundaries(plane(x=x, y=y)))


def test_a_law_with_an_upper_bound_is_told() -> None:
    assert all("upper bound" in one.about for one in boundaries(plane()) if one.key != "load")
    pareto = plane(scenario=SMALL.replace(straggle="pareto"))
    assert not any("upper bound" in one.about for one in boundaries(pareto))
