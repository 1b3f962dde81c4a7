"""One replication of one policy on the probe engine: its arrays are filled, advanced and read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.engines.engine import EngineImplementation, Running
from sim.engines.probes.engine import DONE, GROW, advance, widened
from sim.engines.probes.network import RESERVE
from sim.engines.probes.policy import CENTRAL, CentralRun, ProbePolicy, centralised, slot_cluster
from sim.engines.probes.protocols import PROTOCOLS
from sim.engines.probes.protocols.sparrow import first_come, give, nothing
from sim.engines.probes.queue import LEAST
from sim.engines.probes.records import (
    LINE,
    MESSAGE,
    MOVED,
    NETWORK,
    OWN,
    RESERVATION,
    SCHEDULER,
    SEAT,
    WORKER,
)
from sim.engines.probes.sampling import DRAWN
from sim.engines.probes.scenario import ProbeScenario, scalars
from sim.engines.probes.series import means
from sim.engines.probes.signatures import HANDED, World
from sim.engines.run import EDGES, Run
from sim.engines.slots.run import HOLDING, STEEPEST, isolated_flowtime, phase_table, slot_shares
from sim.engines.slots.scenario import SlotPolicy, speculation_rules
from sim.engines.slots.signatures import COPIED
from sim.kernel.calendar import ENDLESS
from sim.kernel.deliveries import queue_capacity
from sim.kernel.queue import ABSENT
from sim.kernel.records import BUDGET, CLUSTER, COPY, EVENT, ITEM, JOB, PHASE, SITE, SLOT, records
from sim.kernel.streams import mix, run_key
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.model.outcome import Outcome, first_counted
from sim.model.workload import Workload

# The state at the end of a run: copies that end later are counted up to then.


def job_totals(world: World) -> dict[str, np.ndarray]:
    """Return what jobs have used up to the end, by the names of `sim.model.outcome.Outcome`."""
    jobs, slots, end = world.jobs, world.slots, world.cluster[0].now
    held = np.flatnonzero(world.seats.runs)
    under_way, running = held[slots.start[held] > end], running_copies(world)
    ran, extra = end - slots.start[running], slots.number > 0
    resource, extra_time = jobs.resource.copy(), jobs.extra_time.copy()
    np.add.at(resource, slots.job[running], ran)
    np.add.at(extra_time, slots.job[running], np.where(extra[running], ran, 0.0))
    copies, extras = jobs.copies.copy(), jobs.extra.copy()
    np.subtract.at(copies, slots.job[under_way], 1)  # sent, but not there at the end
    np.subtract.at(extras, slots.job[under_way], extra[under_way])
    return {
        "start": np.where(jobs.start > end, math.inf, jobs.start),
        "copies": copies,
        "extra": extras,
        "resource": resource,
        "extra_time": extra_time,
    }


def running_copies(world: World) -> np.ndarray:
    """Return the slots whose copies run at the end."""
    held = np.flatnonzero(world.seats.runs)
    return held[world.slots.start[held] <= world.cluster[0].now]


def copies_remembered(world: World) -> Any:
    """Return the log of the copies, with those that run at the end."""
    logged = int(world.cluster[0].logged)
    running = running_copies(world)[: max(0, world.log.size - logged)]
    still = records(running.size, COPY)
    for name, source in (("job", "job"), ("task", "task"), ("copy", "number"), ("start", "start")):
        still[name] = world.slots[source][running]
    still["slot"], still["end"], still["fate"] = running, world.cluster[0].now, 2
    return np.concatenate([world.log[:logged], still]).view(np.recarray)


def utilisation(world: World) -> float:
    """Busy slot-time / (slots x time) between the first counted arrival and the last arrival."""
    n = world.net[0]
    if n.closes <= n.opens:
        return 0.0
    start = np.maximum(world.slots.start[running_copies(world)], n.opens)
    rest = np.maximum(min(world.cluster[0].now, n.closes) - start, 0).sum()
    return float((n.area_busy + rest) / (world.slots.size * (n.closes - n.opens)))


#: Added to the key of a replication for the luck of probes, so that it is not that of copies.
PROBE_LUCK = np.uint64(0x5851F42D4C957F2D)
#: Numbers of probes of a job are kept in 32 bits.
MOST_PROBES = 2**31 - 1


class ProbeRun(Run):
    """A replication under the probe engine.

    Parameters
    ----------
    scenario : ProbeScenario
    policy : ProbePolicy
        Not the centralised one.
    replication : int
    workload : Workload
    log : int, optional
        How many copies to remember for a Gantt chart.
    lines : int, optional
        How many messages to remember (`sim.engines.probes.records.LINE`).

    Raises
    ------
    BadInput
        If a job would send more than `MOST_PROBES` probes.
    """

    ENGINE = advance

    def __init__(
        self,
        scenario: ProbeScenario,
        policy: ProbePolicy,
        replication: int,
        workload: Workload,
        *,
        log: int = 0,
        lines: int = 0,
    ) -> None:
        super().__init__(scenario, policy, replication, workload)
        self._protocol = PROTOCOLS[policy.protocol.key]
        self._speculation = speculation_rules()[policy.speculation.key]
        self._values = policy.protocol.as_dict
        most, largest = MOST_PROBES // 4, int(workload.tasks.max())
        if self._values["probes"] * largest > most:
            raise BadInput(
                f"probes: {self._values['probes']:g} is not accepted with jobs of {largest} tasks; "
                f"give at most {most // largest}"
            )
        self._keep_states(**{"": self._protocol, COPIED: self._speculation})
        self._numbers = self._protocol.values(scenario, self._values)
        self._copy_values = self._speculation.values(scenario, policy.speculation.as_dict)
        self.own["numbers"] = np.array(self._numbers, float)
        self.own[f"{COPIED}numbers"] = np.array(self._copy_values, float)
        self.world = self._arranged(self._allocated(log, lines), HANDED)
        self._fill()
        self._fill_network()

    @property
    def _clock(self) -> Any:
        return self.world.cluster[0]

    @property
    def _jobs(self) -> Any:
        return self.world.jobs

    def _advance(self, events: int) -> bool:
        until = self.events + events
        status = self.ENGINE.compiled(self.world, *self._arguments, events)
        while status == GROW:
            self.world = self._listed(widened(self.world), HANDED)
            status = self.ENGINE.compiled(self.world, *self._arguments, until - self.events)
        return bool(status == DONE)

    def _allocated(self, log: int, lines: int) -> World:
        """Make the arrays, empty."""
        scenario, workload = self.scenario, self.workload
        slots, jobs, workers = scenario.slots, workload.n, scenario.workers
        buckets = 1 << max(4, (slots - 1).bit_length())
        speculation, phases = self._speculation, workload.phases
        listed = 0 if phases is None else workload.total_tasks
        return World(
            cluster=records(1, CLUSTER),
            net=records(1, NETWORK),
            jobs=records(jobs, JOB),
            own=records(jobs, OWN),
            slots=records(slots, SLOT),
            seats=records(slots, SEAT),
            items=records(2 * slots + 1, ITEM),
            buckets=np.full(buckets, -1, np.int32),
            front=np.zeros(2 * slots, np.int32),
            ring=records(4 * RESERVE, MESSAGE),
            schedulers=records(scenario.schedulers, SCHEDULER),
            job_heaps=np.full(scenario.schedulers, -1, np.int32),
            slot_heaps=np.full(2 * jobs + 2, -1, np.int32),
            store=np.zeros(speculation.store_size(slots, workload.total_tasks)),
            phases=records(1, PHASE) if phases is None else phase_table(phases),
            deliveries=records(max(1, listed + queue_capacity(listed, slots)), EVENT),
            ready=np.zeros(max(1, listed), np.int32),
            batch=np.zeros(max(1, listed), np.int32),
            workers=records(workers, WORKER),
            entries=records(2 * LEAST * workers + 2 * LEAST, RESERVATION),
            bins=np.full(40, -1, np.int32),
            asked=np.zeros(slots * self._remembered, np.int32),
            moved=records(workers, MOVED),
            coming=np.zeros(DRAWN, np.int32),
            jump=np.zeros((EDGES, 4)),
            rest=np.zeros((EDGES, 4)),
            holding=np.zeros(HOLDING),
            present=np.zeros(jobs, np.int32),
            log=records(log, COPY),
            lines=records(lines, LINE),
            law=self._law_numbers,
            task_size=workload.task_size if workload.task_size.size else np.zeros(1),
            sites=records(slots, SITE),
            table=np.zeros(0, np.int64),
        )

    @property
    def _remembered(self) -> int:
        """Schedulers a slot remembers to have asked: no more than there are, or than may refuse."""
        asks = self._protocol.asks
        return max(1, min(int(self._values[asks]), self.scenario.schedulers)) if asks else 1

    def _fill(self) -> None:
        """Set the state in which nothing has happened yet, as the slot engine knows it."""
        scenario, workload, world = self.scenario, self.workload, self.world
        law = scenario.straggle_law
        jobs = world.jobs
        self._fill_jobs(self.workload)
        self._fill_clock()
        jobs.released = workload.tasks
        jobs.first_task = np.concatenate([[0], np.cumsum(workload.tasks)[:-1]])
        jobs.heap = world.slots.heap = -1
        world.items.prev = ABSENT
        c = world.cluster[0]
        c.mean_factor = law.mean
        c.observe_kind = ("age", "fraction", "never").index(scenario.observation.kind)
        c.observe_at = scenario.observation.at
        c.reported = 1
        c.mode = BUDGET  # copies compete within their job: each is its scheduler's own affair
        c.checking = self._speculation.when != "never"
        c.hears_every_copy_end = self._speculation.hears_every_copy_end
        c.wake = c.restart = -1
        world.sites.share, world.sites.slowness = slot_shares(scenario), 1.0
        c.theta = max(1.0, 2 / law.tail)
        c.tail = min(law.tail, STEEPEST)
        c.sizes_per_task = workload.task_size.size > 0
        # two days for each copy that ends: where a day has one event, nothing is sorted
        c.days_per_time = 2.0 * scenario.slots / (law.mean * float(workload.size.mean()))
        c.day = -1
        c.mask, c.year = world.buckets.size - 1, ENDLESS
        if workload.phases is not None:
            jobs.first_phase, jobs.released = workload.phases.first, 0
            c.phased, c.barrier = 1, scenario.barrier
            c.queue_capacity = queue_capacity(workload.total_tasks, scenario.slots)
            c.learns_weight = self._values.get("learn_weight", 0)

    def _fill_network(self) -> None:
        """Set the schedulers, workers and messages."""
        scenario, world = self.scenario, self.world
        n = world.net[0]
        n.schedulers, n.workers, n.per_worker = (
            scenario.schedulers,
            scenario.workers,
            scenario.slots_per_worker,
        )
        n.latency = scenario.latency
        n.probes, n.cancels = self._values["probes"], self._values["cancel"]
        n.files, n.tells = self._protocol.budgets, self._protocol.tells_sizes
        n.says = self._protocol.label is not nothing
        n.first_come = self._protocol.ask is first_come
        n.gives = self._protocol.answer is give
        cap = self.policy.speculation.as_dict.get("speculative_cap", math.inf)
        n.cap = max(1.0, cap * scenario.slots / scenario.schedulers) if cap > 0 else 0.0
        n.asked = self._remembered
        n.run = np.uint64(run_key(scenario.seed, self.replication))
        n.luck = mix(n.run ^ PROBE_LUCK)
        arrival = self.workload.arrival
        n.opens, n.closes = arrival[first_counted(scenario, self.workload.n)], arrival[-1]
        n.queue_clock = n.opens
        n.widest, n.top = LEAST, LEAST * scenario.workers
        seats, workers = world.seats, world.workers
        seats.worker = np.arange(scenario.slots) // scenario.slots_per_worker
        seats.next = np.arange(1, scenario.slots + 1)
        seats.next[scenario.slots_per_worker - 1 :: scenario.slots_per_worker] = -1
        workers.idle = np.arange(scenario.workers) * scenario.slots_per_worker
        workers.segment, workers.capacity = np.arange(scenario.workers) * LEAST, LEAST

    @cached_property
    def _arguments(self) -> tuple[Any, ...]:
        """The compiled functions of the policy; the world is made anew where it is too small."""
        next_check, check, on_copy_end, select_task, _ = self._speculation.compiled(self._copy_values)
        return *self._protocol.compiled(self._numbers), next_check, check, on_copy_end, select_task

    @property
    def messages(self) -> np.recarray:
        """The messages that were remembered (`sim.engines.probes.records.LINE`), in order of sending."""
        return self.world.lines[: self.world.net[0].lines]

    def outcome(self) -> Outcome:
        """Read the results, counting the running copies up to the horizon."""
        world = self.world
        done = int(world.cluster[0].done_tasks)
        return self._outcome(
            **job_totals(world),
            utilisation=utilisation(world),
            series=means(world),
            holding=world.holding.copy(),
            log=copies_remembered(world),
            scalars=scalars(world.net[0], done, self._protocol.tells_sizes),
        )


# The probe engine as `sim.engines.registry` starts it.


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
