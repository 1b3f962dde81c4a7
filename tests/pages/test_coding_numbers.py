"""Every number, label and title of the page Coding is of what it names."""

from __future__ import annotations

import math

import numpy as np
import orjson
import pytest

from pages.coding.charts import cost_alt, cost_chart, place, response_alt, response_chart
from pages.coding.layout import drawings, numbers, tidy
from pages.coding.question import DEMANDS, GRID, LANDMARKS, MEASURES, Request, Step, see
from pages.coding.words import cards
from sim.engines.gang.prediction import brought_load
from sim.engines.gang.scenario import GangScenario
from sim.running.gang_sweep import redundant_small
from sim.running.live import Snapshot
from tests.pages.made import checked, traces
from tests.samples import Made, assert_changes, assert_tells, interval, made, statistic_of, to_float

CHOSEN, RATE, DEMAND = 0.6, 2.0, 120.0
TRIED = (0.0, *DEMANDS)
#: Key of a measure -> what is measured, title of its axis, its symbol, its unit.
WHAT = {
    "mean": ("flowtime", "mean", "Mean time E[T]", "E[T]", "s"),
    "slowdown": ("slowdown", "mean", "Mean slowdown", "mean slowdown", ""),
    "p50": ("slowdown", "p50", "Slowdown of half the jobs", "median slowdown", ""),
    "p95": ("slowdown", "p95", "Slowdown of 95 %", "slowdown of 95 %", ""),
    "p99": ("slowdown", "p99", "Slowdown of 99 %", "slowdown of 99 %", ""),
}


def named(demand: float) -> str:
    return redundant_small(demand, RATE).text if demand else "none"


@pytest.fixture(scope="module")
def swept() -> dict[float, Made]:
    """What was found at each offered load."""
    scenario = GangScenario(size_tail=3, jobs=100_000, warm_up=0.25)
    found = {}
    for load in (CHOSEN, *LANDMARKS):
        one = made([named(d) for d in TRIED], scenario.replace(load=load), jobs=100)
        for number, runs in enumerate(one.policies.values()):
            for run in runs:
                late = (1 + load) / (1 + 0.3 * number)  # so that all points are on the scale
                run.outcome.finish[:] = run.outcome.arrival + late * (
                    run.outcome.finish - run.outcome.arrival
                )
                run.outcome.scalars["load"] *= load / 8
        found[load] = one
    return found


@pytest.fixture(scope="module", params=WHAT)
def seen(request, swept) -> Step:
    asked = Request(swept[CHOSEN].scenario, RATE, DEMAND, request.param, "two")
    return see(asked, [Snapshot(one.comparison, False, 3, 6, True) for one in swept.values()])


def test_every_measure_is_tested() -> None:
    assert {
        key: (one.column, one.statistic, one.title, one.symbol, one.unit) for key, one in MEASURES.items()
    } == WHAT


def test_the_points_are_the_measure_its_axis_names(seen, swept) -> None:
    measure, statistic, title, symbol, unit = WHAT[seen.asked.measure]
    figure = checked(response_chart(seen, False))
    assert figure.layout.yaxis.title.text == title + (f" ({unit})" if unit else "")
    assert figure.layout.xaxis.title.text == "jobs of demand up to d are expanded (s)"
    for load, one in swept.items():
        (curve,) = traces(figure, name=f"ρ₀ = {load:g}")
        found = {place(d): one.values(named(d), measure, statistic) for d in TRIED}
        assert len(curve.x) > 5
        for x, y, half, told in zip(curve.x, curve.y, curve.error_y.array, curve.customdata, strict=True):
            assert (y, half) == pytest.approx(interval(found[x]))
            assert_tells(told.partition(f"{symbol} = ")[2], found[x], unit)
            assert f": {told.partition(f'{symbol} = ')[2]}" in response_alt(seen)
    assert response_alt(seen).startswith(f"{title} by largest demand d that is expanded.")


def test_the_cost_is_the_load_that_was_brought(seen, swept) -> None:
    figure = checked(cost_chart(seen, False))
    assert figure.layout.yaxis.title.text == "load ρ, redundancy included"
    for load, one in swept.items():
        (curve,) = traces(figure, name=f"ρ₀ = {load:g}")
        found = [interval(one.values(named(d), "load")) for d in TRIED]
        np.testing.assert_allclose(curve.x, [place(d) for d in TRIED])
        np.testing.assert_allclose(curve.y, [value for value, _ in found])
        np.testing.assert_allclose(curve.error_y.array, [half for _, half in found])
        for told, d in zip(curve.customdata, TRIED, strict=True):
            assert_tells(told.partition("ρ = ")[2], one.values(named(d), "load"))
            assert f": {told.partition('ρ = ')[2]}" in cost_alt(seen)
    dashed = [one for one in traces(figure, name="theory") if len(one.x) == GRID.size]
    for curve, load in zip(dashed, sorted(swept), strict=True):
        np.testing.assert_allclose(curve.y, brought_load(swept[load].scenario, GRID, RATE))
    assert cost_alt(seen).startswith("Load that the jobs bring, by largest demand d that is expanded")


def test_the_cards_tell_the_measure_its_change_and_the_load(seen, swept) -> None:
    measure, statistic, _, _, unit = WHAT[seen.asked.measure]
    one, (none, looked, everybody, best) = swept[CHOSEN], cards(seen)
    assert [card.name for card in (none, looked, everybody, best)] == [
        "No redundancy",
        "Expanded up to d = 120 s",
        "All jobs expanded",
        "Best d tried",
    ]
    for card, d in ((none, 0.0), (looked, DEMAND), (everybody, math.inf)):
        value, _, its_unit = card.value.partition(" ")
        assert its_unit == unit
        assert to_float(value) == pytest.approx(np.mean(one.values(named(d), measure, statistic)), rel=0.006)
        if d:
            change, _, load = card.change.partition(" · ")
            assert_changes(change, one.ratio(named(d), measure, statistic))
            assert to_float(load.removeprefix("ρ = ")) == pytest.approx(
                np.mean(one.values(named(d), "load")), abs=0.006
            )
    means = {d: np.mean(one.values(named(d), measure, statistic)) for d in TRIED}
    smallest = min(means, key=means.__getitem__)
    assert best.value == {0.0: "no job", math.inf: "all jobs"}.get(smallest, f"{smallest:g} s")


def test_each_column_of_the_table_is_what_it_is_called(seen, swept) -> None:
    measure, statistic, title, _, unit = WHAT[seen.asked.measure]
    one, table = swept[CHOSEN], numbers(seen)
    columns = {
        title: (measure, statistic, unit),
        "wait, mean": ("wait", "mean", "s"),
        "slowdown, 95 %": ("slowdown", "p95", ""),
        "cost of a job": ("resource", "mean", "slot·s"),
        "load ρ": ("load", "", ""),
    }
    assert set(table.columns) == {"d (s)", "jobs expanded", "change", "Claim 1, E[T]", "queue", *columns}
    for row, d in zip(table.to_dict("records"), TRIED, strict=True):
        for heading, (column, its_statistic, its_unit) in columns.items():
            assert_tells(row[heading], one.values(named(d), column, its_statistic), its_unit)
        if d:
            assert_changes(row["change"], one.ratio(named(d), measure, statistic))
        theory = seen.chosen.theory.at[d]
        assert row["Claim 1, E[T]"] == f"{theory:,.1f} s"


def test_each_row_of_the_download_is_what_it_says(seen, swept) -> None:
    measure, statistic, *_ = WHAT[seen.asked.measure]
    for row in tidy(seen).to_dict("records"):
        one, d = swept[row["load_offered"]], float(row["d"])
        value, half = interval(one.values(named(d), measure, statistic))
        assert (row["measure"], row["statistic"]) == (measure, statistic)
        assert (row["value"], row["low"], row["high"]) == pytest.approx((value, value - half, value + half))


def test_each_chart_is_titled_with_what_it_shows(seen, swept) -> None:
    found = drawings(seen, False, False)
    titles = [
        "What redundancy does",
        "Which jobs, at what load?",
        "Slowdown of jobs at ρ₀ = 0.6",
        "What it costs",
    ]
    assert [one.title for one in found] == titles
    for one in found:
        sent = orjson.loads(orjson.dumps(one.figure.to_dict()))
        assert sent["layout"]["title"]["text"] == f"<b>{one.title}</b>"
    slowdowns = found[2].figure.figure
    assert slowdowns.layout.xaxis.title.text == "slowdown, arrival to finish (× ideal)"
    for name, d in (("no redundancy", 0.0), ("d = 120", DEMAND), ("all jobs", math.inf)):
        (line,) = traces(slowdowns, name=name)
        at = int(np.argmin(np.abs(np.asarray(line.y) - 50)))
        runs = swept[CHOSEN].policies[named(d)]
        expected = np.mean([statistic_of(run.column("slowdown"), "p50") for run in runs])
        assert f"{line.x[at]:.3g}" == f"{expected:.3g}"
