"""No rule sees early: altering a part of a duration that nobody has seen yet changes no decision.

Two laws agree on three factors of five and on their mean; the other two factors differ, so that a copy
with the fourth is a straggler under one law and none under the other. Until the first such copy is
revealed, or ends, a scheduler cannot tell the two worlds apart, and must act alike in both.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import generate
from sim.running.contract.runs import WORLDS, first_told
from tests.depth import some
from tests.sim.slots.runs import copies_of, run_to_end

#: When a copy is revealed, and a threshold that its fourth factor exceeds in the second world only.
SEEN = {"age:0.1": 1.2, "fraction:0.5": 0.65}


POLICIES = (
    "levels+sda:sigma={sigma},copies=3",
    "levels+ese:sigma={sigma},xi=0",
    "levels+mantri",
    "levels+mantri:copies=4",
    "fair+late:speculative_cap=1,min_age=0",
    "hopper+budget",
    "hopper+budget:benefit={sigma}",
)


@pytest.mark.parametrize(
    ("observe", "policy"),
    some(
        [(observe, policy) for observe in SEEN for policy in POLICIES],
        *(0, 2, 4, 6, 8, 10, 12),  # each rule with one of them
    ),
)
def test_no_decision_changes_when_the_unseen_part_of_a_duration_does(policy, observe):
    policy = policy.format(sigma=SEEN[observe])
    alike = later = 0
    for seed in range(60):
        scenario = SlotScenario(
            slots=40,
            load=0.4,
            jobs=12,
            tasks_max=12,
            straggle="empirical",
            samples=WORLDS[0],
            observe=observe,
            seed=seed,
        )
        workload = generate(scenario, 0)
        logs = [
            copies_of(run_to_end(scenario.replace(samples=samples), policy, workload)) for samples in WORLDS
        ]
        told = min(first_told(log, observe) for log in logs)
        before = [log[log.start < told][["job", "task", "copy", "slot", "start"]].to_numpy() for log in logs]
        np.testing.assert_array_equal(*before)
        alike += len(before[0])
        extra = [log[log["copy"] > 0].start.tolist() for log in logs]
        later += extra[0] != extra[1]
    assert alike > 300  # decisions were compared,
    assert later > 4  # and afterwards the worlds do differ
