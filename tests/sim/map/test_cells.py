"""A cell of a map is `compare` at that point, to the bit."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from sim.map.plane import CRITERIA
from sim.map.shipped import as_json, compute, played_here
from sim.map.survey import Survey
from sim.model.result import change, class_change
from sim.running.experiment import compare
from tests.sim.map.made import plane

X, Y = "load=0.3,0.8", "beta=1.3,2.5"


@pytest.mark.parametrize(
    "criterion",
    [
        pytest.param(name, marks=() if name in ("mean", "small", "budget") else pytest.mark.slow)
        for name in CRITERIA
    ],
)
def test_every_number_of_a_cell_is_that_of_compare(criterion: str) -> None:
    asked = plane(X, Y, criterion=criterion, most=8)
    found = compute(asked, threads=2)
    by = CRITERIA[criterion]
    for cell, square in found.squares.items():
        experiment, standing = asked.at(cell), square.standing
        for i, text in enumerate(experiment.texts):
            count = standing.replications[i]
            whole = compare(experiment, replications=count, threads=2)
            assert standing.values[i] == by.estimate(whole.policies[text])
            assert standing.unstable[i] == whole.policies[text].unstable(experiment.scenario.slots)
            if standing.best is None or i == standing.best or standing.regrets[i].value is None:
                continue
            best = experiment.texts[standing.best]
            other = (
                class_change(whole, text, best, 0)
                if by.small
                else change(whole, text, best, by.measure, by.statistic)
            )
            assert other is not None
            assert standing.regrets[i] == other.share


def test_a_map_does_not_depend_on_who_computes_it() -> None:
    asked = plane(X, Y, most=4)
    alone = as_json(compute(asked, threads=1))
    with ThreadPoolExecutor(3) as threads:
        assert as_json(compute(asked, executor=threads)) == alone
    survey = Survey(asked)  # in pieces, as a page has them made
    while True:
        while units := survey.todo():
            survey.samples.update(played_here(asked, units[:3]))
        if not survey.advance():
            break
    assert {cell: survey.standing(cell) for cell in survey.wanted} == {
        cell: one.standing for cell, one in compute(asked, samples=survey.samples).squares.items()
    }


@pytest.mark.slow
def test_processes_compute_the_same_map() -> None:
    asked = plane(X, Y, most=4)
    with ProcessPoolExecutor(2) as processes:
        assert as_json(compute(asked, executor=processes)) == as_json(compute(asked, threads=1))


def test_a_cell_has_the_jobs_that_the_interval_of_a_difference_needs() -> None:
    asked = plane("load=0.3,0.9,1.2", Y)
    jobs = [asked.at((i, 0)).scenario.jobs for i in range(3)]
    assert jobs[0] < jobs[1] <= 60_000
    assert jobs[2] == asked.experiment.scenario.jobs  # more jobs would not help: the queue never settles
    fixed = plane("jobs=80,160", Y)
    assert [fixed.at((i, 0)).scenario.jobs for i in range(2)] == [80, 160]
