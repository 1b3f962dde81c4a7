"""One pool of workers for all sessions.

- Equal requests are one run; whoever comes later sees what is there already.
- First answers go before refinements, and of refinements the least refined goes first.
- A run nobody follows any more stops, between two engine calls. What it has found is kept for a
  while, and it goes on from there if somebody comes back.
- A first answer that was computed beforehand (`sim.running.live.request`) is there at once.
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
from functools import partial

from sim.model.policy import Policy
from sim.model.result import Sample
from sim.running.byte_cache import size_of
from sim.running.experiment import Abandoned, expected_tasks, precise
from sim.running.live.request import (
    SHORT,
    ActiveRun,
    Records,
    RunRequest,
    Snapshot,
    nameless,
    preview,
    shrink,
)

#: Runs whose results are kept, with or without followers, and the bytes they may have.
KEPT, KEPT_BYTES = 200, 48 * 2**20
#: Replications of one run that are under way at the same time.
AHEAD = 2
#: Seconds after which it is looked whether answers may be refined again.
HOLD = 0.02
#: Seconds for which refining waits, at most, for better work; then a piece is done all the same.
LONGEST_HOLD = 10.0
#: Niceness of the workers. Who draws an answer, or shows it on the same machine, needs a core for 0.1 s and
#: goes first: with it the visitors above wait 1.3 s.
NICENESS = 10


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
        (key of an engine, then, policy) -> whether that may be run now; `then` is called once it may.
    records : Records, optional
        First answers that were computed beforehand.
    """

    def __init__(
        self,
        threads: int | None = None,
        busy: Callable[[], bool] = lambda: False,
        ready: Callable[[str, Callable[[], None], Policy], bool] = lambda key, then, policy: True,
        records: Records | None = None,
    ) -> None:
        self._busy, self._ready, self._records = busy, ready, records
        self._changed = threading.Condition()
        self._queue: list[_Piece] = []
        self._held: dict[tuple[str, str], list[_Piece]] = {}  # by engine and policy that they wait for
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
        """Return the preview of a request whose first answer would take long, the same for all sessions."""
        known = self._runs.get(request.key)
        if known and (known.complete or known.before):
            return None if known.complete else known.before
        crowd = self.crowd
        if expected_tasks(request.experiment) <= SHORT / shrink(crowd):
            return None
        whole = preview(request)
        return whole if self._records and self._records.has(whole) else preview(request, crowd)

    def _join(self, request: RunRequest, urgency: int, before: RunRequest | None = None) -> ActiveRun:
        """Return the run of this request, with one follower more."""
        with self._changed:
            run = self._runs.get(request.key) or self._begin(request, urgency, before)
            self._runs.move_to_end(request.key)
            run.followers += 1
            for replication, i in run.parked:
                self._enqueue(run, replication, i)
            run.parked.clear()
            while run.started < min(AHEAD, request.effort.most):
                self._start(run)
            self._forget()
            return run

    def _begin(self, request: RunRequest, urgency: int, before: RunRequest | None) -> ActiveRun:
        """Return a new run of a request, with its first replication where that was computed beforehand."""
        run = self._runs[request.key] = ActiveRun(nameless(request), urgency, before)
        if self._records and (found := self._records.first(request)):
            run.beforehand, run.started, run.samples[0] = True, 1, found
            run.bytes = sum(map(size_of, found.values()))
            self._assess(run)
        return run

    def _leave(self, run: ActiveRun) -> None:
        with self._changed:
            run.followers -= 1
            run.left = time.monotonic()
            if run.error:  # a new request gets a new attempt
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
                elif self._may_run(run.request.experiment.engine.key, run.policies[i], piece):
                    return run, replication, i

    def _may_run(self, engine: str, policy: Policy, piece: _Piece) -> bool:
        """Tell whether a policy is ready; if it is not, keep the piece until it is. The lock is held."""
        needed = engine, policy.text
        if needed not in self._held and self._ready(engine, partial(self._release, needed), policy):
            return True
        self._held.setdefault(needed, []).append(piece)
        return False

    def _release(self, needed: tuple[str, str]) -> None:
        """Put what has waited for a policy on the queue again."""
        with self._changed:
            for piece in self._held.pop(needed, ()):
                heapq.heappush(self._queue, piece)
            self._changed.notify_all()

    def _serve(self, run: ActiveRun, replication: int, i: int) -> None:
        """Do a piece of work; errors are reported to all followers of the run."""
        try:
            self._record(run, replication, i, self._run(run, replication, run.policies[i], i))
        except Abandoned:
            with self._changed:
                run.jobs.pop(replication, None)  # they may be large, and are drawn again
                if run.followers:  # a follower has joined since it was left
                    self._enqueue(run, replication, i)
                else:
                    run.parked.append((replication, i))
        except Exception as error:
            self._fail(run, error)
        except BaseException as error:  # this worker thread dies: the run is tried once more on another one
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
        held = 0.0

        def go_on(tasks: int) -> None:
            nonlocal held
            while self._gives_way(run.urgency + replication) and run.wanted and held < LONGEST_HOLD:
                time.sleep(HOLD)
                held += HOLD
            if not run.wanted or run.finished:
                raise Abandoned

        with run.lock:  # the jobs are the same for all policies: draw them once
            jobs = run.jobs.get(replication)  # a follower that gives up may drop it at any time
            if jobs is None:
                jobs = run.jobs[replication] = run.request.experiment.jobs(replication)
        log = run.request.log if replication == 0 else 0
        return run.request.experiment.run(policy, replication, jobs, go_on, log)

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
            self._assess(run)
            if not run.finished and run.started < run.request.effort.most:
                self._start(run)
            self._changed.notify_all()

    def _assess(self, run: ActiveRun) -> None:
        """Count the replications that are done, and decide whether they are enough."""
        effort = run.request.effort
        while not run.finished and self._has(run, run.complete):
            run.complete += 1
            run.finished = run.complete >= effort.most or (
                effort.precision is not None and precise(run.compared(run.complete), effort.precision)
            )

    @staticmethod
    def _has(run: ActiveRun, replication: int) -> bool:
        return len(run.samples.get(replication, ())) == len(run.policies)


def stand_back() -> None:
    """Let the threads of others have a core before this one, where threads have priorities of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
