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

import numpy as np
from numba import types

from sim.engines.gang.signatures import (
    CLUSTERS,
    COPIES,
    END,
    EVENTS,
    INTS,
    JOB_BITS,
    JOBS,
    LEAF_BITS,
    NODES,
    REINFORCE,
    TASKS,
    WORDS,
    decide,
)
from sim.kernel.compile import engine, inlined, kernel
from sim.kernel.heap import first_time, give_leaf, in_bits, play, take_leaf
from sim.kernel.hook import FLOATS, handed
from sim.kernel.integrals import edge_is_due, move_clock, note_edge
from sim.kernel.streams import EIGHT, factor, job_key, less_of_eight, lowest_bit, uniform

# Order of the running tasks of one job: by end, then task, then copy.


@inlined
def precedes(tasks, a, b):
    """Tell whether task record `a` ends before `b`."""
    x = tasks[a]
    y = tasks[b]
    if x.end != y.end:
        return x.end < y.end
    if x.task != y.task:
        return x.task < y.task
    return x.number < y.number


#: More tasks than this are sorted, not counted.
FEW = 24


@inlined
def put_in_order(tasks, started, chosen, count, ends):
    """List the first `count` record numbers in `started` in order in `chosen`.

    Of a few tasks that end at different times it is counted how many end before each: which of two is first
    no processor guesses, and to compare all of them without a branch takes less time than wrong guesses.
    """
    if count > FEW or not place_by_count(tasks, started, chosen, count, ends):
        for i in range(count):
            chosen[i] = started[i]
        sort(tasks, chosen, count)


@inlined
def place_by_count(tasks, started, chosen, count, ends):
    """Place each task behind those that end before; tell whether no two end at one time."""
    for i in range(count):
        ends[i] = tasks[started[i]].end
    for i in range(count, (count + EIGHT - 1) & -EIGHT):
        ends[i] = math.inf
    places = 0
    for i in range(count):
        before = 0
        for first in range(0, count, EIGHT):
            before += less_of_eight(ends, first, ends[i])
        chosen[before] = started[i]
        places += before
    return places == (count * (count - 1)) >> 1  # else two have one place


@kernel
def sort(tasks, chosen, count):
    """Sort the first `count` record numbers in `chosen` (Shell 1959, CACM 2(7); plain insertion of few)."""
    gap = 1
    while 9 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            moved = chosen[i]
            end = tasks[moved].end  # read once: each step writes what it might be, for all the compiler knows
            place = i
            while place >= gap:
                other = chosen[place - gap]
                if tasks[other].end < end or not (tasks[other].end > end or precedes(tasks, moved, other)):
                    break
                chosen[place] = other
                place -= gap
            chosen[place] = moved
        gap //= 3


# Chooses the nodes on which the tasks of a job start: different ones, least loaded first, then by number.
#
# The nodes that hold h tasks are a set of bits, `BITS` to a word, in row h of `sets`; `sizes[h]` is how
# many they are. A step up or down costs O(1), and finding n nodes little more than n steps.

#: Bits used of a word: a power of two, since other divisions take longer than what they are for, and few
#: enough for the largest word to be a positive whole number.
BITS = 32


@inlined
def move(cluster, nodes, sets, sizes, node, step):
    """Count `step` (1 or -1) tasks more on a node."""
    held = nodes[node].held
    word = node // BITS
    bit = np.int64(1) << np.int64(node % BITS)
    sets[held * cluster[0].words + word] ^= bit
    sizes[held] -= 1
    held += step
    sets[held * cluster[0].words + word] |= bit
    sizes[held] += 1
    nodes[node].held = held


@inlined
def fits(cluster, sizes, count):
    """Tell whether `count` tasks of a job can start now."""
    c = cluster[0]
    if c.pool:
        return count <= c.slots - c.busy
    return count <= c.nodes - sizes[c.capacity]


@kernel
def pick(cluster, nodes, sets, sizes, picked, wanted, mark):
    """List up to `wanted` nodes with a free slot that do not bear this mark; return how many they are."""
    words = cluster[0].words
    found = 0
    for held in range(cluster[0].capacity):
        if sizes[held] == 0:
            continue
        for word in range(words):
            left = sets[held * words + word]
            while left:
                node = word * BITS + lowest_bit(left)
                left &= left - 1
                if nodes[node].mark != mark:
                    picked[found] = node
                    found += 1
                    if found == wanted:
                        return found
    return found


# Running jobs of the gang engine: their tasks start, their ends are fixed, and happen.
#
# Once its tasks have started it is known when each of them ends, so a running job has one event at a time.


@inlined
def key_of(kind, j, leaf):
    """Return the key of an event."""
    return ((kind << JOB_BITS) + j << LEAF_BITS) + leaf


@inlined
def kind_of(key):
    """Return the kind of the event with this key."""
    return key >> (JOB_BITS + LEAF_BITS)


@inlined
def job_of(key):
    """Return the job of the event with this key."""
    return (key >> LEAF_BITS) & ((1 << JOB_BITS) - 1)


@inlined
def leaf_of(key):
    """Return the leaf of the event with this key."""
    return key & ((1 << LEAF_BITS) - 1)


@inlined
def begin(cluster, jobs, tasks, unused, law, j, task, number, extra, node):
    """Start a task of job `j` on a node; return its record."""
    c = cluster[0]
    c.unused -= 1
    t = unused[c.unused]
    luck = uniform(jobs[j].key, task, number)
    end = c.now + jobs[j].task_size * factor(c.law, law, c.outlier_share, luck)
    fill(tasks, t, c.now, end, task, number, extra, node)
    return t


@inlined
def fill(tasks, t, start, end, task, number, extra, node):
    """Fill the record of a task."""
    started = tasks[t]
    started.start = start
    started.end = end
    started.node = node
    started.task = task
    started.number = number
    started.won = 1
    started.extra = extra


@inlined
def count_started(cluster, jobs, j, count, extra):
    """Count tasks of job `j` that have started, and how many of them are redundant."""
    c = cluster[0]
    job = jobs[j]
    c.busy += count
    c.busy_extra += extra
    job.copies += count
    job.extra += extra


@inlined
def draw(cluster, jobs, law, ends, j, count):
    """Draw when the first `count` tasks of job `j`, which start now, end.

    A straggle factor takes a chain of operations, each of which waits for the one before: a processor draws
    several side by side in little more time than one, if nothing else stands between them.
    """
    c = cluster[0]
    job = jobs[j]
    task = number = 0
    for i in range(count):
        ends[i] = uniform(job.key, task, number)
        task += 1
        if c.replicated and task == job.tasks:
            task = 0
            number += 1
    for i in range(count):
        ends[i] = c.now + job.task_size * factor(c.law, law, c.outlier_share, ends[i])


@kernel
def settle_replicas(tasks, chosen, count, best):
    """Let the first copy of each task to end finish it, and remove the others then."""
    for i in range(count):
        best[tasks[chosen[i]].task] = -1
    for i in range(count):
        t = chosen[i]
        first = best[tasks[t].task]
        if (
            first < 0
            or tasks[t].end < tasks[first].end
            or (tasks[t].end == tasks[first].end and tasks[t].number < tasks[first].number)
        ):
            best[tasks[t].task] = t
    for i in range(count):
        t = chosen[i]
        first = best[tasks[t].task]
        if t != first:
            tasks[t].won = 0
            tasks[t].end = tasks[first].end


@inlined
def settle(cluster, jobs, tasks, started, chosen, count, best, ends, j):
    """Fix when each of the running tasks of a job ends, now that all are known; link them in that order."""
    if cluster[0].replicated and count > jobs[j].left:
        settle_replicas(tasks, started, count, best)
    put_in_order(tasks, started, chosen, count, ends)
    if not cluster[0].replicated:
        last = tasks[chosen[jobs[j].left - 1]].end
        for i in range(jobs[j].left, count):
            tasks[chosen[i]].won = 0
            tasks[chosen[i]].end = last
    jobs[j].first = chosen[0]
    for i in range(count - 1):
        tasks[chosen[i]].next = chosen[i + 1]
    tasks[chosen[count - 1]].next = -1


@inlined
def next_event(cluster, jobs, tasks, j):
    """Return time and kind of what happens next to a running job."""
    job = jobs[j]
    end = tasks[job.first].end
    if job.owed > 0:
        due = job.start + cluster[0].delay * job.task_size
        if due < end:
            return due, REINFORCE
    return end, END


@inlined
def start(
    cluster, jobs, nodes, tasks, events, unused, started, chosen, best, ends, picked, sets, sizes, law, j
):
    """Start the job at the head of the queue."""
    c = cluster[0]
    job = jobs[j]
    count = job.planned
    if c.delay > 0.0:
        job.owed = job.planned - job.tasks
        count = job.tasks
    job.start = c.now
    job.left = job.tasks
    c.waiting -= job.tasks
    if not c.pool:
        pick(cluster, nodes, sets, sizes, picked, count, j + 1)
    draw(cluster, jobs, law, ends, j, count)
    c.unused -= count
    task = number = 0
    for i in range(count):
        node = -1
        if not c.pool:
            node = picked[i]
            move(cluster, nodes, sets, sizes, node, 1)
        started[i] = unused[c.unused + count - 1 - i]
        fill(tasks, started[i], c.now, ends[i], task, number, int(i >= job.tasks), node)
        task += 1
        if c.replicated and task == job.tasks:
            task = 0
            number += 1
    count_started(cluster, jobs, j, count, count - job.tasks)
    settle(cluster, jobs, tasks, started, chosen, count, best, ends, j)
    time, kind = next_event(cluster, jobs, tasks, j)
    leaf = take_leaf(events, cluster)
    play(events, c.top, leaf, in_bits(time), key_of(kind, j, leaf))


@inlined
def end_tasks(cluster, jobs, nodes, tasks, events, unused, sets, sizes, log, key):
    """End the tasks of a job that end now; the job with them if they are its last."""
    c = cluster[0]
    j = job_of(key)
    job = jobs[j]
    t = job.first
    resource, extra_time = job.resource, job.extra_time
    ended = extra = won = 0
    while t >= 0 and tasks[t].end == c.now:
        task = tasks[t]
        ran = c.now - task.start
        resource += ran
        ended += 1
        extra += task.extra
        won += task.won
        if task.extra:
            extra_time += ran
        if task.node >= 0:
            move(cluster, nodes, sets, sizes, task.node, -1)
        if c.logged < log.size:
            line = log[c.logged]
            line.job = j
            line.task = task.task
            line.copy = task.number
            line.slot = task.node
            line.start = task.start
            line.end = c.now
            line.fate = 1 - task.won
            c.logged += 1
        unused[c.unused + ended - 1] = t
        t = task.next
    job.resource, job.extra_time = resource, extra_time
    job.left -= won
    job.killed += ended - won
    c.busy -= ended
    c.busy_extra -= extra
    c.done_tasks += won
    c.unused += ended
    job.first = t
    if t < 0:
        job.finish = c.now
        c.active -= 1
        give_leaf(events, cluster, leaf_of(key))
    else:
        time, kind = next_event(cluster, jobs, tasks, j)
        leaf = leaf_of(key)
        play(events, c.top, leaf, in_bits(time), key_of(kind, j, leaf))


@kernel
def reinforce(
    cluster, jobs, nodes, tasks, events, unused, started, chosen, best, ends, picked, sets, sizes, law, key
):
    """Start the redundant tasks of a job that are due and find a slot."""
    c = cluster[0]
    j = job_of(key)
    job = jobs[j]
    count = 0
    t = job.first
    while t >= 0:
        started[count] = t
        count += 1
        if tasks[t].node >= 0:
            nodes[tasks[t].node].mark = j + 1
        t = tasks[t].next
    for i in range(job.tasks):
        best[i] = -1
    for i in range(count):
        best[tasks[started[i]].task] = started[i]
    fitting = min(job.owed, c.slots - c.busy)
    if not c.pool and fitting > 0:
        fitting = pick(cluster, nodes, sets, sizes, picked, fitting, j + 1)
    task = job.tasks
    number = 0
    for i in range(fitting):
        node = -1
        if not c.pool:
            node = picked[i]
            move(cluster, nodes, sets, sizes, node, 1)
        if c.replicated:  # the next task that runs, in turn
            while True:
                if task == job.tasks:
                    task = 0
                    number += 1
                if best[task] >= 0:
                    break
                task += 1
        started[count] = begin(cluster, jobs, tasks, unused, law, j, task, number, 1, node)
        count += 1
        task += 1
    job.owed = 0
    count_started(cluster, jobs, j, fitting, fitting)
    settle(cluster, jobs, tasks, started, chosen, count, best, ends, j)
    leaf = leaf_of(key)
    play(events, c.top, leaf, in_bits(tasks[job.first].end), key_of(END, j, leaf))


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
