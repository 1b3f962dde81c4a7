"""One replication of one policy: the arrays of the engine, filled, advanced and read."""

from __future__ import annotations

import math
import time
from functools import cached_property
from typing import Any

import numpy as np

from sim.laws import straggle_law
from sim.outcome import Outcome, first_counted
from sim.policy import SHARING, SPECULATION, Chosen, Policy, Sharing, Speculation, check_fit
from sim.scenario import Scenario
from sim.slots.calendar import ABSENT
from sim.slots.engine import BUDGET, DONE, NEVER, SPARE, URGENT, advance
from sim.slots.records import CLUSTER, COPY, ITEM, JOB, LEVEL, SLOT, no_levels, records
from sim.streams import run_key, stream
from sim.workload import Workload

MODES = {"never": NEVER, "urgent": URGENT, "budget": BUDGET, "spare": SPARE}
#: Points of the time series of one replication, from the first instant to the last arrival.
EDGES = 200
#: Classes of the slots a job holds per remaining task: tenths, the last one open.
HOLDING = 41
#: Events of one engine call: short enough (a few hundredths of a second) to stop or show progress.
STEP = 100_000


class Run:
    """A replication in progress; `advance` it until it is done, then read its `outcome`.

    Parameters
    ----------
    scenario : Scenario
        What is simulated.
    policy : Policy
        Under which policy.
    replication : int
        Which luck.
    workload : Workload
        The jobs, the same for every policy.
    log : int, optional
        How many copies to remember for a Gantt chart.
    """

    def __init__(
        self, scenario: Scenario, policy: Policy, replication: int, workload: Workload, *, log: int = 0
    ) -> None:
        self.scenario = scenario
        self.policy = policy
        self.replication = replication
        self.workload = workload
        self.seconds = 0.0
        self.done = False
        self._sharing = SHARING()[policy.sharing.key]
        self._speculation = SPECULATION()[policy.speculation.key]
        check_fit(policy, scenario)
        self._allocate(log)
        self._fill()

    @property
    def events(self) -> int:
        """Events that have happened."""
        return int(self.cluster[0].events)

    @property
    def finished_tasks(self) -> int:
        """Tasks that are done."""
        return int(self.cluster[0].done_tasks)

    def advance(self, events: int = STEP) -> bool:
        """Let `events` more events happen; return whether the run is over."""
        arguments = (*self._arrays, *self._rules, events)  # may compile, which is not the engine's time
        begun = time.perf_counter()
        status = advance(*arguments)
        self.seconds += time.perf_counter() - begun
        self.done = status == DONE
        return self.done

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
        self.order = no_levels(largest)
        self.job_roots = np.full(2 * (largest + 2), -1, np.int32)
        self.slot_roots = np.full(2 * jobs + 2, -1, np.int32)
        self.store = np.zeros(self._room(slots))
        self.series = np.zeros((EDGES, 4))
        self.holding = np.zeros(HOLDING)
        self.log = records(log, COPY)

    def _room(self, slots: int) -> int:
        """Numbers the speculation rule remembers."""
        if self._speculation.room is not None:
            return self._speculation.room(slots, self.workload.total_tasks)
        return self.workload.total_tasks if self._speculation.stores_durations else 1

    def _fill(self) -> None:
        """Set the state in which nothing has happened yet."""
        scenario, workload = self.scenario, self.workload
        law = straggle_law(scenario)
        self.jobs.arrival, self.jobs.task_size, self.jobs.tasks = (
            workload.arrival,
            workload.size,
            workload.tasks,
        )
        self.jobs.first_task = np.concatenate([[0], np.cumsum(workload.tasks)[:-1]])
        self.jobs.finish = self.jobs.start = math.inf
        self.jobs.heap = self.jobs.level = self.jobs.queued = self.slots.heap = -1
        self.items.prev = ABSENT
        last = float(workload.arrival[-1])
        c = self.cluster[0]
        c.slots = c.free = scenario.slots
        c.jobs = workload.n
        c.horizon = last + scenario.drain * workload.span if math.isfinite(scenario.drain) else math.inf
        c.mean_factor = law.mean
        c.law = law.code
        c.observe_kind = ("age", "fraction", "never").index(scenario.observation.kind)
        c.observe_at = scenario.observation.at
        c.mode = MODES[self._when]
        c.watching = self._speculation.when != "never"
        c.learning = self._speculation.stores_durations or self._speculation.room is not None
        c.loyal, c.files_all = self._sharing.loyal, self._sharing.files_all
        c.wake = c.first_new = c.last_new = c.restart = c.placed = -1
        c.dropping, c.placing = self._speculation.drop is not None, self._speculation.places
        self.slots.spot[self.idle] = np.arange(scenario.slots)
        c.interval, c.decide_at = scenario.decision_interval, math.inf
        c.lists_new = self._speculation.lists_new
        c.theta = max(1.0, 2 / law.tail)
        c.sizes_per_task = workload.task_size.size > 0
        # rounded down, so that the clock of a run that stops at the last arrival reaches the last edge
        c.edge_step = c.next_edge = math.nextafter(last / EDGES, 0) if last > 0 else math.inf
        c.first_counted = first_counted(scenario, workload.n)
        c.days_per_time = scenario.slots / (law.mean * float(workload.size.mean()))
        c.day = -1
        c.mask = self.buckets.size - 1

    @property
    def _when(self) -> str:
        """When extra copies are launched under this pair of rules."""
        when = self._speculation.when
        when = when if isinstance(when, str) else when(self.policy.speculation.as_dict)
        both_count = self._sharing.budgets and not self._speculation.at_launch
        return "budget" if both_count and when != "never" else when

    @cached_property
    def _arrays(self) -> tuple[Any, ...]:
        """Everything the engine reads and writes, in its order of arguments."""
        law = np.array(straggle_law(self.scenario).numbers or (0.0,))
        sizes = self.workload.task_size if self.workload.task_size.size else np.zeros(1)
        return (
            self.cluster, self.jobs, self.slots, self.items, self.buckets, self.front, self.idle, self.levels,
            self.order, self.job_roots, self.slot_roots, self.store, self.series, self.holding, self.log,
            law, sizes, slot_shares(self.scenario), self._numbers(self._sharing, self.policy.sharing),
            self._numbers(self._speculation, self.policy.speculation),
            np.uint64(run_key(self.scenario.seed, self.replication)),
        )  # fmt: skip

    @cached_property
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

    def _numbers(self, rule: Sharing | Speculation, chosen: Chosen) -> np.ndarray:
        """Numbers a rule's functions read."""
        return rule.prepare(self.scenario, chosen.as_dict) if rule.prepare else np.zeros(1)

    def outcome(self) -> Outcome:
        """Read the results, counting the running copies up to the horizon."""
        c, jobs = self.cluster[0], self.jobs
        resource, extra_time = jobs.resource.copy(), jobs.extra_time.copy()
        log: Any = self.log[: c.logged]
        if c.busy:
            resource, extra_time, log = self._with_running(resource, extra_time, log)
        width = float(c.edge_step)
        return Outcome(
            arrival=jobs.arrival.copy(), start=jobs.start.copy(), finish=jobs.finish.copy(),
            tasks=jobs.tasks.copy(), copies=jobs.copies.copy(), extra=jobs.extra.copy(),
            killed=jobs.killed.copy(),
            resource=resource, extra_time=extra_time, tasks_done=int(c.done_tasks),
            utilisation=utilisation(c), series=np.diff(self.series, axis=0, prepend=0.0) / width,
            holding=self.holding.copy(), end=float(c.now), last_arrival=float(jobs.arrival[-1]), log=log,
            events=int(c.events), seconds=self.seconds,
        )  # fmt: skip

    def _with_running(self, resource: np.ndarray, extra_time: np.ndarray, log: Any) -> tuple[Any, ...]:
        """Add the copies that were running at the horizon."""
        c = self.cluster[0]
        running = np.setdiff1d(np.arange(c.slots), self.idle[: c.free])
        held = self.slots[running]
        ran = c.now - held.start
        np.add.at(resource, held.job, ran)
        np.add.at(extra_time, held.job, np.where(held.number > 0, ran, 0.0))
        room = max(0, self.log.size - int(c.logged))
        if room:
            still = records(min(room, running.size), COPY)
            for name, source in (("job", "job"), ("task", "task"), ("copy", "number"), ("start", "start")):
                still[name] = held[source][:room]
            still["slot"], still["end"], still["fate"] = running[:room], c.now, 2
            log = np.concatenate([log, still]).view(np.recarray)
        return resource, extra_time, log


def utilisation(cluster: Any) -> float:
    """Busy slot-time / (slots x time) between the first counted arrival and the last arrival."""
    span = cluster.last_time - cluster.warm_time
    if span <= 0:
        return 0.0
    return float((cluster.last_area - cluster.warm_area) / (cluster.slots * span))


def slot_shares(scenario: Scenario) -> np.ndarray:
    """Outlier probability of each slot; the same for all unless the scenario spreads them."""
    luck = stream(scenario.seed, 0, "slots").uniform(-1, 1, scenario.slots)
    return np.clip(scenario.outlier_share * (1 + scenario.outlier_spread * luck), 0, 1)
