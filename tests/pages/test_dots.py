"""A handful of jobs is drawn one by one, and nothing is said of them that needs a distribution."""

from __future__ import annotations

import numpy as np
import pytest

from pages.shared.live.cards import cards_of
from pages.shared.words.notice import what_to_notice
from sim.running.distribution import distribution, distribution_alt, ends_early
from tests.pages.made import checked, made, one, traces, trouble, words

FLOWTIMES = {"quick": [[4.0, 1.0], [2.0, 8.0]], "slow": [[5.0, 3.0], [7.0, np.inf]]}


@pytest.fixture(scope="module")
def handful():
    return made({name: [one(run, resource=3.0) for run in runs] for name, runs in FLOWTIMES.items()})


@pytest.mark.parametrize("tail", [False, True])
def test_each_job_that_is_done_is_a_dot_in_the_row_of_its_policy(handful, tail) -> None:
    figure = checked(distribution(handful, False, tail=tail))
    for row, (name, runs) in enumerate(FLOWTIMES.items()):
        (trace,) = traces(figure, name=name)
        assert trace.mode == "markers"
        assert sorted(trace.x) == sorted(x for run in runs for x in run if np.isfinite(x))
        assert set(trace.y) == {-row}
    low, high = figure.layout.yaxis.range
    assert low < -1
    assert high > 0
    assert not trouble(words(figure))


def test_the_words_count_the_jobs_and_name_their_ends(handful) -> None:
    told = distribution_alt(handful)
    assert "quick: 4 jobs from 1.00 to 8.00 s, median 3.00 s." in told
    assert "slow: 3 jobs from 3.00 to 7.00 s, median 5.00 s." in told
    assert "fewer than 5 jobs" in ends_early(handful)


def test_five_jobs_have_a_curve() -> None:
    five = made({"a": [one([1.0, 2.0, 3.0, 4.0, 5.0])]})
    assert five.policies["a"].single("flowtime") is None
    (line,) = traces(distribution(five, False), name="a")
    assert line.mode == "lines"


@pytest.mark.parametrize(("jobs", "told"), [(1, False), (19, False), (20, True)])
def test_the_slowest_twentieth_is_told_only_where_there_is_one(jobs: int, told: bool) -> None:
    comparison = made({"a": [one(1 + np.arange(jobs) / jobs)] * 3})
    assert any("one in twenty" in remark for remark in what_to_notice(comparison)) == told
    assert any("p95" in line for line in cards_of(comparison)[0].details) == told
