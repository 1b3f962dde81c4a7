"""A sample of the zoo: promises hold what another simulator says is true, and advice does no harm."""

from __future__ import annotations

import json

import pytest

from tests.depth import some
from tests.zoo.__main__ import page, table
from tests.zoo.judge import Judgement, judge

#: Small worlds of the recorded run (`docs/explanation/zoo.md`): luck alone, skew that records show, hidden
#: skew, spells.
NUMBERS = (12, 7, 13, 2, 3, 6, 9, 14)


@pytest.mark.compiled
@pytest.mark.parametrize("number", some(NUMBERS, 0, 1, 2, 3))
def test_promises_of_a_world_hold_the_truth_and_advice_does_no_harm(number):
    found = judge(1, number, replications=40, draws=20)
    held = sum(promise.covers for promise in found.promises)
    assert held >= 0.85 * len(found.promises), found.promises
    assert not found.harms
    assert Judgement.of(json.loads(json.dumps(found.as_json()))) == found
    assert found.verdict == "poor" or f"| {held} of 24 (" in table([found])
    assert "1 worlds of `tests/zoo`, seed 1" in page([found], 1, 40, 20)
