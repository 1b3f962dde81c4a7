"""Answers at once, then better ones: one pool of workers for everybody who asks.

Somebody `follow`s an experiment and receives snapshots, one each time there is more to show.

- Equal requests are one run; whoever comes later sees what is there already.
- First answers go before refinements, and of refinements the least refined goes first.
- A run nobody follows any more stops, between two engine calls. What it has found is kept for a
  while, and it goes on from there if somebody comes back.
- A replication that would take long is preceded by a *preview*, a run of fewer jobs, and counts as a
  refinement itself. Its size is a number of tasks, never a time, so that links and machines agree; it
  shrinks in fixed steps while many are waiting.
"""

from __future__ import annotations

import heapq
import itertools
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from sim.cached import cached_property
from sim.experiment import Abandoned, Experiment, expected_tasks, precise
from sim.kept import size_of
from sim.policy import Policy
from sim.result import Comparison, Sample
from sim.scenario import Scenario
from sim.traces import Trace
from sim.workload import Workload

#: Tasks (summed over the policies) a first answer may take: about 0.1 s on a slow core. With 2.5 times as
#: many fifty visitors with values of their own waited 2.2 s (p95) instead of 1.6.
FIRST = 120_000
#: Tasks (summed over the policies) of a replication that is waited for: a longer one has a preview.
SHORT = 300_000
#: Tasks (summed over the policies) one replication may take on a server; longer runs are cut.
LONGEST = 6_000_000
#: By how much previews shrink when this many first answers are waiting.
CROWDS = ((40, 3), (16, 2))
#: Runs whose results are kept, whether or not somebody still follows them, and the bytes they may have.
KEPT, KEPT_BYTES = 200, 192 * 2**20
#: Replications of one run that are under way at the same time.
AHEAD = 2
#: Seconds a run goes on without a follower: a page that reruns comes back within them.
GRACE = 0.5
#: Seconds after which it is looked whether answers may be refined again.
HOLD = 0.02
#: Seconds for which refining waits, at most, for better work; then a piece is done all the same.
LONGEST_HOLD = 10.0
#: Niceness of the workers. Who draws an answer, or shows it on the same machine, needs a core for 0.1 s and
#: goes first: with it the visitors above wait 1.3 s.
NICENESS = 10


@dataclass(frozen=True)
class RunRequest:
    """What somebody wants to see: an experiment, and how good the answer is to become.

    Parameters
    ----------
    experiment : Experiment
    replications : int
        Most replications.
    precision : float
        Percentage of the mean flowtime at which the intervals are narrow enough.
    log : int
        Copies to remember of the first replication, for a Gantt chart.
    """

    experiment: Experiment
    replications: int = 10
    precision: float = 2.0
    log: int = 0

    @cached_property
    def key(self) -> str:
        """Text that is equal for requests that need the same runs.

        Scenarios print exactly, a trace is known by its digest; the baseline needs no run of its own.
        """
        trace = self.experiment.trace.digest if self.experiment.trace else ""
        policies = self.experiment.texts
        scenario = _spelled(self.experiment.scenario)
        return f"{scenario} {(policies, trace, self.replications, self.precision, self.log)!r}"


@lru_cache(maxsize=KEPT)  # a class asks for the same one a hundred times
def _spelled(scenario: Scenario) -> str:
    return repr(scenario)


@dataclass(frozen=True)
class Snapshot:
    """What is known of a request at a moment.

    Attributes
    ----------
    comparison : Comparison
        Of the replications that are done.
    preview : bool
        True if it is of fewer jobs than requested, to be replaced.
    done, most : int
        Replications done, and the most that will be.
    final : bool
        True if no better answer follows.
    """

    comparison: Comparison
    preview: bool
    done: int
    most: int
    final: bool


class ActiveRun:
    """The runs of a request: replications in order, whoever follows it."""

    def __init__(self, request: RunRequest, urgency: int, before: RunRequest | None = None) -> None:
        self.request = request
        self.urgency = urgency  # of its first replication; smaller goes first
        self.before = before  # its preview
        self.policies = request.experiment.policies
        self.samples: dict[int, dict[int, Sample]] = {}
        self.jobs: dict[int, tuple[Workload, object]] = {}
        self.parked: list[tuple[int, int]] = []
        self.started = 0
        self.complete = 0  # replications that are done, counted from the first without a gap
        self.finished = False
        self.followers = 0
        self.left = 0.0
        self.error: Exception | None = None
        self.bytes = 0  # of the samples
        self.deaths = 0  # of threads that worked for it
        self.lock = threading.Lock()

    @property
    def wanted(self) -> bool:
        """Whether somebody follows it, or did a moment ago."""
        return self.followers > 0 or time.monotonic() - self.left < GRACE

    def compared(self, count: int) -> Comparison:
        """Compare the first `count` replications."""
        order = range(len(self.policies))
        return self.request.experiment.compared([[self.samples[r][i] for i in order] for r in range(count)])

    def snapshot(self, preview: bool, asked: Experiment) -> Snapshot:
        """Return what is known now, under the names of who has asked."""
        count = self.complete
        return Snapshot(
            asked.named(self.compared(count)),
            preview,
            count,
            self.request.replications,
            self.finished and not preview,
        )


#: Rank, number in order, run, replication, place of the policy.
_Piece = tuple[int, int, ActiveRun, int, int]


class Pool:
    """Workers that fulfil requests.

    Parameters
    ----------
    threads : int, optional
        As many as there are cores unless given; the kernels release the interpreter's lock.
    busy : callable, optional
        Whether the machine has better to do than to refine answers; then only first ones are worked out.
    ready : callable, optional
        (key of an engine, then) -> whether it may be run now; `then` is called once it may.
    """

    def __init__(
        self,
        threads: int | None = None,
        busy: Callable[[], bool] = lambda: False,
        ready: Callable[[str, Callable[[], None]], bool] = lambda key, then: True,
    ) -> None:
        self._busy, self._ready = busy, ready
        self._changed = threading.Condition()
        self._queue: list[_Piece] = []
        self._held: dict[str, list[_Piece]] = {}  # by the engine that they wait for
        self._order = itertools.count()
        self._runs: OrderedDict[str, ActiveRun] = OrderedDict()
        for number in range(threads or os.cpu_count() or 1):
            self._hire(f"simulation {number}")

    def follow(
        self, request: RunRequest, patience: float = 0.1, urgency: int = 0
    ) -> Generator[Snapshot | None, float | None, None]:
        """Yield a snapshot whenever there is more to show, and None when `patience` runs out before.

        The first is yielded without waiting: what is known already, or None. The None lets a follower
        notice that it is no longer wanted itself; who sends a number of seconds waits so long for the next.
        Stop following by closing the generator. The last snapshot is `final`. A request of an `urgency`
        above 0 comes behind the first answers of others, as their replication of that number does, and has
        no preview.

        Raises
        ------
        Exception
            What went wrong in a run.
        """
        with self._changed:  # idle workers must not begin with the run that the preview precedes
            before = self._preview(request) if urgency == 0 else None
            early = self._join(before, 0) if before else None
            run = self._join(request, urgency + (before is not None), before)

        def state() -> tuple[bool, int, bool]:
            """Whether the preview is what there is to show, how far it is, whether all is done."""
            previewing = early is not None and run.complete == 0
            source = early if early is not None and previewing else run
            return previewing, source.complete, run.finished

        shown = (early is not None, 0, False)
        wait = 0.0
        try:
            while True:
                with self._changed:
                    news = self._changed.wait_for(
                        lambda known=shown: state() != known or run.error,  # type: ignore[misc]
                        wait,
                    )
                    shown = state()
                if run.error:
                    raise run.error
                previewing, complete, finished = shown
                snapshot = None
                if news and complete:
                    source = early if early is not None and previewing else run
                    snapshot = source.snapshot(previewing, request.experiment)
                asked = yield snapshot
                wait = patience if asked is None else asked
                if snapshot and finished and not previewing:
                    return
        finally:
            self._leave(run)
            if early is not None:
                self._leave(early)

    @property
    def crowd(self) -> int:
        """First answers that are waiting."""
        return len({id(run) for urgency, _, run, *_ in list(self._queue) if urgency <= 0})

    @property
    def bytes(self) -> int:
        """Bytes of what the runs have found, and of the files that they are of, each once."""
        runs = list(self._runs.values())
        files = {one.digest: one for one in (run.request.experiment.trace for run in runs) if one}
        return sum(run.bytes for run in runs) + sum(map(size_of, files.values()))

    def _preview(self, request: RunRequest) -> RunRequest | None:
        """Return the preview of a request whose first answer would take long, the same for everybody."""
        known = self._runs.get(request.key)
        if known and (known.complete or known.before):
            return None if known.complete else known.before
        crowd = self.crowd
        return preview(request, crowd) if expected_tasks(request.experiment) > SHORT / shrink(crowd) else None

    def _join(self, request: RunRequest, urgency: int, before: RunRequest | None = None) -> ActiveRun:
        """Return the run of this request, with one follower more."""
        with self._changed:
            run = self._runs.setdefault(request.key, ActiveRun(_nameless(request), urgency, before))
            self._runs.move_to_end(request.key)
            run.followers += 1
            for replication, i in run.parked:
                self._enqueue(run, replication, i)
            run.parked.clear()
            while run.started < min(AHEAD, request.replications):
                self._start(run)
            self._forget()
            return run

    def _leave(self, run: ActiveRun) -> None:
        with self._changed:
            run.followers -= 1
            run.left = time.monotonic()
            if run.error:  # somebody who asks again gets a new attempt
                self._runs.pop(run.request.key, None)

    def _forget(self) -> None:
        """Drop the oldest runs that nobody follows, until the others have room."""
        for key in [key for key, run in self._runs.items() if run.followers == 0]:
            if len(self._runs) <= KEPT and self.bytes <= KEPT_BYTES:
                return
            del self._runs[key]

    def _start(self, run: ActiveRun) -> None:
        """Put the next replication of a run on the queue, one entry a policy."""
        for i in range(len(run.policies)):
            self._enqueue(run, run.started, i)
        run.started += 1

    def _enqueue(self, run: ActiveRun, replication: int, i: int) -> None:
        heapq.heappush(self._queue, (run.urgency + replication, next(self._order), run, replication, i))
        self._changed.notify_all()

    def _hire(self, name: str) -> None:
        threading.Thread(target=self._work, args=(name,), name=name, daemon=True).start()

    def _work(self, name: str) -> None:
        """Run queued replications, for ever; a thread that fails is replaced."""
        stand_back()
        try:
            while True:
                self._serve(*self._next())
        finally:
            self._hire(name)

    def _next(self) -> tuple[ActiveRun, int, int]:
        """Wait for the next piece of work that may be done now."""
        with self._changed:
            while True:
                held = 0.0
                while not self._queue or (self._queue[0][0] > 0 and held < LONGEST_HOLD and self._busy()):
                    self._changed.wait(HOLD if self._queue else None)
                    held += HOLD
                piece = heapq.heappop(self._queue)
                _, _, run, replication, i = piece
                if run.finished or run.error:
                    continue
                if not run.wanted:
                    run.parked.append((replication, i))
                elif self._may_run(run.request.experiment.engine.key, piece):
                    return run, replication, i

    def _may_run(self, engine: str, piece: _Piece) -> bool:
        """Tell whether an engine is ready; if it is not, keep the piece until it is. The lock is held."""
        if engine not in self._held and self._ready(engine, partial(self._release, engine)):
            return True
        self._held.setdefault(engine, []).append(piece)
        return False

    def _release(self, engine: str) -> None:
        """Put what has waited for an engine on the queue again."""
        with self._changed:
            for piece in self._held.pop(engine, ()):
                heapq.heappush(self._queue, piece)
            self._changed.notify_all()

    def _serve(self, run: ActiveRun, replication: int, i: int) -> None:
        """Do a piece of work; what goes wrong is told to all who follow the run."""
        try:
            self._record(run, replication, i, self._run(run, replication, run.policies[i], i))
        except Abandoned:
            with self._changed:
                run.parked.append((replication, i))
                run.jobs.pop(replication, None)  # they may be large, and are drawn again
        except Exception as error:
            self._fail(run, error)
        except BaseException as error:  # this thread ends, by no fault of the run: another tries again, once
            with self._changed:
                run.deaths += 1
                if run.deaths == 1:
                    self._enqueue(run, replication, i)
            if run.deaths > 1:
                self._fail(run, RuntimeError(f"a worker has ended: {error!r}"))
            raise

    def _fail(self, run: ActiveRun, error: Exception) -> None:
        with self._changed:
            run.error = error
            self._changed.notify_all()

    def _run(self, run: ActiveRun, replication: int, policy: Policy, i: int) -> Sample:
        """Run one policy of one replication."""
        held = 0.0

        def go_on(tasks: int) -> None:
            nonlocal held
            while self._gives_way(run.urgency + replication) and run.wanted and held < LONGEST_HOLD:
                time.sleep(HOLD)
                held += HOLD
            if not run.wanted or run.finished:
                raise Abandoned

        with run.lock:  # the jobs are the same for all policies: draw them once
            if replication not in run.jobs:
                run.jobs[replication] = run.request.experiment.jobs(replication)
            jobs = run.jobs[replication]
        log = run.request.log if replication == 0 else 0
        return run.request.experiment.run(policy, replication, jobs, go_on, log)  # type: ignore[arg-type]

    def _gives_way(self, rank: int) -> bool:
        """Whether work of this rank is not to go on now."""
        return rank > 0 and self._busy() and not self.crowd

    def _record(self, run: ActiveRun, replication: int, i: int, found: Sample) -> None:
        """Add what was found; decide whether it is enough."""
        with self._changed:
            run.samples.setdefault(replication, {})[i] = found
            run.bytes += size_of(found)
            if len(run.samples[replication]) < len(run.policies):
                return
            run.jobs.pop(replication, None)
            while not run.finished and self._has(run, run.complete):
                run.complete += 1
                enough = run.complete >= run.request.replications
                run.finished = enough or precise(run.compared(run.complete), run.request.precision)
            if not run.finished and run.started < run.request.replications:
                self._start(run)
            self._changed.notify_all()

    @staticmethod
    def _has(run: ActiveRun, replication: int) -> bool:
        return len(run.samples.get(replication, ())) == len(run.policies)


def _nameless(request: RunRequest) -> RunRequest:
    """Return a request for others to share, errors included: the name of a file is its owner's."""
    trace = request.experiment.trace
    if trace is None:
        return request
    return replace(request, experiment=replace(request.experiment, trace=replace(trace, source="the file")))


def stand_back() -> None:
    """Let the threads of others have a core before this one, where threads have priorities of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def shrink(crowd: int) -> int:
    """By how much first answers are made smaller when this many are waiting.

    Examples
    --------
    >>> shrink(0), shrink(16), shrink(100)
    (1, 2, 3)
    """
    return next((factor for size, factor in CROWDS if crowd >= size), 1)


def preview(request: RunRequest, crowd: int = 0) -> RunRequest:
    """Return the request for a first answer of about `FIRST` tasks."""
    share = FIRST / shrink(crowd) / expected_tasks(request.experiment)
    return replace(request, experiment=shortened(request.experiment, share), replications=1, log=0)


def fitted(experiment: Experiment) -> tuple[Experiment, str]:
    """Cut an experiment to what the server runs, and say so.

    Returns
    -------
    tuple
        The experiment, and a sentence that says what was cut; empty if nothing was.
    """
    tasks = expected_tasks(experiment)
    if tasks <= LONGEST:
        return experiment, ""
    cut = shortened(experiment, LONGEST / tasks)
    return cut, (
        f"One replication would take about {tasks / 1e6:,.0f} million tasks over all policies, and this "
        f"server runs {LONGEST / 1e6:,.0f} million: the first {cut.scenario.jobs:,} jobs of "
        f"{experiment.scenario.jobs:,} are simulated. The command line has no such limit."
    )


def shortened(experiment: Experiment, share: float) -> Experiment:
    """Return the experiment with this share of its jobs, the first ones, at least 20."""
    if share >= 1:
        return experiment
    if experiment.trace is None:
        jobs = min(experiment.scenario.jobs, max(20, int(share * experiment.scenario.jobs)))
        return replace(experiment, scenario=experiment.scenario.replace(jobs=jobs))
    trace = experiment.trace
    jobs = min(trace.arrival.size, max(20, int(share * trace.arrival.size)))
    start = Trace(
        trace.arrival[:jobs], trace.tasks[:jobs], None if trace.size is None else trace.size[:jobs],
        trace.names[:jobs], trace.source, f"{trace.digest} first {jobs}", trace.notes,
    )  # fmt: skip
    return replace(experiment, scenario=experiment.scenario.replace(jobs=jobs), trace=start)
