"""Where runs are executed: threads of this process, or an executor that the caller gives."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sim.model.fields import About, BadInput, canonical
from sim.running import sample_store

if TYPE_CHECKING:
    from sim.model.result import Sample
    from sim.running.sample_store import Work

# How precisely an answer is computed, and on which executor: options of Python, shell and pages.

#: Replications unless reported otherwise; the most of them where an answer is asked for with a precision.
USUAL, MOST = 10, 200
#: Accepted values of the numeric options.
NUMBERS = {
    "replications": (int, About("", low=1, high=100_000)),
    "precision": (float, About("percent", low=0, high=100, open_low=True)),
    "threads": (int, About("", low=1, high=1024)),
}


class Keeper(Protocol):
    """What keeps samples beyond this process (`sim.running.sample_store`)."""

    def found(self, work: Work, replication: int, place: int) -> Sample | None:
        """Return what is kept of a unit."""

    def put(self, work: Work, replication: int, place: int, sample: Sample) -> None:
        """Keep what a unit has given."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How precisely an answer is computed, and where: no bit of it depends on where.

    Parameters
    ----------
    replications : int, optional
        How many (10), or with a `precision` the most (200).
    precision : float, optional
        Stop after the first replication (in order, at least 4) for which the half width of every policy's
        mean flowtime is at most this percentage of it (of the median, where unfinished jobs censor the mean
        or the laws do not let it be known).
    threads : int, optional
        Runs at a time, each of one policy; as many as there are cores unless given. With an `executor`, how
        many workers it has, where it does not say so itself.
    progress : callable, optional
        Called, from any thread, with the number of tasks finished since the last call.
    executor : concurrent.futures.Executor, optional
        Who runs instead of threads of this process, e.g. a `ProcessPoolExecutor`. It is handed one policy,
        once, at a time (`sim.running.sample_store`).
    keep : str, Path or Keeper, optional
        Folder into which every finished sample is written, and from which the same call goes on; or what
        keeps them (`sim.running.sample_store.SampleStore`).

    Raises
    ------
    BadInput
        Naming the option, the value and what is accepted.

    Examples
    --------
    >>> Effort().most, Effort(precision=2).most, Effort(replications=4, precision=2).most
    (10, 200, 4)
    """

    replications: int | None = None
    precision: float | None = None
    threads: int | None = None
    progress: Callable[[int], object] = lambda tasks: None
    executor: Executor | None = None
    keep: Keeper | str | Path | None = None

    def __post_init__(self) -> None:
        for name, (kind, about) in NUMBERS.items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, canonical(name, value, kind, about))

    @property
    def most(self) -> int:
        """Replications that are run, or with a precision the most of them."""
        return self.replications or (USUAL if self.precision is None else MOST)

    @property
    def keeper(self) -> Keeper | None:
        """What keeps samples, once it is open."""
        assert not isinstance(self.keep, str | Path), "a folder is opened first"
        return self.keep

    @contextmanager
    def opened(self, experiment: Work, **more: object) -> Iterator[Effort]:
        """Open the folder in which samples are kept, if one is named; give the effort that has it.

        Parameters
        ----------
        experiment : Experiment
        **more
            What else tells the call from others, for `sim.running.sample_store.description`.
        """
        if not isinstance(self.keep, str | Path):
            yield self
            return
        from sim.running.sample_store import SampleStore, description

        with SampleStore(self.keep, description(experiment, **more)) as keep:
            yield replace(self, keep=keep)


#: Ten replications, on the cores of this machine.
ANY = Effort()


#: Work items that an executor is given ahead where all will be needed, and for each of its workers where not.
AHEAD, AHEAD_EACH = 1000, 2

Progress = Callable[[int], object]


class Runnable(Protocol):
    """Work that a backend runs (`sim.running.parallel.Runs`)."""

    @property
    def work(self) -> sample_store.Work:
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
        return self._executor.submit(sample_store.run, sample_store.work_item(runs.work, replication, place))

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
