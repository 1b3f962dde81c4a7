"""Runs of the slot engine, for tests."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from sim.slots.policy import SlotPolicy, read_policy
from sim.slots.run import Outcome, SlotRun
from sim.slots.scenario import SlotScenario
from sim.workload import Workload

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


def copies_of(outcome: Outcome) -> pd.DataFrame:
    """Return the log of an outcome as a table, in order of job, task and copy."""
    return pd.DataFrame(outcome.log).sort_values(["job", "task", "copy"], ignore_index=True)


def digest(outcome: Outcome) -> str:
    """Digest of everything an outcome holds but the seconds it took."""
    state = hashlib.sha256()
    held = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__ if name != "seconds"}
    columns, scalars = held.pop("columns"), held.pop("scalars")
    for value in (held | columns | scalars).values():
        state.update(np.asarray(np.nan if value is None else value).tobytes())
    return state.hexdigest()
