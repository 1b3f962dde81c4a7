"""A record that is edited, stale, or of another engine is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.papers import CLAIMS
from sim.papers.claim import Region
from sim.papers.digest import digest
from sim.papers.record import differences
from sim.papers.reproduce import outcome, quickly
from sim.shell.verbs import main

CLAIM = CLAIMS["xl-fig4-alpha3"]
QUICK = outcome(CLAIM, quick=True)
FOUND = outcome(CLAIM)
KEPT = FOUND | quickly(QUICK)


def told(kept, quick=QUICK, claim=CLAIM):
    return " ".join(differences(claim, kept, quick, quick=True))


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


def test_a_run_of_the_papers_scale_notices_a_number_that_was_wrong_when_recorded(monkeypatch, capsys):
    assert [*differences(CLAIM, KEPT, FOUND, quick=False)] == []
    assert [*differences(CLAIM, {}, FOUND, quick=False)] == ["nothing is recorded of it"]
    name, one = next(iter(KEPT["choices"].items()))
    wrong = {
        "its high": KEPT | {"high": 1.9},
        "its verdict": KEPT | {"verdict": "undecided"},
        f"its {name}: low": KEPT | {"choices": KEPT["choices"] | {name: one | {"low": 0.5}}},
        f"its {name}: value": KEPT | {"choices": {}},
        "its another: low": KEPT | {"choices": KEPT["choices"] | {"another": one}},
    }
    for said, kept in wrong.items():
        assert said in " ".join(differences(CLAIM, kept, FOUND, quick=False)), said
        assert told(kept) == ""  # a quick run sees none of these
    monkeypatch.setattr("sim.shell.reproduce.recorded", lambda: {CLAIM.key: wrong["its high"]})
    assert main(["reproduce", CLAIM.key]) == 1
    assert "its high was 1.9 and is now" in capsys.readouterr().err
