"""The probe engine: schedulers that own jobs, workers that own queues, messages that take time.

A job arrives at a scheduler (job j at scheduler j modulo their number), which at once sends d probes for
each task that may start. A probe becomes a reservation in its worker's queue. A free slot asks, for one
reservation at a time, whether the job has something for it; the answer is a task, which then runs, or no.
A slot waits for its answer. The end of a copy is reported to the scheduler, which has the task's other
copies killed (the original first, then the last copy and so on). All messages take the same time (the
scenario's latency), so none overtakes another.

Where jobs have phases (`sim.phases`) the output of a task is on its way from the end of the task, and its
scheduler hears of both a latency later: the report of the end says when the output will have arrived, since
transfer times are known. Tasks that may start then are probed for, those of one delivery in one batch.
Reservations left over from a phase serve the next one, too, unless a slot has asked for them in between;
they are withdrawn when no task of the job is left to launch.

The order of events is total. At one instant finishes come first (by job, task, copy), then looks of the
speculation rule (same order), then deliveries (by job, task), then messages (in order of sending), then
arrivals (by index). What is sent at an instant without latency is delivered at it.

A scheduler knows of its copies what they reported, a latency ago: a speculation rule of the slot engine
looks at them with that delay (a worker knows of which copies the rule wants to be told, and tells of
no others), and a task it finds slow is probed for like a task (d probes). A job is
done when its last task is, whoever knows it yet. A copy that cannot finish before it is killed is never
put on the calendar.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from sim.kernel.calendar import NEAR, SOON, day_of, next_item, resize_days, schedule, withdraw
from sim.kernel.compile import OPTIONS, inlined
from sim.kernel.phases import deliver, open_job
from sim.kernel.phases import send as send_output
from sim.kernel.prefetch import prefetch
from sim.kernel.streams import job_key
from sim.laws import STRAGGLE_LAWS
from sim.probes.queue import drop, enqueue, is_full
from sim.probes.records import CANCEL, KILL, NO, PROBES, QUESTION, REFUSED, REPORT, SPENT, TAKEN, TASK
from sim.probes.sampling import draw_worker
from sim.probes.signatures import ANSWER, ASK, LABEL
from sim.probes.signatures import TOUCH as TOUCH_JOB
from sim.probes.world import WORLD
from sim.slots.engine import duration_of, note_holdings, wake
from sim.slots.signatures import CHOOSE, LOSE, WATCH

#: What a call of `advance` ended with.
MORE, DONE, GROW = range(3)
#: Which array is too small, in `short`.
RING_SHORT, QUEUES_SHORT = range(2)
#: Messages that one event may send, at most: a kill for each of 16 copies, and a few.
RESERVE = 32
#: How many messages ahead records are asked for (`sim.kernel.prefetch`), beyond `NEAR` slots.
SOON_SENT = 6
#: The only law under which a copy's luck depends on its slot.
OUTLIER = STRAGGLE_LAWS.index("outlier")
#: Columns of the time series.
BUSY, EXTRA, WAITING, ACTIVE = range(4)


@inlined
def note(w, column, time, change):
    """Let a column of the time series change at `time`, which may be ahead."""
    step = w.cluster[0].edge_step
    if step < math.inf and time < step * w.jump.shape[0]:
        k = int(time / step)
        if k < w.jump.shape[0]:
            w.jump[k, column] += change
            w.rest[k, column] += change * (step * (k + 1) - time)


@inlined
def tell(w, kind, s, j, value, worker):
    """Remember a message for whoever wants to read along."""
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
def send(w, kind, a, b, c, value):
    """Put a message on its way."""
    n = w.net[0]
    message = w.ring[n.tail & (w.ring.size - 1)]
    message.time = w.cluster[0].now + n.latency
    message.value = value
    message.kind = kind
    message.a = a
    message.b = b
    message.c = c
    n.tail += 1


@inlined
def probe(w, label, j, first, tasks):
    """Send d probes for each of `tasks` tasks of job `j`, numbered from `first` on."""
    count = w.net[0].probes * tasks
    send(w, PROBES, j, first, count, label(w.cluster, w.jobs, j))
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
    probe(w, label, j, w.net[0].probes * before, job.released - before)


@inlined
def probe_copies(w, label, j, tasks):
    """Send d probes for another copy of each of `tasks` tasks of job `j`."""
    first = w.own[j].probed
    w.own[j].probed += w.net[0].probes * tasks
    probe(w, label, j, first, tasks)


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
def consult(w, j):
    """Let what is taken of transfer times be what the scheduler of job `j` has seen."""
    c = w.cluster[0]
    if c.learns_weight:
        scheduler = w.schedulers[j % w.net[0].schedulers]
        c.seen = scheduler.seen
        c.seen_ratio = scheduler.seen_ratio


@inlined
def learn(w, touch, j):
    """Let the scheduler of job `j` remember what it has seen, and file again those it guesses of."""
    c = w.cluster[0]
    schedulers = w.net[0].schedulers
    scheduler = w.schedulers[j % schedulers]
    scheduler.seen = c.seen
    scheduler.seen_ratio = c.seen_ratio
    for other in range(c.oldest - c.oldest % schedulers + j % schedulers, c.arrived, schedulers):
        if w.jobs[other].unknown > 0:
            touch(w.cluster, w.net, w.jobs, w.roots, w.numbers, other)


@inlined
def arrive(w, label, touch):
    """Let the next job enter the system and its scheduler send probes."""
    c = w.cluster[0]
    n = w.net[0]
    j = c.arrived
    job = w.jobs[j]
    c.arrived = j + 1
    c.active += 1
    c.remaining += job.tasks
    if c.phased:
        open_job(w.cluster, w.jobs, w.phases, w.roots, j)
    else:
        c.waiting += job.tasks
    job.key = job_key(n.run, j)
    job.rank = j
    w.own[j].probed = n.probes * job.tasks
    note(w, ACTIVE, c.now, 1.0)
    consult(w, j)
    probe_tasks(w, label, j, 0)
    if n.files:
        touch(w.cluster, w.net, w.jobs, w.roots, w.numbers, j)


@inlined
def receive(w, label, touch):
    """Let the next output reach its phase, as its scheduler knows, which probes for what may start now."""
    j = w.deliveries[0].job
    before = w.jobs[j].released
    consult(w, j)
    deliver(w.cluster, w.jobs, w.phases, w.deliveries, w.roots)
    if w.cluster[0].learns_weight:
        learn(w, touch, j)
    if w.jobs[j].released > before:
        probe_tasks(w, label, j, before)
    if w.net[0].files:
        touch(w.cluster, w.net, w.jobs, w.roots, w.numbers, j)


@inlined
def inquire(w, ask, s):
    """Let the free slot ask its next question, or become idle if there is none."""
    n = w.net[0]
    seat = w.seats[s]
    seat.holds = 0
    if ask(w.cluster, w.net, w.workers, w.entries, w.bins, w.seats, w.asked, w.numbers, s):
        seat.tries += 1
        n.sent_questions += 1
        n.firm += seat.firm
        if n.tells and seat.holds:
            n.sizes_used += 1
            n.staleness += w.cluster[0].now - seat.told
        tell(w, QUESTION, s, seat.job, seat.value, s // n.per_worker)
        send(w, QUESTION, s, 0, 0, 0.0)
        return
    if seat.tries > 0:
        n.decisions += 1
    worker = w.workers[s // n.per_worker]
    seat.next = worker.idle
    worker.idle = s


@inlined
def decide(w, ask, s):
    """Let a slot that is free, with perhaps a reservation to ask for, begin a decision."""
    seat = w.seats[s]
    prefetch(w.slots, s)  # for the task that it will be given
    seat.since = w.cluster[0].now
    seat.refused = 0
    seat.tries = 0
    seat.hint = -1
    inquire(w, ask, s)


@inlined
def deliver_probe(w, ask, message):
    """Let one probe of a message become a reservation, and wake an idle slot.

    The worker of the next one is drawn, too, so that it is at hand by then.
    """
    c = w.cluster[0]
    n = w.net[0]
    j = message.a
    worker = n.coming if n.coming >= 0 else worker_of(w, j, message.b)
    message.b += 1
    message.c -= 1
    n.coming = -1
    if message.c > 0:
        n.coming = worker_of(w, j, message.b)
        prefetch(w.entries, w.workers[n.coming].segment + w.workers[n.coming].queued)
        prefetch(w.seats, max(w.workers[n.coming].idle, 0))
    tell(w, PROBES, -1, j, message.value, worker)
    n.placed += 1
    enqueue(
        w.cluster, w.net, w.workers, w.entries, w.bins, worker, message.value, message.time - n.latency, j
    )
    s = w.workers[worker].idle
    if s >= 0:
        w.workers[worker].idle = w.seats[s].next
        decide(w, ask, s)
    c.events += 1


@inlined
def give(w, watch, s, j, lead):
    """Send a task to slot `s`: job `j`'s next original, or a copy of `lead`'s task."""
    c = w.cluster[0]
    n = w.net[0]
    job = w.jobs[j]
    slot = w.slots[s]
    seat = w.seats[s]
    slot.start = c.now + n.latency
    if lead < 0:
        slot.task = w.roots[c.ready + job.first_task + job.launched] if c.phased else job.launched
        slot.number = 0
    else:
        slot.task = w.slots[lead].task
        slot.number = w.slots[lead].copies
    slot.duration = duration_of(
        w.cluster,
        w.jobs,
        w.slot_roots,
        w.law,
        w.task_size,
        w.sites,
        j,
        slot.task,
        slot.number,
        s if c.law == OUTLIER else 0,  # one site is as good as another, and at hand
    )
    slot.finish = slot.start + slot.duration
    # where it will be filed on the calendar, in the end
    prefetch(w.buckets, day_of(w.cluster, slot.finish) & c.mask)
    if lead < 0:
        slot.lead = s
        slot.twin = s
        slot.copies = 1
        slot.best = math.inf
        slot.second_last = s
        slot.third_last = s
        slot.rank = (np.int64(j) << 32) | slot.task  # without compilation `j` may have 32 bits
        if job.launched == 0:
            job.start = slot.start
        job.launched += 1
        c.waiting -= 1
        note(w, WAITING, slot.start, -1.0)
        lead = s
    else:
        slot.lead = lead
        slot.twin = w.slots[lead].twin
        w.slots[lead].third_last = w.slots[lead].second_last
        w.slots[lead].second_last = w.slots[lead].twin
        w.slots[lead].twin = s
        w.slots[lead].copies += 1
        job.extra += 1
        w.schedulers[j % n.schedulers].extra += 1
        note(w, EXTRA, slot.start, 1.0)
    slot.job = j
    slot.noticed = 0
    job.held += 1
    job.copies += 1
    note(w, BUSY, slot.start, 1.0)
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
    tell(w, TASK, s, j, 0.0, s // n.per_worker)
    best = w.slots[lead].best
    if slot.finish <= best + n.latency + n.latency:  # when the news of the best has come back as a kill
        schedule(w.cluster, w.items, w.buckets, w.front, w.slots, 2 * s, slot.finish)
    w.slots[lead].best = min(best, slot.finish)
    if c.watching:
        look = watch(w.cluster, w.jobs, w.slots, w.slot_roots, w.store, w.copy_numbers, s)
        if look < math.inf:
            schedule(w.cluster, w.items, w.buckets, w.front, w.slots, 2 * s + 1, look + n.latency)
    elif n.cancels and job.launched == job.tasks:
        send(w, CANCEL, j, 0, 0, 0.0)


@inlined
def reply(w, label, answer, touch, watch, choose, s):
    """Let a scheduler answer the question of slot `s`."""
    n = w.net[0]
    seat = w.seats[s]
    j = seat.job
    job = w.jobs[j]
    consult(w, j)
    value = label(w.cluster, w.jobs, j)
    if n.tells and seat.holds:
        n.overstated += 1.0 - value / seat.value
    lead = -1
    verdict = SPENT
    if job.launched < job.released or job.candidates > 0:
        verdict = answer(w.cluster, w.net, w.jobs, w.schedulers, w.numbers, j, seat.firm)
        if verdict == TAKEN and job.launched == job.released:
            lead = choose(w.cluster, w.jobs, w.slots, w.slot_roots, w.store, w.copy_numbers, j)
            if lead < 0:  # what looked worth a copy no longer is
                verdict = SPENT
    if verdict == TAKEN:
        give(w, watch, s, j, lead)
    if n.files:
        touch(w.cluster, w.net, w.jobs, w.roots, w.numbers, j)
    if verdict == TAKEN:
        return
    hint = w.roots[j % n.schedulers] if n.files else -1
    message = w.ring[n.tail & (w.ring.size - 1)]
    message.told = w.cluster[0].now
    if hint >= 0:
        message.hint_value = label(w.cluster, w.jobs, hint)
    n.sent_nos += 1
    tell(w, NO, s, j, value, s // n.per_worker)
    send(w, NO, s, verdict, hint, value)


@inlined
def hear_no(w, ask, message):
    """Let a slot learn from a refusal and ask on."""
    n = w.net[0]
    s = message.a
    seat = w.seats[s]
    if seat.holds:
        if message.b == REFUSED:
            enqueue(
                w.cluster, w.net, w.workers, w.entries, w.bins,
                s // n.per_worker, message.value, message.told, seat.job,
            )  # fmt: skip
        else:
            n.spent += 1
    if seat.firm == 0:
        n.refusals += 1
        if seat.refused < n.asked:
            w.asked[s * n.asked + seat.refused] = seat.job % n.schedulers
            seat.refused += 1
    hint = message.c
    if hint >= 0 and (
        seat.hint < 0
        or message.hint_value < seat.hint_value
        or (message.hint_value == seat.hint_value and hint < seat.hint)
    ):
        seat.hint = hint
        seat.hint_value = message.hint_value
    inquire(w, ask, s)


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
    withdraw(w.cluster, w.items, w.buckets, w.front, w.slots, 2 * s)
    w.seats[s].runs = 0
    if c.logged < w.log.size:
        line = w.log[c.logged]
        line.job = slot.job
        line.task = slot.task
        line.copy = slot.number
        line.slot = s
        line.start = slot.start
        line.end = c.now
        line.fate = fate
        c.logged += 1


@inlined
def finish(w, s):
    """Let the copy in slot `s` finish; its task is done if it is the first to."""
    c = w.cluster[0]
    slot = w.slots[s]
    j = slot.job
    # While the scheduler has not heard of the end of the task, the record of its lead is intact.
    first = w.seats[s].over == 0 and w.seats[slot.lead].won == 0
    end_copy(w, s, 0 if first else 1)
    if first:
        w.seats[slot.lead].won = 1
        w.own[j].done += 1
        c.done_tasks += 1
        if w.own[j].done == w.jobs[j].tasks:
            w.jobs[j].finish = c.now
            c.active -= 1
            note(w, ACTIVE, c.now, -1.0)
    w.net[0].sent_reports += 1
    tell(w, REPORT, s, j, 0.0, s // w.net[0].per_worker)
    send(w, REPORT, s, 0, 0, 0.0)


@inlined
def hear_report(w, label, touch, lose, winner):
    """Let a scheduler hear that the copy in slot `winner` has ended: the task's others are killed."""
    if w.seats[winner].over:
        return
    c = w.cluster[0]
    n = w.net[0]
    j = w.slots[winner].job
    lead = w.slots[winner].lead
    job = w.jobs[j]
    consult(w, j)
    others = job.candidates - (1 if w.slots[lead].heap == 1 + 2 * j else 0)
    if c.learning:
        s = lead
        while True:
            lose(
                w.cluster, w.jobs, w.slots, w.slot_roots, w.store, w.copy_numbers, s, 1 if s == winner else 0
            )
            s = w.slots[s].twin
            if s == lead:
                break
    elif c.watching and w.slots[lead].heap >= 0:  # a task is filed by its lead only
        lose(
            w.cluster, w.jobs, w.slots, w.slot_roots, w.store, w.copy_numbers,
            lead, 1 if lead == winner else 0,
        )  # fmt: skip
    copies = w.slots[lead].copies
    job.held -= copies
    w.schedulers[j % n.schedulers].extra -= copies - 1
    job.finished += 1
    c.remaining -= 1
    if c.phased:
        send_output(w.cluster, w.jobs, w.phases, w.deliveries, j, w.slots[winner].task)
    s = lead
    while True:
        withdraw(w.cluster, w.items, w.buckets, w.front, w.slots, 2 * s + 1)
        w.seats[s].over = 1
        if s != winner:
            n.sent_kills += 1
            tell(w, KILL, s, j, 0.0, s // n.per_worker)
            send(w, KILL, s, w.seats[s].stamp, 0, 0.0)
        s = w.slots[s].twin
        if s == lead:
            break
    if c.wake >= 0:
        wake(w.cluster, w.items, w.buckets, w.front, w.slots)
    if job.candidates > others:
        probe_copies(w, label, j, job.candidates - others)
    if n.cancels and c.watching and job.finished == job.tasks:
        send(w, CANCEL, j, 0, 0, 0.0)
    if n.files:
        touch(w.cluster, w.net, w.jobs, w.roots, w.numbers, j)


@inlined
def look(w, label, touch, notice, item):
    """Let the speculation rule look at a copy, as its scheduler now knows it."""
    c = w.cluster[0]
    s = item >> 1
    j = w.slots[s].job
    job = w.jobs[j]
    before = job.candidates
    consult(w, j)
    withdraw(w.cluster, w.items, w.buckets, w.front, w.slots, item)
    again = notice(w.cluster, w.jobs, w.slots, w.slot_roots, w.store, w.copy_numbers, s)
    if again < math.inf:
        schedule(w.cluster, w.items, w.buckets, w.front, w.slots, item, again)
    if c.wake >= 0:
        wake(w.cluster, w.items, w.buckets, w.front, w.slots)
    if c.observe_kind < 2:  # it was told; elapsed times a scheduler knows by itself
        w.net[0].sent_reports += 1
    if job.candidates > before:
        probe_copies(w, label, j, job.candidates - before)
    if w.net[0].files:
        touch(w.cluster, w.net, w.jobs, w.roots, w.numbers, j)


@inlined
def kill(w, ask, s, stamp):
    """Let a worker kill the copy of this number, if it still runs."""
    seat = w.seats[s]
    if seat.runs and seat.stamp == stamp:
        end_copy(w, s, 1)
        decide(w, ask, s)


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
def look_ahead(w, day):
    """Ask for what copies that end soon after this day will need beside what the calendar asks for."""
    mask = w.cluster[0].mask
    item = w.buckets[(day + SOON[2]) & mask]
    if item >= 0:
        prefetch(w.seats, item >> 1)
    item = w.buckets[(day + SOON[0]) & mask]
    if item >= 0:
        prefetch(w.entries, w.workers[(item >> 1) // w.net[0].per_worker].segment)


@inlined
def expect(w):
    """Ask for the slot that a message which comes soon is about."""
    message = w.ring[(w.net[0].head + SOON_SENT) & (w.ring.size - 1)]
    if QUESTION <= message.kind <= REPORT:
        prefetch(w.seats, message.a)
        prefetch(w.slots, message.a)


@njit(
    types.int64(
        WORLD,
        types.FunctionType(LABEL), types.FunctionType(ASK),
        types.FunctionType(ANSWER), types.FunctionType(TOUCH_JOB),
        types.FunctionType(WATCH), types.FunctionType(WATCH),
        types.FunctionType(LOSE), types.FunctionType(CHOOSE),
        types.int64,
    ),
    **OPTIONS,
)  # fmt: skip
def advance(w, label, ask, answer, touch, watch, notice, lose, choose, limit):
    """Let time pass until the run is over, `limit` more events have happened, or an array is too small.

    Calls may be any number of events long: all state is in the arrays, and the result is the same.
    After `GROW` the array named by `short` must be replaced by a larger one with the same content.
    """
    c = w.cluster[0]
    n = w.net[0]
    limit += c.events
    while True:
        arrival = w.jobs[c.arrived].arrival if c.arrived < c.jobs else math.inf
        message = w.ring[n.head & (w.ring.size - 1)]
        news = message.time if n.head < n.tail else math.inf
        delivery = w.deliveries[0].time if c.deliveries > 0 else math.inf
        until = min(min(arrival, news), delivery)
        day = c.day
        item = next_item(w.cluster, w.items, w.buckets, w.front, w.slots, until)
        if w.slots.size > NEAR:
            for opened in range(max(day, c.day - SOON[2]) + 1, c.day + 1):
                look_ahead(w, opened)
        time = w.items[item].time if item >= 0 else math.inf
        instant = min(time, until)
        if instant > c.horizon or instant == math.inf:
            if c.horizon < math.inf:
                c.now = c.horizon
            return DONE
        if c.events >= limit:
            return MORE
        if n.tail - n.head + RESERVE > w.ring.size:
            n.short = RING_SHORT
            return GROW
        if is_full(w.net, w.entries):
            n.short = QUEUES_SHORT
            return GROW
        while c.next_edge <= instant and c.edges < w.jump.shape[0]:
            note_holdings(w.cluster, w.jobs, w.holding)
            c.edges += 1
            c.next_edge = c.edge_step * (c.edges + 1)
        c.now = instant

        if time == instant:
            c.events += 1
            c.pops += 1
            if item & 1 == 0:
                finish(w, item >> 1)
                decide(w, ask, item >> 1)
            else:
                look(w, label, touch, notice, item)
        elif delivery == instant:
            c.events += 1
            receive(w, label, touch)
        elif news == instant:
            kind = message.kind
            if kind == PROBES:
                while (
                    message.c > 0
                    and n.tail - n.head + RESERVE <= w.ring.size
                    and not is_full(w.net, w.entries)
                ):
                    deliver_probe(w, ask, message)
                if message.c == 0:
                    n.head += 1
                continue
            c.events += 1
            n.head += 1
            if w.slots.size > NEAR:
                expect(w)
            if kind == QUESTION:
                reply(w, label, answer, touch, watch, choose, message.a)
            elif kind == NO:
                hear_no(w, ask, message)
            elif kind == REPORT:
                hear_report(w, label, touch, lose, message.a)
            elif kind == KILL:
                kill(w, ask, message.a, message.b)
            elif kind == CANCEL:
                cancel(w, message.a)
        else:
            c.events += 1
            arrive(w, label, touch)

        if c.pops > w.buckets.size or c.visits > 8 * w.buckets.size:
            resize_days(w.cluster, w.items, w.buckets, w.front, w.slots)
