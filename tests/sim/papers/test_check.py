"""A record that is edited, stale, or of another engine is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.papers import CLAIMS
from sim.papers.claim import Region
from sim.papers.digest import digest
from sim.papers.record import differences
from sim.papers.reproduce import outcome, quickly

CLAIM = CLAIMS["xl-fig4-alpha3"]
QUICK = outcome(CLAIM, quick=True)
KEPT = outcome(CLAIM) | quickly(QUICK)


def told(kept, quick=QUICK, claim=CLAIM):
    return " ".join(differences(claim, kept, quick))


def test_a_record_of_this_code_differs_in_nothing():
    assert told(KEPT) == ""


def test_a_changed_rule_makes_a_record_stale():
    assert "changed" in told(KEPT, claim=replace(CLAIM, region=Region(0.0, 9.0)))
    assert digest(CLAIM) == digest(replace(CLAIM, method="Said better.", because={}))


def test_a_verdict_that_changes_silently_is_told():
    assert "verdict" in told(KEPT, QUICK | {"verdict": "not reproduced"})


@pytest.mark.parametrize("name", ["value", "low", "high"])
def test_an_edited_number_is_told(name):
    assert f"quick {name}" in told(KEPT | {"quick": KEPT["quick"] | {name: 1.9}})


def test_a_recorded_value_outside_the_interval_of_a_quick_run_is_told():
    wide = {"value": 1.9, "low": 1.85, "high": 1.95}
    kept = KEPT | {"quick": KEPT["quick"] | wide}
    assert told(kept, QUICK | wide) == ""
    assert "half widths" in told(kept | {"value": 2.1}, QUICK | wide)
    assert told(kept | {"value": 2.1}, QUICK | wide, replace(CLAIM, alike=False)) == ""


def test_digits_that_are_the_processors_own_do_not_matter():
    assert told(KEPT, QUICK | {"value": QUICK["value"] * (1 + 1e-9)}) == ""
