"""Tables of a comparison against its estimates."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from pages.shared.words.tables import by_class, by_policy, class_counts, csv, tidy
from sim.model.result import CLASSES, Comparison
from sim.telling.words import CENSORED
from tests.pages.made import luck, made, one, trouble

TASKS = np.where(np.arange(200) < 150, 3, 60)


@pytest.fixture(scope="module")
def two() -> Comparison:
    censored = luck(9)
    censored[-30:] = np.inf
    return made(
        {
            "quick": [one(luck(r), tasks=TASKS, extra=0.25, resource=luck(r + 50)) for r in range(3)],
            "slow": [one(3 * censored, tasks=TASKS)] * 3,
        }
    )


def test_each_number_of_the_table_is_the_estimate_with_its_half_width(two) -> None:
    table = by_policy(two)
    assert list(table.index) == ["quick", "slow"]
    for column, measure, statistic in [
        ("flowtime, mean (s)", "flowtime", "mean"),
        ("95 % within (s)", "flowtime", "p95"),
        ("slot-time per job, mean (slot·s)", "resource", "mean"),
    ]:
        estimate = two.policies["quick"].estimate(measure, statistic)
        value, half = (float(part) for part in table.loc["quick", column].split(" ± "))
        assert value == pytest.approx(estimate.value, abs=0.06 * estimate.half)
        assert half == pytest.approx(estimate.half, rel=0.06)
    assert table.loc["quick", "extra copies (% of copies)"] == "25.0"
    assert table.loc["quick", "busy slots (%)"] == "50.0"


def test_unfinished_jobs_are_counted_and_hide_what_they_hide(two) -> None:
    table = by_policy(two)
    assert table.loc["slow", "unfinished jobs"] == "90 of 600"
    assert table.loc["slow", "flowtime, mean (s)"] == CENSORED
    assert table.loc["slow", "95 % within (s)"] == CENSORED
    assert table.loc["slow", "flowtime, median (s)"] != CENSORED
    assert table.loc["quick", "unfinished jobs"] == "0 of 600"


def test_a_class_without_jobs_is_not_called_censored(two) -> None:
    table = by_class(two)
    assert list(table["jobs"]) == ["450", "0", "150", "0"]
    assert list(table.loc["11 to 50"]) == ["0", "no jobs", "no jobs"]
    assert table.loc["51 to 150", "slow"] == CENSORED
    assert "±" in table.loc["51 to 150", "quick"]


@pytest.mark.parametrize("statistic", ["mean", "p50", "p95"])
def test_a_class_has_the_statistic_of_its_jobs(statistic) -> None:
    comparison = made({"a": [one(luck(1), tasks=TASKS)]})
    small = luck(1)[TASKS == 3]
    how = {"mean": np.mean, "p50": lambda x: np.sort(x)[74], "p95": lambda x: np.sort(x)[142]}[statistic]
    assert float(by_class(comparison, statistic).loc["1 to 10 tasks", "a"]) == pytest.approx(
        how(small), rel=0.006
    )


def test_the_file_holds_every_statistic_once_with_its_unit(two) -> None:
    table = tidy(two)
    assert list(table.columns) == [
        "policy",
        "jobs",
        "measure",
        "statistic",
        "value",
        "low",
        "high",
        "unit",
        "change",
        "change_low",
        "change_high",
    ]
    assert not table.duplicated(["policy", "jobs", "measure", "statistic"]).any()
    rows = table[(table.policy == "quick") & (table.jobs == "all")].set_index(["measure", "statistic"])
    for measure, statistic in [("flowtime", "p99"), ("slowdown", "mean"), ("resource", "p80")]:
        estimate = two.policies["quick"].estimate(measure, statistic)
        found = rows.loc[(measure, statistic)]
        assert (found.value, found.low, found.high) == (estimate.value, estimate.low, estimate.high)
    assert rows.loc[("flowtime", "mean"), "unit"] == "s"
    assert rows.loc[("resource", "mean"), "unit"] == "slot·s"
    assert rows.loc[("unfinished", "share"), "value"] == 0
    classes = table[(table.policy == "quick") & (table.jobs != "all")]
    assert set(classes.jobs) == {CLASSES[0][0], CLASSES[2][0]}


def test_the_file_can_be_read_back_and_is_empty_where_nothing_is_known(two) -> None:
    read = pd.read_csv(io.BytesIO(csv(two)))
    pd.testing.assert_frame_equal(read, tidy(two))
    slow = read[
        (read.policy == "slow")
        & (read.jobs == "all")
        & (read.measure == "flowtime")
        & (read.statistic == "mean")
    ]
    assert slow.value.isna().all()
    assert b"nan" not in csv(two).lower()


def test_one_replication_has_no_intervals() -> None:
    comparison = made({"a": [one(luck(1))]})
    assert not any("±" in text for text in by_policy(comparison).to_numpy().ravel())
    assert tidy(comparison)[["low", "high"]].isna().all().all()


def test_counts_are_of_all_replications(two) -> None:
    assert class_counts(two) == [450, 0, 150, 0]


def test_no_cell_shows_what_only_a_programmer_should_see(two) -> None:
    for table in (by_policy(two), by_class(two)):
        assert not trouble([*table.columns, *table.to_numpy().ravel()])
