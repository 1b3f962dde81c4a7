"""The records of the probe engine beside those of `sim.kernel.records`.

A slot and the copy it is given are known by one index: worker w has the slots ``w C ... w C + C - 1``.
The record of a copy (`sim.kernel.records.SLOT`) is its scheduler's, written when it gives a task to the
slot. That is safe, because a slot asks for its next task only after it has told of the end of its last
one, and messages overtake nobody.
"""

from __future__ import annotations

import numpy as np

#: Kinds of message; what each says is in `MESSAGE`. A task is sent by a message, too; it needs no event,
#: since the latency is constant.
PROBES, QUESTION, NO, REPORT, KILL, CANCEL, TASK = range(7)
KINDS = ("probe", "question", "no", "report", "kill", "cancel", "task")

#: How a scheduler answers a question: the job has nothing to run (the reservation is spent), it has but
#: does not want the slot now (the reservation goes back to its queue), it takes the slot.
SPENT, REFUSED, TAKEN = range(3)

#: The schedulers and workers as a whole; one record.
NETWORK = np.dtype(
    [
        # what is fixed for a run
        ("schedulers", "i8"),
        ("workers", "i8"),
        ("per_worker", "i8"),  # slots of a worker, C
        ("latency", "f8"),  # one way
        ("probes", "i8"),  # probes a task, d
        ("cancels", "i8"),  # reservations left over are cancelled
        ("files", "i8"),  # the protocol files jobs that want a slot, so that refusals can name one
        ("tells", "i8"),  # workers act on what messages say of jobs
        ("says", "i8"),  # messages say something of jobs
        ("first_come", "i8"),  # a slot asks for the oldest reservation
        ("gives", "i8"),  # a scheduler gives a task while its job has one
        ("cap", "f8"),  # extra copies a scheduler may have running
        ("asked", "i8"),  # schedulers a slot remembers to have asked
        ("run", "u8"),  # key of the replication: the luck of copies
        ("luck", "u8"),  # of probes and of random choices
        ("opens", "f8"),  # the window of the averages over time: first counted arrival,
        ("closes", "f8"),  # last arrival
        # messages on their way: a ring, since a constant latency keeps them in order
        ("head", "i8"),
        ("tail", "i8"),
        # reservations (sim.engines.probes.queue)
        ("top", "i8"),
        ("widest", "i8"),  # capacity of the largest segment
        ("queued", "i8"),
        ("queue_clock", "f8"),
        ("area_queued", "f8"),
        ("lap", "i4"),  # sampling (sim.engines.probes.sampling)
        ("short", "i4"),  # which array is too small (sim.engines.probes.run)
        ("draws", "i8"),
        ("drawn", "i8"),  # probes of the message that is delivered whose workers are drawn already
        ("area_busy", "f8"),  # in the window
        # messages by kind, each counted when it is sent
        ("sent_probes", "i8"),
        ("sent_questions", "i8"),
        ("sent_nos", "i8"),
        ("sent_tasks", "i8"),
        ("sent_reports", "i8"),
        ("sent_kills", "i8"),
        ("sent_cancels", "i8"),
        # what became of reservations
        ("placed", "i8"),  # arrived at a worker
        ("used", "i8"),  # brought the slot a task
        ("spent", "i8"),  # the job had nothing to run any more
        ("cancelled", "i8"),
        # decisions: from the first question of a free slot to a task, or to nobody left to ask
        ("decisions", "i8"),
        ("refusals", "i8"),  # NO to a question that may be refused
        ("firm", "i8"),  # questions that may not
        ("given", "i8"),  # decisions that ended with a task
        ("handover", "f8"),  # their time from a free slot with a reservation to the start of the task
        ("sizes_used", "i8"),  # reservations asked for by what was known of their job: how many,
        ("staleness", "f8"),  # how old that was, in all
        ("overstated", "f8"),  # by which share it was above the truth, in all
        ("lines", "i8"),  # of the log of messages
    ]
)

#: Facts that the engine knows about a job; the job's record holds what its scheduler knows.
OWN = np.dtype(
    [
        ("done", "i4"),  # tasks that have finished, whether its scheduler has heard of it or not
        ("probed", "i4"),  # probes sent, those for its tasks counted from the start
    ]
)

#: What a scheduler knows: how many extra copies of its jobs run, and of the outputs of theirs that have
#: arrived, how many there were and the sum of their transfer ratios.
SCHEDULER = np.dtype([("extra", "i8"), ("seen", "i8"), ("seen_ratio", "f8")])

#: A worker: its reservations are ``entries[segment : segment + queued]``.
WORKER = np.dtype(
    [
        ("segment", "i4"),
        ("capacity", "i4"),  # of the segment
        ("queued", "i4"),
        ("idle", "i4"),  # its slot that became idle last, -1 for none
    ]
)

#: A reservation in a worker's queue. `value` is what the worker orders it by; `as_of` is when that was true.
RESERVATION = np.dtype([("value", "f8"), ("as_of", "f8"), ("job", "i4"), ("scheduler", "i4")])

#: What the worker's side knows of a slot, and the decision it is in: one cache line.
SEAT = np.dtype(
    [
        ("since", "f8"),  # free, with a reservation in the queue
        ("value", "f8"),  # the reservation asked for, out of the queue while it is
        ("as_of", "f8"),
        ("hint_value", "f8"),  # smallest job that a scheduler wants a slot for, of those heard of in this
        ("hint", "i4"),  # decision; -1 for none
        ("job", "i4"),
        ("tries", "i4"),  # questions in this decision
        ("next", "i4"),  # idle slot of the same worker
        ("stamp", "i4"),  # copies given to this slot so far
        ("worker", "i4"),  # whose slot it is: a division takes long
        ("refused", "i2"),  # refusals in this decision
        ("firm", "i1"),  # the question may not be refused
        ("holds", "i1"),  # a reservation is held out of the queue
        ("runs", "i1"),  # a copy is here, or under way
        ("over", "i1"),  # the scheduler knows that the copy's task is done
        ("won", "i1"),  # of a task slot: one of its task's copies has finished
        ("unused", "i1"),
    ]
)

#: A message on its way.
MESSAGE = np.dtype(
    [
        ("time", "f8"),  # of its arrival
        ("value", "f8"),  # what it says of the job: `PROBES`, `NO`
        ("as_of", "f8"),  # `NO`: when that was true
        ("hint_value", "f8"),  # `NO`: what it says of the job in `detail`
        ("kind", "i2"),
        ("verdict", "i2"),  # `NO`: `SPENT` or `REFUSED`
        ("subject", "i4"),  # the job of `PROBES` and `CANCEL`, the slot of all others
        # `PROBES`: number of the first; `KILL`: which of the slot's copies; `NO`: the job that the scheduler
        # most wants a slot for, -1 for none
        ("detail", "i4"),
        ("count", "i4"),  # `PROBES`: how many
    ]
)

#: Place of a sampling order that has moved in the lap of this number (sim.engines.probes.sampling).
MOVED = np.dtype([("lap", "i4"), ("value", "i4")])

#: One message of the log.
LINE = np.dtype(
    [
        ("sent", "f8"),
        ("value", "f8"),
        ("kind", "i4"),
        ("job", "i4"),
        ("scheduler", "i4"),
        ("worker", "i4"),
        ("slot", "i4"),
        ("firm", "i4"),
    ]
)
