"""Runs of the slot engine, for tests."""

from __future__ import annotations

import pandas as pd

from sim.scenario import Scenario
from sim.slots.policy import SlotPolicy, read_policy
from sim.slots.run import STEP, Outcome, Run
from sim.workload import Workload

#: Copies that a test run remembers.
LOG = 20_000


def run_to_end(
    scenario: Scenario,
    policy: SlotPolicy | str,
    workload: Workload,
    *,
    replication: int = 0,
    events: int = STEP,
) -> Outcome:
    """Run one replication in engine calls of `events` events."""
    policy = read_policy(policy) if isinstance(policy, str) else policy
    run = Run(scenario, policy, replication, workload, log=LOG)
    while not run.advance(events):
        pass
    return run.outcome()


def copies_of(outcome: Outcome) -> pd.DataFrame:
    """Return the log of an outcome as a table, in order of job, task and copy."""
    return pd.DataFrame(outcome.log).sort_values(["job", "task", "copy"], ignore_index=True)
