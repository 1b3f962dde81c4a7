"""The charts, words and tables of the Coding page agree with the runs and hold no programmers' terms."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from pages.coding import words
from pages.coding.charts import (
    VERDICTS,
    cost_alt,
    cost_chart,
    learned_alt,
    learned_chart,
    place,
    response_alt,
    response_chart,
    rule_alt,
    rule_chart,
    spelled,
    step_alt,
    step_chart,
    verdict,
)
from pages.coding.layout import drawings, everything, numbers, shell, tidy
from pages.coding.question import CLAIMS, DEMANDS, GRID, LANDMARKS, LOADS, MEASURES, Request, see
from pages.coding.words import answer as answered
from pages.coding.words import cards, notices
from sim.engines.gang.prediction import bounded_as_run, brought_load, claim1_demands, stable_loads
from sim.engines.gang.scenario import GangScenario
from sim.model.result import PolicyResult
from sim.model.statistics import Estimate
from sim.running.execution import Effort
from sim.running.experiment import compare
from sim.running.gang_sweep import Best, best, claim1, demand_sweep, points, redundant_small
from sim.running.live import Snapshot
from sim.shell.experiment import shell_line
from sim.telling.words import changed, fixed, percent
from tests.pages.coding_made import asked, point, seen_of, snapshots, sweep
from tests.pages.made import checked, trouble
from tests.pages.made import words as strings

CASES = {
    "as it opens": asked(),
    "all jobs": asked(demand=math.inf),
    "quantiles": asked("p95", "bounded", size_tail=1.5),
    "infinite theory": asked("mean", "two", size_tail=1.5),
    "replicas": asked("slowdown", redundancy="replicated"),
    "overloaded": asked(load=0.95, jobs=1000, tasks_max=20),
    "single tasks": asked("p50", tasks_max=1, straggle_tail=1.2),
    "learned": asked(learned=True),
    "learned, far from its training": asked("p95", learned=True, nodes=30, size_tail=1.2, load=0.95),
}


@pytest.fixture(scope="module", params=CASES)
def seen(request):
    return see(CASES[request.param], snapshots(CASES[request.param], 2))


@pytest.fixture(scope="module")
def opened():
    """The default question, with its snapshots."""
    question = asked()
    answers = snapshots(question)
    return see(question, answers), answers


@pytest.mark.parametrize("dark", [False, True])
def test_every_picture_is_one_plotly_accepts_with_nothing_to_hide(seen, dark) -> None:
    for draw in (response_chart, rule_chart, cost_chart, step_chart, learned_chart):
        figure = checked(draw(seen, dark))
        assert not trouble(strings(figure))
        json.loads(figure.to_json())


def test_every_word_and_number_can_be_read(seen) -> None:
    told = [tell(seen) for tell in (response_alt, rule_alt, cost_alt, words.about_theory, words.about_rule)]
    told += [tell(seen) for tell in (step_alt, learned_alt, words.about_step, words.about_learned)]
    told += [part for card in cards(seen) for part in (card.name, card.value, card.change)]
    told += notices(seen) + numbers(seen).to_numpy().ravel().tolist()
    assert not trouble(told)
    assert all(part.strip() for part in notices(seen))
    table = tidy(seen)
    assert len(table) == len(seen.sweeps) * (1 + len(DEMANDS)) + bool(seen.learned)
    json.dumps(json.loads(table.to_json()), allow_nan=False)


def test_before_other_loads_are_simulated_their_theory_is_there_already() -> None:
    question = asked()
    early = see(question, snapshots(question, 1)[:1])
    assert [bool(one.points) for one in early.sweeps] == [True, False, False, False, False]
    for draw in (response_chart, rule_chart, cost_chart):
        assert not trouble(strings(checked(draw(early, False))))
    assert len([one for one in response_chart(early, False).data if one.name.startswith("theory")]) >= 5
    assert not any("by offered load" in notice for notice in notices(early))


def test_points_are_those_of_the_sweep_and_the_theory_that_of_the_scenario(opened) -> None:
    seen, answers = opened
    assert [one.load for one in seen.sweeps] == [0.6, *LANDMARKS]
    for one, answer in zip(seen.sweeps, answers, strict=True):
        assert one.points == points(answer.comparison, DEMANDS)
        assert one.best == best(answer.comparison, DEMANDS)
        scenario = seen.asked.scenario.replace(load=one.load)
        expected = claim1(scenario, (0, *DEMANDS))
        np.testing.assert_array_equal([one.theory.at[d] for d in (0.0, *DEMANDS)], expected)
        np.testing.assert_array_equal(one.theory.times, claim1(scenario, GRID))
        np.testing.assert_array_equal(one.theory.star, claim1_demands(scenario, [one.load])[0])
    np.testing.assert_array_equal(seen.rule.limit, stable_loads(scenario, GRID))
    np.testing.assert_array_equal(seen.rule.demands, claim1_demands(scenario, LOADS))


@pytest.mark.parametrize("claim", CLAIMS)
def test_each_approximation_is_the_one_it_says(claim) -> None:
    question = asked(claim=claim, size_tail=2.2)
    beside = see(question, snapshots(asked(), 1)[:1]).chosen.theory
    scenario = question.scenario
    expected = {
        "two": claim1(scenario, DEMANDS),
        "printed": claim1(scenario, DEMANDS, as_printed=True),
        "one": claim1(scenario, DEMANDS, moments="one"),
        "bounded": claim1(bounded_as_run(scenario), DEMANDS),
    }
    np.testing.assert_array_equal([beside.at[d] for d in DEMANDS], expected[claim])
    assert sum(np.array_equal(expected[claim], other) for other in expected.values()) == 1


def test_the_curve_of_the_chosen_load_is_what_was_measured(opened) -> None:
    seen, _ = opened
    (curve,) = [one for one in response_chart(seen, False).data if one.name == "ρ₀ = 0.6"]
    shown = {place(p.demand): p.estimate for p in seen.chosen.points if not p.unstable}
    for x, y, half in zip(curve.x, curve.y, curve.error_y.array, strict=True):
        assert (y, half) == (shown[x].value, shown[x].half)


def test_a_growing_queue_is_a_cross_at_the_top_and_shaded_never_a_value() -> None:
    made = seen_of(asked(), sweep(0.6, {60.0: 25.0, 3000.0: 29.0}, Best(60.0, (60.0,)), grows=250.0))
    figure = response_chart(made, False)
    (curve,) = [one for one in figure.data if one.name == "ρ₀ = 0.6"]
    assert max(curve.x) == 250
    (crosses,) = [one for one in figure.data if "off the scale" in one.name]
    assert list(crosses.x) == [place(d) for d in DEMANDS if d > 250]
    assert set(crosses.marker.symbol) == {"x-thin"}
    shaded = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert 250 < shaded[0].x0 < 500
    assert "queue grows" in rule_alt(made)
    assert cards(made)[2].value == "queue grows"


def test_a_mark_means_the_same_in_every_chart_of_the_page() -> None:
    """At one load the chart of the rule has every verdict; at another the response leaves the axis."""
    values = {60.0: 25.0, 120.0: 30.0, 250.0: 35.0, 500.0: 9000.0}
    made = seen_of(asked(), sweep(0.6, values, Best(60.0, (60.0,)), grows=500.0))
    meanings: dict[str, set[str]] = {}
    for draw in (response_chart, rule_chart, step_chart):
        for trace in draw(made, False).data:
            if trace.type == "scatter" and trace.mode == "markers":
                symbols = (
                    [trace.marker.symbol] if isinstance(trace.marker.symbol, str) else trace.marker.symbol
                )
                for symbol in symbols:
                    grows = symbol == "x-thin"
                    name = "queue grows" if grows else trace.name.partition(", ")[2] or trace.name
                    meanings.setdefault(symbol.removesuffix("-open"), set()).add(
                        name.replace("best d", "best")
                    )
    assert meanings["triangle-up"] == {"off the scale"}
    assert {*VERDICTS} <= set.union(*meanings.values())
    for symbol, said in meanings.items():
        assert len({one.removesuffix(" tried") for one in said}) == 1 or symbol in ("circle", "square"), said


@pytest.mark.parametrize(
    ("gain", "half", "unstable", "expected"),
    [
        (-2, 1, False, 0),
        (-1, 1, False, 1),
        (0.5, 1, False, 1),
        (2, 1, False, 2),
        (-2, 1, True, 3),
        (-2, math.inf, False, 1),
    ],
)
def test_a_verdict_needs_an_interval_on_one_side(gain, half, unstable, expected) -> None:
    made = point(60.0, 30.0 + gain, gain, half, unstable)
    assert verdict(made) == VERDICTS[expected]


def test_the_rule_is_said_only_where_it_shows() -> None:
    falls = [sweep(load, {}, Best(d, (d,))) for load, d in ((0.5, 250.0), (0.3, math.inf), (0.9, 0.0))]
    rises = [sweep(load, {}, Best(d, (d,))) for load, d in ((0.5, 30.0), (0.3, 15.0), (0.9, 0.0))]
    same = [sweep(load, {}, Best(60.0, (60.0,))) for load in (0.5, 0.3, 0.9)]
    told = ["\n".join(notices(seen_of(asked(load=0.5), *sweeps))) for sweeps in (falls, rises, same)]
    assert "Small enough jobs, low enough load" in told[0]
    assert "all at 0.3, 250 at 0.5 and none at 0.9" in told[0]
    assert "Small enough" not in told[1] + told[2]


@pytest.mark.parametrize(
    ("best_one", "said"),
    [
        (Best(math.inf, (math.inf,)), "there is room for them"),
        (Best(500.0, (500.0, math.inf)), "there is room for them"),
        (Best(0.0, (0.0,)), "best to start no extra tasks"),
        (Best(0.0, (0.0, 15.0)), "no d is clearly better"),
        (Best(60.0, (60.0, 30.0)), "extra tasks for small jobs only are best: d = 60 s"),
        (None, "Every queue grows"),
    ],
)
def test_what_is_best_is_said_as_far_as_it_is_known(best_one, said) -> None:
    made = seen_of(asked(), sweep(0.6, {}, best_one))
    assert [said in notice for notice in notices(made)].count(True) == 1


@pytest.mark.parametrize(
    ("value", "best_one", "said"),
    [
        (
            24.0,
            Best(120.0, (120.0,)),
            "**Start extra tasks only for jobs of up to 120 s of work ({share} of jobs)**",
        ),
        (24.0, Best(math.inf, (math.inf,)), "**Start extra tasks for all jobs**"),
        (24.0, Best(0.0, (0.0,)), "**Start no extra tasks**"),
        (24.0, Best(120.0, (120.0, 0.0)), "No extra tasks surely help"),
        (24.0, None, "Every queue grows"),
    ],
)
def test_the_answer_says_for_which_jobs_to_start_extra_tasks(value, best_one, said) -> None:
    made = seen_of(asked(), sweep(0.6, {120.0: value, math.inf: value}, best_one))
    told = answered(made)
    assert told.startswith(f"{said.format(share=percent(made.shares[120.0]))} at load 0.6")
    assert "xpand" not in told
    if best_one and 0.0 not in best_one.as_good:
        assert changed(made.chosen.at(best_one.demand).gain) in told


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (0.56, 0.72, "the load rises from 0.56 to 0.72"),
        (0.56, 0.32, "the load falls from 0.56 to 0.32"),
        (0.56, 0.561, "the load is 0.56"),
    ],
)
def test_the_answer_and_the_notices_say_what_becomes_of_the_load(before, after, said) -> None:
    found = sweep(0.6, {math.inf: 24.0}, Best(math.inf, (math.inf,)))
    loads = {0.0: before, math.inf: after}
    points = [
        replace(one, load=Estimate(loads[one.demand])) if one.demand in loads else one for one in found.points
    ]
    made = seen_of(asked(demand=math.inf), replace(found, points=tuple(points)))
    told = [answered(made), *notices(made)]
    assert said in told[0]
    assert any("It pays." in one for one in told)
    assert any("there is room for them" in one for one in told)
    assert "extra tasks for all jobs**" in told[0]


@pytest.mark.parametrize("load", [0.5, 0.9])
def test_what_brings_the_load_to_1_is_not_advised_though_no_queue_grew(load: float) -> None:
    """In a short run all are faster with extra tasks for all jobs, which is more work than can be done."""
    made = asked(demand=math.inf)
    scenario = made.scenario.replace(load=load, size_tail=1.1, jobs=500)
    found = see(replace(made, scenario=scenario), snapshots(replace(made, scenario=scenario), 1))
    best_one, work = found.chosen.best, brought_load(scenario, (0.0, *DEMANDS), made.rate)
    assert best_one is not None
    too_much = {d for d, brought in zip((0.0, *DEMANDS), work, strict=True) if brought >= 1}
    assert not any(found.chosen.at(d).unstable for d in too_much)
    assert (math.inf in too_much) == (load > 0.5)
    assert not too_much & {best_one.demand, *best_one.as_good}
    grows = f"{fixed(float(work[-1]), 2)} in theory, and from 1 on the queue grows in the end"
    assert (grows in notices(found)[1]) == (load > 0.5)


def test_where_any_extra_task_is_too_much_none_is_advised() -> None:
    found = sweep(0.6, {DEMANDS[0]: 24.0}, Best(0.0, (0.0,)))
    points = [replace(one, load=Estimate(0.9 if one.demand == 0 else 1.2)) for one in found.points]
    made = seen_of(asked(), replace(found, points=tuple(points)))
    assert cards(made)[-1].change == "no other with a load below 1 is as good"
    assert cards(seen_of(asked(), found))[-1].change == "no other is as good"
    told = answered(made)
    assert (
        "**Start no extra tasks** at load 0.6: for the smallest jobs alone they bring the load to 1.20, and"
        in told
    )


def test_that_it_pays_or_does_not_is_said_only_if_the_interval_says_so() -> None:
    told = {}
    for value in (25.0, 30.2, 35.0):
        made = seen_of(asked(), sweep(0.6, {120.0: value}, Best(0.0, (0.0,))))
        told[value] = notices(made)[0]
        card = cards(made)[1]
        assert card.color == {25.0: "green", 30.2: "gray", 35.0: "red"}[value]
        assert card.change.startswith("−" if value < 30 else "")
    assert "It pays." in told[25.0]
    assert "does not pay" in told[35.0]
    assert "no difference" in told[30.2]


def test_the_slowdowns_drawn_are_those_of_the_chosen_d(opened) -> None:
    seen, answers = opened
    found = seen.looked_at.policies
    assert list(found) == ["no redundancy", "d = 120", "all jobs"]
    assert found["d = 120"] is answers[0].comparison.policies[redundant_small(120, 2).text]
    assert found["all jobs"] is answers[0].comparison.policies[redundant_small(math.inf, 2).text]


def test_the_shell_line_and_the_json_repeat_the_runs(opened) -> None:
    seen, answers = opened
    line = shell(answers[0], "aktas-beta3")
    assert "--set load=0.6" in line
    again = demand_sweep(seen.asked.scenario, DEMANDS)
    assert line == shell_line("aktas-beta3", again, Effort(replications=6, precision=1.0))
    report = json.loads(json.dumps(everything(seen, answers, [line] * 5), allow_nan=False))
    assert [one["scenario"]["load"] for one in report["loads"]] == [0.6, *LANDMARKS]
    assert report["loads"][0]["policies"][redundant_small(120, 2).text]["wait"]["mean"]["value"] >= 0
    assert report["loads"][0]["claim1_mean_time"]["120"] == seen.chosen.theory.at[120.0]
    busy = report["loads"][-1]["claim1_mean_time"]
    assert busy["inf"] is None  # more work than the cluster can do


def test_moving_what_needs_no_new_run_makes_the_same_wishes() -> None:
    base = asked()
    for question in (asked(demand=15.0), asked("p99"), asked(claim="one")):
        assert [request.key for request in question.requests] == [request.key for request in base.requests]
    other = Request(base.scenario, 1.5, 120.0, "mean", "two")
    assert not {request.key for request in other.requests} & {request.key for request in base.requests}


def test_jobs_of_more_tasks_than_nodes_are_mentioned() -> None:
    assert not words.capped(asked())
    assert "No more than 20 tasks" in words.capped(asked(tasks_max=15))
    assert not words.capped(asked(tasks_max=15, placement="pool"))


def test_theory_and_simulation_are_said_to_part_where_they_do() -> None:
    question = asked(jobs=20_000)
    comparison = compare(question.requests[0].experiment, replications=5)
    apart = notices(see(question, [Snapshot(comparison, False, 5, 6, False)]))[-1]
    assert "different" in apart
    quiet = question.scenario.replace(load=0.1, nodes=100)
    calm = Request(quiet, 2.0, 120.0, "mean", "two")
    found = compare(calm.requests[0].experiment, replications=2)
    assert "stays within" in notices(see(calm, [Snapshot(found, False, 2, 6, False)]))[-1]


def test_measures_and_demands_have_names() -> None:
    assert [spelled(d) for d in DEMANDS][-1] == "all"
    assert GangScenario().time_unit == MEASURES["mean"].unit


def test_the_note_on_slowdowns_says_why_their_band_ends_where_it_does(monkeypatch) -> None:
    found = see(asked(), snapshots(asked(), 2))

    def note() -> str:
        (one,) = (each for each in drawings(found, False, False) if each.title.startswith("Slowdown"))
        return one.caption

    known = all(one.knows("flowtime", "p95") for one in found.looked_at.policies.values())
    assert ("Bands end where no interval is reliable" in note()) == (not known)
    monkeypatch.setattr(PolicyResult, "knows", lambda result, measure, statistic="": statistic != "p95")
    assert note().startswith(
        "Time from arrival to end ÷ task size b. Bands end where no interval is reliable: "
    )
