"""The page about growth states the measurements, and its chart can be drawn."""

from __future__ import annotations

import dataclasses

from tests.benchmarks.growth_page import chart, page
from tests.benchmarks.growth_record import DOCS, recorded


def test_the_page_and_its_chart_are_made_of_what_was_measured():
    assert (DOCS / "growth.md").read_text() == page(recorded())
    assert (DOCS / "growth.svg").read_text() == chart(recorded())


def test_another_measurement_makes_another_page():
    found = recorded()
    slower = [dataclasses.replace(one, nanoseconds=2 * one.nanoseconds) for one in found.slots]
    assert page(dataclasses.replace(found, slots=slower)) != page(found)


def test_it_goes_as_far_as_was_asked():
    found = recorded()
    assert {one.slots for one in found.slots} == {10**power for power in range(2, 7)}
    assert {one.jobs for one in found.jobs} == {10**power for power in range(3, 8)}
    assert {(one.processes, one.visitors) for one in found.visitors} == {
        (processes, visitors) for processes in (1, 2) for visitors in (1, 10, 30, 100)
    }
    assert found.jobs[-1].megabytes - found.jobs[-2].megabytes < 12 * 9e6 / 2**20
