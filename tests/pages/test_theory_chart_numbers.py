"""The charts of the theory pages draw the formulas that their axes and legends name."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pages.formulas.allocation.charts import bars
from pages.formulas.allocation.controls import PANEL
from pages.formulas.allocation.question import Request as Sharing
from pages.formulas.allocation.question import Scene
from pages.formulas.allocation.question import checked as read
from pages.formulas.cloning.charts import copies_chart, outlier_chart, size_alt, size_chart
from pages.formulas.cloning.question import Request as Cloning
from pages.formulas.detection.charts import cutoff_alt, cutoff_chart, resource_alt, resource_chart
from pages.formulas.detection.question import VARIABILITY
from pages.formulas.detection.question import Request as Detection
from pages.formulas.simulation import leader
from pages.formulas.threshold.charts import rate_alt, rate_chart, value_alt, value_chart
from pages.formulas.threshold.question import SlotValue, scene
from sim.telling.words import number
from tests.pages.made import checked, traces
from tests.samples import Made, assert_tells, made, ratio
from theory.allocation import fair_allocation, hopper_allocation, srpt_allocation
from theory.cloning import (
    job_level_copies,
    job_outlier_probability,
    task_level_copies,
    task_outlier_probability,
)
from theory.cutoff import cloning_load_limit, cutoff_load
from theory.detection import detection_resource, sigma_star
from theory.service_rate import marginal_rate, service_rate

CLONED = Cloning(p=0.1, epsilon=0.05, tasks=10)
DETECTED = Detection(alpha=2.0, load=0.3, sigma=1.7, copies=2, share=0.2, delta=0.25)
SIZES = ("1 to 10 tasks", "11 to 50", "51 to 150", "more than 150")


def titles(figure) -> tuple[str, str]:
    return figure.layout.xaxis.title.text, figure.layout.yaxis.title.text


@pytest.mark.parametrize(
    ("name", "formula"),
    [("every task cloned", task_outlier_probability), ("whole job cloned", job_outlier_probability)],
)
def test_the_chance_of_an_outlier_is_that_of_the_level_it_is_called_by(name, formula) -> None:
    figure = checked(outlier_chart(CLONED, False))
    assert titles(figure) == ("copies, the original included", "probability of an outlier in the job")
    (curve,) = traces(figure, name=name)
    np.testing.assert_allclose(curve.y, formula(0.1, 10, curve.x))
    assert list(curve.x) == list(range(1, 11))


@pytest.mark.parametrize(
    ("name", "formula"), [("every task cloned", task_level_copies), ("whole job cloned", job_level_copies)]
)
def test_the_copies_needed_are_those_of_the_level_they_are_called_by(name, formula) -> None:
    figure = checked(copies_chart(CLONED, False))
    assert titles(figure) == ("tasks n of a job", "copies needed")
    (curve,) = traces(figure, name=name)
    np.testing.assert_allclose(curve.y, formula(0.1, curve.x, 0.05))
    assert [list(one.x) for one in traces(figure, name="the job")] == [[10], [10]]
    assert [one.y[0] for one in traces(figure, name="the job")] == [
        task_level_copies(0.1, 10, 0.05),
        job_level_copies(0.1, 10, 0.05),
    ]


def test_the_cutoff_and_the_limit_are_not_each_other() -> None:
    figure = checked(cutoff_chart(DETECTED, False))
    assert titles(figure) == ("tail index β of task times", "offered load ρ₀")
    (cutoff,) = traces(figure, name="cutoff ρ₀<sup>U</sup>")
    (limit,) = traces(figure, name="overloaded if cloned")
    (here,) = traces(figure, name="this cluster")
    shown = cutoff.y < 1.5
    np.testing.assert_allclose(cutoff.y[shown], cutoff_load(cutoff.x[shown], VARIABILITY))
    np.testing.assert_allclose(limit.y, cloning_load_limit(limit.x))
    assert (here.x[0], here.y[0]) == (2.0, 0.3)


@pytest.mark.parametrize("copies", [2, 3])
def test_machine_time_is_that_of_its_number_of_copies_and_its_ring_is_the_best(copies) -> None:
    figure = checked(resource_chart(DETECTED, False))
    assert titles(figure) == (
        "threshold σ on the remaining time (mean task times)",
        "slot-time per task, E[R]/E[x]",
    )
    (curve,) = traces(figure, name=f"{copies} copies")
    np.testing.assert_allclose(curve.y, detection_resource(copies, curve.x, 2.0, 0.2))
    (best,) = traces(figure, name=f"{copies} copies, best")
    assert best.x[0] == pytest.approx(sigma_star(2.0, copies))
    (chosen,) = traces(figure, name="as chosen")
    assert (chosen.x[0], chosen.y[0]) == pytest.approx((1.7, detection_resource(2, 1.7, 2.0, 0.2)))


@pytest.mark.parametrize(
    ("draw", "formula", "title"),
    [
        (rate_chart, service_rate, "service rate μ (plain slots)"),
        (value_chart, marginal_rate, "value of one more slot"),
    ],
)
def test_a_curve_of_a_job_is_its_rate_or_what_another_slot_adds(draw, formula, title) -> None:
    figure = checked(draw(scene(SlotValue(1.5), (10, 20, 40), 30, 100), False))
    assert titles(figure) == ("slots that a job holds", title)
    for name, tasks in zip("ABC", (10, 20, 40), strict=True):
        (curve,) = traces(figure, name=f"job {name}, T = {tasks}")
        off_the_corner = np.abs(np.asarray(curve.x) - 4 / 3 * tasks) > 1e-3  # where what a slot adds may jump
        expected = formula(np.asarray(curve.x)[off_the_corner], tasks, 1.5)
        np.testing.assert_allclose(np.asarray(curve.y)[off_the_corner], expected)


def test_the_words_of_a_job_have_its_rate_and_what_another_slot_adds() -> None:
    """With β = 1.5 the rate of T tasks is 9/8 S up to 4/3 T slots, and 3 T - 2 T²/S beyond."""
    seen = scene(SlotValue(1.5), (10, 20, 40), 30, 100)
    assert rate_alt(seen).endswith(
        "At 30 slots job A with 10 tasks has rate 23.3, its threshold at 13.3 and can approach 30.0; job B "
        "with 20 tasks has rate 33.3, its threshold at 26.7 and can approach 60.0; job C with 40 tasks has "
        "rate 33.8, its threshold at 53.3 and can approach 120."
    )
    plateau = number(9 / 8)
    assert (
        f"It is {plateau} in job A up to 13.3 slots, and 0.222 at 30; in job B up to 26.7 slots, and 0.889 "
        f"at 30; in job C up to 53.3 slots, and {plateau} at 30; beyond"
    ) in value_alt(seen)


def test_the_words_of_detection_have_the_numbers_of_the_formulas() -> None:
    asked = Detection(alpha=3.0, load=0.3, sigma=1.2, copies=2, share=0.2, delta=0.25)
    two, four, here = (number(float(cutoff_load(tail, VARIABILITY))) for tail in (2.0, 4.0, 3.0))
    assert f": {two} at 2, {four} at 4. At β = 3 it is {here}; this cluster has load 0.3," in cutoff_alt(
        asked
    )
    best = float(sigma_star(3.0, 2))
    least, used = (number(float(detection_resource(2, sigma, 3.0, 0.2))) for sigma in (best, 1.2))
    assert f"2 copies use least, {least}, at σ = {number(best)}" in resource_alt(asked)
    assert f"As chosen, 2 copies from σ = 1.2 on use {used}. Mantri" in resource_alt(asked)


def test_a_row_of_shares_is_that_of_the_rule_it_is_called_by() -> None:
    start = PANEL.defaults("short")
    jobs, _ = read(start["jobs"])
    asked = Sharing(jobs, start["S"], start["beta"], start["epsilon"])
    seen = Scene(asked, "Algorithm 1")
    found = {name: share.slots for name, share in seen.found.items()}
    for name, expected in {
        "Fair share": fair_allocation(jobs.T, asked.slots),
        "SRPT": srpt_allocation(jobs.T, asked.slots),
        "Algorithm 1": hopper_allocation(jobs.T, asked.slots, asked.beta),
    }.items():
        np.testing.assert_allclose(found[name], expected)
    figure = checked(bars(seen, False))
    for place, job in enumerate(jobs.names):
        (part,) = traces(figure, name=f"job {job}")
        for row, slots in zip(part.y, part.x, strict=True):
            shares = found[row.partition("<br>")[0]]
            assert slots == (0 if shares is None else shares[place])


@pytest.fixture(scope="module")
def raced() -> Made:
    return made(("Mantri", "Dolly", "Fair"), baseline="Fair")


def of_class(run, place: int) -> float:
    """Mean flowtime of the counted jobs of a size."""
    ends = (0, 10, 50, 150, np.inf)
    tasks = run.outcome.tasks[run.counted]
    return float(run.column("flowtime")[(tasks > ends[place]) & (tasks <= ends[place + 1])].mean())


def test_who_gains_is_the_mean_flowtime_of_each_size_over_the_baselines(raced) -> None:
    figure = checked(size_chart(raced.comparison, False))
    assert titles(figure) == ("tasks of a job", "mean flowtime ÷ that of Fair")
    told = size_alt(raced.comparison)
    for name in ("Mantri", "Dolly"):
        (one,) = traces(figure, name=name)
        assert list(one.x) == list(SIZES)
        for place in range(4):
            ours, its = ([of_class(run, place) for run in raced.policies[who]] for who in (name, "Fair"))
            found, low, high = ratio(ours, its)
            assert one.y[place] == pytest.approx(found)
            assert one.error_y.array[place] == pytest.approx(high - found)
            assert one.error_y.arrayminus[place] == pytest.approx(found - low)
        shown = re.search(rf"{name} {SIZES[0]}: ([\d.]+) ± ([\d.]+)", told)
        wide = (one.error_y.array[0] + one.error_y.arrayminus[0]) / 2
        assert float(shown[1]) == pytest.approx(one.y[0], rel=1e-3)
        assert float(shown[2]) == pytest.approx(wide, rel=0.05)


def test_the_headline_names_the_fastest_with_its_flowtime(raced) -> None:
    label, winner, told = leader(raced.comparison, "mean")
    assert (label, winner) == ("Fastest, simulated", "Mantri")
    own, _, base = told.partition("; ")
    assert own.startswith("mean flowtime ")
    assert_tells(own.removeprefix("mean flowtime "), raced.values("Mantri", "flowtime", "mean"), "min")
    assert_tells(base.removeprefix("Fair "), raced.values("Fair", "flowtime", "mean"))
