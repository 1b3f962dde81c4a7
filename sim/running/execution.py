"""Where runs are executed: threads of this process, or an executor that the caller gives."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from sim.model.fields import BadInput
from sim.running import work_items
from sim.running.effort import Effort

if TYPE_CHECKING:
    from sim.model.result import Sample

#: Work items that an executor is given ahead where all will be needed, and for each of its workers where not.
AHEAD, AHEAD_EACH = 1000, 2

Progress = Callable[[int], object]


class Runnable(Protocol):
    """Work that a backend runs (`sim.running.parallel.Runs`)."""

    @property
    def work(self) -> work_items.Work:
        """What is run."""

    def here(self, replication: int, place: int, progress: Progress) -> Sample:
        """Run one policy once in this process."""


class Backend(Protocol):
    """Where work items are run."""

    @property
    def ahead(self) -> int:
        """Units that are under way at the same time."""

    def start(self, runs: Runnable, replication: int, place: int) -> Future[Sample]:
        """Hand out a work item."""

    def ended(self, sample: Sample) -> None:
        """Tell that a work item has been run."""

    def found(self, sample: Sample) -> None:
        """Tell that a work item need not be run."""


class LocalThreads:
    """Threads of this process.

    Parameters
    ----------
    pool : ThreadPoolExecutor
    threads : int
    progress : callable
        Told of tasks as they finish.
    """

    def __init__(self, pool: Executor, threads: int, progress: Progress) -> None:
        self._pool, self.ahead, self._progress = pool, threads, progress

    def start(self, runs: Runnable, replication: int, place: int) -> Future[Sample]:
        """Hand out a work item."""
        return self._pool.submit(runs.here, replication, place, self._progress)

    def ended(self, sample: Sample) -> None:
        """Tell nothing: what has finished has been told."""

    def found(self, sample: Sample) -> None:
        """Tell of all its tasks."""
        self._progress(sample.tasks)


class ExecutorBackend:
    """An executor that the caller gives: threads, processes, or a cluster of machines.

    Parameters
    ----------
    executor : Executor
    ahead : int
    progress : callable
        Told of the tasks of a work item when it is there.
    """

    def __init__(self, executor: Executor, ahead: int, progress: Progress) -> None:
        self._executor, self.ahead, self._progress = executor, ahead, progress

    def start(self, runs: Runnable, replication: int, place: int) -> Future[Sample]:
        """Hand out a work item."""
        return self._executor.submit(work_items.run, work_items.work_item(runs.work, replication, place))

    def ended(self, sample: Sample) -> None:
        """Tell of all its tasks."""
        self._progress(sample.tasks)

    found = ended


@contextlib.contextmanager
def backend(effort: Effort, *, all_needed: bool) -> Iterator[Backend]:
    """Open the backend of an executor; without one, threads of this process, as many as given or as cores."""
    executor, threads, progress = effort.executor, effort.threads, effort.progress
    if executor is None:
        threads = threads or os.cpu_count() or 1
        pool, wait = ThreadPoolExecutor(threads), True
        try:
            yield LocalThreads(pool, threads, progress)
        except KeyboardInterrupt:
            wait = False  # a thread may be compiling, for many seconds
            raise
        finally:
            pool.shutdown(wait, cancel_futures=not wait)
        return
    workers = (
        threads
        or getattr(executor, "workers", None)
        or getattr(executor, "_max_workers", None)
        or os.cpu_count()
        or 1
    )
    yield ExecutorBackend(executor, AHEAD if all_needed and not threads else AHEAD_EACH * workers, progress)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Turn the end of an executor into one line."""
    try:
        yield
    except (BrokenExecutor, CancelledError) as error:
        reason = str(error) or "its runs were cancelled"
        raise BadInput(f"executor: it has ended before the work ({reason}); start again") from None
