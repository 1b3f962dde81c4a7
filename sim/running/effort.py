"""How precisely an answer is computed, and on which executor: options of Python, shell and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sim.model.fields import About, canonical

if TYPE_CHECKING:
    from sim.model.result import Sample
    from sim.running.work_items import Work

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
        once, at a time (`sim.running.work_items`).
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
