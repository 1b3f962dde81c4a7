"""Runs of the slot engine, for tests."""

from __future__ import annotations

from sim.contract.copies import copies_of
from sim.contract.runs import digest
from sim.slots.policy import SlotPolicy, read_policy
from sim.slots.run import Outcome, SlotRun
from sim.slots.scenario import SlotScenario
from sim.workload import Workload

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
    while not run.advance(events):
        pass
    return run.outcome()
