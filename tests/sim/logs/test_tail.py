"""The fit of a tail: right on average, with bounds counted as longer, and alternatives named."""

from importlib import import_module

import numpy as np
import pytest
from scipy import optimize, stats

from sim.advice.diagnosis.luck import LEAST, fit_tail
from tests.depth import slow
from tests.sim.logs.truth import stages_of_luck


@pytest.fixture
def few(monkeypatch):
    """Make the bootstrap short, where its interval is not looked at."""
    module = import_module("sim.advice.diagnosis.luck")  # the package has a function of that name
    monkeypatch.setattr(module, "_REPLICATIONS", 4)


def pareto(index):
    return lambda random, n: (1 - random.random(n)) ** (-1 / index)


def indices(index, sizes, histories=40):
    found = []
    for seed in range(histories):
        _, x, complete = stages_of_luck(np.random.default_rng([41, seed]), pareto(index), sizes)
        found.append(fit_tail(x, complete, np.ones(x.size)).index)
    return np.array(found)


@pytest.mark.parametrize(("index", "histories"), [(1.5, 10), *slow([(1.5, 40), (2.5, 40)])])
def test_the_index_is_right_on_average_in_small_stages(few, index, histories):
    """Histories of 150 stages of ten: within four standard errors, which are below 1 % for forty."""
    found = indices(index, (10,) * 150, histories)
    error = stats.sem(found)
    assert error < 0.01 * index * (40 / histories) ** 0.5
    assert abs(found.mean() - index) < 4 * error + 0.005 * index


def test_bounds_count_as_longer_at_a_given_x_min(few):
    """The likelihood of values and bounds above x_min, maximised by SciPy."""
    random = np.random.default_rng(5)
    x = (1 - random.random(3000)) ** (-1 / 1.8)
    bound = random.uniform(1, 8, 3000)
    seen, whole = np.minimum(x, bound), x <= bound
    tail = fit_tail(seen, whole, np.ones(3000))
    above = seen >= tail.x_min

    def unlikely(index):
        law = stats.pareto(index, scale=tail.x_min)
        return -law.logpdf(seen[above & whole]).sum() - law.logsf(seen[above & ~whole]).sum()

    best = optimize.minimize_scalar(unlikely, bounds=(0.5, 5), method="bounded").x
    deaths = int((above & whole).sum())
    assert tail.index == pytest.approx(best * (deaths - 1) / deaths, rel=1e-4)
    assert (tail.n, tail.censored) == (above.sum(), (above & ~whole).sum())
    assert tail.x_min >= LEAST


def test_an_upper_limit_is_noticed(few):
    _, x, complete = stages_of_luck(
        np.random.default_rng(6), lambda random, n: np.minimum(pareto(1.5)(random, n), 12), (30,) * 20
    )
    assert fit_tail(x, complete, np.ones(x.size)).better == "truncated Pareto"


def test_too_few_slow_copies_have_no_fit():
    assert fit_tail(np.linspace(0.5, 1.4, 40), np.ones(40, bool), np.ones(40)) is None
