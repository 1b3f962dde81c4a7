"""Jobs of the gang engine while they run: their tasks start, their ends are settled, and come.

Once its tasks have started it is known when each of them ends, so a running job has one event at a time.
"""

from __future__ import annotations

from sim.gang.order import put_in_order
from sim.gang.placement import move, pick
from sim.gang.records import END, REINFORCE
from sim.kernel.compile import inlined, kernel
from sim.kernel.event_heap import pop, push, replace_top
from sim.kernel.streams import factor, uniform


@inlined
def begin(cluster, jobs, tasks, unused, law, j, task, number, extra, node):
    """Start a task of job `j` on a node; return its record."""
    c = cluster[0]
    c.unused -= 1
    t = unused[c.unused]
    started = tasks[t]
    started.start = c.now
    luck = uniform(jobs[j].key, task, number)
    started.end = c.now + jobs[j].task_size * factor(c.law, law, c.outlier_share, luck)
    started.node = node
    started.task = task
    started.number = number
    started.extra = extra
    started.won = 1
    c.busy += 1
    c.busy_extra += extra
    jobs[j].copies += 1
    jobs[j].extra += extra
    return t


@kernel
def settle_replicas(tasks, chosen, count, best):
    """Let the first copy of each task to end finish it, and remove the others then."""
    for i in range(count):
        best[tasks[chosen[i]].task] = -1
    for i in range(count):
        t = chosen[i]
        first = best[tasks[t].task]
        if first < 0 or tasks[t].end < tasks[first].end or (
            tasks[t].end == tasks[first].end and tasks[t].number < tasks[first].number
        ):  # fmt: skip
            best[tasks[t].task] = t
    for i in range(count):
        t = chosen[i]
        first = best[tasks[t].task]
        if t != first:
            tasks[t].won = 0
            tasks[t].end = tasks[first].end


@inlined
def settle(cluster, jobs, tasks, chosen, count, best, ranks, j):
    """Fix when each of the running tasks of a job ends, now that all are known; link them in that order."""
    if cluster[0].replicated and count > jobs[j].left:
        settle_replicas(tasks, chosen, count, best)
    put_in_order(tasks, chosen, count, ranks)
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
def start(cluster, jobs, nodes, tasks, events, unused, chosen, best, ranks, picked, sets, sizes, law, j):
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
    for i in range(count):
        extra = 1 if i >= job.tasks else 0
        task = i % job.tasks if c.replicated else i
        number = i // job.tasks if c.replicated else 0
        node = -1
        if not c.pool:
            node = picked[i]
            move(cluster, nodes, sets, sizes, node, 1)
        chosen[i] = begin(cluster, jobs, tasks, unused, law, j, task, number, extra, node)
    settle(cluster, jobs, tasks, chosen, count, best, ranks, j)
    time, kind = next_event(cluster, jobs, tasks, j)
    push(events, c.running, time, kind, j)
    c.running += 1


@inlined
def end_tasks(cluster, jobs, nodes, tasks, events, unused, sets, sizes, log, j):
    """End the tasks of a job that end now; the job with them if they are its last."""
    c = cluster[0]
    job = jobs[j]
    t = job.first
    while t >= 0 and tasks[t].end == c.now:
        task = tasks[t]
        ran = c.now - task.start
        job.resource += ran
        c.busy -= 1
        if task.extra:
            job.extra_time += ran
            c.busy_extra -= 1
        if task.won:
            job.left -= 1
            c.done_tasks += 1
        else:
            job.killed += 1
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
        unused[c.unused] = t
        c.unused += 1
        t = task.next
    job.first = t
    if t < 0:
        job.finish = c.now
        c.active -= 1
        pop(events, c.running)
        c.running -= 1
    else:
        time, kind = next_event(cluster, jobs, tasks, j)
        replace_top(events, c.running, time, kind, j)


@kernel
def reinforce(cluster, jobs, nodes, tasks, events, unused, chosen, best, ranks, picked, sets, sizes, law, j):
    """Start the redundant tasks of a job that are due and find a slot."""
    c = cluster[0]
    job = jobs[j]
    count = 0
    t = job.first
    while t >= 0:
        chosen[count] = t
        count += 1
        if tasks[t].node >= 0:
            nodes[tasks[t].node].mark = j + 1
        t = tasks[t].next
    for i in range(job.tasks):
        best[i] = -1
    for i in range(count):
        best[tasks[chosen[i]].task] = chosen[i]
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
        chosen[count] = begin(cluster, jobs, tasks, unused, law, j, task, number, 1, node)
        count += 1
        task += 1
    job.owed = 0
    settle(cluster, jobs, tasks, chosen, count, best, ranks, j)
    replace_top(events, c.running, tasks[job.first].end, END, j)
