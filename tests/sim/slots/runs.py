"""Runs of the slot engine, for tests."""

from __future__ import annotations

import numpy as np

from sim.engines.slots.run import Outcome, SlotRun
from sim.engines.slots.scenario import SlotPolicy, SlotScenario, read_policy
from sim.engines.slots.world import World
from sim.model.workload import Workload
from sim.running.contract.copies import copies_of
from sim.running.contract.runs import digest

__all__ = ["copies_of", "digest", "run_to_end"]

#: Copies that a test run remembers.
LOG = 20_000


def run_to_end(
    scenario: SlotScenario,
    policy: SlotPolicy | str,
    workload: Workload,
    *,
    replication: int = 0,
    events: int = SlotRun.STEP,
) -> Outcome:
    """Run one replication in engine calls of `events` events."""
    policy = read_policy(policy) if isinstance(policy, str) else policy
    run = SlotRun(scenario, policy, replication, workload, log=LOG)
    done = False
    while not done:
        done = run.advance(events)
        assert_idle_slots_know_their_places(run.world)
    return run.outcome()


def assert_idle_slots_know_their_places(world: World) -> None:
    """Assert that the free slots are so many different ones, and that each is found where it says."""
    c = world.cluster[0]
    idle = world.idle[: c.free]
    assert np.unique(idle).size == idle.size
    if c.placing:
        np.testing.assert_array_equal(world.slots["spot"][idle], np.arange(idle.size))
