"""The records of the claims are consistent, and agree with a new computation."""

from __future__ import annotations

import re

import pytest

from sim.papers import CLAIMS
from sim.papers.hopper import READINGS
from sim.papers.record import differences, recorded
from sim.papers.reproduce import outcome
from sim.papers.xu_lau import SIGMAS
from tests.depth import each

RESULTS = recorded()
#: Claims that take less than five seconds of one processor, all together.
CHEAP = (
    *("xl-fig4-alpha2", "xl-fig4-alpha3", "xl-theorems-one", "xl-theorems-three-copies"),
    *("xl-theorems-three-threshold", "dolly-formulas-job", "dolly-formulas-task", "dolly-formulas-copies"),
)
#: Claim -> which of its choices, by name, its own number is the largest of.
LARGEST_OF = {
    "hopper-fig5a-four-probes": "utilisation .*",
    "hopper-fig5a-plateau": "utilisation .*",
    "hopper-fig5a-sparrow": "utilisation 70%",
    "hopper-fig5a-sparrow-further": next(iter(READINGS)),
    "hopper-section51-overheads": "utilisation .*",
    "hopper-fig5b-two-refusals": "2 refusals, .*",
    "hopper-section53-piggyback": "utilisation .*",
    "as-fig2-optimum": "offered load .*",
    "as-fig3-learns-beta3": "offered load .*",
    "as-fig3-learns-beta1-5": "offered load .*",
    "as-fig3-equal": "offered load .*",
    "as-fig3-demand-alone": "beta = .*",
    "as-fig3-node-load": "beta = .*",
    "as-section2-units": "offered load .*",
    "xl-fig4-alpha3": "alpha = 3",
}
#: The number of a claim, and nothing else of its outcome.
NUMBERS = ("value", "low", "high")

every_result = each("key", CLAIMS)


def estimates(key: str) -> dict[str, dict[str, float]]:
    """Every estimate that is recorded of a claim, its own under no name."""
    return {"": RESULTS[key], **RESULTS[key]["choices"]}


@every_result
def test_a_quick_value_lies_in_its_interval(key):
    quick = RESULTS[key]["quick"]
    assert quick["low"] <= quick["value"] <= quick["high"]


@every_result
def test_a_value_lies_in_its_interval(key):
    for name, one in estimates(key).items():
        assert one["low"] <= one["value"] <= one["high"], name


INVERSE = ("as-fig2-close", "as-theorems-claim1")  # their intervals are of the inverse of a mean


@each("key", [key for key in CLAIMS if key not in INVERSE])
def test_an_interval_over_replications_has_its_value_in_the_middle(key):
    for name, one in estimates(key).items():
        middle = (one["low"] + one["high"]) / 2
        assert one["value"] == pytest.approx(middle, rel=1e-9, abs=1e-12), name


@each("key, pattern", LARGEST_OF.items())
def test_a_number_that_stands_among_the_choices_is_the_largest_of_those_named(key, pattern):
    named = [one for name, one in RESULTS[key]["choices"].items() if re.fullmatch(pattern, name)]
    largest = max(named, key=lambda one: one["value"])
    assert {name: RESULTS[key][name] for name in NUMBERS} == largest


def test_under_the_headline_a_number_of_fig_5a_is_that_of_the_first_reading():
    for key in CLAIMS:
        if key.startswith("hopper-fig5a-"):
            first = RESULTS[key]["choices"][next(iter(READINGS))]
            assert {name: RESULTS[key][name] for name in NUMBERS} == first, key


@pytest.mark.parametrize("key", [key for key in CLAIMS if key.startswith("as-fig2-") and "beta" in key])
def test_shares_are_without_doubt(key):
    for one in estimates(key).values():
        assert one["low"] == one["value"] == one["high"]


@pytest.mark.parametrize(
    "key", ["xl-fig3-flowtime", "xl-fig3-resource", "xl-fig5-flowtime", "xl-fig5-resource"]
)
def test_the_best_threshold_lies_beside_the_smallest_mean(key):
    means = [RESULTS[key]["choices"][f"sigma = {sigma:g}: mean"]["value"] for sigma in SIGMAS]
    at = means.index(min(means))
    assert SIGMAS[max(at - 1, 0)] <= RESULTS[key]["value"] <= SIGMAS[at + 1]


def test_the_gain_at_a_light_tail_is_a_share_of_that_at_a_heavy_one():
    found = RESULTS["xl-fig5-gain"]
    light, heavy = (found["choices"][f"saved at alpha = {tail}"]["value"] for tail in (4, 2))
    assert found["value"] == pytest.approx(light / heavy)


def test_a_latency_that_the_figure_has_gives_the_figures_number():
    found = RESULTS["hopper-section51-overheads"]["choices"]
    figure = RESULTS["hopper-fig5a-four-probes"]
    assert {name: figure[name] for name in NUMBERS} == found["latency 0.033 % of a task"]
    assert found["latency 1 % of a task"] == {n: RESULTS["hopper-section51-overheads"][n] for n in NUMBERS}


def test_the_exact_weighted_optimum_loses_nothing_and_algorithm_3_less_on_average_than_at_most():
    found = RESULTS["hopper-theorems-three"]
    assert abs(found["choices"]["the exact weighted optimum"]["value"]) < 0.0002
    assert 0 < found["choices"]["the mean over the instances"]["value"] < found["value"]


def test_five_percent_against_twenty_is_the_inverse_of_twenty_against_five():
    found = RESULTS["hopper-section44-locality"]
    inverse = found["choices"]["20 % against 5 %"]["value"]
    assert found["value"] * inverse == pytest.approx(1, abs=0.003)  # means of ratios, run by run


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=() if key in CHEAP else pytest.mark.slow) for key in CLAIMS]
)
def test_a_claim_computed_anew_is_what_is_recorded(key):
    anew = outcome(CLAIMS[key])
    assert not [*differences(CLAIMS[key], RESULTS[key], anew, quick=False)]
    for name in ("reason", "seed", "replications"):
        assert anew[name] == RESULTS[key][name]
