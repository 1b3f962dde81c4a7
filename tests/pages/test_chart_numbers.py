"""The charts of a comparison draw the numbers that their titles and axes name."""

from __future__ import annotations

import numpy as np
import orjson
import pytest

from pages.compare.charts import usage, usage_alt
from pages.compare.layout import drawings
from sim.engines.gang.scenario import GangScenario
from sim.running.distribution import distribution, distribution_alt
from tests.pages.made import checked, traces
from tests.samples import POINTS, Made, interval, made, statistic_of

#: Measure -> title of the axis, and how the hover tells of a point.
AXES = {
    "flowtime": ("flowtime, arrival to finish (min)", "finish within"),
    "resource": ("slot-time of all copies of a job (slot·min)", "use at most"),
    "slowdown": ("slowdown, arrival to finish (× ideal)", "finish within"),
}
#: Title of a chart of the Compare page -> the measure of its distribution, if it shows one.
TITLES = {
    "Flowtime of jobs (min)": "flowtime",
    "Slots in use over time (%)": "",
    "Is another slot worth it?": "",
    "Slot-time of jobs (slot·min)": "resource",
}


@pytest.fixture(scope="module")
def three() -> Made:
    return made(("fair+late", "hopper", "fifo+none"))


@pytest.fixture(scope="module")
def gang() -> Made:
    return made(("none", "all:r=2"), GangScenario(warm_up=0.25, time_unit="min"))


def assert_shows(figure, two: Made, measure: str, *, tail: bool, sent: bool = False) -> None:
    """Assert that the curves of a figure are the quantiles of a measure, with their bands, and named so.

    What is sent of a quantile are the three digits that are told; of its half width two are.
    """
    title, verb = AXES[measure]
    assert figure.layout.xaxis.title.text == title
    assert figure.layout.yaxis.title.text == ("share of jobs that need more" if tail else "share of jobs")
    for name, runs in two.policies.items():
        (line,) = traces(figure, name=name)
        for percent in (10, 50, 80, 95):
            share = 100 - percent if tail else percent
            place = int(np.argmin(np.abs(np.asarray(line.y) - share)))
            assert line.y[place] == pytest.approx(share)
            quantiles = [statistic_of(run.column(measure), f"p{percent}") for run in runs]
            half = float(line.text[place].removeprefix(" ± ").replace(",", ""))
            digits = (3 if sent else 9, 2)
            for one, other, kept in zip((line.x[place], half), interval(quantiles), digits, strict=True):
                assert float(f"{one:.{kept}g}") == pytest.approx(float(f"{other:.{kept}g}"), rel=1e-6), (
                    percent
                )
        assert ("need more than" if tail else verb) in line.hovertemplate
        unit = title.rpartition("(")[2].rstrip(")")
        assert line.hovertemplate.endswith(f"{unit}<extra></extra>")


@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("measure", ["flowtime", "resource"])
def test_a_distribution_is_that_of_the_measure_its_axis_names(three, measure, tail) -> None:
    assert_shows(
        checked(distribution(three.comparison, False, measure=measure, tail=tail)), three, measure, tail=tail
    )


@pytest.mark.parametrize("measure", list(AXES))
def test_so_it_is_where_the_slowdown_is_kept_too(gang, measure) -> None:
    assert_shows(checked(distribution(gang.comparison, True, measure=measure)), gang, measure, tail=False)


@pytest.mark.parametrize("tail", [False, True])
def test_each_chart_of_the_page_shows_what_its_title_names(three, tail) -> None:
    found = drawings(three.comparison, False, tail)
    assert [one.title for one in found] == list(TITLES)
    for one, measure in zip(found, TITLES.values(), strict=True):
        sent = orjson.loads(orjson.dumps(one.figure.to_dict()))
        assert sent["layout"]["title"]["text"] == f"<b>{one.title}</b>"
        if measure:
            assert_shows(one.figure.figure, three, measure, tail=tail, sent=True)
            assert one.alt == distribution_alt(three.comparison, measure=measure, tail=tail)


def test_slots_and_queue_are_the_columns_they_are_called(three) -> None:
    figure = checked(usage(three.comparison, False))
    for place, (name, runs) in enumerate(three.policies.items()):
        busy, extra, waiting, jobs = np.mean([run.outcome.series for run in runs], axis=0).T
        assert not np.allclose(waiting, jobs)
        (original,) = traces(figure, name=f"{name}, original copies")
        (all_busy,) = traces(figure, name=f"{name}, busy")
        (queue,) = traces(figure, name=f"{name}, waiting tasks")
        np.testing.assert_allclose(original.y, busy - extra)  # of 100 slots
        np.testing.assert_allclose(all_busy.y, busy)
        np.testing.assert_allclose(all_busy.customdata, extra)
        np.testing.assert_allclose(queue.y, waiting)
        assert len(queue.y) == POINTS
        assert figure.layout.annotations[place].text == f"<b>{name}</b>"
    assert figure.layout.annotations[-1].text == "<b>waiting tasks</b>, all policies"
    assert figure.layout.xaxis.title.text == "time to the last arrival (min)"
    assert "min: " in queue.hovertemplate


def test_the_words_of_the_usage_chart_are_those_of_its_columns(three) -> None:
    told = usage_alt(three.comparison)
    series = np.mean([run.outcome.series for run in three.policies["hopper"]], axis=0)
    _, extra, waiting, _ = series.mean(axis=0)
    busy = 100 * three.comparison.policies["hopper"].estimate("utilisation").value  # as on the card
    assert (
        f"hopper: on average {busy:.0f} % busy, {extra:.1f} % with extra copies, in the end "
        f"{series[-1, 0]:.0f} %; {waiting:.1f} tasks wait on average, {series[-1, 2]:.1f} at the last arrival"
    ) in told


@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("measure", ["flowtime", "resource"])
def test_the_words_of_a_distribution_are_its_quantiles(three, measure, tail) -> None:
    told = distribution_alt(three.comparison, measure=measure, tail=tail)
    for name, runs in three.policies.items():
        for percent in (50, 95, 99)[: 3 if tail else 2]:
            value, half = interval([statistic_of(run.column(measure), f"p{percent}") for run in runs])
            digits = 1 - int(np.floor(np.log10(half)))
            assert f"{percent} % {AXES[measure][1]} {value:.{max(digits, 0)}f} ± " in told, (name, percent)
