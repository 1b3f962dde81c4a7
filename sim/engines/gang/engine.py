"""The event loop of the gang engine.

The order of events is total. At one instant tasks end first, then redundant tasks that are due start
(in the order of their jobs), then jobs arrive (by index), and then the queue is served: while enough
slots are free for the job at its head, that job starts. Nobody overtakes the head.

A policy decides once for each job how many tasks it starts: on its arrival, or when it comes to the
head of the queue, before it is known whether that many can start; either way with the cluster as it is
after everything that has happened until then. With a delay the job starts its k tasks, and at age
`delay` x its size the redundant ones that find a free slot (on nodes that hold no task of it) start,
before the queue is served; the others never do.

Coded tasks (mds): the job ends with the k-th of its tasks to end; those still running are removed at
that instant. Replicas: redundant tasks are shared out over the k tasks, the first ones getting one more
where they do not come out even, later only over those that run; the first copy of a task to end
finishes it, the others are removed at that instant, and the job ends with its last task. Among copies
that would end at one instant the first by task and copy wins.
"""

from __future__ import annotations

import math

from numba import types

from sim.engines.gang.placement import fits
from sim.engines.gang.records import END
from sim.engines.gang.running import end_tasks, kind_of, reinforce, start
from sim.engines.gang.signatures import (
    CLUSTERS,
    COPIES,
    EVENTS,
    INTS,
    JOBS,
    NODES,
    TASKS,
    WORDS,
    decide,
)
from sim.kernel.compile import engine, inlined
from sim.kernel.handing import handed
from sim.kernel.hook import FLOATS
from sim.kernel.integrals import edge_is_due, move_clock, note_edge
from sim.kernel.streams import job_key
from sim.kernel.tournament import first_time, in_bits

#: What a call of `advance` ended with; ASKED: the job at the head of the queue has no plan, and somebody
#: else than a rule is to make it.
MORE, DONE, ASKED = range(3)


@inlined
def pass_time(cluster, series, now):
    """Move the clock to `now`, adding what was busy meanwhile to the integrals and the series."""
    while edge_is_due(cluster, series, now):
        note_edge(cluster, series)
    move_clock(cluster, now)


@inlined
def plan(cluster, jobs, table, decide, j):
    """Ask the policy how many tasks job `j` is to start."""
    wanted = decide(handed(table), j)
    jobs[j].planned = max(jobs[j].tasks, min(wanted, cluster[0].places))


@inlined
def arrive(cluster, jobs, run):
    """Let the next job enter the queue; return its index."""
    c = cluster[0]
    j = c.arrived
    if j == c.first_counted:
        c.warm_time = c.now
        c.warm_area = c.area_busy
    c.arrived = j + 1
    if c.arrived == c.jobs:
        c.last_time = c.now
        c.last_area = c.area_busy
    c.active += 1
    c.waiting += jobs[j].tasks
    jobs[j].key = job_key(run, j)
    return j


@engine(
    types.int64(
        CLUSTERS,
        JOBS,
        NODES,
        TASKS,
        EVENTS,
        INTS,
        INTS,
        INTS,
        INTS,
        FLOATS,
        INTS,
        WORDS,
        INTS,
        types.float64[:, ::1],
        COPIES,
        FLOATS,
        WORDS,
        types.uint64,
        decide.pointer,
        types.int64,
    )
)
def advance(
    cluster,
    jobs,
    nodes,
    tasks,
    events,
    unused,
    started,
    chosen,
    best,
    ends,
    picked,
    sets,
    sizes,
    series,
    log,
    law,
    table,
    run,
    decide,
    limit,
):
    """Let time pass until the run is over or `limit` more events have happened; say which.

    Calls may be any number of events long: all state is in the arrays, and the result is the same.
    """
    c = cluster[0]
    limit += c.events
    while True:
        # what has happened at this instant is over: the queue is served
        while c.head < c.arrived:
            j = c.head
            if jobs[j].planned == 0:
                if c.asks:
                    return ASKED
                plan(cluster, jobs, table, decide, j)
            if not fits(cluster, sizes, jobs[j].tasks if c.delay > 0.0 else jobs[j].planned):
                break
            c.head = j + 1
            start(
                cluster,
                jobs,
                nodes,
                tasks,
                events,
                unused,
                started,
                chosen,
                best,
                ends,
                picked,
                sets,
                sizes,
                law,
                j,
            )

        arrival = jobs[c.arrived].arrival if c.arrived < c.jobs else math.inf
        instant = min(first_time(events, c.top), arrival)
        if instant > c.horizon or instant == math.inf:
            if c.horizon < math.inf:
                pass_time(cluster, series, c.horizon)
            return DONE
        if c.events >= limit:
            return MORE
        pass_time(cluster, series, instant)

        while events[c.top].when == in_bits(instant):
            c.events += 1
            key = events[c.top].key
            if kind_of(key) == END:
                end_tasks(cluster, jobs, nodes, tasks, events, unused, sets, sizes, log, key)
            else:
                reinforce(
                    cluster,
                    jobs,
                    nodes,
                    tasks,
                    events,
                    unused,
                    started,
                    chosen,
                    best,
                    ends,
                    picked,
                    sets,
                    sizes,
                    law,
                    key,
                )
        while c.arrived < c.jobs and jobs[c.arrived].arrival == instant:
            c.events += 1
            j = arrive(cluster, jobs, run)
            if not c.late:
                plan(cluster, jobs, table, decide, j)
