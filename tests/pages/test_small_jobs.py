"""What Compare says of small jobs: whose gain, and how many slots that keeps busy, as far as it is sure."""

from __future__ import annotations

import re

import pytest

from pages.compare.words import small_jobs
from sim.engines.slots.scenario import SlotScenario
from sim.model.result import change
from sim.running.experiment import Experiment, compare

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize(("load", "policy"), [(0.9, "srpt+none"), (0.6, "fair+clone"), (0.8, "fair+late")])
def test_the_slots_that_a_gain_takes_are_told_where_they_differ(load: float, policy: str) -> None:
    """Another order takes no more work; two copies of each task surely do; LATE's take less."""
    scenario = SlotScenario(slots=50, load=load, jobs=1500, tasks_max=20, straggle_tail=1.8)
    ran = compare(Experiment.of_texts(scenario, ["fair+none", policy]), replications=4)
    busy = change(ran, policy, "fair+none", "utilisation")
    assert busy is not None
    told = small_jobs(ran, "p50")  # a sure gain, each of them
    points = f"{100 * abs(busy.value - busy.reference):.1f}"
    expected = {-1: f"for {points} fewer of 100 slots", 0: "for about as many slots"}
    assert re.search(f"{expected.get(busy.sign, f'for {points} more of 100 slots')}\\.$", told)
