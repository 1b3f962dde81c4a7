"""What Compare says of small jobs and of all sizes: whose gain, and what it takes, as far as it is sure."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pages.compare.words import everybody, small_jobs
from sim.engines.slots.scenario import SlotScenario
from sim.model.result import change
from sim.running.experiment import Experiment, compare
from tests.pages.made import luck, made, one


@pytest.mark.compiled
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


def test_everybody_gains_only_where_jobs_of_every_size_do() -> None:
    sizes = np.tile([3, 40, 100, 900], 100)
    before = [one(luck(r, sizes.size), tasks=sizes) for r in range(4)]
    factors = {
        "none": 1.0,
        "half": 0.5,
        "some": np.where(sizes < 50, 0.9, 0.6),
        "small": np.where(sizes < 50, 0.5, 1.5),
    }
    runs = {
        name: [one(factor * luck(r, sizes.size), tasks=sizes) for r in range(4)]
        for name, factor in factors.items()
    }
    told = "Jobs of every size gain under **half** and 1 other: mean 10 % to 50 % less."
    assert everybody(made(runs), "mean") == told
    assert everybody(made({"none": before, "half": runs["half"]}), "mean").endswith(
        "**half**: mean 50 % less."
    )
    unsure = made({"none": before, "small": runs["small"]})
    assert everybody(unsure, "mean") == "No policy surely makes jobs of every size faster than **none**."
    assert everybody(made({name: each[:1] for name, each in runs.items()}), "mean") == ""
