"""Whether luck is heavier than exponential: false alarms are as stated, and a tail is found."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from sim.advice.diagnosis.luck import FALSE_ALARM, heavier_than_exponential, heaviness
from tests.depth import some
from tests.sim.logs.truth import speculated, stages_of_luck

#: Stages of a small cluster's log.
SIZES = (10, 12, 14, 27, 28, 30, 10, 21, 10, 12, 19, 14, 30, 28, 10, 16, 22, 24, 11, 15)
HISTORIES, FEW = 200, 60
#: Chance that a test of counts fails although all is right.
MISHAP = 1e-4
MAKE = {"no copies": stages_of_luck, "second copies": speculated}
LIGHT = {
    "exponential in whole seconds": lambda random, n: np.ceil(3 * random.standard_exponential(n)),
    "lognormal 0.1": lambda random, n: np.exp(random.normal(0, 0.1, n)),
    "lognormal 0.3": lambda random, n: np.exp(random.normal(0, 0.3, n)),
    "lognormal 0.5": lambda random, n: np.exp(random.normal(0, 0.5, n)),
    "uniform": lambda random, n: random.uniform(0.5, 1.5, n),
    "uniform from 0": lambda random, n: random.random(n),
    "gamma 3": lambda random, n: random.gamma(3, size=n),
    "normal in whole seconds": lambda random, n: np.maximum(1, np.round(random.normal(5, 1, n))),
    "constant": lambda random, n: np.ones(n),
}


def exponential(random, n):
    return random.standard_exponential(n)


def pareto(index):
    return lambda random, n: (1 - random.random(n)) ** (-1 / index)


def late(random, n):
    return 1 + exponential(random, n)


@cache
def chances(make, law, sizes, histories):
    return [
        heavier_than_exponential(*make(np.random.default_rng([31, seed]), law, sizes), seed)
        for seed in range(histories)
    ]


def most_alarms(histories):
    return stats.binom.ppf(1 - MISHAP, histories, FALSE_ALARM)


def alarms(make, law, sizes, level, histories=HISTORIES):
    return int(np.sum(np.array(chances(make, law, sizes, histories)) <= level))


def made_with(laws, quick=1, copied=1):
    """Both kinds of history with each law; slow are all but `quick` of them, and `copied` with copies."""
    names = list(laws)
    return [
        pytest.param(
            make,
            law,
            id=f"{name}-{kind}",
            marks=pytest.mark.slow if names.index(name) >= (quick if kind == "no copies" else copied) else (),
        )
        for name, law in laws.items()
        for kind, make in MAKE.items()
    ]


@pytest.mark.parametrize(
    ("make", "law"), made_with({"at once": exponential, "with a constant part": late}, copied=0)
)
def test_exponential_luck_raises_no_more_alarms_than_stated(make, law):
    """Also where a task has a constant part, such as its overhead."""
    assert alarms(make, law, SIZES, FALSE_ALARM) <= most_alarms(HISTORIES)


@pytest.mark.parametrize("make", [pytest.param(speculated, id="second copies")])
def test_nor_do_a_few_histories_with_second_copies(make):
    """Four times as many alarms would be noticed."""
    assert alarms(make, exponential, SIZES, FALSE_ALARM, FEW) <= most_alarms(FEW)
    assert alarms(make, exponential, SIZES, 4 * FALSE_ALARM, FEW) > most_alarms(FEW)


@pytest.mark.parametrize("make", some(MAKE.values(), 0), ids=MAKE)
def test_twice_as_many_alarms_would_be_noticed(make):
    assert alarms(make, exponential, SIZES, 2.5 * FALSE_ALARM) > most_alarms(HISTORIES)


@pytest.mark.parametrize(("make", "law"), made_with(LIGHT, 1, 0))
def test_lighter_luck_practically_never_does(make, law):
    """At most 1 of 40 histories, where one in ten would be 4."""
    assert alarms(make, law, SIZES, FALSE_ALARM, 40) <= 1


def test_a_tail_is_missed_about_as_often_as_one_is_invented():
    """In six stages of twenty tasks: what `FALSE_ALARM` is chosen by."""
    found = alarms(stages_of_luck, pareto(1.8), (20,) * 6, FALSE_ALARM)
    assert found >= stats.binom.ppf(MISHAP, HISTORIES, 1 - FALSE_ALARM)


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_the_tail_of_a_small_log_is_found(make):
    assert alarms(make, pareto(1.5), SIZES, FALSE_ALARM, 30) >= 24


def test_heaviness_is_the_likelihood_ratio_scipy_finds():
    """On complete values against the fits of SciPy, up to the grid of its one parameter."""
    random = np.random.default_rng(7)
    y = stats.genpareto(0.6, scale=0.5).rvs(400, random_state=random)
    shape, _, scale = stats.genpareto.fit(y, floc=0)
    best = stats.genpareto(shape, scale=scale).logpdf(y).sum() - stats.expon(scale=y.mean()).logpdf(y).sum()
    assert heaviness(1 + y, np.ones(400, bool)) == pytest.approx(best, abs=0.1)


def test_a_bound_counts_as_longer():
    """The likelihood under censoring, maximised by brute force."""
    random = np.random.default_rng(8)
    y, bound = random.pareto(1.5, 300), random.uniform(0.5, 6, 300)
    seen, whole = np.minimum(y, bound), y <= bound
    rate = whole.sum() / seen.sum()
    light = whole.sum() * np.log(rate) - rate * seen.sum()

    def heavy(shape, scale):
        law = stats.genpareto(shape, scale=scale)
        return law.logpdf(seen[whole]).sum() + law.logsf(seen[~whole]).sum()

    best = max(
        heavy(shape, scale) for shape in np.linspace(0.2, 1.6, 29) for scale in np.linspace(0.2, 1.5, 27)
    )
    assert heaviness(1 + seen, whole) == pytest.approx(best - light, abs=0.1)


def test_many_copies_are_tested_on_some_of_them():
    stage, x, complete = stages_of_luck(np.random.default_rng(9), pareto(1.5), (200,) * 60)
    assert heavier_than_exponential(stage, x, complete) == pytest.approx(1 / 200)
