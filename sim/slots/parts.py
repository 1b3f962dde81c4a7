"""The slot engine as `sim.engines` starts it."""

from __future__ import annotations

import numpy as np

from sim.engines import Parts
from sim.policy import SHARING, SPECULATION, SYSTEMS, Policy, check_fit, read_policy
from sim.scenario import Scenario
from sim.slots.run import Run
from sim.workload import Workload, ideal


def start(scenario: Scenario, policy: Policy, replication: int, workload: Workload, log: int) -> Run:
    """Make one replication of one policy ready."""
    return Run(scenario, policy, replication, workload, log=log)


def alone(scenario: Scenario, workload: Workload) -> np.ndarray:
    """Flowtime of each job alone on an idle healthy cluster."""
    return ideal(workload, scenario.slots)


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
