"""Probes of a scheduler: d for each task that may start, and d for each further copy of a task."""

from __future__ import annotations

from sim.engines.probes.network import send
from sim.engines.probes.queue import drop
from sim.engines.probes.records import PROBES
from sim.engines.probes.sampling import draw_worker
from sim.engines.probes.series import WAITING, note
from sim.kernel.compile import inlined
from sim.kernel.handing import handed


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
