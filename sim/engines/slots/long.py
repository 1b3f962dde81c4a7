"""A replication of very many jobs: they are drawn shortly before they arrive, and forgotten when done.

What is simulated is what `sim.engines.slots.run` simulates: the engine and the rules are the same, and so
are all numbers of jobs, tasks and phases, by which they know each other. Three things are different.

- Jobs come in blocks (`sim.model.workload`). The next block is admitted while many jobs are still to
  arrive, so that the engine always sees the next arrival. A call of the engine ends before it can come to the
  last instant that is known: an arrival is an event, and the engine is given no more events than there are
  arrivals before that instant.
- Rows are reserved as addresses, not as memory (`sim.kernel.integrals`). When a block is admitted, the
  jobs that are done are read and the memory of their rows is given back, in groups
  (`sim.engines.slots.long`). One job that takes long holds up the memory of its group, some pages, and no
  other's.
- Of a job that is done its flowtime, slowdown and resource remain (`sim.engines.slots.long`), twelve bytes;
  the warm-up leaves nothing. They are rounded to single precision, and a quantile is that of the exact ones,
  so rounded.

Not for jobs of a trace, which are all there anyway, and not where tasks read blocks, whose machines are drawn
for all tasks together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sim.engines.engine import EngineImplementation
from sim.engines.slots.run import SlotRun, isolated_flowtime
from sim.engines.slots.scenario import SlotPolicy, SlotScenario, check_fit
from sim.engines.slots.signatures import HANDED
from sim.kernel.integrals import Span, means, utilisation, with_running
from sim.model.counted_jobs import CountedJobs, class_of
from sim.model.outcome import Ending
from sim.model.workload import StreamedWorkload, Workload

# The rows of a long run: which are in use; the memory of those whose jobs are done is given back.
#
# A row keeps its number from the beginning to the end (`sim.kernel.integrals`), so rules and engine need not
# know that there are blocks. Rows are looked at in groups: a group whose jobs are all done is read once,
# and its memory is given back with that of the groups beside it that are gone already.

#: Jobs of a group: their records fill three pages.
GROUP = 64
#: Groups beside those given back that may share a page with them.
BESIDE = 16


@dataclass(frozen=True, slots=True)
class Rows:
    """Allocated rows: something of every job, or of every task or phase.

    Attributes
    ----------
    span : Span
    of : str
        'jobs', 'tasks' or 'phases'.
    each, ahead : int
        Rows of each, and rows before the first of them.
    """

    span: Span
    of: str
    each: int
    ahead: int


class RowRecycler:
    """Which groups of jobs are in the system, and the memory of those that are not.

    Parameters
    ----------
    jobs : int
        How many there are in all.
    """

    def __init__(self, jobs: int) -> None:
        groups = -(-jobs // GROUP)
        self._jobs = jobs
        self._gone = np.zeros(groups, bool)
        self._open = np.empty(0, np.int64)
        self._opened = 0
        self._rows: list[Rows] = []
        #: How many tasks and phases come before each group, and in all.
        self._before = {"tasks": np.zeros(groups + 1, np.int64), "phases": np.zeros(groups + 1, np.int64)}

    def allocate(self, count: int, dtype: Any, of: str, each: int = 1, ahead: int = 0) -> Any:
        """Allocate rows; those of jobs that are done will be given back."""
        span = Span(count + GROUP * each, dtype)  # the last group may have fewer jobs
        self._rows.append(Rows(span, of, each, ahead))
        return span.rows

    def has(self, rows: np.ndarray) -> bool:
        """Tell whether this has allocated an array."""
        return any(np.may_share_memory(rows, one.span.rows) for one in self._rows)

    def note(self, of: str, first: int, before: np.ndarray) -> None:
        """Note how many tasks (or phases) come before each of the jobs from `first` on, the next one too."""
        jobs = np.arange(first, first + before.size)
        begins = jobs % GROUP == 0
        self._before[of][jobs[begins] // GROUP] = before[begins]
        if jobs[-1] == self._jobs:
            self._before[of][-1] = before[-1]

    def ended(self, finish: np.ndarray, arrived: int) -> np.ndarray:
        """Return the groups whose jobs are all done, and were not the last time; so many have arrived."""
        opened = self._gone.size if arrived == self._jobs else arrived // GROUP
        groups = np.concatenate([self._open, np.arange(self._opened, opened)])
        times = finish[: GROUP * self._gone.size].reshape(-1, GROUP)[groups]
        done = np.isfinite(times).all(axis=1)
        self._open, self._opened = groups[~done], opened
        self._gone[groups[done]] = True
        return groups[done]

    def left(self) -> np.ndarray:
        """Return the groups that are in use."""
        return np.flatnonzero(~self._gone)

    def members(self, groups: np.ndarray) -> np.ndarray:
        """Return the jobs of groups, in order."""
        jobs = (GROUP * groups[:, None] + np.arange(GROUP)).ravel()
        return jobs[jobs < self._jobs]

    def give_back(self, groups: np.ndarray) -> None:
        """Give back the memory of groups that are done."""
        for first, stop in self._runs(groups):
            for rows in self._rows:
                begin, end = (self._begin(rows.of, group) for group in (first, stop))
                rows.span.give_back(rows.ahead + rows.each * begin, rows.ahead + rows.each * end)

    def _begin(self, of: str, group: int) -> int:
        """Return how many jobs, tasks or phases come before a group."""
        return GROUP * group if of == "jobs" else int(self._before[of][group])

    def _runs(self, groups: np.ndarray) -> Iterator[tuple[int, int]]:
        """Yield runs of these groups, with those beside them that are gone."""
        gone = self._gone
        for run in np.split(groups, np.flatnonzero(np.diff(groups) > 1) + 1) if groups.size else ():
            first, stop = int(run[0]), int(run[-1]) + 1
            lowest, highest = max(first - BESIDE, 0), min(stop + BESIDE, gone.size)
            while first > lowest and gone[first - 1]:
                first -= 1
            while stop < highest and gone[stop]:
                stop += 1
            yield first, stop


# Statistics of the jobs of a long run, collected as they end: twelve bytes per counted job.
#
# Three measures in single precision, in the order of arrival: rounding to 24 bits keeps every order, so
# that a quantile is what it would be, rounded so; a mean is that of the rounded values, whose errors
# cancel. How many tasks a job had is drawn again when it is asked for. Sums are exact, whatever the order
# in which jobs are looked at.

#: Measures that are kept of each job.
MEASURES = ("flowtime", "slowdown", "resource")
#: Bits of the fraction of a float, and of one half of it.
BITS, HALF = 53, 26


class ExactSum:
    """A sum of floats that is rounded once, at the end.

    Examples
    --------
    >>> total = ExactSum()
    >>> total.add(np.array([1e16, 1.0, -1e16])), total.add(np.array([2.0**-60])), float(total)
    (None, None, 1.0)
    """

    def __init__(self) -> None:
        self._wholes: Counter[int] = Counter()

    def add(self, values: np.ndarray) -> None:
        """Add up to 2**36 numbers."""
        fractions, exponents = np.frexp(values[values != 0])
        wholes = np.ldexp(fractions, BITS).astype(np.int64)
        for exponent in np.unique(exponents):
            chosen = wholes[exponents == exponent]  # in halves, which do not overflow
            self._wholes[int(exponent)] += (int((chosen >> HALF).sum()) << HALF) + int(
                (chosen & ((1 << HALF) - 1)).sum()
            )

    def __float__(self) -> float:
        return float(sum(whole * Fraction(2) ** (place - BITS) for place, whole in self._wholes.items()))


class StreamingStatistics:
    """Columns of the jobs that count, filled as they end.

    Parameters
    ----------
    jobs, first : int
        How many there are, and the first of them that counts.
    """

    def __init__(self, jobs: int, first: int) -> None:
        self.jobs, self.first = jobs, first
        self.columns = {name: np.zeros(jobs - first, np.float32) for name in MEASURES}
        self.copies = self.extra = self.unfinished = 0
        self.extra_time = ExactSum()
        self._open: list[np.ndarray] = []

    def take(
        self, numbers: np.ndarray, jobs: np.recarray, isolated_flowtime: np.ndarray, end: float = np.inf
    ) -> None:
        """Keep what is wanted of jobs that are done, or of those that are not when the run ends.

        Parameters
        ----------
        numbers : ndarray of int
            Which these are.
        jobs : recarray
            Their records.
        isolated_flowtime : ndarray
            Their flowtimes alone on an idle healthy cluster.
        end : float, optional
            When the run ended.
        """
        unfinished = np.isinf(jobs.finish)
        self.unfinished += int(unfinished.sum())
        counts = numbers >= self.first
        places, these = numbers[counts] - self.first, jobs[counts]
        flowtime = np.minimum(these["finish"], end) - these["arrival"]
        measured = flowtime, flowtime / isolated_flowtime[counts], these["resource"]
        for name, values in zip(MEASURES, measured, strict=True):
            self.columns[name][places] = values
        self.copies += int(these["copies"].sum())
        self.extra += int(these["extra"].sum())
        self.extra_time.add(these["extra_time"])
        self._open.append(places[unfinished[counts]])

    def counted(self, tasks: Callable[[], Iterable[np.ndarray]], total: int) -> CountedJobs:
        """Hand the jobs over, of `total` tasks; `tasks` draws how many each has, in blocks."""
        censored = np.broadcast_to(np.False_, self.jobs - self.first)
        if (unknown := np.concatenate([np.empty(0, int), *self._open])).size:
            censored = np.zeros(censored.size, bool)
            censored[unknown] = True
        columns, self.columns = self.columns, {}

        def classes() -> np.ndarray:
            return np.concatenate([class_of(some) for some in tasks()])[self.first :]

        return CountedJobs(
            columns=columns,
            censored=dict.fromkeys(columns, censored),
            classes=classes,
            copies=self.copies,
            extra=self.extra,
            time=float(columns["resource"].sum(dtype=float)),
            extra_time=float(self.extra_time),
            jobs=self.jobs,
            unfinished=self.unfinished,
            tasks=total,
        )


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


# The slot engine as `sim.engines.registry` starts it.


def start(
    scenario: SlotScenario, policy: SlotPolicy, replication: int, workload: Workload, log: int
) -> SlotRun:
    """Make one replication of one policy ready."""
    return SlotRun(scenario, policy, replication, workload, log=log)


def start_long(
    scenario: SlotScenario, policy: SlotPolicy, replication: int, jobs: StreamedWorkload, log: int
) -> LongRun:
    """Make one replication ready whose jobs come and go."""
    return LongRun(scenario, policy, replication, jobs, log=log)


IMPLEMENTATION = EngineImplementation(
    policy=SlotPolicy,
    start=start,
    start_long=start_long,
    isolated_flowtime=isolated_flowtime,
    check=check_fit,
)
