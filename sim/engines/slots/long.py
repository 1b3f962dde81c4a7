"""A replication of very many jobs: they are drawn shortly before they arrive, and forgotten when done.

What is simulated is what `sim.engines.slots.run` simulates: the engine and the rules are the same, and so
are all numbers of jobs, tasks and phases, by which they know each other. Three things are different.

- Jobs come in blocks (`sim.model.streamed_workload`). The next block is admitted while many jobs are still to
  arrive, so that the engine always sees the next arrival. A call of the engine ends before it can come to the
  last instant that is known: an arrival is an event, and the engine is given no more events than there are
  arrivals before that instant.
- Rows are reserved as addresses, not as memory (`sim.kernel.span`). When a block is admitted, the
  jobs that are done are read and the memory of their rows is given back, in groups
  (`sim.engines.slots.row_recycling`). One job that takes long holds up the memory of its group, some pages,
  and no other's.
- Of a job that is done its flowtime, slowdown and resource remain (`sim.model.streaming_statistics`), twelve
  bytes; the warm-up leaves nothing. They are rounded to single precision, and a quantile is that of the
  exact ones, so rounded.

Not for jobs of a trace, which are all there anyway, and not where tasks read blocks, whose machines are drawn
for all tasks together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engines.slots.isolated_flowtime import isolated_flowtime
from sim.engines.slots.policy import SlotPolicy
from sim.engines.slots.row_recycling import RowRecycler
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario
from sim.engines.slots.signatures import HANDED
from sim.kernel.integrals import means, utilisation, with_running
from sim.model.counted_jobs import CountedJobs
from sim.model.outcome import Ending
from sim.model.streamed_workload import StreamedWorkload
from sim.model.streaming_statistics import StreamingStatistics
from sim.model.workload import Workload


class LongRun(SlotRun):
    """A replication under the slot engine whose jobs come and go.

    Parameters
    ----------
    scenario : SlotScenario
    policy : SlotPolicy
    replication : int
    jobs : StreamedWorkload
    log : int, optional
        How many copies to remember for a Gantt chart.
    """

    def __init__(
        self,
        scenario: SlotScenario,
        policy: SlotPolicy,
        replication: int,
        jobs: StreamedWorkload,
        *,
        log: int = 0,
    ) -> None:
        self._jobs_drawn = jobs
        self._blocks = jobs.blocks()
        self._recycler = RowRecycler(jobs.totals.jobs)
        self._isolated_flowtime = self._recycler.allocate(jobs.totals.jobs, float, "jobs")
        self._seen = 0  # jobs that arrive before the last instant that is known
        self._until = -np.inf  # that instant
        self._seated = 2 * (jobs.block + jobs.ahead)  # jobs that the sharing rule has room for
        super().__init__(scenario, policy, replication, next(self._blocks), log=log, totals=jobs.totals)
        self._statistics = StreamingStatistics(self.totals.jobs, int(self._clock.first_counted))

    def _rows(self, dtype: Any, of: str, each: int = 1, ahead: int = 0, behind: int = 0) -> Any:
        count = ahead + each * getattr(self.totals, of) + behind
        return self._recycler.allocate(count, dtype, of, each, ahead)

    @property
    def _seats(self) -> int:
        """Room for those in the system, as far as they are known: more when they are (`_seat`)."""
        return super()._seats if self._sharing.more_seats is None else self._seated

    def _store(self, slots: int, tasks: int) -> np.ndarray:
        ahead, store_size = self._speculation.store_before_tasks, self._speculation.store_size
        each = store_size(slots, 1) - store_size(slots, 0)
        if ahead is None or each == 0:
            return super()._store(slots, tasks)
        first = ahead(slots)
        rows: np.ndarray = self._rows(float, "tasks", each, first, store_size(slots, 0) - first)
        return rows[: store_size(slots, tasks)]

    def _together(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Let arrays lie where few pages cover them, but for those whose pages are given back."""
        spans = {name: rows for name, rows in arrays.items() if self._recycler.has(rows)}
        return super()._together({name: rows for name, rows in arrays.items() if name not in spans}) | spans

    def _admit(self, workload: Workload) -> None:
        first, before = self._admitted[0], self._admitted[1:]
        super()._admit(workload)
        self._isolated_flowtime[first : first + workload.n] = isolated_flowtime(self.scenario, workload)
        self._recycler.note("tasks", first, before[0] + np.cumsum([0, *workload.tasks]))
        if workload.phases is not None:
            self._recycler.note("phases", first, before[1] + np.cumsum([0, *workload.phases.count]))
        last = workload.span
        if last > self._until:
            self._seen = first + int(np.searchsorted(workload.arrival, last))
            self._until = last

    def _advance(self, events: int) -> bool:
        until = self.events + events
        while True:
            self._draw_next()
            known = self._seen - int(self._clock.arrived) if self._admitted[0] < self.totals.jobs else events
            if super()._advance(min(until - self.events, known)):
                return True
            if self.events >= until:
                return False

    def _draw_next(self) -> None:
        """Admit blocks until enough jobs are known before they arrive, and let go what is done."""
        while (
            self._admitted[0] < self.totals.jobs and self._seen - self._clock.arrived < self._jobs_drawn.ahead
        ):
            self._forget(self._recycler.ended(self._jobs.finish, int(self._clock.arrived)))
            self._admit(next(self._blocks))
            self._seat()

    def _seat(self) -> None:
        """See that the sharing rule has room for all who are in the system or may come to it now."""
        c, more_seats = self._clock, self._sharing.more_seats
        there = int(c.active) + self._admitted[0] - int(c.arrived)
        if more_seats is not None and there > self._seated:
            self._seated = 2 * there
            self.world = self._listed(
                self.world._replace(order=more_seats(self.world.order, self._seated)), HANDED
            )
            vars(self).pop("_arguments", None)  # they name the world

    def _forget(self, groups: np.ndarray) -> None:
        """Keep what is wanted of jobs that are done, and give their memory back."""
        numbers = self._recycler.members(groups)
        self._statistics.take(numbers, self._jobs[numbers], self._isolated_flowtime[numbers])
        self._recycler.give_back(groups)

    def ended(self) -> tuple[CountedJobs, Ending]:
        """Read the results once, counting the running copies up to the horizon."""
        c, left = self._clock, self._recycler.members(self._recycler.left())
        jobs = self._jobs[left]
        running, extra = self._running()
        places = np.searchsorted(left, running.job)
        jobs.resource, jobs.extra_time, log = with_running(c, jobs, self.world.log, running, extra, places)
        self._statistics.take(left, jobs, self._isolated_flowtime[left], float(c.now))
        ending = Ending(
            **self._alike,
            last_arrival=self.totals.span,
            utilisation=utilisation(c),
            series=means(c, self.world.series),
            holding=self.world.holding.copy(),
            log=log,
            scalars=self._scalars,
        )
        return self._statistics.counted(self._jobs_drawn.tasks, self.totals.tasks), ending
