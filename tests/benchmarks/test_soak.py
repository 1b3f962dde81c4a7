"""The verdict of the soak test can fail."""

from __future__ import annotations

from tests.benchmarks.soak import MOST_MB, Noted


def noted(memory: list[float], threads: int = 30, files: int = 50) -> Noted:
    count = len(memory)
    return Noted(
        at=[18.0 * k for k in range(count)],
        memory=memory,
        kept=[0.0] * count,
        threads=[threads] * count,
        files=[files] * count,
    )


def test_what_is_flat_is_well_also_after_it_has_grown() -> None:
    assert noted([300 + 10 * k for k in range(50)] + [800.0, 820, 790, 810, 805] * 10).verdict() == []


def test_what_a_file_takes_for_seconds_is_no_growth() -> None:
    assert noted([800.0] * 98 + [1100.0, 800.0]).verdict() == []


def test_answers_that_are_kept_are_no_growth() -> None:
    one = noted([500.0 + 3 * k for k in range(100)])
    one.kept = [3.0 * k for k in range(100)]
    assert one.verdict() == []


def test_what_grows_or_is_too_much_is_not() -> None:
    assert "within 5%" in noted([500 + 3 * k for k in range(100)]).verdict()[0]
    grown = noted([500.0] * 66 + [540.0] * 34).verdict()
    assert "memory without what is kept went from 500 to 540 MB in the last third" in grown
    assert "reached" in noted([MOST_MB + 1, *[800.0] * 99]).verdict()[0]
    one = noted([800.0] * 100)
    one.threads = [30] * 75 + [60] * 25
    assert one.verdict() == ["threads grew from 30 to 60 in the second half"]
    one.files, one.threads = list(range(100)), [30] * 100
    assert one.verdict()[0].startswith("open files grew")
    one.files = [50] * 100
    one.errors["compare: x"] += 3
    assert one.verdict() == ["3 × compare: x"]
