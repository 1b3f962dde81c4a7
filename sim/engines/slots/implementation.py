"""The slot engine as `sim.engines.registry` starts it."""

from __future__ import annotations

from sim.engines.engine import EngineImplementation
from sim.engines.slots.isolated_flowtime import isolated_flowtime
from sim.engines.slots.long import LongRun
from sim.engines.slots.policy import SlotPolicy, check_fit
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario
from sim.model.streamed_workload import StreamedWorkload
from sim.model.workload import Workload


def start(
    scenario: SlotScenario, policy: SlotPolicy, replication: int, workload: Workload, log: int
) -> SlotRun:
    """Make one replication of one policy ready."""
    return SlotRun(scenario, policy, replication, workload, log=log)


def start_long(
    scenario: SlotScenario, policy: SlotPolicy, replication: int, jobs: StreamedWorkload, log: int
) -> LongRun:
    """Make one replication ready whose jobs come and go."""
    return LongRun(scenario, policy, replication, jobs, log=log)


IMPLEMENTATION = EngineImplementation(
    policy=SlotPolicy,
    start=start,
    start_long=start_long,
    isolated_flowtime=isolated_flowtime,
    check=check_fit,
)
