"""Messages on their way: a ring in order of sending, which is the order of arrival at constant latency."""

from __future__ import annotations

from sim.engines.probes.records import QUESTION, REPORT
from sim.kernel.compile import inlined
from sim.kernel.prefetch import prefetch

#: Messages that one event may send, at most: a kill for each of 16 copies, and a few.
RESERVE = 32
#: How many messages ahead records are asked for (`sim.kernel.prefetch`).
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
