"""The learned policy on the Coding page: its map, its runs, and the text about both."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from pages.coding.charts import learned_chart, place, response_chart, step_chart
from pages.coding.layout import numbers, tidy
from pages.coding.question import DEMAND_EDGES, LOAD_EDGES, Map, Request, map_of, network, see, untrained
from pages.coding.words import cards, how_good, learned_notices, notices, what_it_does
from sim.engines.gang.learning.network import read_network
from sim.engines.gang.scenario import GangScenario
from sim.model.statistics import Estimate
from sim.running.gang_sweep import LEARNED, Best, redundant_small
from tests.pages.coding_made import asked, seen_of, snapshots, sweep


@pytest.fixture(scope="module")
def opened():
    """The default question with the learned policy, and its snapshots."""
    question = asked(learned=True)
    answers = snapshots(question)
    return see(question, answers), answers


def made(rates: np.ndarray) -> Map:
    """Return a map of 4 loads and 3 demands that all have as many jobs."""
    return Map(np.array([0.2, 0.6, 0.8, 1.2]), np.array([10.0, 40, 1000]), rates, np.full(3, 1 / 3))


def test_it_is_run_at_the_chosen_load_only_and_on_the_same_jobs(opened) -> None:
    seen, answers = opened
    assert [LEARNED in answer.comparison.policies for answer in answers] == [True] + [False] * 4
    without = asked().requests
    assert [request.key for request in seen.asked.requests[1:]] == [request.key for request in without[1:]]
    assert seen.asked.requests[0].experiment.texts == (*without[0].experiment.texts, LEARNED)
    assert LEARNED not in seen.comparison.policies
    comparison = answers[0].comparison
    assert seen.learned.estimate == comparison.policies[LEARNED].estimate("flowtime", "mean")
    assert seen.learned.gain == comparison.share(LEARNED, "flowtime", "mean")
    best = dataclasses.replace(comparison, baseline=redundant_small(seen.chosen.best.demand, 2).text)
    assert seen.learned.over_best == best.share(LEARNED, "flowtime", "mean")


def test_without_the_switch_nothing_is_said_of_it() -> None:
    question = asked()
    seen = see(question, snapshots(question, 1)[:1])
    assert seen.learned is None
    assert not learned_notices(seen)
    assert "Learned policy" not in [card.name for card in cards(seen)]
    assert not [one for one in response_chart(seen, False).data if one.name.startswith("learned")]


def test_it_has_a_card_a_notice_a_row_and_a_line_with_its_interval(opened) -> None:
    seen, _ = opened
    assert [card.name for card in cards(seen)][-1] == "Learned policy"
    assert "under the learned policy" in "\n".join(notices(seen))
    assert numbers(seen).iloc[-1, 0] == "learned"
    assert tidy(seen).iloc[-1]["value"] == seen.learned.estimate.value
    band, line = (one for one in response_chart(seen, False).data if one.name == "learned, ρ₀ = 0.6")
    assert set(line.y) == {seen.learned.estimate.value}
    assert (min(band.y), max(band.y)) == pytest.approx(
        (seen.learned.estimate.low, seen.learned.estimate.high)
    )


def test_the_map_is_the_network(opened) -> None:
    seen, _ = opened
    (shades,) = [one for one in learned_chart(seen, False).data if one.type == "heatmap"]
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, [len(DEMAND_EDGES) - 1, len(LOAD_EDGES) - 1], (50, 2)):
        demand = math.sqrt(DEMAND_EDGES[i] * DEMAND_EDGES[i + 1])
        load = (LOAD_EDGES[j] + LOAD_EDGES[j + 1]) / 2
        assert shades.z[i][j] == read_network().best(demand / 10, load, seen.asked.scenario.load)
    np.testing.assert_array_equal(shades.x, LOAD_EDGES)
    np.testing.assert_array_equal(shades.y, DEMAND_EDGES)


def test_the_step_is_the_best_d_tried_at_each_load() -> None:
    sweeps = [sweep(load, {}, Best(d, (d,))) for load, d in ((0.6, 120.0), (0.3, math.inf), (0.9, 0.0))]
    figure = step_chart(seen_of(asked(), *sweeps), False)
    (shades,) = [one for one in figure.data if one.type == "heatmap"]
    assert list(shades.x) == pytest.approx([0, 0.45, 0.75, 1])
    middles = np.sqrt(shades.y[:-1] * shades.y[1:])
    expected = [[2.0 if middle < d else 1.0 for d in (math.inf, 120, 0)] for middle in middles]
    np.testing.assert_array_equal(shades.z, expected)
    (rings,) = [one for one in figure.data if one.name == "best d tried"]
    assert list(rings.y)[:2] == [place(math.inf), 120]


def test_before_any_queue_is_known_to_be_stable_there_is_no_step() -> None:
    figure = step_chart(seen_of(asked(), sweep(0.6, {}, None)), False)
    assert not [one for one in figure.data if one.type == "heatmap"]


def test_the_rule_is_said_of_a_map_that_follows_it_only() -> None:
    rule = made(np.array([[3.0, 3, 3], [2, 2, 1], [2, 1, 1], [1, 1, 1]]))
    assert rule.is_the_rule
    for other in (rule.rates[::-1], rule.rates[:, ::-1], np.ones((4, 3)), np.full((4, 3), 2.0)):
        assert not made(other).is_the_rule


def test_a_map_is_put_into_words() -> None:
    told = made(np.array([[3.0, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 1]])).in_words()
    assert told.startswith("Nearly all jobs that find a load below 0.4 start ⌈3 k⌉.")
    assert (
        "At a load of 0.9 it starts ⌈2 k⌉ up to a demand of 200 s (67 % of the jobs), k tasks above." in told
    )
    assert told.endswith("From 1 on it starts no redundancy.")
    assert made(np.ones((4, 3))).in_words() == "It starts no redundancy at any load."
    everywhere = made(np.full((4, 3), 2.0)).in_words()
    assert "⌈2 k⌉" in everywhere
    assert "no redundancy" not in everywhere
    ragged = made(np.array([[3.0, 3, 3], [2, 1, 1.5], [2, 1, 1.5], [1, 1, 1]])).in_words()
    assert "⌈2 k⌉ for the smallest jobs and ⌈1.5 k⌉ for the largest" in ragged


def test_the_shipped_map_follows_the_rule_and_says_so(opened) -> None:
    seen, _ = opened
    learned = map_of(seen.asked.scenario)
    assert learned.is_the_rule
    assert learned.weights.sum() == pytest.approx(1)
    assert "small enough jobs, low enough load" in what_it_does(seen)


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ((-0.2, -0.3, -0.1), "decides anew"),
        ((0.02, -0.1, 0.14), "no difference"),
        ((0.2, 0.1, 0.3), "is an estimate"),
    ],
)
def test_it_is_called_better_or_worse_only_if_the_interval_says_so(opened, over, said) -> None:
    seen, _ = opened
    learned = dataclasses.replace(seen.learned, over_best=Estimate(*map(float, over)), unstable=False)
    assert said in how_good(seen, learned)


def test_a_growing_queue_and_an_unknown_best_are_said(opened) -> None:
    seen, _ = opened
    grows = dataclasses.replace(seen, learned=dataclasses.replace(seen.learned, unstable=True))
    assert "the queue grows under the learned policy" in how_good(grows, grows.learned)
    assert cards(grows)[-1].value == "queue grows"
    assert not [one for one in response_chart(grows, False).data if one.name.startswith("learned")]
    alone = seen_of(asked(learned=True), sweep(0.6, {}, None))
    assert "compared" not in how_good(alone, seen.learned)


def test_where_it_was_not_trained_that_is_said() -> None:
    assert not untrained(GangScenario(size_tail=2, load=0.9))
    assert untrained(GangScenario(nodes=30, straggle_tail=2, load=0.95)) == ["nodes", "β", "offered load"]
    assert untrained(GangScenario(size_tail=6)) == ["the size tail"]
    assert network().notes["loads"]
    question = Request(
        GangScenario(size_tail=3, jobs=500, load=0.6, nodes=30), 2.0, 120.0, "mean", "two", True
    )
    seen = see(question, snapshots(question, 1)[:1])
    assert "other values of nodes: here it is a guess" in how_good(seen, seen.learned)
