"""Messages on their way: a ring in order of sending, which is the order of arrival at constant latency."""

from __future__ import annotations

from dataclasses import dataclass

from sim.engines.probes.records import QUESTION, REPORT
from sim.kernel.compile import inlined
from sim.kernel.deliveries import prefetch

# The story of one decision of one free slot: the queue it found, its questions, their answers.


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


#: Messages that one event may send, at most: a kill for each of 16 copies, and a few.
RESERVE = 32
#: How many messages ahead records are asked for (`sim.kernel.deliveries`).
AHEAD = 6


@inlined
def next_message(w):
    """Return the record that the next message sent will fill."""
    return w.ring[w.net[0].tail & (w.ring.size - 1)]


@inlined
def send(w, kind, subject, detail, count, value):
    """Put a message on its way."""
    n = w.net[0]
    message = next_message(w)
    message.time = w.cluster[0].now + n.latency
    message.value = value
    message.kind = kind
    message.subject = subject
    message.detail = detail
    message.count = count
    n.tail += 1


@inlined
def is_ring_full(w):
    """Tell whether the messages of the next event might find no place in the ring."""
    return w.net[0].tail - w.net[0].head + RESERVE > w.ring.size


@inlined
def log_message(w, kind, s, j, value, worker):
    """Remember a message, for readers of the decision."""
    n = w.net[0]
    if n.lines < w.lines.size:
        line = w.lines[n.lines]
        line.sent = w.cluster[0].now
        line.value = value
        line.kind = kind
        line.job = j
        line.scheduler = j % n.schedulers
        line.worker = worker
        line.slot = s
        line.firm = w.seats[s].firm if s >= 0 else 0
        n.lines += 1


@inlined
def prefetch_subject(w):
    """Ask for the slot that a message which arrives soon is about."""
    message = w.ring[(w.net[0].head + AHEAD) & (w.ring.size - 1)]
    if QUESTION <= message.kind <= REPORT:
        prefetch(w.seats, message.subject)
        prefetch(w.slots, message.subject)
