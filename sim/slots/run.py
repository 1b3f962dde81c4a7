"""One replication of one policy: the arrays of the engine, filled, advanced and read."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from sim.kernel.calendar import ABSENT
from sim.kernel.integrals import means, utilisation, with_running
from sim.kernel.streams import run_key, stream
from sim.outcome import Outcome
from sim.phases import Phases
from sim.run import EDGES, Run
from sim.slots.engine import BUDGET, DONE, NEVER, SPARE, URGENT, advance
from sim.slots.policy import SlotPolicy, check_fit, sharing_rules, speculation_rules
from sim.slots.records import (
    CLUSTER,
    COPY,
    DELIVERY,
    ITEM,
    JOB,
    LEVEL,
    PHASE,
    SITE,
    SLOT,
    no_levels,
    records,
)
from sim.slots.scenario import SlotScenario
from sim.slots.tail import PRIOR_TAIL
from sim.workload import Workload

MODES = {"never": NEVER, "urgent": URGENT, "budget": BUDGET, "spare": SPARE}
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
    """

    def __init__(
        self,
        scenario: SlotScenario,
        policy: SlotPolicy,
        replication: int,
        workload: Workload,
        *,
        log: int = 0,
    ) -> None:
        super().__init__(scenario, policy, replication, workload)
        self._sharing = sharing_rules()[policy.sharing.key]
        self._speculation = speculation_rules()[policy.speculation.key]
        check_fit(policy, scenario)
        self._allocate(log)
        self._fill()

    @property
    def _clock(self) -> Any:
        return self.cluster[0]

    @property
    def _jobs(self) -> Any:
        return self.jobs

    def _advance(self, events: int) -> bool:
        status: int = advance(*self._arguments, events)
        return status == DONE

    def _allocate(self, log: int) -> None:
        """Make the arrays, empty."""
        slots, jobs = self.scenario.slots, self.workload.n
        largest = int(self.workload.tasks.max())
        buckets = 1 << max(4, (2 * slots - 1).bit_length())
        self.cluster = records(1, CLUSTER)
        self.jobs = records(jobs, JOB)
        self.slots = records(slots, SLOT)
        self.items = records(2 * slots, ITEM)
        self.buckets = np.full(buckets, -1, np.int32)
        self.front = np.zeros(2 * slots, np.int32)
        self.idle = np.arange(slots, dtype=np.int32)[::-1].copy()
        self.levels = records(largest + 2, LEVEL)
        memory = self._sharing.memory
        self.order = np.zeros(8 + memory * jobs) if memory else no_levels(largest)
        self.job_roots, self.lists = self._lists(2 * (largest + 2))
        self.slot_roots = np.full(2 * jobs + 2, -1, np.int32)
        self.store = np.zeros(self._room(slots))
        self.series = np.zeros((EDGES, 4))
        self.holding = np.zeros(HOLDING)
        self.log = records(log, COPY)
        phases = self.workload.phases
        self.phases = records(1, PHASE) if phases is None else phase_table(phases)
        self.deliveries = records(1 if phases is None else self.workload.total_tasks, DELIVERY)
        self.sites = records(slots, SITE)

    def _lists(self, heaps: int) -> tuple[np.ndarray, dict[str, int]]:
        """Return the integers of the sharing rule: its heaps and, behind them, lists of tasks; and where."""
        workload = self.workload
        if workload.phases is None and not workload.blocks.size:
            return np.full(heaps, -1, np.int32), {}
        parts = {"ready": np.arange(workload.total_tasks)}
        if workload.phases is None:
            parts["ready"] -= np.repeat(np.cumsum(workload.tasks) - workload.tasks, workload.tasks)
        if workload.blocks.size:
            heads, links = block_lists(workload)
            parts |= {
                "whereabouts": parts["ready"],
                "heads": heads,
                "links": links,
                "blocks": workload.blocks.ravel(),
            }
        sizes = [heaps, *(part.size for part in parts.values())]
        begins = dict(zip(parts, np.cumsum(sizes).tolist(), strict=False))
        return np.concatenate([np.full(heaps, -1), *parts.values()]).astype(np.int32), begins

    def _room(self, slots: int) -> int:
        """Numbers the speculation rule remembers."""
        if self._speculation.room is not None:
            return self._speculation.room(slots, self.workload.total_tasks)
        return self.workload.total_tasks if self._speculation.stores_durations else 1

    def _fill(self) -> None:
        """Set the state in which nothing has happened yet."""
        scenario, workload = self.scenario, self.workload
        law = scenario.straggle_law
        self._fill_jobs()
        self._fill_clock()
        self.jobs.first_task = np.concatenate([[0], np.cumsum(workload.tasks)[:-1]])
        self.jobs.released = workload.tasks
        self.jobs.heap = self.jobs.level = self.jobs.queued = self.slots.heap = -1
        self.items.prev = ABSENT
        c = self.cluster[0]
        c.free = scenario.slots
        c.mean_factor = law.mean
        c.observe_kind = ("age", "fraction", "never").index(scenario.observation.kind)
        c.observe_at = scenario.observation.at
        c.mode = MODES[self._when]
        c.watching = self._speculation.when != "never"
        c.learning = self._speculation.stores_durations or self._speculation.room is not None
        c.keeps_serving, c.files_all = self._sharing.keeps_serving, self._sharing.files_all
        c.wake = c.first_new = c.last_new = c.restart = c.placed = -1
        c.dropping = self._speculation.drop is not None
        c.clones_jobs = self._speculation.clones_jobs
        c.placing = self._speculation.places or workload.blocks.size > 0
        self.slots.spot[self.idle] = np.arange(scenario.slots)
        c.interval, c.decide_at = scenario.decision_interval, math.inf
        c.lists_new = self._speculation.lists_new
        c.theta = max(1.0, 2 / law.tail)
        c.sizes_per_task = workload.task_size.size > 0
        c.days_per_time = scenario.slots / (law.mean * float(workload.size.mean()))
        c.day = -1
        c.mask = self.buckets.size - 1
        self._fill_places()
        if workload.phases is not None:
            self.jobs.first_phase, self.jobs.released = workload.phases.first, 0
            c.phased, c.barrier = 1, scenario.barrier
            c.learns_weight = bool(self.policy.sharing.as_dict.get("learn_weight"))
        c.tail = min(law.tail, STEEPEST)
        c.learns_tail = bool(self.policy.sharing.as_dict.get("learn_tail"))
        if c.learns_tail:
            c.tail, c.theta = PRIOR_TAIL, max(1.0, 2 / PRIOR_TAIL)
            c.tail_due = max(20.0, 0.25 * scenario.slots)
            self.slots.start = math.inf

    def _fill_places(self) -> None:
        """Say where blocks are, and which slots are worse than others."""
        c, scenario = self.cluster[0], self.scenario
        c.listed = bool(self.lists)
        for name, begin in self.lists.items():
            c[name] = begin
        c.replicas = self.workload.blocks.shape[1]
        c.machine_slots, c.remote_factor = scenario.machine_slots, scenario.remote_factor
        self.sites.share, self.sites.slowness = slot_shares(scenario), slowness(scenario)

    @property
    def _when(self) -> str:
        """When extra copies are launched under this pair of rules."""
        when = self._speculation.when
        when = when if isinstance(when, str) else when(self.policy.speculation.as_dict)
        both_count = self._sharing.budgets and not self._speculation.at_launch
        return "budget" if both_count and when != "never" else when

    @cached_property
    def _arguments(self) -> tuple[Any, ...]:
        return (*self._arrays, *self._rules)

    @property
    def _arrays(self) -> tuple[Any, ...]:
        """Everything the engine reads and writes, in its order of arguments."""
        sizes = self.workload.task_size if self.workload.task_size.size else np.zeros(1)
        return (
            self.cluster, self.jobs, self.slots, self.items, self.buckets, self.front, self.idle, self.levels,
            self.order, self.job_roots, self.slot_roots, self.store, self.series, self.holding, self.log,
            self.phases, self.deliveries, self.sites,
            self._law_numbers, sizes, self._numbers(self._sharing, self.policy.sharing),
            self._numbers(self._speculation, self.policy.speculation),
            np.uint64(run_key(self.scenario.seed, self.replication)),
        )  # fmt: skip

    @property
    def _rules(self) -> tuple[Any, ...]:
        """The compiled functions of the policy."""
        share, copy = self._sharing, self._speculation
        return tuple(
            rule.compiled
            for rule in (
                share.touch,
                share.pick,
                copy.watch,
                copy.notice,
                copy.lose,
                copy.choose,
                copy.drop or copy.choose,  # never called if there is none
            )
        )

    def outcome(self) -> Outcome:
        """Read the results, counting the running copies up to the horizon."""
        c, jobs = self.cluster[0], self.jobs
        resource, extra_time, log = with_running(c, jobs, self.log, *self._running())
        return self._outcome(
            resource=resource, extra_time=extra_time, utilisation=utilisation(c),
            series=means(c, self.series), holding=self.holding.copy(), log=log, scalars=self._scalars,
        )  # fmt: skip

    @property
    def _scalars(self) -> dict[str, float | None]:
        """Share of local copies among those that read a block, and the tail index as the rules know it."""
        c = self.cluster[0]
        return {"local": float(c.local / c.reading) if c.reading else None, "tail": float(c.tail)}

    def _running(self) -> tuple[Any, np.ndarray]:
        """Return the copies that were running at the horizon, and which of them are extra."""
        c = self.cluster[0]
        numbers = np.setdiff1d(np.arange(c.slots), self.idle[: c.free])
        held = self.slots[numbers]
        running = records(numbers.size, COPY)
        for name, source in (("job", "job"), ("task", "task"), ("copy", "number"), ("start", "start")):
            running[name] = held[source]
        running["slot"] = numbers
        return running, held.number > 0


def phase_table(phases: Phases) -> np.recarray:
    """Phases of all jobs as the engines know them, none of which runs yet."""
    table = records(phases.tasks.size, PHASE)
    first = np.repeat(phases.first, phases.count)
    begins = np.cumsum(phases.tasks) - phases.tasks
    table.ratio, table.tasks, table.fed = phases.ratio, phases.tasks, phases.is_fed
    table.first = begins - begins[first]
    table.into = np.where(phases.into < 0, -1, phases.into + first)
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
