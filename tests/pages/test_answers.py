"""The answer line: its first statement is computed from the runs, of the right policies and statistic."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest

from pages.compare.words import answer, erlang, factors, second_copies, varied
from sim.engines.registry import PRESETS, presets_of
from sim.engines.slots.scenario import read_policy
from sim.model.result import Comparison
from sim.model.statistics import student
from tests.pages.made import POINTS, SCENARIO, luck, made, one
from tests.samples import interval, ratio

REPLICATIONS = 6
GRID = ("fair+none", "fair+late", "srpt+none", "srpt+late")


def runs(
    middle: float,
    slow: float = 1.0,
    *,
    resource: float = 1.0,
    seed: int = 0,
    replications: int = REPLICATIONS,
    **given: object,
):
    """Return replications whose typical and slowest jobs, and slot-time, are scaled."""
    found = []
    for r in range(replications):
        flowtime = np.sort(luck(r)) * (1 + 0.01 * luck(100 * seed + r + 7).mean())
        scale = np.where(np.arange(flowtime.size) < 0.8 * flowtime.size, middle, middle * slow)
        found.append(one(scale * flowtime, resource=resource * luck(r + 50), **given))
    return found


def called(comparison: Comparison) -> Comparison:
    """Return a comparison with the names that people say."""
    return comparison.in_words()


def grid(turn: float, copies: float, cost: float = 0.5, slow: float = 1.0, **given: object) -> Comparison:
    """Return four policies in which sharing and copying scale flowtimes, and copying slot-times."""
    policies = {
        text: runs(
            (turn if text.startswith("srpt") else 1) * (copies if text.endswith("late") else 1),
            slow if text.endswith("late") else 1.0,
            resource=cost if text.endswith("late") else 1,
            seed=place,
            **given,
        )
        for place, text in enumerate(GRID)
    }
    return made(policies)


def effect(
    comparison: Comparison, pairs: list[tuple[str, str]], measure: str, statistic: str
) -> tuple[float, float]:
    """Work out by what percentage a measure differs, another way: from products of what is off each ratio."""
    found, off = 1.0, np.zeros(comparison.replications)
    for pair in pairs:
        ours, its = (np.array(comparison.policies[name].values(measure, statistic)) for name in pair)
        between, *_ = ratio(list(ours), list(its))
        found *= between ** (1 / len(pairs))
        off += (ours - between * its) / ours.mean() / len(pairs)
    _, wide = interval(list(off))
    return 100 * (found - 1), 100 * found * math.sinh(wide)


COPIES = [("fair+late", "fair+none"), ("srpt+late", "srpt+none")]
TURN = [("srpt+none", "fair+none"), ("srpt+late", "fair+late")]


@pytest.mark.parametrize("statistic", ["mean", "p50", "p95"])
def test_two_by_two_tells_both_effects_of_the_statistic_after_the_lead(statistic: str) -> None:
    comparison = grid(0.9, 0.4, slow=0.6)
    text = answer(called(comparison), statistic)
    second = re.search(r"Copies matter more than order here: (.+? %) of the (.+), against (.+ %)\.$", text)
    assert second is not None
    assert second[2] == {"mean": "mean", "p50": "median", "p95": "95th percentile"}[statistic]
    for told, pairs in ((second[1], COPIES), (second[3], TURN)):
        value, half = map(float, told.removesuffix(" %").replace("−", "-").split(" ± "))
        expected = effect(comparison, pairs, "flowtime", statistic)
        assert (value, half) == (pytest.approx(expected[0], abs=0.51), pytest.approx(expected[1], abs=0.51))
    assert text.startswith("**Shortest first + LATE**: ")  # which has both


def test_the_larger_effect_is_the_one_that_matters_whatever_its_direction() -> None:
    assert "Order matters more than copies here" in answer(called(grid(0.4, 0.9)))
    assert "Order matters more than copies here" in answer(called(grid(3.0, 0.9)))
    assert "Copies matter more than order here" in answer(called(grid(0.8, 2.0)))
    assert "For the mean, order and copies matter about the same." in answer(called(grid(0.5, 0.5)))
    assert "Copies matter more" in answer(called(grid(0.9, 0.88)))
    calm = grid(0.9, 0.8)
    wild = [runs(0.8 + 0.4 * (-1) ** r)[r] for r in range(REPLICATIONS)]
    varied_much = {name: wild if name == "fair+late" else one.samples for name, one in calm.policies.items()}
    assert "Whether order or copies matter more is open after 6" in answer(called(made(varied_much)))


def test_a_statistic_that_is_not_known_is_told_as_what_these_runs_show() -> None:
    heavy = SCENARIO.replace(straggle="pareto", straggle_tail=1.5)
    alone = {"fair+none": runs(1.0, scenario=heavy)}
    told = answer(called(made(alone, heavy)), "mean")
    assert "on average in these runs" in told
    assert "too heavy a tail to know the mean" in told
    assert "in these runs" not in answer(called(made(alone, heavy)), "p50")


def test_two_by_two_needs_all_four_and_finds_them_among_others() -> None:
    comparison = grid(0.9, 0.4)
    three = {name: comparison.policies[name] for name in GRID[:3]}
    assert factors(dataclasses.replace(comparison, policies=three)) is None
    five = {"hopper+budget": comparison.policies["fair+late"], **comparison.policies}
    found = factors(dataclasses.replace(comparison, policies=five, baseline="fair+none"))
    assert found is not None
    assert sorted(found[1]) == sorted(COPIES)


def test_nothing_is_said_to_matter_that_grows_or_is_run_once() -> None:
    growing = grid(0.9, 0.4, busy=100.0, waiting=np.linspace(0, 5000, POINTS))
    text = answer(called(growing))
    assert "matter" not in text
    assert "No policy keeps up" in text
    once = grid(0.9, 0.4)
    first = {name: dataclasses.replace(one, samples=one.samples[:1]) for name, one in once.policies.items()}
    text = answer(called(dataclasses.replace(once, policies=first)))
    assert "any difference may be luck" in text
    assert "matter more" not in text
    assert "±" not in text


def test_who_keeps_up_is_told_where_the_baseline_does_not() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}
    comparison = made({"fair+none": runs(1.0, **growing), "srpt+late": runs(0.5)})
    assert answer(called(comparison)).startswith(
        "**Shortest first + LATE** keeps up with a load of 70 %; under **Fair shares + no copies**"
    )


def test_who_leaves_fewest_jobs_is_told_where_nobody_keeps_up() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}

    def cut(lost: int):
        flowtimes = [np.where(np.arange(200) >= 200 - lost - r, np.inf, luck(r)) for r in range(REPLICATIONS)]
        return [one(flowtime, **growing) for flowtime in flowtimes]

    comparison = made({"fair+none": cut(60), "srpt+late": cut(20), "hopper+budget": cut(40)})
    text = answer(called(comparison))
    least = student([(20 + r) / 200 for r in range(REPLICATIONS)])
    assert f"under **Shortest first + LATE** ({100 * least.value:.1f} ± {100 * least.half:.1f} %)" in text
    assert "most under **Fair shares + no copies**" in text


def test_a_pair_is_answered_whichever_is_the_faster_with_its_cost() -> None:
    policies = {
        "fair+late": runs(2.0),
        "hopper+budget": runs(1.0),
        "hopper-dag+budget": runs(0.8, resource=1.2),
    }
    comparison = called(made(policies))
    text = answer(comparison, "mean", ("pair", "hopper+budget", "hopper-dag+budget"))
    assert text.startswith("**Hopper for DAGs**: ")  # which is fastest
    assert "**Hopper for DAGs** is faster than **Hopper**: mean flowtime −20" in text
    assert "more slot-time per job" in text
    assert text == answer(comparison, "mean", ("pair", "hopper-dag+budget", "hopper+budget"))
    assert "is faster" not in answer(comparison, "mean", ("pair", "hopper+budget", "srpt+none"))


def test_the_best_of_three_values_is_told_by_flowtime_and_by_slot_time() -> None:
    comparison = made(
        {
            "levels+none": runs(2.0),
            "levels+sda:sigma=1": runs(1.0, resource=1.3),
            "levels+sda:sigma=2": runs(1.2, resource=1.0),
            "levels+sda:sigma=4": runs(1.5, resource=1.1),
        }
    )
    assert varied(comparison) == list(comparison.policies)[1:]
    text = answer(called(comparison))
    assert "The mean is least under **SDA, σ = 1**; slot-time is least under **SDA, σ = 2**." in text


def test_erlangs_formula_stands_beside_the_simulated_mean_only_where_it_holds() -> None:
    scenario = PRESETS["mm100"].scenario
    assert erlang(scenario) == pytest.approx(1.0, abs=0.01)
    for change in (
        {"straggle": "pareto"},
        {"tasks_max": 2},
        {"arrivals": "bursty"},
        {"load": 1.1},
        {"slow_share": 0.1},
    ):
        assert erlang(scenario.replace(**change)) is None
    single = SCENARIO.replace(slots=1, load=0.5, tasks="constant", tasks_max=1, jobs=200)
    assert erlang(single) == pytest.approx(2.0)  # 1 / (1 - load)
    near = [one(2.0 + 0.1 * (luck(r) - luck(r).mean() + 0.01 * r), scenario=single) for r in range(5)]
    comparison = made({"fifo+none": near}, single)
    text = answer(called(comparison))
    found = comparison.policies["fifo+none"].estimate("flowtime", "mean")
    assert text.startswith("Erlang’s mean is 2.0000 s, the simulated ")
    assert f"{found.value:.4f}"[:4] in text
    assert ("they agree" in text) == (found.low <= 2.0 <= found.high)
    assert "Erlang" not in answer(called(made({"fair+late": near}, single)))


def test_second_copies_are_timed_from_their_originals() -> None:
    log = np.rec.fromrecords(
        [(0, 0, 0, 1.0), (0, 1, 0, 1.0), (0, 0, 1, 3.5), (0, 0, 2, 9.0), (1, 0, 0, 4.0), (1, 0, 1, 4.5)],
        names="job,task,copy,start",
    )
    assert sorted(second_copies(log)) == [0.5, 2.5]


@pytest.mark.parametrize("name", list(presets_of("slots")))
def test_what_a_preset_asks_is_about_its_policies(name: str) -> None:
    preset = PRESETS[name]
    texts = [read_policy(policy).text for policy in preset.policies]
    kind, *named = preset.asks or ("",)
    assert kind in ("", "pair", "everybody", "small jobs", "copies")
    assert len(named) == (2 if kind == "pair" else 0)
    assert set(named) <= set(texts)
