"""Runs of the probe engine, for tests."""

from __future__ import annotations

import hashlib

import numpy as np

from sim.engines.probes.policy import ProbePolicy, read_policy, speculation_rules
from sim.engines.probes.protocols import PROTOCOLS
from sim.engines.probes.run import ProbeRun
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.run import Run
from sim.model.outcome import Outcome
from sim.model.workload import Workload

#: Copies that a test run remembers.
LOG = 20_000

#: What may be combined: a protocol and a speculation rule.
PAIRS = tuple(
    f"{protocol}+{speculation}"
    for protocol, rule in PROTOCOLS.items()
    for speculation in speculation_rules()
    if speculation != "budget" or rule.budgets
)


def run_to_end(
    scenario: ProbeScenario,
    policy: ProbePolicy | str,
    workload: Workload,
    *,
    replication: int = 0,
    events: int = Run.STEP,
    lines: int = 0,
) -> tuple[ProbeRun, Outcome]:
    """Run one replication in engine calls of `events` events; return the run, and its outcome."""
    policy = read_policy(policy) if isinstance(policy, str) else policy
    run = ProbeRun(scenario, policy, replication, workload, log=LOG, lines=lines)
    while not run.advance(events):
        pass
    return run, run.outcome()


def digest(outcome: Outcome) -> str:
    """Digest of everything an outcome holds but the seconds it took."""
    state = hashlib.sha256(repr(outcome.scalars).encode())
    for name in outcome.__dataclass_fields__:
        if name not in ("seconds", "columns", "scalars"):
            state.update(np.asarray(getattr(outcome, name)).tobytes())
    return state.hexdigest()
