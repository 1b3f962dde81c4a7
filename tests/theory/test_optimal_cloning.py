"""P2: copies for all waiting jobs, real and whole."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from theory.cloned_job import cloned_job_duration, cloned_job_resource, cost_slope, waiting_jobs
from theory.optimal_cloning import best_copies, optimal_cloning

FIG1 = {"m": [10, 20, 5, 10], "scale": [1, 2, 1, 2], "alpha": 2.0, "machines": 100, "limit": 8}


def objective(copies, m, scale, alpha, gamma):
    """Durations plus weighted resource, from the two public functions."""
    resource = cloned_job_resource(m, copies, scale, alpha)
    return float(np.sum(cloned_job_duration(m, copies, scale, alpha) + gamma * resource))


def random_case(seed, jobs, spare=None):
    """Random jobs, and machines for all tasks and a random share of their clones."""
    rng = np.random.default_rng(seed)
    m = rng.integers(1, 30, jobs)
    extra = rng.uniform(0, 3) if spare is None else spare
    return {
        "m": m,
        "scale": rng.uniform(0.5, 4, jobs),
        "alpha": rng.uniform(1.1, 4, jobs),
        "machines": int(m.sum() * (1 + extra)),
        "limit": int(rng.integers(2, 9)),
        "gamma": float(rng.choice([0.0, 0.01, 0.1])),
    }


@st.composite
def cases(draw, jobs=4):
    size = draw(st.integers(1, jobs))
    m = draw(st.lists(st.integers(1, 12), min_size=size, max_size=size))
    return {
        "m": m,
        "scale": draw(st.lists(st.floats(0.2, 5), min_size=size, max_size=size)),
        "alpha": draw(st.lists(st.floats(1.05, 5), min_size=size, max_size=size)),
        "machines": sum(m) + draw(st.integers(0, 40)),
        "limit": draw(st.integers(1, 5)),
        "gamma": draw(st.sampled_from([0.0, 0.01, 0.1, 1.0])),
    }


def laws(case):
    return np.asarray(case["m"]), np.asarray(case["scale"]), np.asarray(case["alpha"]), case["gamma"]


# --- the real problem ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_real_solution_agrees_with_a_general_solver(seed):
    case = random_case(seed, jobs=6)
    m, scale, alpha, gamma = laws(case)
    solved = optimize.minimize(
        objective,
        np.ones(6),
        args=(m, scale, alpha, gamma),
        method="SLSQP",
        bounds=[(1, case["limit"])] * 6,
        constraints={"type": "ineq", "fun": lambda c: case["machines"] - m @ c, "jac": lambda _: -m},
        options={"ftol": 1e-13, "maxiter": 500},
    )
    plan = optimal_cloning(**case)
    assert plan.objective == pytest.approx(solved.fun, rel=1e-7)
    np.testing.assert_allclose(plan.copies, solved.x, atol=2e-3)


@given(cases())
def test_real_solution_is_feasible_and_meets_the_conditions_of_an_optimum(case):
    plan, (m, scale, alpha, gamma) = optimal_cloning(**case), laws(case)
    used = m @ plan.copies
    assert np.all((plan.copies >= 1) & (plan.copies <= case["limit"]))
    assert used <= case["machines"] * (1 + 1e-12)
    assert plan.price >= 0
    if plan.price > 0:
        assert used == pytest.approx(case["machines"], rel=1e-12)
    marginal = cost_slope(waiting_jobs(m, scale, alpha, gamma), plan.copies) + plan.price * m
    unit = 1e-7 * (1 + np.abs(cost_slope(waiting_jobs(m, scale, alpha, gamma), np.ones(m.size))))
    assert np.all(marginal >= -unit) or np.all(plan.copies[marginal < -unit] == case["limit"])
    assert np.all(plan.copies[marginal > unit] == 1)
    assert plan.objective == pytest.approx(objective(plan.copies, m, scale, alpha, gamma), rel=1e-12)


def test_printed_condition_holds_on_the_example_of_figure_1():
    plan = optimal_cloning(**FIG1, gamma=0.01)
    for c, m, mu in zip(plan.copies.tolist(), FIG1["m"], FIG1["scale"], strict=True):
        y = 1 / (2 * c)
        left = -cloned_job_duration(m, c, mu, 2.0) / (2 * c**2) * sum(1 / (j - y) for j in range(1, m + 1))
        left += 0.01 * m * mu * 2 * (2 * c**2 - 2 * c) / (2 * c - 1) ** 2 + plan.price * m
        assert left == pytest.approx(0, abs=1e-10)
    assert plan.copies @ FIG1["m"] == pytest.approx(100)


@pytest.mark.parametrize("seed", range(5))
def test_price_is_what_one_more_machine_is_worth(seed):
    case = random_case(100 + seed, jobs=8, spare=0.6) | {"gamma": 0.01, "limit": 8}
    m = case["m"]
    # ten copies of the cluster, so that one machine is a small change
    case |= {"m": 10 * m, "machines": 10 * case["machines"]}
    less, plan, more = (optimal_cloning(**(case | {"machines": case["machines"] + k})) for k in (-1, 0, 1))
    assert plan.price > 0
    assert (less.objective - more.objective) / 2 == pytest.approx(plan.price, rel=1e-3)


def test_machines_to_spare_have_no_price():
    plan = optimal_cloning(**FIG1 | {"machines": 10_000}, gamma=0.1)
    assert plan.price == 0
    jobs = waiting_jobs(FIG1["m"], FIG1["scale"], 2.0, 0.1)
    for i, copies in enumerate(plan.copies):  # each job for itself
        alone = optimize.minimize_scalar(
            lambda c, i=i: objective(c, jobs.m[i], jobs.scale[i], 2.0, 0.1),
            bounds=(1, 8),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert copies == pytest.approx(alone.x, rel=1e-5)


def test_without_a_machine_to_spare_there_is_one_copy_of_each():
    for integer in (False, True):
        plan = optimal_cloning(**FIG1 | {"machines": 45}, gamma=0.01, integer=integer)
        np.testing.assert_array_equal(plan.copies, 1)
        assert plan.price > 0
    np.testing.assert_array_equal(optimal_cloning(**FIG1 | {"limit": 1}, gamma=0.01).copies, 1)


@given(cases(), st.integers(1, 20))
def test_more_machines_never_hurt(case, extra):
    richer = case | {"machines": case["machines"] + extra}
    for integer in (False, True):
        before, after = optimal_cloning(**case, integer=integer), optimal_cloning(**richer, integer=integer)
        assert after.objective <= before.objective * (1 + 1e-12)
        assert after.price <= before.price * (1 + 1e-9) + 1e-12


def test_equal_jobs_get_equal_copies_and_scale_only_changes_the_unit():
    plan = optimal_cloning([5] * 4, 1.0, 1.5, 50, 8, 0.01)
    np.testing.assert_allclose(plan.copies, 2.5)
    longer = optimal_cloning([5] * 4, 7.0, 1.5, 50, 8, 0.01)
    assert longer.objective == pytest.approx(7 * plan.objective)
    assert longer.price == pytest.approx(7 * plan.price)


def test_best_copies_stays_within_its_bounds():
    jobs = waiting_jobs([10, 20], 1.0, 2.0, 0.01)
    np.testing.assert_array_equal(best_copies(jobs, 1e9, 8), 1)
    np.testing.assert_array_equal(best_copies(jobs, -1e9, 8), 8)
    np.testing.assert_array_equal(best_copies(jobs, 0.0, 8, low=8.0), 8)
    inside = best_copies(jobs, 0.5, 8)
    np.testing.assert_allclose(cost_slope(jobs, inside), -0.5, rtol=1e-10)
    np.testing.assert_allclose(best_copies(jobs, 0.5, 8, low=0.999 * inside), inside, rtol=1e-12)


# --- whole numbers -------------------------------------------------------------------------------


def exhaustive(case):
    m, scale, alpha, gamma = laws(case)
    fitting = [
        c for c in itertools.product(range(1, case["limit"] + 1), repeat=m.size) if m @ c <= case["machines"]
    ]
    return min(objective(np.array(c), m, scale, alpha, gamma) for c in fitting)


@settings(max_examples=60)
@given(cases(jobs=3))
def test_whole_solution_agrees_with_trying_everything(case):
    plan, m = optimal_cloning(**case, integer=True), np.asarray(case["m"])
    assert plan.copies.dtype.kind == "i"
    assert np.all((plan.copies >= 1) & (plan.copies <= case["limit"]))
    assert m @ plan.copies <= case["machines"]
    assert plan.objective == pytest.approx(exhaustive(case), rel=1e-12)
    assert plan.objective == pytest.approx(objective(plan.copies, *laws(case)), rel=1e-12)
    assert plan.objective >= optimal_cloning(**case).objective * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_whole_solution_of_many_jobs_agrees_with_an_integer_program(seed):
    case = random_case(200 + seed, jobs=25, spare=0.7)
    m, scale, alpha, gamma = laws(case)
    choices = np.arange(1, case["limit"] + 1)
    cost = np.array([[objective(c, m[i], scale[i], alpha[i], gamma) for c in choices] for i in range(m.size)])
    one_each = sparse.kron(sparse.eye_array(m.size), np.ones((1, choices.size)))
    used = sparse.csr_array((m[:, None] * choices).reshape(1, -1))
    solved = optimize.milp(
        cost.ravel(),
        integrality=np.ones(cost.size),
        bounds=optimize.Bounds(0, 1),
        constraints=[
            optimize.LinearConstraint(one_each, 1, 1),
            optimize.LinearConstraint(used, 0, case["machines"]),
        ],
        options={"mip_rel_gap": 0.0},
    )
    assert optimal_cloning(**case, integer=True).objective == pytest.approx(solved.fun, rel=1e-7)


def greedy(case):
    """Give the next copy to the job that gains most for each machine, while it fits."""
    m, scale, alpha, gamma = laws(case)
    c = np.ones(m.size)
    while True:
        gain = [
            (
                objective(c[i], m[i], scale[i], alpha[i], gamma)
                - objective(c[i] + 1, m[i], scale[i], alpha[i], gamma)
            )
            / m[i]
            if c[i] < case["limit"] and m @ c + m[i] <= case["machines"]
            else -1.0
            for i in range(m.size)
        ]
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            return objective(c, m, scale, alpha, gamma)
        c[best] += 1


def test_neither_greed_nor_rounding_down_is_exact():
    # 13 machines to spare: two for the small job leave 11, one short of a second copy for both others
    case = {"m": [6, 2, 6], "scale": [2.0, 1.5, 2.0], "alpha": [2.0] * 3, "machines": 27, "limit": 4}
    case["gamma"] = 0.0
    best = optimal_cloning(**case, integer=True)
    assert best.objective == pytest.approx(exhaustive(case))
    assert greedy(case) > best.objective * 1.2
    floored = np.floor(optimal_cloning(**case).copies)
    assert objective(floored, *laws(case)) > best.objective * 1.2


def test_whole_solution_of_figure_1_uses_the_machines_better_than_rounding():
    plan = optimal_cloning(**FIG1, gamma=0.01, integer=True)
    floored = np.floor(optimal_cloning(**FIG1, gamma=0.01).copies)
    m = np.asarray(FIG1["m"])
    assert m @ plan.copies == 100 > m @ floored
    assert plan.objective < objective(floored, m, np.asarray(FIG1["scale"]), 2.0, 0.01)


def test_a_hundred_jobs_are_solved_both_ways():
    case = random_case(7, jobs=100, spare=1.0) | {"limit": 8, "gamma": 0.01}
    real, whole = optimal_cloning(**case), optimal_cloning(**case, integer=True)
    m, scale, alpha, gamma = laws(case)
    floored = objective(np.floor(real.copies), m, scale, alpha, gamma)
    assert real.objective <= whole.objective <= floored
    assert whole.objective == pytest.approx(real.objective, rel=0.05)  # many jobs: rounding costs little
    assert m @ whole.copies <= case["machines"]
    # a copy more or less for any one job, where it fits, is no better
    for i, change in itertools.product(range(100), (-1, 1)):
        other = whole.copies.copy()
        other[i] += change
        if 1 <= other[i] <= 8 and m @ other <= case["machines"]:
            assert objective(other, m, scale, alpha, gamma) >= whole.objective * (1 - 1e-12)


# --- door ----------------------------------------------------------------------------------------


def test_more_tasks_than_machines_are_refused():
    with pytest.raises(ValueError, match="machines must be a whole number of at least 45"):
        optimal_cloning(**FIG1 | {"machines": 44}, gamma=0.01)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("m", [1.5, 2]),
        ("m", [0, 2]),
        ("m", []),
        ("m", [[1, 2]]),
        ("scale", [1, 2, 3]),
        ("scale", 0.0),
        ("alpha", 1.0),
        ("alpha", [2.0, math.nan]),
        ("machines", 10.5),
        ("machines", math.nan),
        ("limit", 0),
        ("limit", 2.5),
        ("gamma", -1.0),
        ("gamma", math.nan),
    ],
)
def test_bad_arguments_are_named(name, bad):
    good = {"m": [3, 2], "scale": [1.0, 2.0], "alpha": 2.0, "machines": 20, "limit": 4, "gamma": 0.1}
    for integer in (False, True):
        with pytest.raises(ValueError, match=f"{name} must be"):
            optimal_cloning(**(good | {name: bad}), integer=integer)
