"""The inputs of a run as arrays: phases, lists of blocks, the outlier probability and slowness of slots."""

from __future__ import annotations

import numpy as np

from sim.engines.slots.scenario import SlotScenario
from sim.kernel.records import PHASE, records
from sim.kernel.streams import stream
from sim.model.phases import Phases
from sim.model.workload import Workload


def phase_table(phases: Phases, before: int = 0) -> np.recarray:
    """Phases of jobs as the engines know them, none of which runs yet; so many came before them."""
    table = records(phases.tasks.size, PHASE)
    first = np.repeat(phases.first, phases.count)
    begins = np.cumsum(phases.tasks) - phases.tasks
    table.ratio, table.tasks, table.fed = phases.ratio, phases.tasks, phases.is_fed
    table.first = begins - begins[first]
    table.into = np.where(phases.into < 0, -1, before + phases.into + first)
    return table


def slot_shares(scenario: SlotScenario) -> np.ndarray:
    """Outlier probability of each slot; the same for all unless the scenario spreads them."""
    luck = stream(scenario.seed, 0, "slots").uniform(-1, 1, scenario.slots)
    return np.clip(scenario.outlier_share * (1 + scenario.outlier_spread * luck), 0, 1)


def slowness(scenario: SlotScenario) -> np.ndarray:
    """By how much longer copies take in each slot: `slow_factor` on machines that are slow, for ever."""
    machines = stream(scenario.seed, 0, "machines").permutation(scenario.machines)
    slow = np.zeros(scenario.machines, dtype=bool)
    slow[machines[: scenario.slow_machines]] = True
    slots = np.arange(scenario.slots) // scenario.machine_slots
    return np.where(slow[slots], scenario.slow_factor, 1.0)


def block_lists(workload: Workload) -> tuple[np.ndarray, np.ndarray]:
    """Sort the replicas of each job's tasks into lists by machine modulo tasks: heads and links, -1 ends."""
    replicas = workload.blocks.shape[1]
    first = np.repeat(np.cumsum(workload.tasks) - workload.tasks, workload.tasks)[:, None]
    lists = (first + workload.blocks % np.repeat(workload.tasks, workload.tasks)[:, None]).ravel()
    entries = np.flatnonzero(workload.blocks.ravel() >= 0)
    entries = entries[np.argsort(lists[entries], kind="stable")]
    heads, links = np.full(workload.total_tasks, -1), np.full(workload.total_tasks * replicas, -1)
    begins = np.flatnonzero(np.diff(lists[entries], prepend=-1))
    heads[lists[entries[begins]]] = entries[begins]
    same = lists[entries[1:]] == lists[entries[:-1]]
    links[entries[:-1][same]] = entries[1:][same]
    return heads, links
