"""The paper's gradient projection for P2: where it converges, and where it does not."""

import math

import numpy as np
import pytest
from scipy import optimize

from theory.cloned_job import cloned_job_duration, cloned_job_resource, waiting_jobs
from theory.gradient_projection import gradient_projection, largest_stable_step
from theory.optimal_cloning import best_copies, optimal_cloning

FIG1 = {"m": [10, 20, 5, 10], "scale": [1, 2, 1, 2], "alpha": 2.0, "machines": 100, "limit": 8}
M, MU = np.array(FIG1["m"], dtype=float), np.array(FIG1["scale"], dtype=float)


def best_response(i, gamma, nu, xi, h):
    """Copies of job `i` that maximise f on [1, r], by a general minimiser."""

    def minus_f(c):
        duration = cloned_job_duration(M[i], c, MU[i], 2.0)
        resource = gamma * cloned_job_resource(M[i], c, MU[i], 2.0)
        return duration + resource + nu * M[i] * c + xi * (c - 8) + h * (1 - c)

    inner = optimize.minimize_scalar(minus_f, bounds=(1, 8), method="bounded", options={"xatol": 1e-9}).x
    return min((1.0, inner, 8.0), key=minus_f)


def twin(iterations, gamma, steps=(0.2, 0.3, 0.4), decay=0.0):
    """Copies and prices of the algorithm, line by line."""
    nu, xi, h = 0.1, [0.1] * 4, [0.1] * 4
    rows = [([1.0] * 4, nu)]
    for k in range(iterations):
        copies = [best_response(i, gamma, nu, xi[i], h[i]) for i in range(4)]
        eta = [step / (1 + decay * k) for step in steps]
        nu = max(0.0, nu + eta[0] * (sum(M * copies) - 100))
        xi = [max(0.0, x + eta[1] * (c - 8)) for x, c in zip(xi, copies, strict=True)]
        h = [max(0.0, x + eta[2] * (1 - c)) for x, c in zip(h, copies, strict=True)]
        rows.append((copies, nu))
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


@pytest.mark.parametrize("gamma", [0.01, 0.1])
@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_path_agrees_with_the_printed_algorithm(gamma, decay):
    copies, price = twin(12, gamma, decay=decay)
    path = gradient_projection(**FIG1, gamma=gamma, decay=decay, iterations=12)
    np.testing.assert_allclose(path.copies, copies, atol=1e-4)
    np.testing.assert_allclose(path.price, price, atol=1e-2)


def test_with_the_printed_steps_it_goes_round_for_ever():
    path = gradient_projection(**FIG1, gamma=0.01, iterations=600)
    optimum = optimal_cloning(**FIG1, gamma=0.01)
    late = path.copies[-300:]
    assert np.min(np.max(np.abs(late - optimum.copies), axis=1)) > 1
    np.testing.assert_allclose(late[3:], late[:-3], rtol=1e-6)  # a cycle of three
    assert np.max(late @ M) > 150 > 100 > np.min(late @ M)


def test_the_stopping_test_is_met_far_from_the_optimum():
    path = gradient_projection(**FIG1, gamma=0.01, iterations=20)
    assert path.stopped == 4
    np.testing.assert_array_equal(path.copies[3:5], 1)  # two rounds at the bound are no convergence
    assert gradient_projection(**FIG1, gamma=0.01, iterations=3).stopped is None


@pytest.mark.parametrize(
    ("steps", "decay", "iterations"), [((0.002, 0.3, 0.4), 0.0, 200), ((0.2, 0.3, 0.4), 1.0, 700)]
)
@pytest.mark.parametrize("gamma", [0.0, 0.01, 0.1, 1.0])
def test_short_and_shrinking_steps_converge(steps, decay, iterations, gamma):
    path = gradient_projection(**FIG1, gamma=gamma, steps=steps, decay=decay, iterations=iterations)
    optimum = optimal_cloning(**FIG1, gamma=gamma)
    np.testing.assert_allclose(path.copies[-1], optimum.copies, atol=1e-4)
    assert path.price[-1] == pytest.approx(optimum.price, abs=1e-5)
    assert path.stopped is not None
    assert path.unbounded is None


def test_the_printed_steps_converge_where_machines_are_left_over():
    path = gradient_projection(**FIG1, gamma=0.1, iterations=20)
    optimum = optimal_cloning(**FIG1, gamma=0.1)
    assert optimum.price == 0
    np.testing.assert_allclose(path.copies[-1], optimum.copies, rtol=1e-9)


def test_the_limit_on_the_step_separates_settling_from_going_round():
    limit = largest_stable_step(**FIG1, gamma=0.01)
    optimum = optimal_cloning(**FIG1, gamma=0.01)
    below, above = (
        gradient_projection(**FIG1, gamma=0.01, steps=(x * limit, 0.3, 0.4), iterations=600).price[-100:]
        for x in (0.95, 1.05)
    )
    np.testing.assert_allclose(below, optimum.price, rtol=1e-6)
    assert np.min(np.abs(above - optimum.price)) > 0.01 * optimum.price
    assert limit < 0.2 / 30


def test_the_limit_on_the_step_is_two_over_the_slope_of_demand():
    jobs, optimum = waiting_jobs(M, MU, 2.0, 0.01), optimal_cloning(**FIG1, gamma=0.01)
    h = 1e-5 * optimum.price
    demand = [float(M @ best_copies(jobs, (optimum.price + x) * M, 8)) for x in (-h, h)]
    slope = (demand[0] - demand[1]) / (2 * h)
    assert largest_stable_step(**FIG1, gamma=0.01) == pytest.approx(2 / slope, rel=1e-6)


def test_a_job_at_its_limit_does_not_count_in_the_slope():
    case = {"m": [1, 20], "scale": 1.0, "alpha": 2.0, "machines": 52, "limit": 3, "gamma": 0.0}
    jobs, optimum = waiting_jobs(case["m"], 1.0, 2.0, 0.0), optimal_cloning(**case)
    assert optimum.copies[0] == 3
    h = 1e-5 * optimum.price
    demand = [float(jobs.m @ best_copies(jobs, (optimum.price + x) * jobs.m, 3)) for x in (-h, h)]
    assert largest_stable_step(**case) == pytest.approx(4 * h / (demand[0] - demand[1]), rel=1e-6)


def test_any_step_is_stable_without_a_price():
    assert largest_stable_step(**FIG1, gamma=0.1) == math.inf
    assert largest_stable_step(**FIG1 | {"limit": 1}, gamma=0.0) == math.inf
    assert largest_stable_step(**FIG1 | {"machines": 45}, gamma=0.0) == math.inf


def test_without_a_box_the_inner_maximum_ceases_to_exist():
    path = gradient_projection(**FIG1, gamma=0.01, box=False, iterations=100)
    assert path.unbounded is not None
    assert path.copies.shape[0] == path.unbounded == path.price.size
    assert np.min(path.copies) < 1  # below one copy, so that h grows
    slope = 0.01 * M * MU + path.price[-1] * M + path.limit_price[-1]
    assert np.any(path.floor_price[-1] >= slope)


def test_without_a_box_short_steps_still_converge():
    path = gradient_projection(**FIG1, gamma=0.01, box=False, steps=(0.002, 0.3, 0.4), iterations=200)
    assert path.unbounded is None
    np.testing.assert_allclose(path.copies[-1], optimal_cloning(**FIG1, gamma=0.01).copies, atol=1e-4)


def test_multipliers_start_as_printed_and_never_fall_below_zero():
    path = gradient_projection(**FIG1, gamma=0.01, iterations=50)
    assert path.copies.shape == path.limit_price.shape == path.floor_price.shape == (51, 4)
    assert path.price.shape == (51,)
    np.testing.assert_array_equal(path.copies[0], 1)
    assert path.price[0] == 0.1
    for multiplier in (path.limit_price, path.floor_price):
        np.testing.assert_array_equal(multiplier[0], 0.1)
        assert np.all(multiplier >= 0)
    assert np.all(path.price >= 0)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("steps", (0.2, 0.3)),
        ("steps", (0.2, 0.3, 0.0)),
        ("steps", (0.2, 0.3, math.nan)),
        ("decay", -1.0),
        ("decay", math.nan),
        ("iterations", 0),
        ("iterations", 2.5),
        ("tolerance", 0.0),
        ("machines", 44),
        ("limit", 0),
        ("gamma", -0.1),
        ("alpha", 1.0),
    ],
)
def test_bad_arguments_are_named(name, bad):
    with pytest.raises(ValueError, match=f"{name} must be"):
        gradient_projection(**(FIG1 | {"gamma": 0.01} | {name: bad}))
