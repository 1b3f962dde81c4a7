"""A scheduler sends a task to a slot: the job's next original, or a further copy of a running task.

All is written when the task is sent. It starts a latency later, and since durations are known to the engine
at once, the calendar then has its end.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engines.probes.network import log_message, send
from sim.engines.probes.records import CANCEL, TASK
from sim.engines.probes.series import BUSY, EXTRA, note, note_start
from sim.engines.slots.hooks import plan_look
from sim.engines.slots.launching import duration_of
from sim.kernel.calendar import day_of, schedule
from sim.kernel.compile import inlined
from sim.kernel.handing import handed
from sim.kernel.prefetch import prefetch
from sim.model.laws import STRAGGLE_LAWS

#: The only law under which a copy's luck depends on its slot.
OUTLIER = STRAGGLE_LAWS.index("outlier")


@inlined
def send_task(w, next_check, s, j, task_slot):
    """Send a task to slot `s`: job `j`'s next original, or a copy of `task_slot`'s task."""
    c = w.cluster[0]
    n = w.net[0]
    job = w.jobs[j]
    slot = w.slots[s]
    seat = w.seats[s]
    slot.start = c.now + n.latency
    if task_slot < 0:
        slot.task = w.ready[job.first_task + job.launched] if c.phased else job.launched
        slot.number = 0
    else:
        slot.task = w.slots[task_slot].task
        slot.number = w.slots[task_slot].copies
    slot.duration = duration_of(
        w,
        j,
        slot.task,
        slot.number,
        s if c.law == OUTLIER else 0,  # one site is as good as another, and at hand
    )
    slot.finish = slot.start + slot.duration
    # where it will be filed on the calendar, in the end
    prefetch(w.buckets, day_of(w.cluster, slot.finish) & c.mask)
    if task_slot < 0:
        slot.task_slot = s
        slot.next_copy = s
        slot.copies = 1
        slot.best = math.inf
        slot.second_last = s
        slot.third_last = s
        slot.rank = (np.int64(j) << 32) | slot.task  # without compilation `j` may have 32 bits
        if job.launched == 0:
            job.start = slot.start
        job.launched += 1
        c.waiting -= 1
        note_start(w, slot.start)
        task_slot = s
    else:
        slot.task_slot = task_slot
        slot.next_copy = w.slots[task_slot].next_copy
        w.slots[task_slot].third_last = w.slots[task_slot].second_last
        w.slots[task_slot].second_last = w.slots[task_slot].next_copy
        w.slots[task_slot].next_copy = s
        w.slots[task_slot].copies += 1
        job.extra += 1
        w.schedulers[j % n.schedulers].extra += 1
        note(w, EXTRA, slot.start, 1.0)
        note(w, BUSY, slot.start, 1.0)
    slot.job = j
    slot.checked = 0
    job.held += 1
    job.copies += 1
    seat.stamp += 1
    seat.runs = 1
    seat.over = 0
    seat.won = 0
    n.sent_tasks += 1
    n.decisions += 1
    n.given += 1
    n.used += seat.holds
    seat.holds = 0
    n.handover += slot.start - seat.since
    log_message(w, TASK, s, j, 0.0, seat.worker)
    best = w.slots[task_slot].best
    if slot.finish <= best + n.latency + n.latency:  # when the news of the best has come back as a kill
        schedule(w, 2 * s, slot.finish)
    w.slots[task_slot].best = min(best, slot.finish)
    if c.checking:
        plan_look(w, s, next_check(handed(w.table), s) + n.latency)
    elif n.cancels and job.launched == job.tasks:
        send(w, CANCEL, j, 0, 0, 0.0)
