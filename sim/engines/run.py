"""The common part of the runs of all engines: one replication of one policy."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from sim.kernel.hook import table_of
from sim.kernel.records import records, together
from sim.model.outcome import Outcome, first_counted
from sim.model.rule import Rule, begin
from sim.model.workload import Totals, Workload

#: Points of the time series of one replication, from the first instant to the last arrival.
EDGES = 200


class Run(ABC):
    """A replication in progress; `advance` it until it is done, then read its `outcome`.

    An engine's subclass makes and fills its arrays, and calls its kernel.

    Parameters
    ----------
    scenario : Scenario
        What is simulated.
    policy : Policy
        Under which policy.
    replication : int
        Which luck.
    workload : Workload
        The jobs, the same for every policy; the first of them where others are yet to be drawn.
    totals : Totals, optional
        What is known of all jobs, where `workload` has only the first.
    """

    #: Events of one engine call: short enough (a few hundredths of a second) to stop or show progress.
    STEP: ClassVar[int] = 100_000
    #: The engine's loop, as `sim.kernel.compile.engine` declares it.
    ENGINE: ClassVar[Any]

    def __init__(
        self,
        scenario: Any,
        policy: Any,
        replication: int,
        workload: Workload,
        totals: Totals | None = None,
    ) -> None:
        self.scenario = scenario
        self.policy = policy
        self.replication = replication
        self.workload = workload
        self.totals = totals or Totals.of([workload])
        self.seconds = 0.0
        self.done = False

    @property
    @abstractmethod
    def _clock(self) -> Any:
        """Record of the cluster: the time, what has been counted, when the run ends."""

    @property
    @abstractmethod
    def _jobs(self) -> Any:
        """Records of the jobs."""

    @property
    @abstractmethod
    def _arguments(self) -> tuple[Any, ...]:
        """What the kernel is called with, made once: rules may be compiled for it."""

    @abstractmethod
    def _advance(self, events: int) -> bool:
        """Call the kernel for so many events; return whether the run is over."""

    @property
    def events(self) -> int:
        """Events that have happened."""
        return int(self._clock.events)

    @property
    def finished_tasks(self) -> int:
        """Tasks that are done; redundant ones that were not needed are left out."""
        return int(self._clock.done_tasks)

    def advance(self, events: int = 0) -> bool:
        """Let `events` more events happen (`STEP` unless given); return whether the run is over."""
        _ = self._arguments, self.ENGINE.compiled  # before the clock runs: compiling is not the engine's time
        begun = time.perf_counter()
        self.done = self._advance(events or self.STEP)
        self.seconds += time.perf_counter() - begun
        return self.done

    def _keep_states(self, **rules: Rule) -> None:
        """Allocate what rules keep of jobs and slots, by how the names of their arrays begin."""
        self._rules, self.own = rules, {}
        for own, rule in rules.items():
            for name, record in rule.states:
                self.own[own + name] = self._state_rows(name, record)
            if slot_state := getattr(rule, "slot_state", None):
                begin(self.own[f"{own}slot_state"], slot_state)

    def _arranged(self, world: Any, seen: Collection[str]) -> Any:
        """Let the arrays lie where few pages cover them, and note where those are that rules may see."""
        found = self._together(world._asdict() | self.own | {"table": np.zeros(2 * len(seen), np.int64)})
        self.own = {name: found.pop(name) for name in self.own}
        return self._listed(type(world)(**found), seen)

    def _together(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Let arrays lie where few pages cover them."""
        return together(arrays)

    def _listed(self, world: Any, seen: Collection[str]) -> Any:
        """Note where the arrays are that rules may see."""
        table = table_of(seen, world._asdict() | self.own)
        if not isinstance(table, np.ndarray):
            return world._replace(table=table)
        world.table[:] = table
        return world

    def _state_rows(self, name: str, record: np.dtype) -> Any:
        """Allocate zeroed records of all jobs or slots."""
        return records(self.totals.jobs if name == "job_state" else self.scenario.slots, record)

    def _fill_jobs(self, workload: Workload, before: int = 0) -> None:
        """Set jobs, none of which has started; so many came before them."""
        for own, rule in self._rules.items():
            if rule.job_state:
                begin(self.own[f"{own}job_state"][before : before + workload.n], rule.job_state)
        jobs = self._jobs[before : before + workload.n]
        jobs.arrival, jobs.task_size, jobs.tasks = workload.arrival, workload.size, workload.tasks
        jobs.finish = jobs.start = math.inf

    def _fill_clock(self) -> None:
        """Set when the run ends and is looked at, and the law of the straggle factors."""
        scenario, c = self.scenario, self._clock
        jobs, last = self.totals.jobs, self.totals.span
        c.slots, c.jobs = scenario.slots, jobs
        c.horizon = last + scenario.drain * last if math.isfinite(scenario.drain) else math.inf
        c.law = scenario.straggle_law.code
        # rounded down, so that the clock of a run that stops at the last arrival reaches the last edge
        c.edge_step = c.next_edge = math.nextafter(last / EDGES, 0) if last > 0 else math.inf
        c.first_counted = first_counted(scenario, jobs)

    @property
    def _law_numbers(self) -> np.ndarray:
        """Parameters of the law of the straggle factors."""
        return np.array(self.scenario.straggle_law.numbers or (0.0,))

    @abstractmethod
    def outcome(self) -> Outcome:
        """Read the results, counting the running copies up to the horizon."""

    def _outcome(self, **measured: Any) -> Outcome:
        """Return the outcome: what the engine has measured, and what is read alike under every engine."""
        jobs = self._jobs
        counted = ("arrival", "start", "finish", "tasks", "copies", "extra", "killed")
        alike = self._alike | {"last_arrival": float(jobs.arrival[-1])}
        return Outcome(**{name: jobs[name].copy() for name in counted} | alike | measured)

    @property
    def _alike(self) -> dict[str, Any]:
        """What is read of a run alike under every engine."""
        c = self._clock
        return {
            "tasks_done": int(c.done_tasks),
            "end": float(c.now),
            "events": int(c.events),
            "seconds": self.seconds,
        }
