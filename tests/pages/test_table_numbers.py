"""Every cell of the tables of a comparison is the number its heading names, computed another way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pages.shared.words.tables import COLUMNS, by_class, by_policy, tidy
from sim.model.counted_jobs import CLASSES
from tests.samples import Made, assert_tells, interval, made, ratio, statistic_of

#: Heading -> measure, statistic, factor. Numbers carry no unit of their own: the heading has it.
HEADINGS = {
    "flowtime, mean (min)": ("flowtime", "mean", 1),
    "flowtime, median (min)": ("flowtime", "p50", 1),
    "95 % within (min)": ("flowtime", "p95", 1),
    "slowdown, mean": ("slowdown", "mean", 1),
    "slot-time per job, mean (slot·min)": ("resource", "mean", 1),
    "extra copies (% of copies)": ("speculative_copies_share", "", 100),
    "slot-time of extra copies (% of busy time)": ("speculative_time_share", "", 100),
    "busy slots (%)": ("utilisation", "", 100),
}
UNITS = {"flowtime": "min", "slowdown": "1", "resource": "slot·min"}


@pytest.fixture(scope="module")
def three() -> Made:
    return made(("fair+late", "hopper+budget", "fifo+none"), baseline="hopper+budget")


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_column_of_the_table_by_policy_is_what_it_is_called(three, heading) -> None:
    table = by_policy(three.comparison)
    for name in three.policies:
        measure, statistic, factor = HEADINGS[heading]
        assert_tells(table.loc[name, heading], three.values(name, measure, statistic), scale=factor)


def test_no_column_of_the_table_is_left_untested(three) -> None:
    assert list(by_policy(three.comparison).columns) == [*HEADINGS, "unfinished jobs"]
    assert len(COLUMNS) == len(HEADINGS)


@pytest.mark.parametrize("statistic", ["mean", "p50", "p95"])
def test_a_cell_of_the_table_by_size_is_of_its_class_and_its_policy(three, statistic) -> None:
    table, ends = by_class(three.comparison, statistic), (0, 10, 50, 150, math.inf)
    assert list(table.columns) == ["jobs", *three.policies]
    assert list(table.index) == ["1 to 10 tasks", "11 to 50", "51 to 150", "more than 150"]
    for place, row in enumerate(table.index):
        for name, runs in three.policies.items():
            of_class = [_of_class(run, ends[place], ends[place + 1]) for run in runs]
            assert_tells(table.loc[row, name], [statistic_of(one, statistic) for one in of_class])
        assert table.loc[row, "jobs"] == f"{sum(map(len, of_class)):,}"


def _of_class(run, low: float, high: float) -> list[float]:
    tasks = run.outcome.tasks[run.counted]
    return [time for time, n in zip(run.column("flowtime"), tasks, strict=True) if low < n <= high]


def test_every_row_of_the_file_is_what_it_says(three) -> None:
    rows = tidy(three.comparison)
    names = [name for name, _ in CLASSES]
    ends = (0, 10, 50, 150, math.inf)
    its: dict[tuple[str, ...], list[float]] = {}
    for row in rows.sort_values("policy", key=lambda names: names != three.baseline).itertuples():
        runs = three.policies[row.policy]
        if row.jobs != "all":
            place = names.index(row.jobs)
            values = [
                statistic_of(_of_class(run, ends[place], ends[place + 1]), row.statistic) for run in runs
            ]
            assert (row.measure, row.unit) == ("flowtime", "min")
        elif row.measure == "unfinished":
            assert (row.value, row.statistic, row.unit) == (0, "share", "1")
            continue
        else:
            statistic = "" if row.statistic == "share" else row.statistic
            values = three.values(row.policy, row.measure, statistic)
            assert row.unit == UNITS.get(row.measure, "1")
        value, half = interval(values)
        assert (row.value, row.low, row.high) == pytest.approx((value, value - half, value + half)), row
        if row.policy == three.baseline:
            assert np.isnan(row.change)
            its[row.jobs, row.measure, row.statistic] = values
        else:
            above = [one - 1 for one in ratio(values, its[row.jobs, row.measure, row.statistic])]
            assert [row.change, row.change_low, row.change_high] == pytest.approx(above), row
    assert len(rows) == 3 * (6 + 6 + 2 + 3 + 3 * 4 + 1)
