"""Dolly's Pseudocode 1: which machines get clones, corrected and as printed."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.clone_placement import clone_placement
from theory.cloning import task_level_copies, task_outlier_probability

AMPLE = {"running": 0, "slots": 1000, "ceiling": 1.0}


@st.composite
def clusters(draw):
    """Outlier probabilities and free slots of a few machines, and the homes of a few tasks."""
    size = draw(st.integers(2, 7))
    levels = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0])
    p = draw(st.lists(levels, min_size=size, max_size=size))
    free = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    home = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=4))
    return p, free, home


def smallest_set(p, candidates, start, target):
    """Fewest machines whose probabilities bring `start` to the target, by trying all sets, or None."""
    for size in range(len(candidates) + 1):
        for chosen in itertools.combinations(candidates, size):
            if start * math.prod(p[k] for k in chosen) <= target * (1 + 1e-9):
                return size
    return None


@given(clusters(), st.sampled_from([0.01, 0.05, 0.3]))
def test_each_task_gets_the_smallest_set_that_will_do(cluster, epsilon):
    p, free, home = cluster
    placement = clone_placement(p, free, home, epsilon, **AMPLE)
    target, space = 1 - (1 - epsilon) ** (1 / len(home)), list(free)
    for task, machine in enumerate(home):
        candidates = [k for k in range(len(p)) if k != machine and space[k] > 0]
        size = smallest_set(p, candidates, p[machine], target)
        assert len(placement.machines[task]) == (len(candidates) if size is None else size)
        for k in placement.machines[task]:
            space[k] -= 1
    assert min(space) >= 0


@given(clusters(), st.integers(0, 12), st.sampled_from([0.5, 0.7, 1.0]))
def test_a_placement_respects_slots_homes_and_ceiling(cluster, running, ceiling):
    p, free, home = cluster
    placement = clone_placement(p, free, home, 0.05, running, 10, ceiling)
    used = np.bincount([k for chosen in placement.machines for k in chosen], minlength=len(p))
    assert np.all(used <= free)
    for machine, chosen, outlier in zip(home, placement.machines, placement.outlier, strict=True):
        assert machine not in chosen
        assert len(set(chosen)) == len(chosen)
        assert outlier == pytest.approx(p[machine] * math.prod(p[k] for k in chosen))
    assert placement.running == running + used.sum()
    assert placement.running < ceiling * 10 + 1e-9 or used.sum() == 0


def test_with_room_the_job_meets_its_target_and_one_clone_less_would_not():
    p, n, epsilon = 0.3, 6, 0.05
    placement = clone_placement([p] * 40, [5] * 40, range(n), epsilon, **AMPLE)
    copies = [1 + len(chosen) for chosen in placement.machines]
    assert copies == [task_level_copies(p, n, epsilon)] * n
    assert 1 - math.prod(1 - q for q in placement.outlier) <= epsilon
    assert 1 - math.prod(1 - q for q in placement.outlier) == pytest.approx(
        task_outlier_probability(p, n, copies[0])
    )


def test_clones_stop_below_the_ceiling():
    for ceiling, clones in ((0.5, 0), (0.6, 1), (0.7, 2), (0.75, 3), (1.0, 5)):
        placement = clone_placement([0.9] * 8, [1] * 8, [0], 0.01, running=4, slots=10, ceiling=ceiling)
        assert len(placement.machines[0]) == clones, ceiling
        # U + 1 < tau S before each: the printed strict inequality
        assert placement.running == 4 + clones < ceiling * 10 or clones == 0


# --- as printed ----------------------------------------------------------------------------------


def printed_twin(p, home, epsilon, running, tau_slots):
    """Pseudocode 1 line by line, with the list of machines ending where it ends."""
    n, machines, left = len(home), [], running
    target = 1 - (1 - epsilon) ** (1 / n)  # p to the power of c_o
    listed = sorted(range(len(p)), key=lambda k: (-p[k], k))
    for machine in home:
        pt, i, chosen = p[machine], 0, []
        while i < len(listed) and pt * p[listed[i]] > target and left + 1 < tau_slots:
            chosen.append(listed[i])
            pt, i, left = pt * p[listed[i]], i + 1, left + 1
        machines.append(tuple(chosen))
    return tuple(machines), left


@given(clusters(), st.integers(0, 9), st.sampled_from([0.03, 0.11, 0.27]))
def test_the_printed_pseudocode_is_followed(cluster, running, epsilon):
    p, free, home = cluster
    placement = clone_placement(p, free, home, epsilon, running, 10, 1.0, as_printed=True)
    machines, left = printed_twin(p, home, epsilon, running, 10)
    assert placement.machines == machines
    assert placement.running == left


def test_the_printed_loop_stops_one_clone_short():
    p = [0.3] * 8
    printed = clone_placement(p, [4] * 8, [0], 0.05, **AMPLE, as_printed=True)
    right = clone_placement(p, [4] * 8, [0], 0.05, **AMPLE)
    assert len(printed.machines[0]) == len(right.machines[0]) - 1
    assert printed.outlier[0] > printed.target >= right.outlier[0]


def test_the_printed_order_uses_the_worst_machines_and_the_most_of_them():
    p = [0.5, 0.6, 0.7, 0.8, 0.9, 0.02]
    printed = clone_placement(p, [1] * 6, [0], 0.05, **AMPLE, as_printed=True)
    right = clone_placement(p, [1] * 6, [0], 0.05, **AMPLE)
    assert right.machines == ((5,),)
    assert printed.machines[0][0] == 4
    assert len(printed.machines[0]) > 3


def test_the_printed_code_overfills_the_first_machine_and_clones_onto_the_original():
    p, free = [0.8, 0.3, 0.3, 0.3], [1, 1, 1, 1]
    printed = clone_placement(p, free, [0, 1, 2], 0.2, **AMPLE, as_printed=True)
    assert [chosen[0] for chosen in printed.machines] == [0, 0, 0]  # one slot, three clones, one at home


def test_a_perfect_machine_ends_the_loop_with_one_clone_and_as_printed_gets_none():
    assert clone_placement([0.4, 0.0], [1, 1], [0], 0.05, **AMPLE).machines == ((1,),)
    assert clone_placement([0.4, 0.0], [1, 1], [1], 0.05, **AMPLE).machines == ((),)
    printed = clone_placement([0.01, 0.0], [1, 1], [0], 0.005, **AMPLE, as_printed=True)
    assert printed.machines == ((),)
    assert printed.outlier[0] > printed.target


# --- door ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("outlier", [0.1, 1.1], "outlier must be from 0 to 1"),
        ("outlier", [0.1, math.nan], "outlier must be"),
        ("free", [1], "free must be one number for each of 2"),
        ("free", [1, 0.5], "free must be"),
        ("free", [1, -1], "free must be"),
        ("original", [], "original must be"),
        ("original", [2], "original must be machines from 0 to 1"),
        ("original", [-1], "original must be"),
        ("epsilon", 0.0, "epsilon must be"),
        ("running", -1, "running must be"),
        ("slots", 0, "slots must be"),
        ("ceiling", 1.2, "ceiling must be"),
        ("ceiling", math.nan, "ceiling must be"),
    ],
)
def test_bad_arguments_are_named(name, value, message):
    good = {"outlier": [0.1, 0.2], "free": [1, 1], "original": [0], "epsilon": 0.05} | AMPLE
    with pytest.raises(ValueError, match=message):
        clone_placement(**(good | {name: value}))


def test_the_callers_arrays_are_left_alone():
    p, free = np.array([0.5, 0.3]), np.array([1.0, 2.0])
    clone_placement(p, free, [0], 0.05, **AMPLE)
    np.testing.assert_array_equal(free, [1, 2])
