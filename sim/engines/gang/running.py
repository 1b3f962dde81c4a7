"""Running jobs of the gang engine: their tasks start, their ends are fixed, and happen.

Once its tasks have started it is known when each of them ends, so a running job has one event at a time.
"""

from __future__ import annotations

from sim.engines.gang.order import put_in_order
from sim.engines.gang.placement import move, pick
from sim.engines.gang.records import END, JOB_BITS, LEAF_BITS, REINFORCE
from sim.kernel.compile import inlined, kernel
from sim.kernel.streams import factor, uniform
from sim.kernel.tournament import give_leaf, in_bits, play, take_leaf


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
