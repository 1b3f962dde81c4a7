"""A test of many cases tries all and names those that fail; no quick test opens a page or runs an engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from sim.engines.run import Run
from sim.papers import CLAIMS, chosen
from tests.conftest import QUICK
from tests.depth import WEEKS, each, of_week


def test_every_case_is_tried_and_those_that_fail_are_named() -> None:
    tried = []

    @each("one, other", [(1, 2), (3, 3), (4, 5), (6, 6)])
    @each("letter", "ab")
    @given(number=st.integers())
    def differ(one: int, other: int, letter: str, fixture: str, number: int) -> None:
        tried.append((one, letter, fixture))
        assert one != other or letter == "b"

    with pytest.raises(ExceptionGroup) as failed:
        differ(fixture="shared")
    assert {*tried} == {(one, letter, "shared") for one in (1, 3, 4, 6) for letter in "ab"}
    named = [error.__notes__[-2:] for error in failed.value.exceptions]
    assert named == [["letter: 'a'", "one, other: 3, 3"], ["letter: 'a'", "one, other: 6, 6"]]


@pytest.mark.parametrize("end", [pytest.fail, pytest.skip])
def test_a_case_that_ends_otherwise_fails(end) -> None:
    @each("case", [pytest.param(1, id="first"), 2])
    def ended(case: int) -> None:
        if case == 1:
            end("early")

    with pytest.raises(BaseExceptionGroup) as failed:
        ended()
    assert failed.value.exceptions[0].__notes__ == ["case: first"]


def test_a_test_without_cases_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no case"):
        each("case", [])


@given(day=st.dates(max_value=date(9999, 1, 1)))
def test_a_quarter_of_weeks_computes_every_claim_anew(day: date) -> None:
    days = [day + timedelta(weeks=week) for week in range(WEEKS)]
    weeks = [of_week(CLAIMS, one) for one in days]
    assert sorted(key for week in weeks for key in week) == sorted(CLAIMS)
    assert {claim.key for week in weeks for claim in chosen(week)} == {*CLAIMS}
    assert all(weeks)  # no week without a claim, for which the command would compute all


def test_a_weeks_cases_are_those_of_its_monday() -> None:
    monday = date(2026, 12, 28)  # its Friday is in another year
    same = [
        day for day in range(-1, 8) if of_week(CLAIMS, monday + timedelta(day)) == of_week(CLAIMS, monday)
    ]
    assert same == [*range(7)]


def test_what_is_quick_is_there() -> None:
    assert not [path for path in QUICK if not path.exists()]


def test_no_quick_test_opens_a_page_or_runs_an_engine(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("quick")
    app = AppTest.from_function(lambda: None)
    for opened in (app.run, Run.advance):
        with pytest.raises(pytest.fail.Exception, match="a quick test opens no page"):
            opened()


def test_a_warm_start_beside_a_quick_test_runs_engines() -> None:
    with ThreadPoolExecutor(1) as other, pytest.raises(TypeError, match="self"):  # of the method itself
        other.submit(Run.advance).result()
