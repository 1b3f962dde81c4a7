"""The choice of runs: the picture is that of the full grid, from far fewer runs."""

from __future__ import annotations

import copy
import dataclasses

import pytest

from sim.map.picture import BETWEEN, SIMULATED, picture
from sim.map.plane import Cell, Plane
from sim.map.survey import ALIKE, SURE, UNKNOWN, UNSTABLE, Judge, Survey
from sim.model.result import PolicyResult
from sim.model.statistics import Estimate
from tests.sim.map.made import SMALL, plane, run, surveyed


def regions(asked: Plane, cell: Cell, policy: int) -> float:
    """Three regions that meet in a point; the value of the best is 1, others rise smoothly beyond."""
    across, up = cell[0] / (len(asked.x.values) - 1), cell[1] / (len(asked.y.values) - 1)
    far = (0.4 * across + 0.2 * up, 0.5 - 0.6 * across + 0.1 * up, 0.55 - 0.1 * across - 0.5 * up)
    return 1 + far[policy]


def true_winner(asked: Plane, cell: Cell) -> tuple[int, float]:
    """Return the best policy of a cell, and how far the next is above it."""
    order = sorted((regions(asked, cell, i), i) for i in range(3))
    return order[0][1], order[1][0] / order[0][0] - 1


@pytest.fixture(scope="module")
def both() -> tuple[Survey, Survey]:
    asked = plane("load=0.2:0.8:12", "beta=1.2:3:10")
    whole = dataclasses.replace(asked, full=True)
    return tuple(surveyed(one, lambda cell, i: regions(asked, cell, i)) for one in (asked, whole))


def test_the_picture_is_that_of_the_full_grid_with_less_than_half_of_its_runs(both) -> None:
    few, whole = both
    drawn, full = picture(few, final=True), picture(whole, final=True)
    assert full.simulated == full.plane.size
    assert 0 < drawn.simulated < full.plane.size
    # the full grid runs every policy as often as the one that needs most
    once = sum(3 * max(counts) for counts in whole.wanted.values())
    assert 2.5 * few.runs <= once  # of three regions; on the map that is shipped a third (test_shipped)
    for cell, one in drawn.squares.items():
        best, ahead = true_winner(drawn.plane, cell)
        other = full.squares[cell]
        if ahead > 0.03:
            assert one.standing.best == other.standing.best == best, cell
            assert one.standing.kind == other.standing.kind == SURE
        assert abs(one.gain - other.gain) < 0.07, cell  # the second best changes between two cells


def test_gains_are_known_as_well_as_was_asked(both) -> None:
    for survey in both:
        for cell in survey.wanted:
            standing = survey.standing(cell)
            assert standing.gain.half <= 0.02 + 1e-12
            assert max(standing.replications) < survey.plane.most


def test_a_cell_is_left_only_between_two_where_the_same_is_known(both) -> None:
    few, _ = both
    drawn = picture(few, final=True)
    assert few.between
    for cell, (one, other) in few.between.items():
        ends = drawn.squares[one], drawn.squares[other]
        assert ends[0].standing.leaders == ends[1].standing.leaders == drawn.squares[cell].standing.leaders
        on_a_line = one[0] == other[0] == cell[0] or one[1] == other[1] == cell[1]
        assert on_a_line
        assert one < cell < other
        low, high = sorted(end.gain for end in ends)
        assert low <= drawn.squares[cell].gain <= high
    for one in drawn.squares.values():
        assert one.known in (SIMULATED, BETWEEN)
        assert all(drawn.squares[cell].known == SIMULATED for cell in one.around)


def test_neighbours_that_differ_are_simulated(both) -> None:
    few, _ = both
    drawn = picture(few, final=True)
    for (i, j), one in drawn.squares.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other in drawn.squares and one.standing.leaders != drawn.squares[other].standing.leaders:
                known = {one.known, drawn.squares[other].known}
                assert SIMULATED in known, (i, j)


def test_a_regret_is_what_choosing_a_policy_costs(both) -> None:
    _, whole = both
    found = picture(whole, final=True)
    for i, regret in enumerate(found.regrets):
        true = [
            regions(found.plane, cell, i) / min(regions(found.plane, cell, k) for k in range(3)) - 1
            for cell in found.squares
        ]
        assert regret.mean.value == pytest.approx(sum(true) / len(true), abs=0.02)
        assert regret.worst.value == pytest.approx(max(true), abs=0.06)
        assert regret.wins == sum(
            one.standing.kind == SURE and one.standing.best == i for one in found.squares.values()
        )
    assert sum(one.wins for one in found.regrets) + found.count(ALIKE) == found.plane.size


def test_nothing_is_drawn_before_the_first_look_is_whole_and_all_is_after() -> None:
    asked = plane()
    survey = Survey(asked)
    units = survey.todo()
    for unit in units[:-1]:
        survey.samples.update({(unit.cell, i, unit.replication): run(1.0 + i) for i in unit.policies})
    assert not picture(survey).squares
    last = units[-1]
    survey.samples.update({(last.cell, i, last.replication): run(1.0 + i) for i in last.policies})
    assert len(picture(survey).squares) == asked.size


def test_a_cell_between_one_that_is_in_doubt_and_another_is_drawn_too(both) -> None:
    """Until the one in doubt has its first runs."""
    survey = copy.copy(both[0])
    survey.between, survey.wanted = dict(survey.between), dict(survey.wanted)
    doubtful = next(place for pair in survey.between.values() for place in pair if place in survey.between)
    del survey.between[doubtful]
    survey._want([doubtful])
    assert not survey.begun(doubtful)
    assert picture(survey).squares.keys() == set(survey.plane.cells)


def judged(*policies: list[float | None], criterion: str = "mean", budget: float = 0.1, **more):
    from sim.map.plane import CRITERIA

    results = [
        PolicyResult(str(i), tuple(run(value, **more.get(f"of_{i}", {})) for value in values))
        for i, values in enumerate(policies)
    ]
    return Judge(CRITERIA[criterion], budget).judge(SMALL, results)


def test_the_least_is_the_best_where_no_paired_interval_holds_0() -> None:
    sure = judged([1.0, 2.0, 3.0], [1.5, 2.5, 3.6], [3.0, 4.0, 5.0])
    assert (sure.kind, sure.best, sure.second, sure.leaders) == (SURE, 0, 1, frozenset({0}))
    assert sure.gain.value == pytest.approx(1 - 2 / 2.5333333)
    assert sure.regrets[0] == Estimate(0.0, 0.0, 0.0)
    alike = judged([1.0, 2.0, 3.0], [1.1, 1.9, 3.1], [3.0, 4.0, 5.0])
    assert (alike.kind, alike.leaders) == (ALIKE, frozenset({0, 1}))
    same = judged([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (same.kind, same.gain) == (ALIKE, Estimate(0.0, 0.0, 0.0))


def test_a_wide_interval_of_the_third_is_enough_for_a_hatch() -> None:
    found = judged([1.0, 2.0, 3.0], [1.2, 2.4, 3.6], [0.0, 1.0, 9.0])
    assert (found.best, found.second, found.kind) == (0, 1, ALIKE)
    assert found.leaders == {0, 2}


def test_who_cannot_keep_up_does_not_win() -> None:
    grows = {"waiting": (0, 100, 200, 300)}
    found = judged([1.0, 1.0], [2.0, 2.1], of_0=grows)
    assert (found.best, found.unstable, found.regrets[0].value) == (1, (True, False), None)
    assert judged([1.0, 1.0], [2.0, 2.1], of_0=grows, of_1=grows).kind == UNSTABLE


def test_what_unfinished_jobs_hide_is_not_known() -> None:
    assert judged([1.0, None], [2.0, 2.1]).kind == UNKNOWN


def test_a_budget_bounds_the_slot_time_beyond_the_least() -> None:
    dear = {"resource": 1.2}
    assert judged([1.0, 1.0], [2.0, 2.1], criterion="budget", of_0=dear).best == 1
    assert judged([1.0, 1.0], [2.0, 2.1], criterion="budget", of_0=dear).over == (True, False)
    assert judged([1.0, 1.0], [2.0, 2.1], criterion="budget", budget=0.3, of_0=dear).best == 0
    assert judged([1.0, 1.0], [2.0, 2.1], of_0=dear).best == 0


def test_policies_are_compared_on_the_luck_that_both_have() -> None:
    """Let go early, the second looks better by its own mean: its few replications were lucky ones."""
    found = judged([1.0, 1.1, 3.0, 3.1], [1.5, 1.6])
    assert found.best == 0
    assert found.regrets[1].value == pytest.approx(1.55 / 1.05 - 1)
