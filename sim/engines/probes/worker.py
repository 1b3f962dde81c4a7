"""Workers: a probe becomes a reservation, a free slot asks for one reservation at a time, copies run and end.

A *decision* of a slot begins when it is free and ends with a task, or with nobody left to ask; then the
slot is idle until the next probe.
"""

from __future__ import annotations

from sim.engines.probes.network import log_message, send
from sim.engines.probes.queue import drop, enqueue, take_oldest
from sim.engines.probes.records import PROBES, QUESTION, REFUSED, REPORT
from sim.engines.probes.sampling import DRAWN, draw_worker
from sim.engines.probes.series import ACTIVE, BUSY, EXTRA, WAITING, note
from sim.engines.slots.ending import note_copy
from sim.kernel.calendar import SOON, first_of, look_ahead, withdraw
from sim.kernel.compile import inlined
from sim.kernel.deliveries import prefetch
from sim.kernel.hook import handed

# Probes of a scheduler: d for each task that may start, and d for each further copy of a task.


@inlined
def send_probes(w, label, j, first, tasks):
    """Send d probes for each of `tasks` tasks of job `j`, numbered from `first` on."""
    count = w.net[0].probes * tasks
    send(w, PROBES, j, first, count, label(handed(w.table), j) if w.net[0].says else 0.0)
    w.net[0].sent_probes += count


@inlined
def probe_tasks(w, label, j, before):
    """Send probes for the tasks of job `j` that may start, but for the `before` which could already."""
    c = w.cluster[0]
    job = w.jobs[j]
    if c.phased:
        for k in range(before, job.released):
            w.batch[job.first_task + k] = before
    note(w, WAITING, c.now, float(job.released - before))
    send_probes(w, label, j, w.net[0].probes * before, job.released - before)


@inlined
def probe_copies(w, label, j, tasks):
    """Send d probes for another copy of each of `tasks` tasks of job `j`."""
    first = w.own[j].probed
    w.own[j].probed += w.net[0].probes * tasks
    send_probes(w, label, j, first, tasks)


@inlined
def worker_of(w, j, number):
    """Worker that gets the probe of this number of job `j`.

    The first d numbers are for the task that may start first, and so on; what may start at once is one
    batch. Those after the last task's are for copies, in batches of d.
    """
    probes = w.net[0].probes
    job = w.jobs[j]
    first = probes * job.tasks
    place = number
    if number >= first:
        place = (number - first) % probes
    elif w.cluster[0].phased:
        place = number - probes * w.batch[job.first_task + number // probes]
    return draw_worker(w.net, w.moved, job.key ^ w.net[0].luck, place, number)


@inlined
def cancel(w, j):
    """Take the reservations of job `j` that are still queued out of their queues."""
    n = w.net[0]
    for number in range(w.own[j].probed):
        worker = worker_of(w, j, number)
        e = w.workers[worker].segment
        last = e + w.workers[worker].queued
        while e < last and w.entries[e].job != j:
            e += 1
        if e < last:
            drop(w.cluster, w.net, w.workers, w.entries, worker, e)
            n.cancelled += 1
            n.sent_cancels += 1


@inlined
def asks(w, ask, s):
    """Ask the protocol whether the free slot asks a scheduler.

    Where that is the oldest reservation the engine knows by itself: a call takes longer than what it does.
    """
    seat = w.seats[s]
    if w.net[0].first_come:
        return take_oldest(w.cluster, w.net, w.workers, w.entries, w.seats, s) > 0
    return (w.workers[seat.worker].queued > 0 or seat.hint >= 0) and ask(handed(w.table), s) != 0


@inlined
def ask_or_idle(w, ask, s):
    """Let the free slot ask its next question, or become idle if there is none."""
    n = w.net[0]
    seat = w.seats[s]
    worker = w.workers[seat.worker]
    seat.holds = 0
    if asks(w, ask, s):
        seat.tries += 1
        n.sent_questions += 1
        n.firm += seat.firm
        if n.tells and seat.holds:
            n.sizes_used += 1
            n.staleness += w.cluster[0].now - seat.as_of
        log_message(w, QUESTION, s, seat.job, seat.value, seat.worker)
        send(w, QUESTION, s, 0, 0, 0.0)
        return
    if seat.tries > 0:
        n.decisions += 1
    seat.next = worker.idle
    worker.idle = s


@inlined
def begin_decision(w, ask, s):
    """Let a slot that is free, with perhaps a reservation to ask for, begin a decision."""
    seat = w.seats[s]
    prefetch(w.slots, s)  # for the task that it will be given
    seat.since = w.cluster[0].now
    seat.refused = 0
    seat.tries = 0
    seat.hint = -1
    ask_or_idle(w, ask, s)


@inlined
def draw_ahead(w, message):
    """Draw workers of the next probes of a message, and ask for what these will need."""
    n = w.net[0]
    while n.drawn < min(message.count, DRAWN):
        number = message.detail + n.drawn
        worker = worker_of(w, message.subject, number)
        w.coming[number & (DRAWN - 1)] = worker
        n.drawn += 1
        prefetch(w.workers, worker)
        soon = w.workers[w.coming[(number - DRAWN // 2) & (DRAWN - 1)]]
        prefetch(w.entries, soon.segment + soon.queued)
        prefetch(w.seats, max(soon.idle, 0))


@inlined
def receive_probe(w, ask, message):
    """Let one probe of a message become a reservation, and wake an idle slot."""
    c = w.cluster[0]
    n = w.net[0]
    j = message.subject
    draw_ahead(w, message)
    worker = w.coming[message.detail & (DRAWN - 1)]
    message.detail += 1
    message.count -= 1
    n.drawn -= 1
    log_message(w, PROBES, -1, j, message.value, worker)
    n.placed += 1
    enqueue(
        w.cluster, w.net, w.workers, w.entries, w.bins, worker, message.value, message.time - n.latency, j
    )
    s = w.workers[worker].idle
    if s >= 0:
        w.workers[worker].idle = w.seats[s].next
        begin_decision(w, ask, s)
    c.events += 1


@inlined
def receive_no(w, ask, message):
    """Let a slot learn from a scheduler that has no task for it, and ask on."""
    n = w.net[0]
    s = message.subject
    seat = w.seats[s]
    if seat.holds:
        if message.verdict == REFUSED:
            enqueue(
                w.cluster,
                w.net,
                w.workers,
                w.entries,
                w.bins,
                seat.worker,
                message.value,
                message.as_of,
                seat.job,
            )
        else:
            n.spent += 1
    if seat.firm == 0:
        n.refusals += 1
        if seat.refused < n.asked:
            w.asked[s * n.asked + seat.refused] = seat.job % n.schedulers
            seat.refused += 1
    hint = message.detail
    if hint >= 0 and (
        seat.hint < 0
        or message.hint_value < seat.hint_value
        or (message.hint_value == seat.hint_value and hint < seat.hint)
    ):
        seat.hint = hint
        seat.hint_value = message.hint_value
    ask_or_idle(w, ask, s)


@inlined
def end_copy(w, s, fate):
    """Account for a copy that ends now in slot `s`."""
    c = w.cluster[0]
    n = w.net[0]
    slot = w.slots[s]
    job = w.jobs[slot.job]
    ran = c.now - slot.start
    job.resource += ran
    n.area_busy += max(0.0, min(c.now, n.closes) - max(slot.start, n.opens))
    note(w, BUSY, c.now, -1.0)
    if slot.number > 0:
        job.extra_time += ran
        note(w, EXTRA, c.now, -1.0)
    if fate > 0:
        job.killed += 1
    withdraw(w, 2 * s)
    w.seats[s].runs = 0
    note_copy(w, s, c.now, fate)


@inlined
def finish_copy(w, s):
    """Let the copy in slot `s` finish; its task is done if it is the first to."""
    c = w.cluster[0]
    slot = w.slots[s]
    j = slot.job
    # While the scheduler has not heard of the end of the task, the record of its task slot is intact.
    first = w.seats[s].over == 0 and w.seats[slot.task_slot].won == 0
    end_copy(w, s, 0 if first else 1)
    if first:
        w.seats[slot.task_slot].won = 1
        w.own[j].done += 1
        c.done_tasks += 1
        if w.own[j].done == w.jobs[j].tasks:
            w.jobs[j].finish = c.now
            c.active -= 1
            note(w, ACTIVE, c.now, -1.0)
    w.net[0].sent_reports += 1
    log_message(w, REPORT, s, j, 0.0, w.seats[s].worker)
    send(w, REPORT, s, 0, 0, 0.0)


@inlined
def receive_kill(w, ask, s, stamp):
    """Kill the copy of this number in slot `s`, if it still runs."""
    seat = w.seats[s]
    if seat.runs and seat.stamp == stamp:
        end_copy(w, s, 1)
        begin_decision(w, ask, s)


@inlined
def prefetch_copies(w):
    """Ask for what copies that end soon will need, as `look_ahead` of the calendar does for slots."""
    c = w.cluster[0]
    if c.checking:
        look_ahead(w)
    item = first_of(w, c.day + SOON[2])
    prefetch(w.items, item)
    prefetch(w.slots, item >> 1)
    prefetch(w.seats, item >> 1)
    second = max(w.items[first_of(w, c.day + SOON[1])].next, 0)
    prefetch(w.items, second)
    prefetch(w.slots, second >> 1)
    prefetch(w.seats, second >> 1)
    worker = w.seats[first_of(w, c.day + SOON[0]) >> 1].worker
    prefetch(w.entries, w.workers[worker].segment)
