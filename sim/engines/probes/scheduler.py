"""Schedulers: they receive jobs, answer questions, and act on the reports of their copies.

A scheduler knows of its copies what they reported, a latency ago: a speculation rule of the slot engine
looks at them with that delay (a worker knows of which copies the rule wants to be told, and tells of no
others), and a task it finds slow is probed for like a task.

Few helpers are handed the world here: each further level of them was measured to cost speed.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engines.probes.network import log_message, next_message, send
from sim.engines.probes.records import CANCEL, KILL, NO, REFUSED, SPENT, TAKEN, TASK
from sim.engines.probes.series import ACTIVE, BUSY, EXTRA, note, note_start
from sim.engines.probes.worker import probe_copies, probe_tasks
from sim.engines.slots.launching import duration_of
from sim.engines.slots.world import plan_look, wake
from sim.kernel.calendar import day_of, schedule, withdraw
from sim.kernel.compile import inlined
from sim.kernel.deliveries import prefetch
from sim.kernel.hook import handed
from sim.kernel.phases import deliver, open_job
from sim.kernel.phases import send as send_output
from sim.kernel.records import UNOBSERVED
from sim.kernel.streams import job_key
from sim.model.laws import STRAGGLE_LAWS

# A scheduler sends a task to a slot: the job's next original, or a further copy of a running task.
#
# All is written when the task is sent. It starts a latency later, and since durations are known to the
# engine at once, the calendar then has its end.

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


@inlined
def recall_transfers(w, j):
    """Let what is taken of transfer times be what the scheduler of job `j` has seen."""
    c = w.cluster[0]
    if c.learns_weight:
        scheduler = w.schedulers[j % w.net[0].schedulers]
        c.seen = scheduler.seen
        c.seen_ratio = scheduler.seen_ratio


@inlined
def remember_transfers(w, update_order, j):
    """Let the scheduler of job `j` remember what it has seen, and file anew its jobs that rest on a guess."""
    c = w.cluster[0]
    schedulers = w.net[0].schedulers
    scheduler = w.schedulers[j % schedulers]
    scheduler.seen = c.seen
    scheduler.seen_ratio = c.seen_ratio
    for other in range(c.oldest - c.oldest % schedulers + j % schedulers, c.arrived, schedulers):
        if w.jobs[other].unknown > 0:
            update_order(handed(w.table), other)


@inlined
def receive_job(w, label, update_order):
    """Let the next job arrive at its scheduler, which sends probes at once."""
    c = w.cluster[0]
    n = w.net[0]
    j = c.arrived
    job = w.jobs[j]
    c.arrived = j + 1
    c.active += 1
    c.remaining += job.tasks
    if c.phased:
        open_job(w, j)
    else:
        c.waiting += job.tasks
    job.key = job_key(n.run, j)
    job.rank = j
    w.own[j].probed = n.probes * job.tasks
    note(w, ACTIVE, c.now, 1.0)
    recall_transfers(w, j)
    probe_tasks(w, label, j, 0)
    if w.net[0].files:
        update_order(handed(w.table), j)


@inlined
def receive_output(w, label, update_order):
    """Let the next output reach its phase, as its scheduler knows, which probes for what may start now."""
    j = w.deliveries[0].first
    before = w.jobs[j].released
    recall_transfers(w, j)
    deliver(w)
    if w.cluster[0].learns_weight:
        remember_transfers(w, update_order, j)
    if w.jobs[j].released > before:
        probe_tasks(w, label, j, before)
    if w.net[0].files:
        update_order(handed(w.table), j)


@inlined
def answer_question(w, label, answer, update_order, next_check, select_task, s):
    """Let a scheduler answer the question of slot `s`: with a task, or with no and what it wants instead."""
    n = w.net[0]
    seat = w.seats[s]
    j = seat.job
    job = w.jobs[j]
    recall_transfers(w, j)
    value = label(handed(w.table), j) if n.says else 0.0
    if n.tells and seat.holds:
        n.overstated += 1.0 - value / seat.value
    task_slot = -1
    verdict = SPENT
    if job.launched < job.released or job.candidates > 0:
        asked = not n.gives or job.launched == job.released
        verdict = answer(handed(w.table), j, seat.firm) if asked else TAKEN
        if verdict == TAKEN and job.launched == job.released:
            task_slot = select_task(handed(w.table), j)
            if task_slot < 0:  # what looked worth a copy no longer is
                verdict = SPENT
    if verdict == TAKEN:
        send_task(w, next_check, s, j, task_slot)
    if n.files and verdict != REFUSED:  # which changes nothing
        update_order(handed(w.table), j)
    if verdict == TAKEN:
        return
    hint = w.job_heaps[j % n.schedulers] if n.files else -1
    message = next_message(w)
    message.as_of = w.cluster[0].now
    message.verdict = verdict
    if hint >= 0:
        message.hint_value = label(handed(w.table), hint)
    n.sent_nos += 1
    log_message(w, NO, s, j, value, seat.worker)
    send(w, NO, s, hint, 0, value)


@inlined
def receive_report(w, label, update_order, on_copy_end, winner):
    """Let a scheduler hear that the copy in slot `winner` has ended: the task's others are killed."""
    if w.seats[winner].over:
        return
    c = w.cluster[0]
    n = w.net[0]
    j = w.slots[winner].job
    task_slot = w.slots[winner].task_slot
    job = w.jobs[j]
    recall_transfers(w, j)
    others = job.candidates - (1 if w.slots[task_slot].heap == 1 + 2 * j else 0)
    if c.hears_every_copy_end:
        s = task_slot
        while True:
            on_copy_end(handed(w.table), s, 1 if s == winner else 0)
            s = w.slots[s].next_copy
            if s == task_slot:
                break
    elif c.checking and w.slots[task_slot].heap >= 0:
        on_copy_end(handed(w.table), task_slot, 1 if task_slot == winner else 0)
    copies = w.slots[task_slot].copies
    job.held -= copies
    w.schedulers[j % n.schedulers].extra -= copies - 1
    job.finished += 1
    c.remaining -= 1
    if c.phased:
        send_output(w, j, w.slots[winner].task)
    s = task_slot
    while True:
        withdraw(w, 2 * s + 1)
        w.seats[s].over = 1
        if s != winner:
            n.sent_kills += 1
            log_message(w, KILL, s, j, 0.0, w.seats[s].worker)
            send(w, KILL, s, w.seats[s].stamp, 0, 0.0)
        s = w.slots[s].next_copy
        if s == task_slot:
            break
    wake(w)
    if job.candidates > others:
        probe_copies(w, label, j, job.candidates - others)
    if n.cancels and c.checking and job.finished == job.tasks:
        send(w, CANCEL, j, 0, 0, 0.0)
    if w.net[0].files:
        update_order(handed(w.table), j)


@inlined
def look_at_copy(w, label, update_order, check, item):
    """Let the speculation rule look at a copy, as its scheduler now knows it."""
    c = w.cluster[0]
    s = item >> 1
    j = w.slots[s].job
    job = w.jobs[j]
    before = job.candidates
    recall_transfers(w, j)
    withdraw(w, item)
    plan_look(w, s, check(handed(w.table), s))
    wake(w)
    if c.observe_kind != UNOBSERVED:  # it was told; elapsed times a scheduler knows by itself
        w.net[0].sent_reports += 1
    if job.candidates > before:
        probe_copies(w, label, j, job.candidates - before)
    if w.net[0].files:
        update_order(handed(w.table), j)
