"""Reference implementation of the slot engine: lists and sorting, everything recomputed at every event.

The reference implementation of a rule is a class that names its key: ``class Fair(Sharing, key="fair")``.
The two ages from which Mantri judges by elapsed time alone are numbers found before a run; `test_mantri`
checks them.

Rules here are honest by construction: what they may know of a running copy they must ask it for, and it
refuses until the scenario reveals it. So an engine that plans ahead, because it knows when every copy
will finish, and still agrees with this one has used nothing early.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.workload import Workload
from tests.reference.slots import sharing, speculation
from tests.reference.slots.cluster import Cluster

__all__ = ["sharing", "simulate", "speculation"]  # the packages register every rule


def simulate(
    scenario: SlotScenario, policy: SlotPolicy, replication: int, workload: Workload
) -> tuple[dict[str, np.ndarray], list[tuple]]:
    """Run one replication; return what happened to each job, and all copies in order of address.

    A copy is (job, task, copy, slot, start, end, fate), as in `sim.kernel.records.COPY`.
    """
    cluster = Cluster(scenario, policy, replication, workload)
    cluster.run()
    copies = [job.copies for job in cluster.jobs]
    columns = {
        "start": [min((copy.start for copy in held), default=math.inf) for held in copies],
        "finish": [job.finish for job in cluster.jobs],
        "resource": [math.fsum(copy.end - copy.start for copy in held) for held in copies],
        "extra_time": [math.fsum(copy.end - copy.start for copy in held if copy.number) for held in copies],
        "copies": [len(held) for held in copies],
        "extra": [sum(copy.number > 0 for copy in held) for held in copies],
        "killed": [sum(copy.fate in (1, 3) for copy in held) for held in copies],
    }
    log = [
        (*copy.address, copy.slot, copy.start, copy.end, copy.fate)
        for held in copies
        for copy in sorted(held, key=lambda copy: copy.address)
    ]
    return {name: np.array(values) for name, values in columns.items()}, log
