"""One replication of one policy on the slot engine: its arrays are filled, advanced and read."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from sim.engines.run import EDGES, Run
from sim.engines.slots.ending import PRIOR_TAIL
from sim.engines.slots.engine import DONE, advance
from sim.engines.slots.launching import BLOCK, least_factors
from sim.engines.slots.scenario import (
    SlotPolicy,
    SlotScenario,
    check_fit,
    read_policy,
    sharing_rules,
    speculation_rules,
)
from sim.engines.slots.signatures import COPIED, HANDED, LEVEL, LINK, REPLICA, SHARE, TASK
from sim.engines.slots.world import World
from sim.kernel.deliveries import queue_capacity
from sim.kernel.integrals import means, utilisation, with_running
from sim.kernel.queue import ABSENT
from sim.kernel.records import (
    BUDGET,
    CLUSTER,
    COPY,
    EVENT,
    IN_TURN,
    ITEM,
    JOB,
    NEVER,
    PHASE,
    SITE,
    SLOT,
    SPARE,
    URGENT,
    records,
)
from sim.kernel.streams import run_key, stream
from sim.model.cached import cached_property
from sim.model.outcome import Outcome
from sim.model.phases import Phases
from sim.model.workload import Totals, Workload, ideal

# The inputs of a run as arrays: phases, lists of blocks, the outlier probability and slowness of slots.


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


MODES = {"never": NEVER, "urgent": URGENT, "budget": BUDGET, "spare": SPARE, "in turn": IN_TURN}
#: Heaps and lists of slots in front that a rule may have for all jobs; the first jobs have theirs there, too.
LISTS = 16
#: Classes of the slots a job holds per remaining task: tenths, the last one open.
HOLDING = 41
#: Tail index that stands for tails lighter than any power.
STEEPEST = 1e6


class SlotRun(Run):
    """A replication under the slot engine.

    Parameters
    ----------
    scenario : SlotScenario
    policy : SlotPolicy
    replication : int
    workload : Workload
    log : int, optional
        How many copies to remember for a Gantt chart.
    totals : Totals, optional
        What is known of all jobs, where `workload` has only the first (`sim.engines.slots.long`).
    """

    ENGINE = advance

    def __init__(
        self,
        scenario: SlotScenario,
        policy: SlotPolicy,
        replication: int,
        workload: Workload,
        *,
        log: int = 0,
        totals: Totals | None = None,
    ) -> None:
        super().__init__(scenario, policy, replication, workload, totals)
        self._sharing = sharing_rules()[policy.sharing.key]
        self._speculation = speculation_rules()[policy.speculation.key]
        check_fit(policy, scenario)
        self._admitted = 0, 0, 0  # jobs, tasks and phases that are known
        self._share_values = self._sharing.values(scenario, policy.sharing.as_dict)
        self._copy_values = self._speculation.values(scenario, policy.speculation.as_dict)
        self._keep_states(**{SHARE: self._sharing, COPIED: self._speculation})
        self.own[f"{SHARE}numbers"] = np.array(self._share_values, float)
        self.own[f"{COPIED}numbers"] = np.array(self._copy_values, float)
        self.world = self._arranged(self._allocated(log), HANDED)
        self._fill()

    @property
    def _clock(self) -> Any:
        return self.world.cluster[0]

    @property
    def _jobs(self) -> Any:
        return self.world.jobs

    @property
    def _skips_dominated_copies(self) -> bool:
        """Whether copies that surely end after another are not drawn; luck and slots are all that differs."""
        varied = self.scenario.straggle_law.kind == "outlier" or self.workload.blocks.size > 0
        return self._speculation.skips_dominated_copies and not varied

    def _advance(self, events: int) -> bool:
        status: int = self.ENGINE.compiled(*self._arguments, events)
        return status == DONE

    def _allocated(self, log: int) -> World:
        """Make the arrays, empty."""
        scenario, workload, totals = self.scenario, self.workload, self.totals
        slots, jobs, tasks, largest = scenario.slots, totals.jobs, totals.tasks, totals.largest
        phases = workload.phases
        has_blocks = workload.blocks.size > 0
        return World(
            cluster=records(1, CLUSTER),
            jobs=self._rows(JOB, "jobs"),
            slots=records(slots, SLOT),
            idle=np.arange(slots, dtype=np.int32)[::-1].copy(),
            items=records(2 * slots + 1, ITEM),
            buckets=np.full((1 << max(4, (2 * slots - 1).bit_length())) + 1, -1, np.int32),
            front=np.zeros(2 * slots, np.int32),
            levels=records(largest + 2, LEVEL),
            order=self._sharing.order(self._seats, largest),
            job_heaps=np.full(2 * (largest + 2), -1, np.int32),
            slot_heaps=self._rows(np.int32, *self._heaps),
            store=self._store(slots, tasks),
            phases=records(1, PHASE) if phases is None else self._rows(PHASE, "phases"),
            deliveries=records(1 if phases is None else tasks + queue_capacity(tasks, slots), EVENT),
            ready=self._rows(np.int32, "tasks")
            if has_blocks or phases is not None
            else np.zeros(1, np.int32),
            tasks=records(tasks if has_blocks else 1, TASK),
            replicas=records(max(1, workload.blocks.size), REPLICA),
            links=records(1, LINK),
            children=np.zeros(1, np.int32),
            series=np.zeros((EDGES, 4)),
            holding=np.zeros(HOLDING),
            present=np.zeros(jobs, np.int32),
            log=records(log, COPY),
            sites=records(slots, SITE),
            luck=np.zeros(BLOCK),
            law=self._law_numbers,
            least_factors=least_factors(scenario.straggle_law)
            if self._skips_dominated_copies
            else np.zeros(1),
            task_size=self._rows(float, "tasks") if workload.task_size.size else np.zeros(1),
            table=np.zeros(0, np.int64),
        )

    @property
    def _seats(self) -> int:
        """How many jobs the sharing rule has room for."""
        return self.totals.jobs

    @property
    def _heaps(self) -> tuple[str, int, int, int]:
        """The owners of the heaps of slots, the heaps per owner, and the heaps ahead and behind."""
        return ("tasks", 1, 2, 0) if self._speculation.judges_task_sets else ("jobs", 2, 1, 1)

    def _rows(self, dtype: Any, of: str, each: int = 1, ahead: int = 0, behind: int = 0) -> Any:
        """Allocate zeroed rows for all jobs, tasks or phases: so many for each, and some ahead and behind."""
        count = ahead + each * getattr(self.totals, of) + behind
        return records(count, dtype) if np.dtype(dtype).names else np.zeros(count, dtype)

    def _store(self, slots: int, tasks: int) -> np.ndarray:
        """Allocate the `store` of the speculation rule."""
        return np.zeros(self._speculation.store_size(slots, tasks))

    def _state_rows(self, name: str, record: np.dtype) -> Any:
        return self._rows(record, "jobs") if name == "job_state" else super()._state_rows(name, record)

    def _admit(self, workload: Workload) -> None:
        """Set the next jobs, none of which has started."""
        world, (job, task, phase) = self.world, self._admitted
        self._admitted = job + workload.n, task + workload.total_tasks, phase
        self._fill_jobs(workload, job)
        jobs = world.jobs[job : job + workload.n]
        jobs.first_task = task + np.cumsum(workload.tasks) - workload.tasks
        jobs.released = workload.tasks
        jobs.heap = -1
        if workload.task_size.size:
            world.task_size[task : task + workload.total_tasks] = workload.task_size
        if workload.phases is not None:
            table = phase_table(workload.phases, phase)
            world.phases[phase : phase + table.size] = table
            self._admitted = *self._admitted[:2], phase + table.size
            jobs.first_phase, jobs.released = phase + workload.phases.first, 0
        of, each, ahead, behind = self._heaps
        first, count = (task, workload.total_tasks) if of == "tasks" else (job, workload.n)
        world.slot_heaps[max(LISTS, ahead + each * first) : ahead + each * (first + count) + behind] = -1

    def _fill(self) -> None:
        """Set the state in which nothing has happened yet."""
        scenario, workload = self.scenario, self.workload
        law = scenario.straggle_law
        self._fill_clock()
        self._admit(workload)
        world = self.world
        slots = world.slots
        slots.heap = world.slot_heaps[:LISTS] = -1
        world.items.prev = ABSENT
        c = world.cluster[0]
        c.free = scenario.slots
        c.run = np.uint64(run_key(scenario.seed, self.replication))
        c.mean_factor = law.mean
        c.observe_kind = ("age", "fraction", "never").index(scenario.observation.kind)
        c.observe_at = scenario.observation.at
        c.wake = c.first_new = c.last_new = c.restart = c.placed = -1
        slots.spot[world.idle] = np.arange(scenario.slots)
        c.interval, c.decide_at, c.unbar_at = scenario.decision_interval, math.inf, math.inf
        c.theta = max(1.0, 2 / law.tail)
        c.sizes_per_task = workload.task_size.size > 0
        c.days_per_time = scenario.slots / (law.mean * self.totals.mean_size)
        c.day = -1
        c.mask = world.buckets.size - 2
        c.year = c.mask + 1
        self._fill_rules()
        self._fill_places()
        if workload.phases is not None:
            c.listed = c.phased = 1
            c.barrier, c.queue_capacity = scenario.barrier, queue_capacity(self.totals.tasks, scenario.slots)
            c.learns_weight = bool(self.policy.sharing.as_dict.get("learn_weight"))
        c.tail = min(law.tail, STEEPEST)
        c.learns_tail = bool(self.policy.sharing.as_dict.get("learn_tail"))
        if c.learns_tail:
            c.tail, c.theta = PRIOR_TAIL, max(1.0, 2 / PRIOR_TAIL)
            c.tail_due = max(20.0, 0.25 * scenario.slots)
            slots.start = math.inf

    def _fill_rules(self) -> None:
        """Say what the rules of the policy need and do."""
        c, sharing, speculation = self.world.cluster[0], self._sharing, self._speculation
        c.keeps_serving, c.files_all = sharing.keeps_serving, sharing.files_all
        c.mode = MODES[self._when]
        c.checking = speculation.when != "never"
        c.hears_every_copy_end = speculation.hears_every_copy_end
        c.lists_new = speculation.lists_new
        c.evicting = speculation.evict is not None
        c.clones_jobs = speculation.clones_jobs
        c.skips_dominated_copies = self._skips_dominated_copies
        c.judges_task_sets = speculation.judges_task_sets
        c.copies_on_other_machines = speculation.copies_on_other_machines
        c.barring = speculation.bars_machines
        c.placing = speculation.places or self.workload.blocks.size > 0

    def _fill_places(self) -> None:
        """Say where blocks are, and which slots are worse than others."""
        world, scenario, workload = self.world, self.scenario, self.workload
        c = world.cluster[0]
        c.replicas = workload.blocks.shape[1]
        c.machine_slots, c.remote_factor = scenario.machine_slots, scenario.remote_factor
        c.executor_slots = scenario.machine_slots
        machines = np.arange(0, scenario.slots, scenario.machine_slots)
        world.slots.free_slots[machines] = np.minimum(scenario.machine_slots, scenario.slots - machines)
        world.sites.share, world.sites.slowness = slot_shares(scenario), slowness(scenario)
        if workload.blocks.size:
            world.tasks.head, world.replicas.next = block_lists(workload)
            world.replicas.machine = workload.blocks.ravel()
            if workload.phases is None:
                c.listed = 1
                first = np.repeat(world.jobs.first_task, workload.tasks)
                world.ready[:] = world.tasks.turn = np.arange(workload.total_tasks) - first

    @property
    def _when(self) -> str:
        """When extra copies are launched under this pair of rules."""
        when = self._speculation.when
        when = when if isinstance(when, str) else when(self.policy.speculation.as_dict)
        both_count = self._sharing.budgets and not self._speculation.at_launch and when != "in turn"
        return "budget" if both_count and when != "never" else when

    @cached_property
    def _arguments(self) -> tuple[Any, ...]:
        return (
            self.world,
            *self._sharing.compiled(self._share_values),
            *self._speculation.compiled(self._copy_values),
        )

    def outcome(self) -> Outcome:
        """Read the results, counting the running copies up to the horizon."""
        c, jobs = self.world.cluster[0], self.world.jobs
        resource, extra_time, log = with_running(c, jobs, self.world.log, *self._running())
        return self._outcome(
            resource=resource,
            extra_time=extra_time,
            utilisation=utilisation(c),
            series=means(c, self.world.series),
            holding=self.world.holding.copy(),
            log=log,
            scalars=self._scalars,
        )

    @property
    def _scalars(self) -> dict[str, float | None]:
        """Share of local copies among those that read a block, and the tail index as the rules know it."""
        c = self.world.cluster[0]
        return {"local": float(c.local / c.reading) if c.reading else None, "tail": float(c.tail)}

    def _running(self) -> tuple[Any, np.ndarray]:
        """Return the copies that were running at the horizon, and which of them are extra."""
        c = self.world.cluster[0]
        numbers = np.setdiff1d(np.arange(self.world.slots.size), self.world.idle[: c.free])
        held = self.world.slots[numbers]
        running = records(numbers.size, COPY)
        for name, source in (("job", "job"), ("task", "task"), ("copy", "number"), ("start", "start")):
            running[name] = held[source]
        running["slot"] = numbers
        return running, held.number > 0


# How long a job with phases takes alone on an idle healthy cluster: the denominator of its slowdown.
#
# There is no closed form for pipelined phases, so the engine itself is asked: all copies run at factor 1,
# on healthy machines that hold every block, and each job arrives when the one before it must be done.


def isolated_flowtime(scenario: SlotScenario, workload: Workload) -> np.ndarray:
    """Return the flowtime of each job alone on the idle healthy cluster of a scenario.

    Parameters
    ----------
    scenario : SlotScenario
        Its slots, and how phases wait for each other.
    workload : Workload
        Jobs, with or without phases.

    Returns
    -------
    ndarray of float64, shape (jobs,)
        `sim.model.workload.ideal` for jobs without phases; where jobs have them, up to rounding (1e-9 of the
        largest), since each job is timed on one clock.

    Examples
    --------
    >>> from sim.model.workload import generate
    >>> chain = SlotScenario(slots=10, jobs=1, tasks="constant", tasks_max=8, phases=2, transfer=0.5)
    >>> isolated_flowtime(chain, generate(chain, 0))  # two phases of 4 tasks of size 1, 0.5 in between
    array([2.5])
    """
    phases = workload.phases
    if phases is None:
        return ideal(workload, scenario.slots)
    # One after the other: no job can take longer than all its tasks in turn and all its transfers.
    size = workload.size if not workload.task_size.size else largest_sizes(workload)
    longest = workload.tasks * size + workload.size * np.add.reduceat(phases.ratio, phases.first)
    arrival = np.concatenate([[0.0], np.cumsum(longest)[:-1]]) + np.arange(workload.n)
    healthy = scenario.replace(
        straggle="deterministic", slow_share=0, replicas=0, decision_interval=0, drain=np.inf
    )
    jobs = dataclasses.replace(workload, arrival=arrival, blocks=np.empty((0, 0), np.int32))
    run = SlotRun(healthy, read_policy("fifo+none"), 0, jobs)
    while not run.advance():
        pass
    outcome = run.outcome()
    return outcome.finish - outcome.arrival


def largest_sizes(workload: Workload) -> np.ndarray:
    """Size of the largest task of each job, where sizes are per task."""
    largest: np.ndarray = np.maximum.reduceat(workload.task_size, np.cumsum(workload.tasks) - workload.tasks)
    return largest
