"""The functions of `import sim`: cheap to import, the answers of the shell, tables that hold every number."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import sim
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.live.cards import flowtimes
from sim.model.fields import BadInput
from sim.model.result import LEVELS, Comparison
from sim.running.distribution import distribution
from sim.running.experiment import Experiment
from sim.shell.verbs import main
from sim.telling.words import printed
from tests.samples import made

POLICIES = ["fair+none", "fair+late"]


@pytest.fixture(scope="module")
def found() -> Comparison:
    return sim.compare(sim.scenario("small", jobs=40, load=0.3), POLICIES, replications=3)


def test_to_import_it_loads_nothing() -> None:
    code = (
        "import sim, sys; sys.exit(any(one in sys.modules for one in ('numpy', 'numba', 'pandas', 'theory')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.speed
def test_to_import_it_takes_less_than_a_fifth_of_a_second() -> None:
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import sim"], check=True)
        took.append(time.perf_counter() - begun)
    assert min(took) < 0.2


def test_files_of_the_same_names_do_not_hide_the_functions() -> None:
    code = """
import sim.model.scenario, sim.advice.whatif
from sim.running.experiment import sweep
import sim
assert sim.scenario("small").slots and callable(sim.sweep) and sim.sweep is not sweep
assert set(dir(sim)) == set(sim.__all__)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_there_is_said_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match=r"^module 'sim' has no attribute 'compear'$"):
        _ = sim.compear


def test_it_finds_what_the_shell_finds(found, capsys) -> None:
    line = ["run", "--preset=small", "--jobs=40", "--set=load=0.3", "--replications=3", "--json=-"]
    assert main([*line, *(f"--policy={policy}" for policy in POLICIES)]) == 0
    report = json.loads(capsys.readouterr().out)
    table = found.to_frame().set_index(["policy", "measure", "statistic"])
    for policy in POLICIES:
        for measure in ("flowtime", "slowdown", "resource"):
            for statistic, told in report["policies"][policy][measure].items():
                row = table.loc[policy, measure, statistic]
                assert [row.value, row.low, row.high] == [
                    pytest.approx(told[key], nan_ok=True)
                    if told[key] is not None
                    else pytest.approx(np.nan, nan_ok=True)
                    for key in ("value", "low", "high")
                ]
    told = report["differences"]["fair+late"]["flowtime"]["p95"]["value"]
    assert table.loc["fair+late", "flowtime", "p95"].difference == told


def test_the_table_holds_means_and_paired_differences_of_the_replications() -> None:
    comparison = made(["a", "b"])
    table = comparison.comparison.to_frame()
    each = comparison.comparison.to_frame(each=True)
    for row in table.itertuples():
        values = comparison.values(row.policy, row.measure, row.statistic)
        assert row.value == pytest.approx(np.mean(values))
        differences = comparison.differences(row.policy, row.measure, row.statistic)
        assert row.difference == pytest.approx(np.mean(differences), abs=1e-12)
        above = [one - 1 for one in comparison.ratio(row.policy, row.measure, row.statistic)]
        assert [row.change, row.change_low, row.change_high] == pytest.approx(above)
        chosen = each[(each.policy == row.policy) & (each.measure == row.measure)]
        chosen = chosen[chosen.statistic == row.statistic].sort_values("replication")
        assert chosen.value.tolist() == pytest.approx(values)


def test_what_is_censored_away_is_nan_in_a_table_of_numbers() -> None:
    found = sim.compare(sim.scenario("small", jobs=60, load=2, drain=0), ["fifo+none"], replications=2)
    for each in (False, True):
        table = found.to_frame(each=each)
        assert table.value.dtype == float
        mean = table[(table.measure == "flowtime") & (table.statistic == "mean")]
        assert mean.value.isna().all()


def test_a_distribution_is_that_of_the_replications(found) -> None:
    shares, quantiles = found.distribution("flowtime")
    assert shares is LEVELS
    for policy in POLICIES:
        samples = [one.curves["flowtime"] for one in found.policies[policy].samples]
        np.testing.assert_allclose(quantiles[policy], np.mean(samples, axis=0))


def test_a_sweep_is_one_table_with_its_field_first() -> None:
    found = sim.sweep(sim.scenario("small", jobs=30), "load", [0.2, 0.4], ["fair+none"], replications=2)
    table = found.to_frame()
    assert table.columns[0] == "load"
    for value, comparison in found:
        own = table[table.load == value].drop(columns="load").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, comparison.to_frame())


def test_the_figure_is_that_of_the_page(found) -> None:
    """Compare calls policies by the names that people say, and draws flowtimes with the same function."""
    ours = found.in_words().plot()
    experiment = Experiment.of_texts(found.scenario, POLICIES)
    assert {trace.name for trace in ours.data if trace.line.width} == set(experiment.names)
    page = flowtimes(found.called(experiment.names), False, tail=False)
    assert page.figure.to_json() == SerializedFigure(ours, page.title).to_json()
    assert {trace.name for trace in found.plot().data if trace.line.width} == set(POLICIES)
    other = found.plot(measure="resource", tail=True, dark=True)
    assert other.to_json() == distribution(found, True, measure="resource", tail=True).to_json()


@pytest.mark.parametrize("statistic", ["mean", "p50", "p80", "p90", "p95", "p99"])
def test_a_number_of_a_policy_is_an_attribute_with_its_interval(found, statistic: str) -> None:
    table = found.to_frame().set_index(["policy", "measure", "statistic"])
    for policy in POLICIES:
        row, one = table.loc[policy, "flowtime", statistic], getattr(found, statistic)[policy]
        ours = np.array([one.value, one.low, one.high], float)  # None is NaN there
        np.testing.assert_array_equal(ours, [row.value, row.low, row.high])
    with pytest.raises(BadInput, match=r"^policy: 'fair\+lat' is not known; did you mean 'fair\+late'"):
        _ = getattr(found, statistic)["fair+lat"]


def test_numbers_of_all_measures_are_told_by_policy(found) -> None:
    for row in found.to_frame().itertuples():
        assert found.numbers(row.measure, row.statistic)[row.policy].value == row.value


def test_the_table_is_written_as_a_file(found, tmp_path) -> None:
    found.to_csv(tmp_path / "found.csv")
    read = pd.read_csv(tmp_path / "found.csv", keep_default_na=False, na_values={"low": [""], "high": [""]})
    assert read.policy.tolist() == found.to_frame().policy.tolist()
    np.testing.assert_allclose(read.high, found.to_frame().high)


def test_a_comparison_of_a_sweep_has_its_numbers_and_figure_too() -> None:
    swept = sim.sweep(sim.scenario("small", jobs=30), "load", [0.2, 0.4], ["fair+none"], replications=2)
    low, high = (found.mean["fair+none"].value for _, found in swept)
    assert low != high
    assert all(len(found.plot().data) for _, found in swept)


def test_an_option_that_there_is_not_is_no_argument() -> None:
    for ask in (sim.compare, lambda start, **options: sim.sweep(start, "load", [0.5], **options)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'replication'"):
            ask("small", replication=2)


def test_rules_are_listed_with_their_parameters() -> None:
    table = sim.policies().set_index("key")
    assert table.loc["late"].kind == "speculation"
    assert table.loc["late"].parameters["speculative_cap"] == 0.1
    assert sim.policies("gang").key.tolist()[0] == "none"


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: sim.scenario("lite"), "preset: 'lite'.*did you mean 'light'"),
        (lambda: sim.scenario(loda=1), "field: 'loda'.*did you mean 'load'"),
        (lambda: sim.compare(sim.scenario("small")), "policy: none is given"),
        (lambda: sim.compare("small", "fair+late"), "policies: 'fair.late' is not accepted; give a list"),
        (lambda: sim.compare("small", ["fair+lat"]), "policy: 'lat'"),
        (lambda: sim.compare("small", replications=0), "replications: 0 is not accepted"),
        (lambda: sim.compare("small", replications=1.5), "replications: 1.5 is not accepted"),
        (lambda: sim.compare("small", precision=0), "precision: 0 is not .* above 0 up to 100$"),
        (lambda: sim.sweep("small", "load", [0.5], threads=0), "threads: 0 is not .* from 1 to 1024$"),
        (lambda: sim.sweep("small", "loda", [1]), "field: 'loda'"),
        (lambda: sim.policies("slot"), "engine: 'slot'"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call, reason) -> None:
    with pytest.raises(BadInput, match=reason):
        call()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda found: found.distribution("slowdown"), r"'slowdown'; give one of flowtime, resource$"),
        (lambda found: found.plot(measure="slowdown"), r"'slowdown'; give one of flowtime, resource$"),
        (lambda found: found.numbers("flow"), "^measure: 'flow' is not known"),
        (
            lambda found: found.policies["fair"],
            r"^policy: 'fair' is not known.* known are fair\+none, fair\+late$",
        ),
        (lambda found: found.ratio("x", "flowtime", "mean"), "^policy: 'x' is not known"),
        (lambda found: found.difference("fair+late", "flowtimes", "mean"), "did you mean 'flowtime'"),
        (
            lambda found: found.share("fair+late", "flowtime", "p42"),
            "known are mean, p50, p80, p90, p95, p99$",
        ),
        (lambda found: found.knows("x", "fair+none", "flowtime", "mean"), "^policy: 'x' is not known"),
        (lambda found: found.called(["a"]), r"^names: 1 are given; give one for each of 2 policies$"),
        (lambda found: found.policies["fair+none"].estimate("flow"), "^measure: 'flow' is not known"),
        (lambda found: found.policies["fair+none"].values("flowtime"), "^statistic: '' is not known"),
        (lambda found: found.policies["fair+none"].values("utilisation", "mean"), "utilisation has none"),
        (
            lambda found: found.policies["fair+none"].curve("slowdown"),
            "no distribution is kept of 'slowdown'",
        ),
        (lambda found: found.policies["fair+none"].by_class("p99"), "known are mean, p50, p95$"),
        (lambda found: sim.sweep(found.scenario, "load", [], POLICIES), "^values: none is given"),
        (lambda found: sim.policies("slot"), "did you mean 'slots'"),
    ],
)
def test_what_is_not_there_is_refused_by_name_with_what_is(found, ask, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        ask(found)


def as_shown(found: Any) -> pd.DataFrame:
    """Return the table that a notebook shows."""
    head, *rows = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>").iter("tr")
    return pd.DataFrame([[cell.text for cell in row] for row in rows], columns=[cell.text for cell in head])


def test_a_notebook_shows_a_row_for_each_policy_with_the_numbers_of_the_shell(found) -> None:
    table = as_shown(found)
    assert table["policy"].tolist() == POLICIES
    for policy in POLICIES:
        row = table[table["policy"] == policy].iloc[0]
        assert row["median flowtime (s)"] == printed(found.policies[policy].estimate("flowtime", "p50"))


def test_a_notebook_shows_a_sweep_by_its_values() -> None:
    found = sim.sweep(sim.scenario("small", jobs=30), "load", [0.2, 0.4], POLICIES, replications=2)
    table = as_shown(found)
    assert table["load"].tolist() == ["0.2", "0.2", "0.4", "0.4"]
    assert table["policy"].tolist() == POLICIES * 2
    (_, first), _ = found
    assert table["p95 of the flowtime (s)"][0] == printed(
        first.policies[POLICIES[0]].estimate("flowtime", "p95")
    )


def test_what_a_notebook_shows_is_no_markup_of_others(found) -> None:
    told = found.called(["<b>a</b>", "b"])._repr_html_()
    assert "<b>" not in told
    assert "&lt;b&gt;a" in told
