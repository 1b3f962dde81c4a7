"""The Detection page without a browser: controls, links, and texts that agree with the theory."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.formulas.detection import charts, words
from pages.formulas.detection.controls import PANEL, STARTS, Rules, at_scale, policies, scenario, span
from pages.formulas.detection.question import LIMIT, SCALES, VARIABILITY, Request, Waiting, solution
from pages.formulas.detection.words import answer, simulated_answer
from pages.formulas.simulation import leader
from sim.model.workload import generate
from sim.running.experiment import Experiment, compare, expected_tasks
from sim.running.live import SHORT
from tests.agreement import assert_mean
from tests.depth import every
from tests.pages.made import checked, luck, made, one, trouble
from tests.pages.made import words as words_in
from tests.pages.visits import notices, seen, visit

FIG2 = Request(2.0, 0.25, 1.7, 2, 0.2, 0.25)
RULES = Rules(0.01, 1.0, True, 1)
FIG1 = Waiting((10, 20, 5, 10), 100, 2.0, 0.01)
QUESTIONS = st.builds(
    Request,
    alpha=st.floats(1.1, 5.0),
    load=st.floats(0.05, 1.7),
    sigma=st.floats(0.1, 4.0),
    copies=st.integers(2, 5),
    share=st.floats(0, 0.9),
    delta=st.floats(0, 0.95),
)


def raced(asked: Request, rules: Rules) -> Experiment:
    return Experiment(scenario(asked, rules), tuple(policies(asked, rules).values()))


@pytest.mark.usefixtures("short_runs")
def test_the_page_opens_with_its_charts_cards_and_shell_lines() -> None:
    app = visit("detection")
    assert not app.exception
    assert len(app.get("plotly_chart")) == 6
    assert len(app.metric) == 4 + len(policies(FIG2, RULES))
    assert app.metric[0].value == "0.750"  # the paper's cutoff at tail index 2
    assert app.metric[1].value == "1.71"  # 1 + sqrt(2)/2
    assert app.metric[3].value in policies(FIG2, RULES)
    assert [line.value.startswith("python -m sim run") for line in app.code] == [True, True]
    assert ["slots=1000" in line.value for line in app.code] == [True, False]  # the preset has the 3000


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize("name", every(3, STARTS))
def test_every_start_is_shown(name: str) -> None:
    app = visit("detection", start=name)
    assert not app.exception
    assert app.slider(key="detection.alpha").value == PANEL.defaults(name)["alpha"]
    assert not trouble(seen(app))
    told = notices(app)
    assert ("three are" in told) == (PANEL.defaults(name)["alpha"] < 1.56)


@pytest.mark.usefixtures("short_runs")
def test_where_tasks_outnumber_machines_the_page_says_what_sca_does_instead() -> None:
    app = visit("detection", N="40")
    assert not app.exception
    assert "P2 has no solution" in app.info[0].value
    assert len(app.get("plotly_chart")) == 4


@pytest.mark.usefixtures("short_runs")
def test_the_resource_chart_has_the_best_threshold_at_its_lowest_point() -> None:
    app = visit("detection", alpha="1.5", copies="4")
    figure = next(
        json.loads(chart.proto.spec)
        for chart in app.get("plotly_chart")
        if '"threshold of detection"' in chart.proto.spec
    )
    assert figure["data"][0]["line"]["dash"] == "dash"  # as all theory
    assert {trace["name"] for trace in figure["data"]} >= {"2 copies", "3 copies", "4 copies"}


def test_the_sizes_of_the_simulation_have_the_variability_of_the_theory() -> None:
    sizes = generate(scenario(FIG2, RULES).replace(slots=1000, jobs=200_000), 0).size.astype(float)
    sizes = sizes.reshape(40, -1)
    ratio = (sizes**2).mean(axis=1) / sizes.mean(axis=1) ** 2
    assert ratio.mean() == pytest.approx(VARIABILITY, rel=0.01)
    assert (sizes.min(), sizes.max()) == (pytest.approx(0.5, abs=0.01), pytest.approx(2.0, abs=0.01))


@pytest.mark.parametrize("alpha", [1.3, 2.0, 4.0])
def test_mean_durations_are_one_to_four_whatever_the_tail(alpha: float) -> None:
    asked = Request(alpha, 0.5, 1.7, 2, 0.2, 0.25)
    assert scenario(asked, RULES).replace(slots=1000, jobs=100).mean_duration == pytest.approx(2.5)


def test_the_jobs_of_a_replication_take_as_long_to_arrive_as_is_said() -> None:
    last = [generate(scenario(FIG2, RULES), r).arrival[-1] for r in range(30)]
    assert_mean(last, span(FIG2))


def test_the_first_answer_needs_no_preview_and_the_paper_has_its_27000_jobs() -> None:
    assert expected_tasks(raced(FIG2, RULES)) < SHORT
    full = at_scale(Request(2.0, 0.2525, 1.7, 2, 0.2, 0.25), RULES)
    assert 3 * full.jobs == 27_000  # "nearly 27000 jobs" with three seeds
    assert full.slots == 3000


@given(QUESTIONS)
@settings(max_examples=25, deadline=None)
def test_whatever_is_asked_words_and_charts_have_an_answer(asked: Request) -> None:
    told = [answer(asked), *words.notices(asked), *(text for card in words.cards(asked) for text in card)]
    told += [charts.cutoff_alt(asked), charts.resource_alt(asked)]
    assert not trouble(told)
    assert not trouble([json.dumps(words.reading(asked), allow_nan=False)])
    for figure in (charts.cutoff_chart(asked, dark=True), charts.resource_chart(asked, dark=False)):
        assert not trouble(words_in(checked(figure)))
    assert 0 < asked.least <= asked.used + 1e-9 or asked.copies != asked.best.copies
    assert asked.least <= float(asked.resource(asked.sigma, asked.copies)) + 1e-9


@given(QUESTIONS)
@settings(max_examples=50, deadline=None)
def test_the_advice_is_that_of_the_two_delays(asked: Request) -> None:
    one, two = asked.delays
    if asked.light:
        assert two < one or math.isclose(two, one)
        assert words.notices(asked)[0].startswith("Clone at once")
        assert answer(asked).startswith("**Cloning every task** is best")
    else:
        assert two >= one or math.isclose(two, one)
        assert "Clone at once" not in words.notices(asked)[0]
        assert answer(asked).startswith("**Waiting for stragglers** is best")


@given(
    tasks=st.tuples(*[st.integers(1, 60)] * 4),
    spare=st.integers(0, 300),
    alpha=st.floats(1.1, 5.0),
    gamma=st.sampled_from([0.0, 0.01, 1.0]),
    step=st.sampled_from([0.002, 0.2]),
)
@settings(max_examples=8, deadline=None)
def test_any_plan_is_within_its_bounds_drawn_and_told(
    tasks: tuple[int, ...], spare: int, alpha: float, gamma: float, step: float
) -> None:
    found = solution(Waiting(tasks, sum(tasks) + spare, alpha, gamma), step)
    for copies in (found.real.copies, found.whole.copies):
        assert copies @ np.array(tasks) <= found.jobs.machines * (1 + 1e-9)
        assert copies.min() >= 1
        assert copies.max() <= LIMIT + 1e-9
    assert (found.cloned <= found.once * (1 + 1e-12)).all()
    told = [*words.about_plan(found), charts.copies_alt(found), charts.path_alt(found)]
    told += [str(words.plan_table(found).to_numpy().tolist())]
    for figure in (charts.copies_chart(found, dark=False), charts.path_chart(found, dark=True)):
        told += words_in(checked(figure))
    assert not trouble(told)


def test_fig_1_does_not_settle_as_printed_and_does_mended() -> None:
    found = solution(FIG1, 0.2)
    assert "does not settle" in words.about_plan(found)[1]
    assert "shrinking steps settle" in words.about_plan(found)[1]
    short = solution(FIG1, 0.002)
    assert "settles at the solution" in words.about_plan(short)[1]
    assert len(SCALES) == 4


def test_policies_are_spelled_so_that_they_are_read_as_meant() -> None:
    read = policies(Request(2.0, 0.5, 1.25, 4, 0.2, 0.4), RULES).values()
    mantri, _, sda, ese, none = (policy.speculation.as_dict for policy in read)
    assert mantri["delta"] == 0.4
    assert (sda["sigma"], sda["copies"]) == (1.25, 4)
    assert (ese["sigma"], ese["xi"], ese["gamma"]) == (1.25, 1.0, 0.01)
    assert none == {}


def test_the_headline_names_the_fastest_only_if_it_surely_is() -> None:
    slow, fast = ([one(scale * luck(seed)) for seed in range(4)] for scale in (3, 1))
    told = leader(made({"Mantri": slow, "SCA": fast}), "mean")
    assert told[1] == "SCA"
    assert "Mantri" in told[2]
    same = leader(made({"Mantri": slow, "SCA": slow}), "mean")
    assert same[1] == "Mantri"
    assert "no policy is surely faster" in same[2]
    labels = [leader(made({"Mantri": slow, "SCA": fast}), one)[0] for one in ("mean", "p50", "p95")]
    assert labels == ["Fastest, simulated", "Fastest for half of the jobs", "Fastest for 95 % of the jobs"]


def test_renamed_policies_keep_their_numbers_and_the_baseline() -> None:
    comparison = made({"mantri-xl": [one([1.0, 2.0])], "sca": [one([3.0, 5.0])]})
    found = comparison.called(("Mantri", "SCA"))
    assert found.baseline == "Mantri"
    assert found.policies["SCA"].name == "SCA"
    assert found.policies["SCA"].estimate("flowtime", "mean").value == 4.0


@pytest.mark.parametrize("policy", ["SDA", "ESE"])
def test_the_simulated_resource_is_that_of_the_theory(policy: str) -> None:
    """Slots are free at any time, so that every straggler gets its copies when it is seen."""
    asked, rules = Request(2.2, 0.1, 1.7, 2, 0.2, 0.25), Rules(0.01, 1.0, slotted=False, seed=3)
    chosen = policies(asked, rules)[policy]
    experiment = Experiment(scenario(asked, rules), (chosen,))
    found = compare(experiment, replications=12).policies[chosen.text]
    used = []
    for replication, mean in enumerate(found.values("resource", "mean")):
        jobs = experiment.workload(replication)
        work = float((jobs.tasks * jobs.size).mean()) * experiment.scenario.mean_factor
        used.append(mean / work)
    assert_mean(used, asked.used, resolution=0.03)
    with pytest.raises(AssertionError):  # of a task without copies
        assert_mean(used, 1.0, resolution=0.03)


def test_the_remark_on_ese_is_true_of_the_runs() -> None:
    asked, calm = Request(2.0, 0.25, 1.7, 2, 0.2, 0.25), Rules(0.01, 1.0, True, 1)
    experiment = raced(asked, calm)
    found = compare(experiment, replications=2).called(tuple(policies(asked, calm)))
    told = " ".join(words.remarks(found, asked, calm))
    assert "ESE does what SDA does here" in told
    assert re.search(
        r"with \*\*(SCA|SDA)\*\* \((clones|waits)\) .* under \*\*(SCA|SDA)\*\* \((clones|waits)\)\.$",
        simulated_answer(found, "p50"),
    )
    assert found.policies["ESE"].values("flowtime", "mean") == found.policies["SDA"].values(
        "flowtime", "mean"
    )
    eager = Rules(0.01, 5.0, True, 1)
    busy = Request(2.0, 0.5, 1.7, 2, 0.2, 0.25)
    found = compare(raced(busy, eager), replications=2).called(tuple(policies(busy, eager)))
    assert "ESE does what SDA does" not in " ".join(words.remarks(found, busy, eager))
    assert re.search(r"SDA uses [\d.]+ ± [\d.]+ mean task times", " ".join(words.remarks(found, busy, eager)))
