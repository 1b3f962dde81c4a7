"""Many runs at once on any executor, results in order: no answer depends on the executor or on timing.

What is handed out is one policy, once, at one point. Replications count in their order, and whether there are
enough is judged of prefixes of that order only.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from sim.running import sample_store
from sim.running.execution import Backend, Keeper, Progress, told

if TYPE_CHECKING:
    from sim.model.result import Sample
    from sim.model.workload import Jobs

# Who plays the pieces of an answer: this process, or one at which the visitors of a server take turns.
#
# An answer is worked out in order by one function of `sim`, which hands each part that takes long to a
# player. So the same function answers in a shell and on a page, and the pieces make what the whole makes.

Made = TypeVar("Made")

#: Tasks that a piece plays, about, where others wait for it: a second on a slow machine.
TASKS = 300_000


class Player:
    """Plays pieces here, one after the other, each as large as it comes.

    Parameters
    ----------
    threads : int, optional
        Replications played at a time; as many as there are cores if it is not given.
    progress : callable, optional
        Told how many tasks more have been played.
    """

    #: Tasks that a piece has at most, where it can be divided.
    tasks: float = math.inf

    def __init__(
        self, threads: int | None = None, progress: Callable[[int], object] = lambda tasks: None
    ) -> None:
        self._options: dict[str, Any] = {"progress": progress}
        if threads is not None:
            self._options["threads"] = threads

    def begin(self, doing: str, tasks: float = 0.0, share: float = 0.0) -> None:
        """Note what the next pieces do, in words.

        Parameters
        ----------
        doing : str
        tasks : float, optional
            That they play, about.
        share : float, optional
            Which part of all is done before them.
        """

    def __call__(
        self, function: Callable[..., Any], *arguments: Any, tasks: float = 0.0, key: Hashable = None
    ) -> Any:
        """Return what a function answers.

        Parameters
        ----------
        function : callable
            Of a module, since another process may call it; it takes `threads` and `progress` as
            `sim.advice.whatif.runs.replicate` does.
        *arguments
        tasks : float, optional
            That it plays, or could be played in the time that it takes.
        key : hashable, optional
            What tells it from every other piece; its place among those that are made into one (`made`), if it
            is not given.
        """
        return function(*arguments, **self._options)

    def made(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is made of pieces; a player that keeps such things keeps it by the key."""
        return make()

    def parts(self, first: int, last: int, tasks: int) -> Iterator[range]:
        """Divide replications of so many tasks each into pieces.

        Examples
        --------
        >>> player = Player()
        >>> list(player.parts(0, 100, 40_000))
        [range(0, 100)]
        >>> player.tasks = TASKS
        >>> list(player.parts(90, 100, 40_000))
        [range(90, 97), range(97, 100)]
        """
        size = max(1, int(min(self.tasks / max(tasks, 1), last - first)))
        return (range(begin, min(begin + size, last)) for begin in range(first, last, size))


#: Plays pieces here.
HERE = Player()


#: Replications that are there, in order -> whether they are enough.
Enough = Callable[[list[list["Sample"]]], bool]


class Abandoned(Exception):
    """Raised inside a run that is no longer wanted."""


class Runs:
    """Runs of one experiment; in this process, the jobs of a replication are drawn once for all policies.

    Parameters
    ----------
    work : Experiment

    Attributes
    ----------
    over : bool
        Whether what is still running is wanted no longer.
    """

    def __init__(self, work: sample_store.Work) -> None:
        self.work = work
        self.over = False
        self._jobs: dict[int, Jobs] = {}
        self._drawing: dict[int, threading.Lock] = {}
        self._lock = threading.Lock()  # of the locks

    def here(self, replication: int, place: int, progress: Progress) -> Sample:
        """Run one policy once in this process."""

        def tell(tasks: int) -> None:
            if self.over:
                raise Abandoned
            progress(tasks)

        return self.work.run(self.work.policies[place], replication, self._drawn(replication), tell)

    def _drawn(self, replication: int) -> Jobs:
        with self._lock:
            lock = self._drawing.setdefault(replication, threading.Lock())
        with lock:
            if replication not in self._jobs:
                self._jobs[replication] = self.work.jobs(replication)
            return self._jobs[replication]

    def _forget(self, replication: int) -> None:
        """Let the jobs of a replication go."""
        self._jobs.pop(replication, None)
        self._drawing.pop(replication, None)


class Point(Runs):
    """One experiment under way.

    Parameters
    ----------
    work : Experiment
    replications : int
        The most that are run.
    enough : callable
        Whether those that are there are enough.
    """

    def __init__(self, work: sample_store.Work, replications: int, enough: Enough) -> None:
        super().__init__(work)
        self.replications, self._enough = replications, enough
        self.complete: list[list[Sample]] = []
        self._partly: dict[int, dict[int, Sample]] = {}

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
            self._forget(number)
            samples = self._partly.pop(number)
            self.complete.append([samples[place] for place in places])
            self.over = len(self.complete) == self.replications or self._enough(self.complete)


def in_order(
    points: Sequence[Point], chosen: Backend, keep: Keeper | None = None
) -> Generator[Point, None, None]:
    """Run points, several at a time where workers are free; give each in its order when it is over."""
    pieces = (piece for point in points for piece in point.pieces)
    with closing(as_they_end(pieces, chosen, keep)) as found:
        for point in points:
            while not point.over:
                one, replication, place, sample = next(found)
                one.record(replication, place, sample)
            yield point


R = TypeVar("R", bound=Runs)


def as_they_end(
    pieces: Iterable[tuple[R, int, int]], chosen: Backend, keep: Keeper | None = None
) -> Generator[tuple[R, int, int, Sample], None, None]:
    """Run pieces, as many at a time as a backend takes; give each with its sample when it is there.

    Parameters
    ----------
    pieces : iterable of (Runs, int, int)
        What is run, which replication, and the place of the policy. Those of runs that are over are not
        given, and what still runs of them is ended.
    chosen : Backend
    keep : Keeper, optional
        Where samples are taken from and put.
    """
    done: SimpleQueue[Future[Sample]] = SimpleQueue()
    waiting: dict[Future[Sample], tuple[R, int, int]] = {}
    todo = iter(pieces)
    try:
        while True:
            while len(waiting) < chosen.ahead and (piece := next(todo, None)):
                if keep is not None and (kept := keep.found(piece[0].work, *piece[1:])):
                    chosen.found(kept)
                    yield *piece, kept
                    _drop(piece[0], waiting)
                    continue
                with told():
                    future = chosen.start(*piece)
                waiting[future] = piece
                future.add_done_callback(done.put)
            if not waiting:
                return
            future = done.get()
            piece = waiting.pop(future, None)
            if piece is None:  # it was not needed any more
                continue
            with told():
                sample = future.result()
            if keep is not None:
                keep.put(piece[0].work, *piece[1:], sample)
            chosen.ended(sample)
            yield *piece, sample
            _drop(piece[0], waiting)
    finally:
        for future, piece in waiting.items():
            piece[0].over = True
            future.cancel()


def _drop(one: R, waiting: dict[Future[Sample], tuple[R, int, int]]) -> None:
    """Cancel what is under way of runs that are over."""
    if one.over:
        for future in [future for future, piece in waiting.items() if piece[0] is one]:
            del waiting[future]
            future.cancel()
