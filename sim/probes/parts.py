"""The probe engine as `sim.engines` starts it."""

from __future__ import annotations

import numpy as np

from sim.engines import ENGINES, Parts, Running
from sim.policy import Chosen, Policy
from sim.probes.central import CENTRAL, CentralRun
from sim.probes.policy import ALL, ProbePolicy, read_policy, speculation_rules
from sim.probes.run import ProbeRun
from sim.probes.scenario import ProbeScenario
from sim.workload import Workload, ideal


def start(
    scenario: ProbeScenario, policy: ProbePolicy, replication: int, workload: Workload, log: int
) -> Running:
    """Make one replication of one policy ready."""
    if policy.protocol.key != CENTRAL.key:
        return ProbeRun(scenario, policy, replication, workload, log=log)
    slot_policy = Policy(Chosen("hopper", policy.protocol.values), policy.speculation)
    scalars = tuple(measure.key for measure in ENGINES["probes"].scalars)
    return CentralRun(scenario, slot_policy, replication, workload, log, scalars)


def alone(scenario: ProbeScenario, workload: Workload) -> np.ndarray:
    """Flowtime of each job alone on an idle healthy cluster without latency."""
    return ideal(workload, scenario.slots)


PARTS = Parts(
    read_policy=read_policy,
    start=start,
    alone=alone,
    rules=lambda: {"protocol": ALL, "speculation": speculation_rules()},
    grammar=(
        "A policy is written protocol[:name=value,...][+speculation[:name=value,...]]; "
        "budget needs virtual sizes (hopper, central)."
    ),
)
