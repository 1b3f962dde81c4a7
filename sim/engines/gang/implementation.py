"""The gang engine as `sim.engines.registry` starts it."""

from __future__ import annotations

import numpy as np

from sim.engines.engine import EngineImplementation
from sim.engines.gang.policy import GangPolicy
from sim.engines.gang.run import GangRun
from sim.engines.gang.scenario import GangScenario
from sim.model.workload import Workload


def start(
    scenario: GangScenario, policy: GangPolicy, replication: int, workload: Workload, log: int
) -> GangRun:
    """Make one replication of one policy ready."""
    return GangRun(scenario, policy, replication, workload, log=log)


def isolated_flowtime(scenario: GangScenario, workload: Workload) -> np.ndarray:
    """Return the size of each job's tasks: AS call (wait + run) / size a job's slowdown."""
    return workload.size


IMPLEMENTATION = EngineImplementation(
    policy=GangPolicy,
    start=start,
    isolated_flowtime=isolated_flowtime,
)
