"""Many runs at once on any executor, their results in order: no answer depends on who ran what, or when.

What is handed out is one policy, once, at one point. Replications count in their order, and whether there are
enough is judged of prefixes of that order only.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from sim import units
from sim.fields import BadInput

if TYPE_CHECKING:
    from sim.result import Sample

#: Units that an executor is given ahead where all will be needed, and for each of its workers where not.
AHEAD, AHEAD_EACH = 1000, 2

Progress = Callable[[int], object]
#: Replications that are there, in order -> whether they are enough.
Enough = Callable[[list[list["Sample"]]], bool]


class Abandoned(Exception):
    """Raised inside a run that is no longer wanted."""


class Keeper(Protocol):
    """What keeps samples beyond this process (`sim.keep`)."""

    def found(self, work: units.Work, replication: int, place: int) -> Sample | None:
        """Return what is kept of a unit."""

    def put(self, work: units.Work, replication: int, place: int, sample: Sample) -> None:
        """Keep what a unit has given."""


class Point:
    """One experiment under way.

    Parameters
    ----------
    work : Experiment
    replications : int
        The most that are run.
    enough : callable
        Whether those that are there are enough.
    """

    def __init__(self, work: units.Work, replications: int, enough: Enough) -> None:
        self.work, self.replications, self._enough = work, replications, enough
        self.complete: list[list[Sample]] = []
        self.over = False
        self._partly: dict[int, dict[int, Sample]] = {}
        self._jobs: dict[int, units.Jobs] = {}
        self._drawing: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()  # of the locks

    @property
    def pieces(self) -> Iterator[tuple[Point, int, int]]:
        """What is still to be run, in order: each replication, and in it the place of each policy."""
        for replication in range(self.replications):
            for place in range(len(self.work.policies)):
                if self.over:
                    return
                yield self, replication, place

    def record(self, replication: int, place: int, sample: Sample) -> None:
        """Add what one policy did in one replication."""
        self._partly.setdefault(replication, {})[place] = sample
        places = range(len(self.work.policies))
        while not self.over and len(self._partly.get(len(self.complete), ())) == len(places):
            number = len(self.complete)
            self._jobs.pop(number, None)
            self._drawing.pop(number, None)
            samples = self._partly.pop(number)
            self.complete.append([samples[place] for place in places])
            self.over = len(self.complete) == self.replications or self._enough(self.complete)

    def run_here(self, replication: int, place: int, progress: Progress) -> Sample:
        """Run one policy once in this process."""

        def tell(tasks: int) -> None:
            if self.over:
                raise Abandoned
            progress(tasks)

        return self.work.run(self.work.policies[place], replication, self._drawn(replication), tell)

    def _drawn(self, replication: int) -> units.Jobs:
        """Return the jobs of a replication, drawn once for all policies."""
        with self._lock:
            lock = self._drawing.setdefault(replication, threading.Lock())
        with lock:
            if replication not in self._jobs:
                self._jobs[replication] = self.work.jobs(replication)
            return self._jobs[replication]


class Lane(Protocol):
    """Where units are run."""

    @property
    def ahead(self) -> int:
        """Units that are under way at the same time."""

    def start(self, point: Point, replication: int, place: int) -> Future[Sample]:
        """Hand out a unit."""

    def ended(self, sample: Sample) -> None:
        """Tell that a unit has been run."""


class Here:
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

    def start(self, point: Point, replication: int, place: int) -> Future[Sample]:
        """Hand out a unit."""
        return self._pool.submit(point.run_here, replication, place, self._progress)

    def ended(self, sample: Sample) -> None:
        """Tell nothing: what has finished has been told."""


class Elsewhere:
    """Somebody's executor: threads, processes, or a cluster of machines.

    Parameters
    ----------
    executor : Executor
    ahead : int
    progress : callable
        Told of the tasks of a unit when it is there.
    """

    def __init__(self, executor: Executor, ahead: int, progress: Progress) -> None:
        self._executor, self.ahead, self._progress = executor, ahead, progress

    def start(self, point: Point, replication: int, place: int) -> Future[Sample]:
        """Hand out a unit."""
        return self._executor.submit(units.run, units.unit(point.work, replication, place))

    def ended(self, sample: Sample) -> None:
        """Tell of all its tasks."""
        self._progress(sample.tasks)


@contextlib.contextmanager
def lane(
    executor: Executor | None, threads: int | None, progress: Progress, *, all_needed: bool
) -> Iterator[Lane]:
    """Open the lane for an executor; without one, threads of this process: as many as given, or as cores."""
    if executor is None:
        threads = threads or os.cpu_count() or 1
        with ThreadPoolExecutor(threads) as pool:
            yield Here(pool, threads, progress)
        return
    workers = (
        threads
        or getattr(executor, "workers", None)
        or getattr(executor, "_max_workers", None)
        or os.cpu_count()
        or 1
    )
    yield Elsewhere(executor, AHEAD if all_needed and not threads else AHEAD_EACH * workers, progress)


def in_order(
    points: Sequence[Point], chosen: Lane, keep: Keeper | None = None
) -> Generator[Point, None, None]:
    """Run points, several at a time where workers are free; give each in its order when it is over."""
    done: SimpleQueue[Future[Sample]] = SimpleQueue()
    waiting: dict[Future[Sample], tuple[Point, int, int]] = {}
    todo = (piece for point in points for piece in point.pieces)
    try:
        for point in points:
            while True:
                _fill(chosen, todo, waiting, done, keep)
                if point.over:
                    break
                future = done.get()
                piece = waiting.pop(future, None)
                if piece is None or piece[0].over:  # it was not needed any more
                    continue
                sample = _answer(future)
                if keep is not None:
                    keep.put(piece[0].work, *piece[1:], sample)
                chosen.ended(sample)
                piece[0].record(*piece[1:], sample)
            for future in [future for future, piece in waiting.items() if piece[0] is point]:
                del waiting[future]
                future.cancel()
            yield point
    finally:
        for point in points:
            point.over = True
        for future in waiting:
            future.cancel()


def _fill(
    chosen: Lane,
    todo: Iterator[tuple[Point, int, int]],
    waiting: dict[Future[Sample], tuple[Point, int, int]],
    done: SimpleQueue[Future[Sample]],
    keep: Keeper | None,
) -> None:
    """Hand out units until enough are under way; those that are kept are taken from there."""
    while len(waiting) < chosen.ahead and (piece := next(todo, None)):
        point, replication, place = piece
        if keep is not None and (kept := keep.found(point.work, replication, place)):
            chosen.ended(kept)
            point.record(replication, place, kept)
            continue
        with _told():
            future = chosen.start(point, replication, place)
        waiting[future] = piece
        future.add_done_callback(done.put)


def _answer(future: Future[Sample]) -> Sample:
    with _told():
        return future.result()


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn the end of an executor into one line."""
    try:
        yield
    except (BrokenExecutor, CancelledError) as error:
        reason = str(error) or "its runs were cancelled"
        raise BadInput(f"executor: it has ended before the work ({reason}); start again") from None
