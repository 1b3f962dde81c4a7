"""One replication of a recorded cluster: its slots over time, its machines, its jobs as graphs of stages.

What recorded clusters need beyond the slot engine's scenarios is a few more arrays of that engine and not an
engine of its own: every rule, old and new, then runs on them as it is, the tests of the rules count for
both, and a run without these arrays pays one comparison a job and a copy. A stage is a job of the engine
(`sim.engines.slots.arriving`). Slots are numbered machine by machine, each with as many numbers as the
largest machine has slots; numbers that stand for no slot never come.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.engines.slots.arriving import COMES, GOES
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.engines.slots.signatures import LINK
from sim.engines.slots.world import World
from sim.kernel.integrals import means
from sim.kernel.records import EVENT, records
from sim.model.outcome import Outcome
from sim.model.workload import Workload

#: Events between two looks at the clock, at most, while slots are yet to become slow for a time.
_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Recorded:
    """What is recorded of a cluster beside the sizes of its tasks.

    Parameters
    ----------
    parents : tuple of tuple of int
        For each stage the stages it waits for, by number.
    gap : ndarray of float64, shape (stages,)
        Time from the end of the last parent to the start of the stage; not read for stages without parents.
    order : ndarray of int
        Slots there are at the start, in the order in which they are taken.
    changes : tuple of (float, int, bool)
        When which slot comes (true) or goes.
    slowness : ndarray of float64, shape (slots,)
        By how much longer copies take in each slot.
    slow_times : tuple of (float, float, ndarray of int, float)
        Times in which copies that some slots launch take longer: from, until, numbers of the slots, and by
        how much longer than at other times.
    durations : ndarray of float64, shape (tasks, copies)
        Time of the copies of each task on a slot of slowness 1, in place of work and straggle factor;
        without columns these are drawn.
    first : ndarray of int
        For each stage the first one of its job; without entries each stage is a job of its own.
    linger : float
        For how long a killed copy still holds its slot.
    executor_slots : int
        Slots of an executor; those of a machine if 0.
    middle_pair : bool
        Whether Spark takes the mean of the middle two as the median, as it did up to 3.4.
    """

    parents: tuple[tuple[int, ...], ...]
    gap: np.ndarray
    order: np.ndarray
    changes: tuple[tuple[float, int, bool], ...] = ()
    slowness: np.ndarray = field(default_factory=lambda: np.empty(0))
    slow_times: tuple[tuple[float, float, np.ndarray, float], ...] = ()
    durations: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    first: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    linger: float = 0.0
    executor_slots: int = 0
    middle_pair: bool = False


class RecordedRun(SlotRun):
    """A replication on a recorded cluster.

    Parameters
    ----------
    scenario : SlotScenario
        Its slots are all numbers; `machine_slots` as said above. No drain, no blocks, no phases.
    policy : SlotPolicy
    replication : int
    workload : Workload
        A job for each stage, ordered by job and stage; the arrival is when one without parents starts.
    recorded : Recorded
    log : int, optional
        How many copies to remember.
    """

    def __init__(
        self,
        scenario: SlotScenario,
        policy: SlotPolicy,
        replication: int,
        workload: Workload,
        recorded: Recorded,
        *,
        log: int = 0,
    ) -> None:
        self.recorded = recorded
        super().__init__(scenario, policy, replication, workload, log=log)

    def _allocated(self, log: int) -> World:
        recorded, stages = self.recorded, self.workload.n
        world = super()._allocated(log)
        return world._replace(
            deliveries=records(stages + len(recorded.changes) + self.scenario.slots + 1, EVENT),
            links=records(stages, LINK),
            children=np.zeros(max(1, sum(map(len, recorded.parents))), np.int32),
            law=recorded.durations.ravel() if recorded.durations.size else world.law,
        )

    def _fill(self) -> None:
        super()._fill()
        world, recorded = self.world, self.recorded
        c = world.cluster[0]
        c.linked, c.given = 1, recorded.durations.shape[1]
        c.skips_dominated_copies = 0  # durations are given
        c.linger, c.middle_pair = recorded.linger, recorded.middle_pair
        c.executor_slots = recorded.executor_slots or self.scenario.machine_slots
        c.arrived, c.horizon, c.next_edge = c.jobs, math.inf, math.inf
        self._fill_links()
        self._fill_slots()
        starts = [(at, stage, 0) for stage, at in self._roots]
        changes = [(at, COMES if comes else GOES, slot) for at, slot, comes in recorded.changes]
        planned = sorted(starts + changes)  # sorted, it is a heap
        world.deliveries[: len(planned)] = planned
        c.deliveries = len(planned)

    @property
    def _roots(self) -> list[tuple[int, float]]:
        """Stages without parents and when they start."""
        return [
            (stage, float(self.workload.arrival[stage]))
            for stage, parents in enumerate(self.recorded.parents)
            if not parents
        ]

    def _fill_links(self) -> None:
        """List the children of each stage."""
        world, parents = self.world, self.recorded.parents
        children: list[list[int]] = [[] for _ in parents]
        for stage, listed in enumerate(parents):
            for parent in listed:
                children[parent].append(stage)
        counts = np.array([len(listed) for listed in children])
        world.links.waits = [len(listed) for listed in parents]
        world.links.children, world.links.first = counts, np.cumsum(counts) - counts
        world.links.gap = self.recorded.gap
        first = self.recorded.first
        world.jobs.first_phase = first if first.size else np.arange(len(parents))
        world.children[: counts.sum()] = [child for listed in children for child in listed]

    def _fill_slots(self) -> None:
        """Let only those slots be free that are there."""
        world, order = self.world, self.recorded.order
        c, machine = world.cluster[0], self.scenario.machine_slots
        c.free = c.slots = order.size
        world.idle[: c.free] = order[::-1]
        world.slots.spot[order] = np.arange(c.free)[::-1]
        world.slots.free_slots = 0
        np.add.at(world.slots.free_slots, order - order % machine, 1)
        if self.recorded.slowness.size:
            world.sites.slowness = self.recorded.slowness

    def _advance(self, events: int) -> bool:
        """Call the kernel; where slots are slow for a time, event by event close to its ends."""
        c, until = self.world.cluster[0], 0
        times = self.recorded.slow_times
        while times and until < events:
            slowness = self.recorded.slowness.copy()
            for begin, end, slots, factor in times:
                if begin <= c.now <= end:
                    slowness[slots] *= factor
            self.world.sites.slowness = slowness
            ahead = [at - c.now for one in times for at in one[:2] if at >= c.now]
            if not ahead:
                return super()._advance(events - until)
            # half as many as came in such a time: events may come faster than they have
            soon = int(c.events * min(ahead) / (2 * max(c.now, 1e-9)))
            many = max(1, min(soon, c.events // 2, _AT_ONCE, events - until))
            if super()._advance(many):
                return True
            until += many
        return False if times else super()._advance(events)

    def outcome(self) -> Outcome:
        """Read the results; integrals over time are not kept."""
        c, jobs = self.world.cluster[0], self.world.jobs
        return self._outcome(
            resource=jobs.resource.copy(),
            extra_time=jobs.extra_time.copy(),
            utilisation=0.0,
            series=means(c, self.world.series),
            holding=self.world.holding.copy(),
            log=self.log,
            scalars=self._scalars,
        )

    @property
    def log(self) -> Any:
        """The copies that have ended, in the order in which they did."""
        return self.world.log[: self.world.cluster[0].logged].copy()
