"""The probe engine as `sim.engines.registry` starts it."""

from __future__ import annotations

from sim.engines.engine import EngineImplementation, Running
from sim.engines.probes.central import CENTRAL, CentralRun, centralised, slot_cluster
from sim.engines.probes.policy import ProbePolicy
from sim.engines.probes.run import ProbeRun
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots.isolated_flowtime import isolated_flowtime
from sim.engines.slots.policy import SlotPolicy
from sim.model.fields import BadInput
from sim.model.workload import Workload


def start(
    scenario: ProbeScenario, policy: ProbePolicy, replication: int, workload: Workload, log: int
) -> Running:
    """Make one replication of one policy ready."""
    if policy.protocol.key != CENTRAL.key:
        return ProbeRun(scenario, policy, replication, workload, log=log)
    slot_policy = SlotPolicy(centralised(policy.protocol, workload), policy.speculation)
    return CentralRun(scenario, slot_policy, replication, workload, log)


def check_fit(policy: ProbePolicy, scenario: ProbeScenario) -> None:
    """Refuse a policy that can do nothing with a scenario.

    Raises
    ------
    BadInput
        If a floor is asked of the centralised policy where jobs have phases: DAG weights know none.
    """
    epsilon = policy.protocol.as_dict.get("epsilon", 1)
    if scenario.phases > 1 and epsilon != 1:
        raise BadInput(f"epsilon: {epsilon:g} is not accepted where jobs have phases; give 1")


IMPLEMENTATION = EngineImplementation(
    policy=ProbePolicy,
    start=start,
    isolated_flowtime=lambda scenario, workload: isolated_flowtime(slot_cluster(scenario), workload),
    check=check_fit,
)
