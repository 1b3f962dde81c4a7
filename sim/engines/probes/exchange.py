"""The story of one decision of one free slot: the queue it found, its questions, their answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reservation in the worker's queue at the moment its slot becomes free.

    Attributes
    ----------
    job, scheduler : int
    believed : float
        Virtual size, as far as the worker knows.
    age : float
        How long ago that was true.
    true : float
        Virtual size at this moment, whoever knows it.
    """

    job: int
    scheduler: int
    believed: float
    age: float
    true: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer.

    Attributes
    ----------
    asked, answered : float
        When the question leaves the worker, and the answer the scheduler.
    job, scheduler : int
    firm : bool
        Whether it may not be refused.
    hinted : bool
        Whether the job is one that another scheduler named, and not from the queue.
    verdict : str
        'takes', 'refuses' (has something to run and its share of slots) or 'nothing' (has nothing to run).
    held : int
        Slots that the job occupies, as its scheduler knows, before the answer.
    size : float
        The job's virtual size, as its scheduler knows.
    hint : int or None
        Smallest unsatisfied job of the scheduler, which a refusal names.
    hint_size : float
    """

    asked: float
    answered: float
    job: int
    scheduler: int
    firm: bool
    hinted: bool
    verdict: str
    held: int
    size: float
    hint: int | None
    hint_size: float


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens from a slot that becomes free to the task it runs next.

    Attributes
    ----------
    worker : int
    free : float
        When the slot became free.
    queue : tuple of Reservation
        Smallest believed virtual size first.
    exchanges : tuple of Exchange
        The last one takes the slot.
    start : float
        When the task starts.
    is_copy : bool
        Whether it is a speculative copy.
    tasks : int
        Of the job that got the slot.
    arrival : float
        Of that job, when its scheduler sent the probes.
    probed : tuple of int
        Workers it probed on arrival, in order of sending.
    """

    worker: int
    free: float
    queue: tuple[Reservation, ...]
    exchanges: tuple[Exchange, ...]
    start: float
    is_copy: bool
    tasks: int
    arrival: float
    probed: tuple[int, ...]

    @property
    def refusals(self) -> int:
        """Questions that were refused by jobs that had something to run."""
        return sum(one.verdict == "refuses" for one in self.exchanges)
