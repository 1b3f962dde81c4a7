"""The table of jobs: typed, written into a link, read again, and complained of cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.formulas.allocation.controls import INSTANCES
from pages.formulas.allocation.question import (
    MOST_JOBS,
    Row,
    as_frame,
    checked,
    from_frame,
    read_rows,
    write_rows,
)
from sim.model.fields import BadInput

LETTERS = "ABCDEFGHIJKL"
NUMBERS = st.floats(0, 1000).map(lambda x: round(x, 3))
WEIGHTS = st.none() | st.floats(0.001, 1000).map(lambda x: round(x, 3))
CELLS = st.tuples(NUMBERS, WEIGHTS, st.none() | st.floats(0.5, 1e6).map(lambda x: round(x, 3)))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Row, ...]:
    names = draw(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=MOST_JOBS, unique=True))
    return tuple(Row(name, *draw(CELLS)) for name in names)


@given(rows=tables())
def test_a_link_gives_back_the_rows_it_was_made_of(rows: tuple[Row, ...]) -> None:
    assert read_rows(write_rows(rows)) == rows


@given(rows=tables())
def test_a_table_gives_back_the_rows_it_was_made_of(rows: tuple[Row, ...]) -> None:
    assert from_frame(as_frame(rows)) == rows


@given(rows=tables())
def test_open_cells_follow_from_the_others(rows: tuple[Row, ...]) -> None:
    jobs, complaints = checked(rows)
    assert not complaints
    assert (jobs is None) == all(row.T == 0 for row in rows)
    if jobs is None:  # nothing to share slots by
        return
    assert np.all(jobs.weight > 0)
    for row, weight, work in zip(rows, jobs.weight, jobs.downstream, strict=True):
        if row.weight is None and row.downstream is None:
            assert (weight, work) == (1, row.T)
        if row.weight is None and row.downstream and row.T:
            assert weight == pytest.approx(row.downstream / row.T)
        if row.downstream is None:
            assert work == pytest.approx(weight * row.T)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (Row("B", -3.0), "job B, T: -3.0 is not accepted; give a number from 0 to 1000"),
        (Row("B", None, 2.0), "job B, T: 'an empty cell' is not accepted; give a number from 0 to 1000"),
        (Row("B", 3.0, 0.0), "job B, α: 0.0 is not accepted; give a number above 0 up to 1000"),
        (Row("B", 3.0, 1.0, -1.0), "job B, T': -1.0 is not accepted; give a number from 0 to 1e+06"),
        (Row("B", 3.0, None, 0.0), "job B, α: T' = 0 makes it 0; give a weight above 0"),
        (
            Row("B", 1e-310, None, 1e6),
            "job B, T: 1e-310 is not accepted; give 0, or at least 1e-06: less is lost in rounding",
        ),
        (
            Row("B", 3.0, 5e-324),
            "job B, α: 5e-324 is not accepted; give at least 1e-06: less is lost in rounding",
        ),
    ],
)
def test_a_bad_cell_is_named_and_the_other_jobs_stay(row: Row, complaint: str) -> None:
    jobs, complaints = checked((Row("A", 10.0), row, Row("C", 20.0)))
    assert complaints == [complaint]
    assert jobs is not None
    assert jobs.names == ("A", "C")
    assert write_rows((Row("A", 10.0), row, Row("C", 20.0))) == "10,C=20"


def test_a_row_just_added_is_not_wrong_and_an_empty_table_has_no_jobs() -> None:
    assert checked((Row("A", None),)) == (None, [])
    assert checked(()) == (None, [])


def test_the_thirteenth_job_is_left_out_with_a_word() -> None:
    jobs, complaints = checked(tuple(Row(str(n), 1.0) for n in range(13)))
    assert jobs is not None
    assert len(jobs.names) == MOST_JOBS
    assert complaints == ["13 jobs are more than the 12 that can be told apart"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "3:y",
        "3:1:1:1",
        "1e9",
        "-1",
        "nan",
        "3:0",
        "1e-310::1e6",
        "1e-320",
        "5:1e-310",
        "??=3",
        ",".join("1" * 13),
    ],
)
def test_a_link_that_cannot_be_read_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInput, match="jobs"):
        read_rows(text)


@pytest.mark.parametrize("name", INSTANCES)
def test_every_instance_has_jobs_within_bounds(name: str) -> None:
    jobs, complaints = checked(INSTANCES[name].values["jobs"])
    assert jobs is not None
    assert not complaints
