"""The slot engine as `sim.engines` starts it."""

from __future__ import annotations

from sim.engines import Parts
from sim.policy import SHARING, SPECULATION, SYSTEMS, Policy, check_fit, read_policy
from sim.scenario import Scenario
from sim.slots.alone import alone
from sim.slots.run import Run
from sim.workload import Workload


def start(scenario: Scenario, policy: Policy, replication: int, workload: Workload, log: int) -> Run:
    """Make one replication of one policy ready."""
    return Run(scenario, policy, replication, workload, log=log)


PARTS = Parts(
    read_policy=read_policy,
    start=start,
    alone=alone,
    rules=lambda: {"sharing": SHARING(), "speculation": SPECULATION()},
    grammar="A policy is written sharing[:name=value,...][+speculation[:name=value,...]]; "
    + "also by name: "
    + ", ".join(f"{name} is {pair}" for name, pair in SYSTEMS.items())
    + ".",
    check=check_fit,
)
