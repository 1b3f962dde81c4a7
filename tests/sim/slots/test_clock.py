"""Holdings are noted of the jobs in the system, whichever have come and gone since."""

from __future__ import annotations

import math

import numpy as np

from sim.engines.slots.engine import note_holdings
from sim.engines.slots.run import HOLDING, SlotRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.model.workload import generate


def test_the_jobs_there_are_counted_by_the_slots_they_hold_for_each_remaining_task() -> None:
    scenario = SlotScenario(slots=10, jobs=300)
    world = SlotRun(scenario, read_policy("srpt"), 0, generate(scenario, 0)).world
    c, jobs, luck = world.cluster[0], world.jobs, np.random.default_rng(1)
    found = np.zeros(HOLDING)
    for arrived in (0, 1, 2, 90, 90, 200, 300, 300, 300):
        c.arrived = arrived
        jobs.held = luck.integers(0, 200, jobs.size)
        done = luck.random(arrived) < (1.0 if arrived == 2 else 0.6)
        jobs.finish[:arrived][done] = 1.0
        note_holdings(world)
        there = jobs[:arrived][jobs.finish[:arrived] == math.inf]
        tenths = np.minimum(10 * there.held // there.tasks, HOLDING - 1)
        found += np.bincount(tenths, minlength=HOLDING)
        assert world.holding.tolist() == found.tolist()
        unfinished = np.flatnonzero(jobs.finish[:arrived] == math.inf)
        assert c.oldest == (unfinished[0] if unfinished.size else arrived)
    assert 0 < there.size < 20
