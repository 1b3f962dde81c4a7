"""The laws of the straggle factor, and the addressed numbers that kernels feed to their inverses."""

from __future__ import annotations

import ast
import itertools
import math
from pathlib import Path
from zlib import crc32

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from sim.engines.slots.scenario import SlotScenario
from sim.kernel import streams
from sim.kernel.streams import factor, job_key, normal_quantile, run_key, stream, to_factors, uniform
from sim.model.fields import BadInput
from sim.model.laws import STRAGGLE_LAWS, StraggleLaw
from tests.agreement import FALSE_ALARM, assert_mean

SIGMA = 0.8
SAMPLES = (0.9, 1.0, 1.0, 1.3, 7.5)
LAWS = {
    "deterministic": StraggleLaw("deterministic"),
    "exponential": StraggleLaw("exponential"),
    "pareto": StraggleLaw("pareto", (1.5,)),
    "pareto of a heavier tail": StraggleLaw("pareto", (1.1,)),
    "bounded-pareto": StraggleLaw("bounded-pareto", (1.5, 100.0)),
    "bounded-pareto of a narrow range": StraggleLaw("bounded-pareto", (2.0, 1.25)),
    "lognormal": StraggleLaw("lognormal", (SIGMA,)),
    "outlier": StraggleLaw("outlier", (1.5, 2.0, 0.05)),
    "outlier always": StraggleLaw("outlier", (2.5, 3.0, 1.0)),
    "outlier never": StraggleLaw("outlier", (1.5, 2.0, 0.0)),
    "empirical": StraggleLaw("empirical", SAMPLES),
    "table": StraggleLaw("table", (1.5, 0.25, *SAMPLES)),
    "table without a tail": StraggleLaw("table", (1.5, 0.0, *SAMPLES)),
}
#: The same laws as SciPy knows them.
TWINS = {
    "exponential": stats.expon(),
    "pareto": stats.pareto(1.5),
    "pareto of a heavier tail": stats.pareto(1.1),
    "bounded-pareto": stats.truncpareto(1.5, 100.0),
    "bounded-pareto of a narrow range": stats.truncpareto(2.0, 1.25),
    "lognormal": stats.lognorm(SIGMA, scale=math.exp(-(SIGMA**2) / 2)),
    "outlier always": stats.pareto(2.5, scale=3.0),
}
#: Where the survival function has a step or a corner.
CORNERS = {
    "deterministic": [1],
    "outlier": [1, 2],
    "outlier always": [3],
    "outlier never": [1],
    "empirical": SAMPLES,
    "table": SAMPLES,
    "table without a tail": SAMPLES,
}

every_law = pytest.mark.parametrize("name", LAWS)
#: Survival probabilities that are exact in binary, as are their complements: tails, and points between.
DYADIC = np.concatenate(
    [2.0 ** -np.arange(1, 50), 1 - 2.0 ** -np.arange(2, 50), (np.arange(256) + 0.5) / 256]
)


def test_every_kind_of_law_is_tried():
    assert {law.kind for law in LAWS.values()} == set(STRAGGLE_LAWS)


@every_law
def test_the_mean_is_the_integral_of_the_survival_function(name):
    law = LAWS[name]
    corners = sorted({0.0, *CORNERS.get(name, ()), *law.numbers[1:2], 1.0})
    pieces = itertools.pairwise(corners)
    body = sum(integrate.quad(law.survival, a, b, epsabs=1e-12, epsrel=1e-10)[0] for a, b in pieces)
    tail = integrate.quad(  # by logarithms, or a Pareto tail would never end
        lambda y: law.survival(math.exp(y)) * math.exp(y), math.log(corners[-1]), 600, epsabs=1e-12, limit=500
    )[0]
    assert law.mean == pytest.approx(body + tail, rel=1e-7)


@pytest.mark.parametrize("name", TWINS)
def test_survival_quantile_and_mean_are_those_of_scipy(name):
    law, twin = LAWS[name], TWINS[name]
    t = np.concatenate([[-1, 0, 0.5], np.geomspace(0.9, 1e6, 200)])
    np.testing.assert_allclose(law.survival(t), twin.sf(t), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(law.quantile(DYADIC), twin.ppf(DYADIC), rtol=1e-9)
    assert law.mean == pytest.approx(twin.mean(), rel=1e-9)


@every_law
@given(share=st.floats(0, 1, exclude_max=True))
def test_the_quantile_is_the_smallest_value_whose_probability_exceeds_the_share(name, share):
    law = LAWS[name]
    value = law.quantile(share)
    assert law.survival(value * (1 + 1e-9)) <= (1 - share) * (1 + 1e-9)
    assert law.survival(value * (1 - 1e-9)) >= (1 - share) * (1 - 1e-9)


@pytest.mark.parametrize("name", [*TWINS, "lognormal"])
def test_survival_undoes_the_quantile_of_a_continuous_law(name):
    shares = DYADIC[DYADIC < 0.999]
    np.testing.assert_allclose(LAWS[name].survival(LAWS[name].quantile(shares)), 1 - shares, rtol=1e-9)


@numba.njit
def many(code, numbers, luck, count):
    """Turn survival probabilities into factors, compiled."""
    to_factors(code, numbers, luck, count)


@numba.njit
def one(code, numbers, u):
    """Return one factor, compiled."""
    return factor(code, numbers, 0.0, u)


@pytest.mark.small
@every_law
def test_the_compiled_inverse_is_the_quantile(name):
    law = LAWS[name]
    numbers = np.array(law.numbers or (0.0,))
    share = law.numbers[2] if law.kind == "outlier" else 0.3
    compiled = [factor(law.code, numbers, share, u) for u in DYADIC]
    np.testing.assert_allclose(compiled, law.quantile(1 - DYADIC), rtol=1e-12)


@pytest.mark.small
@every_law
def test_many_factors_at_once_are_those_of_one_at_a_time(name):
    law = LAWS[name]
    numbers = np.array(law.numbers or (0.0,))
    found = DYADIC.copy()
    many(law.code, numbers, found, found.size - 2)
    expected = [one(law.code, numbers, u) for u in DYADIC[:-2]]
    np.testing.assert_array_equal(found, [*expected, *DYADIC[-2:]])


@pytest.mark.small
def test_the_share_of_outliers_is_the_slots_own():
    numbers = np.array([1.5, 2.0, 0.05])
    drawn = [factor(LAWS["outlier"].code, numbers, 0.25, u) for u in (0.2, 0.25, 0.3)]
    assert drawn == pytest.approx([2 * 0.8 ** (-1 / 1.5), 2.0, 1.0])


def test_the_smallest_outlier_begins_where_the_healthy_copies_end():
    law = StraggleLaw("outlier", (1.5, 2.0, 0.25))
    np.testing.assert_array_equal(law.quantile([0.75 - 2**-50, 0.75]), [1, 2])
    assert LAWS["outlier always"].quantile(0) == 3


@pytest.mark.parametrize(
    ("fields", "law"),
    [
        ({"straggle": "deterministic"}, StraggleLaw("deterministic")),
        ({"straggle": "exponential"}, StraggleLaw("exponential")),
        ({"straggle": "pareto", "straggle_tail": 1.2}, StraggleLaw("pareto", (1.2,))),
        ({"straggle": "bounded-pareto", "straggle_max": 9}, StraggleLaw("bounded-pareto", (1.5, 9.0))),
        ({"straggle": "outlier", "outlier_min": 3}, StraggleLaw("outlier", (1.5, 3.0, 0.05))),
        ({"straggle": "empirical", "samples": (3, 1)}, StraggleLaw("empirical", (1.0, 3.0))),
        (
            {"straggle": "table", "samples": (3, 1), "tail_share": 0.1},
            StraggleLaw("table", (1.5, 0.1, 1.0, 3.0)),
        ),
    ],
)
def test_a_scenario_names_its_law(fields, law):
    assert SlotScenario(**fields).straggle_law == law


@pytest.mark.parametrize("cv", [0.001, 0.5, 3.0])
def test_the_lognormal_law_has_mean_one_and_the_chosen_coefficient_of_variation(cv):
    (sigma,) = SlotScenario(straggle="lognormal", straggle_cv=cv).straggle_law.numbers
    twin = stats.lognorm(sigma, scale=math.exp(-(sigma**2) / 2))
    assert (twin.mean(), twin.std()) == (pytest.approx(1), pytest.approx(cv, rel=1e-6))


def test_an_empirical_law_needs_samples():
    with pytest.raises(BadInput, match=r"^samples: \(\) is not accepted"):
        SlotScenario(straggle="empirical")
    with pytest.raises(BadInput, match=r"^samples: \(1.0,\) is not accepted"):
        SlotScenario(straggle="table", samples=(1.0,))


@given(
    st.floats(1.0, 3.0, exclude_min=True),
    st.floats(1.001, 1e9),
)
def test_the_mean_of_a_bounded_law_lies_within_its_range_for_every_tail_index(tail, largest):
    mean = StraggleLaw("bounded-pareto", (tail, largest)).mean
    assert 1 < mean < largest
    assert mean <= StraggleLaw("pareto", (tail,)).mean


@pytest.mark.small
def test_the_normal_quantile_agrees_with_scipy_to_thirteen_digits():
    p = np.concatenate([DYADIC, np.linspace(0.001, 0.999, 999), np.geomspace(1e-300, 1e-3, 300)])
    np.testing.assert_allclose([normal_quantile(x) for x in p], special.ndtri(p), rtol=1e-13, atol=1e-16)


# Addressed numbers.


def number(seed: int = 7, replication: int = 2, job: int = 5, task: int = 3, copy: int = 1) -> float:
    """Uniform number at an address; between compiled calls a key is a plain `int`, which is signed."""
    run = np.uint64(run_key(seed, replication))
    return uniform(np.uint64(job_key(run, job)), task, copy)


LENGTH = 20_000


@pytest.fixture(scope="module", params=["seed", "replication", "job", "task", "copy"])
def neighbours(request):
    """Numbers of neighbouring addresses along one coordinate."""
    return np.array([number(**{request.param: i}) for i in range(LENGTH)])


def test_addressed_numbers_are_uniform(neighbours):
    assert stats.kstest(neighbours, "uniform").pvalue > FALSE_ALARM


def test_addressed_numbers_are_uniform_in_their_finest_digits_too(neighbours):
    fine = np.bincount((neighbours * 2**20 % 1 * 64).astype(int), minlength=64)
    assert stats.chisquare(fine).pvalue > FALSE_ALARM


@pytest.mark.parametrize("lag", [1, 2, 64])
def test_neighbouring_addresses_are_uncorrelated(neighbours, lag):
    product = (neighbours[lag:] - 0.5) * (neighbours[:-lag] - 0.5) * 12
    # Products of shared numbers are uncorrelated, so the sum is nearly normal of variance 1 a term.
    assert abs(product.sum()) / math.sqrt(product.size) < stats.norm.isf(FALSE_ALARM / 2)


@pytest.mark.small
def test_no_two_addresses_share_a_number():
    drawn = [number(job=j, task=t, copy=c) for j in range(30) for t in range(30) for c in range(4)]
    assert np.unique(drawn).size == 30 * 30 * 4


def test_the_addresses_of_tasks_stay_apart_from_those_of_copies():
    assert len({number(task=task, copy=copy) for task in range(3) for copy in (0, 1, 2**20 - 1)}) == 9


def test_the_mean_factor_of_addressed_copies_is_that_of_the_law():
    code = LAWS["exponential"].code
    drawn = [factor(code, np.zeros(1), 0.0, number(job=job, task=0, copy=0)) for job in range(LENGTH)]
    assert_mean(np.array(drawn), 1.0)


def undo(word: int) -> int:
    """The word that `streams.mix` turns into `word`."""

    def unshift(x: int, by: int) -> int:
        y = x
        for _ in range(64 // by + 1):
            y = x ^ (y >> by)
        return y

    word = unshift(word, 31) * pow(int(streams.SECOND), -1, 2**64) % 2**64
    word = unshift(word, 27) * pow(int(streams.FIRST), -1, 2**64) % 2**64
    return unshift(word, 30)


@pytest.mark.parametrize("word", [0, 2**64 - 1], ids=["smallest", "largest"])
def test_the_extreme_numbers_are_not_0_and_1(word):
    key = np.uint64((undo(word) - int(streams.GOLDEN)) % 2**64)
    u = uniform(key, 0, 0)
    assert 0 < u < 1
    assert (u < 1e-15) == (word == 0)
    assert (u > 1 - 1e-15) == (word > 0)
    assert math.isfinite(normal_quantile(u))


def stream_names() -> list[str]:
    """Names of all streams that are made in the package, as written in its sources."""
    names = []
    for path in Path(streams.__file__).parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) == "stream"
            ):
                name = node.args[-1]
                if isinstance(name, ast.Name) and path.name == "phases.py":
                    continue  # it hands on the names that others write out
                assert isinstance(name, ast.Constant), f"{path}: write the stream's name out"
                names.append(name.value)
    return names


def test_streams_in_use_have_names_that_do_not_collide():
    names = stream_names()
    assert {"arrival", "tasks", "size"} <= set(names)
    assert len({crc32(name.encode()) for name in names}) == len(set(names)) == len(names)


def test_streams_differ_by_name_replication_and_seed():
    names = stream_names()
    seeds = (0, 1, 2, 2**32, 2**53 - 1)
    first = {stream(seed, r, name).random() for seed in seeds for r in range(4) for name in names}
    assert len(first) == len(seeds) * 4 * len(names)


def test_a_stream_does_not_depend_on_the_others():
    alone = stream(1, 0, "size").random(5)
    stream(1, 0, "arrival").random(100)
    np.testing.assert_array_equal(stream(1, 0, "size").random(5), alone)
