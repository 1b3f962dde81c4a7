"""Placement of input blocks: the machines that hold a replica of the input of a first-phase task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.streams import stream

if TYPE_CHECKING:
    from sim.model.phases import Phases
    from sim.model.scenario import Scenario


def place_blocks(
    scenario: Scenario, replication: int, tasks: np.ndarray, phases: Phases | None
) -> np.ndarray:
    """Draw for each task different machines, all sets of that many being equally likely.

    Parameters
    ----------
    scenario : Scenario
        Its `replicas` and machines are read.
    replication : int
        Number of the replication, at least 0.
    tasks : ndarray of int64
        Tasks of each job.
    phases : Phases or None
        Phases of the jobs; only those that no other phase feeds read blocks.

    Returns
    -------
    ndarray of int32, shape (tasks, min(replicas, machines))
        Machines; -1 for tasks that read no block. Without a column if `replicas` is 0.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> place_blocks(SlotScenario(slots=4, replicas=4), 0, np.array([1]), None)[0].tolist().count(3)
    1
    """
    count, replicas = int(tasks.sum()), min(scenario.replicas, scenario.machines)
    if replicas == 0:
        return np.empty((0, 0), np.int32)
    generator = stream(scenario.seed, replication, "blocks")
    blocks = np.empty((count, replicas), np.int32)
    for i in range(replicas):
        # The machines not chosen so far are numbered anew; stepping over the chosen ones gives them back.
        machine = generator.integers(0, scenario.machines - i, count)
        for chosen in np.sort(blocks[:, :i], axis=1).T:
            machine += machine >= chosen
        blocks[:, i] = machine
    if phases is not None:
        blocks[np.repeat(phases.is_fed, phases.tasks)] = -1
    return blocks
