"""Work for a few processes: equal work is done once, unwanted work is ended, and owners take turns."""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from sim.running.processes.child import Limits
from sim.running.processes.wire import Shares
from sim.running.processes.worker import Ended, Worker

_LOG = logging.getLogger(__name__)

#: Seconds for which work goes on that nobody waits for: a page that runs again comes back within them.
GRACE_S = 1.0
#: Seconds after which a process without work is ended.
IDLE_S = 300.0
#: Amount of work after which a process is ended, so that its memory goes back to the system.
LARGE = 4 * 2**20


class Job:
    """A call of a function in another process.

    Parameters
    ----------
    function : callable
    arguments : tuple
        What it is called with, beside its `progress`.
    amount : int
        What its progress adds up to, e.g. bytes.
    limits : Limits or None
        Of this call, if they are not those of all.

    Attributes
    ----------
    done : int
        How much of the amount is done.
    begun : float or None
        When it began, by `time.monotonic`; None while it waits for others.
    owner : hashable
        Whose turn it takes; None if nobody's.
    due : float
        What is due first goes first.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        amount: int,
        limits: Limits | None = None,
    ) -> None:
        self.function, self.arguments, self.amount, self.limits = function, arguments, amount, limits
        self.owner: Hashable = None
        self.due = math.inf
        self.done = 0
        self.asked = time.monotonic()
        self.begun: float | None = None
        self.followers = 0
        self.abandoned = False
        self._finished = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for the answer; return whether it is there."""
        return self._finished.wait(seconds)

    @property
    def finished(self) -> bool:
        """Whether there is an answer, or an error."""
        return self._finished.is_set()

    @property
    def ended(self) -> str:
        """Why its process was ended (`Ended`); empty if it was not."""
        return self._error.reason if isinstance(self._error, Ended) else ""

    @property
    def share(self) -> float:
        """How much is done, of 1."""
        return min(self.done / self.amount, 1.0) if self.amount else 0.0

    def result(self) -> Any:
        """Return the answer, or raise what went wrong."""
        if self._error is not None:
            raise self._error
        return self._result

    def tell(self, done: int) -> None:
        """Note how much is done."""
        self.done = done

    def finish(self, result: Any = None, error: BaseException | None = None) -> None:
        """Give the answer, or the error, to all waiting threads."""
        self._result, self._error = result, error
        self.arguments = ()
        self._finished.set()


class Jobs:
    """Work for a few processes, in the order in which it is due (`Shares`); an owner has one job under way.

    Parameters
    ----------
    processes : int
        How many work at the same time.
    limits : Limits
        Of each call.
    shares : Shares, optional
        Common to several objects where the same owners ask.
    """

    def __init__(self, processes: int, limits: Limits, shares: Shares | None = None) -> None:
        self._limits = limits
        self._shares = shares or Shares()
        self._changed = threading.Condition()
        self._queue: list[Job] = []
        self._jobs: dict[Hashable, Job] = {}
        self._running: dict[Job, Worker] = {}
        self._ready: set[Worker] = set()  # those that wait for work and have a process
        self._worked = -IDLE_S
        for number in range(processes):
            self._hire(f"process {number}")

    @contextlib.contextmanager
    def joined(
        self,
        key: Hashable,
        function: Callable[..., Any],
        *arguments: Any,
        amount: int = 0,
        owner: Hashable = None,
        expected: float = 0.0,
        limits: Limits | None = None,
    ) -> Iterator[Job]:
        """Join the job of this key; it is started unless it runs already.

        Whoever leaves the block waits for it no longer; it is ended a moment after the last one has.

        Parameters
        ----------
        key : hashable
        function, *arguments, amount, limits
            As of `Job`.
        owner : hashable, optional
            Who asks, such as a session.
        expected : float, optional
            Seconds that it is expected to take.
        """
        with self._changed:
            job = self._jobs.get(key)
            if job is None or job.abandoned:
                job = self._jobs[key] = Job(function, arguments, amount, limits)
                self._queue.append(job)
            if job in self._queue and (due := self._shares.due(owner, expected)) < job.due:
                job.owner, job.due = owner, due
                self._changed.notify_all()
            job.followers += 1
        try:
            yield job
        finally:
            self._leave(key, job)

    def prepare(self, function: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]]) -> None:
        """Call a function if no process has worked for long, so that the next call finds all loaded.

        Parameters
        ----------
        function : callable
        arguments : callable
            Returns what it is called with; called only if it is.
        """
        with self._changed:
            if self._queue or self._running or time.monotonic() - self._worked < IDLE_S:
                return
            self._worked = time.monotonic()
        job = Job(function, arguments(), 0)
        with self._changed:
            self._queue.append(job)
            self._changed.notify_all()

    def place(self, job: Job) -> int:
        """Return how many jobs go before this one."""
        with self._changed:
            return sum(other.due < job.due for other in self._queue) if job in self._queue else 0

    @property
    def pids(self) -> list[int]:
        """Numbers of the processes that work now."""
        with self._changed:
            return [worker.pid for worker in self._running.values() if worker.pid]

    def _leave(self, key: Hashable, job: Job) -> None:
        with self._changed:
            job.followers -= 1
            if job.followers:
                return
        timer = threading.Timer(GRACE_S, self._give_up, (key, job))
        timer.daemon = True
        timer.start()

    def _give_up(self, key: Hashable, job: Job) -> None:
        """Forget a job that nobody has come back to, and end its process if it is at it."""
        with self._changed:
            if job.followers or job.abandoned:
                return
            job.abandoned = True
            if self._jobs.get(key) is job:
                del self._jobs[key]
            if job in self._queue:
                self._queue.remove(job)
            if worker := self._running.get(job):
                worker.stop()

    def _hire(self, name: str) -> None:
        threading.Thread(target=self._work, args=(name,), name=name, daemon=True).start()

    def _work(self, name: str) -> None:
        """Do one job after the other, for ever; a thread that fails is replaced."""
        worker = Worker(self._limits)
        try:
            while True:
                self._do(worker, self._next(worker))
        finally:
            worker.close()
            self._hire(name)

    def _next(self, worker: Worker) -> Job:
        """Wait for a job; a process that waits for long is ended, and one is started only if none is free."""
        with self._changed:
            while (job := self._first()) is None or not (worker.pid or len(self._ready) < len(self._queue)):
                if worker.pid:
                    self._ready.add(worker)
                if not self._changed.wait(IDLE_S):
                    worker.close()
                self._ready.discard(worker)
            self._queue.remove(job)
            job.begun = time.monotonic()
            self._running[job] = worker
            self._changed.notify_all()
            return job

    def _first(self) -> Job | None:
        """Return the job that is due first, of owners who have none under way; the lock is held."""
        busy = {job.owner for job in self._running} - {None}
        return min(
            (job for job in self._queue if job.owner not in busy), key=lambda job: job.due, default=None
        )

    def _do(self, worker: Worker, job: Job) -> None:
        try:
            found = worker.call(
                job.function,
                *job.arguments,
                progress=job.tell,
                stopped=lambda: job.abandoned,
                limits=job.limits,
            )
        except Exception as error:
            if isinstance(error, Ended) and not job.abandoned:
                _LOG.warning("a process that ran %s was ended: %s", _name(job.function), error.reason)
            self._done(job, error=error)
        except BaseException as error:
            self._done(job, error=error)
            raise
        else:
            self._done(job, found)
        if job.amount > LARGE:
            worker.close()

    def _done(self, job: Job, result: Any = None, error: BaseException | None = None) -> None:
        with self._changed:
            self._running.pop(job, None)
            self._worked = time.monotonic()
            self._shares.charge(job.owner, self._worked - (job.begun or self._worked))
            self._changed.notify_all()
        job.finish(result, error)


def _name(function: Callable[..., Any]) -> str:
    return getattr(getattr(function, "func", function), "__qualname__", "a function")
