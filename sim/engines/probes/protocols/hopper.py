r"""Decentralised Hopper: refusable and firm questions, virtual sizes carried by messages (Hopper, section 5).

A job's virtual size is :math:`V = \theta T \sqrt\alpha`, where :math:`\alpha` is its DAG weight: 1 for a
job without phases, whose T is its remaining tasks. A free slot asks for the job with the smallest virtual
size in its worker's queue, as far as the worker knows. The scheduler accepts while the job occupies
fewer slots than its virtual size (Guideline 2); else it refuses, tells the job's virtual size anew, and
names its smallest unsatisfied job: one that occupies fewer slots than its virtual size and has something
to run. The slot goes on with the next smallest job, never asking one scheduler twice. After
`refusal_threshold` refusals, or when nobody is left to ask, its question is firm: for the smallest
unsatisfied job it has heard of, else for a job drawn with weight = virtual size (Guideline 3). A firm
question is declined only by a job that has nothing to run.

Where jobs have phases T is the number of open tasks of the running phases, T' the transfers still to come out
of them, in sizes, and :math:`\alpha = T'/T` (both summed over the running phases, for bushy DAGs; 1 where no
transfer is left, as in `hopper-dag` of the slot engine). What messages carry, and workers order by, is then
:math:`\max\{V, V'\}` with :math:`V' = \theta T'\sqrt\alpha` (section 4.2); a scheduler still accepts up to V.
With ``learn_weight=1`` a scheduler knows the transfer time of a phase's outputs from the first one on whose
arrival it has heard of; before, it takes the mean over all outputs of its own jobs that have arrived.

Workers know virtual sizes from messages that are sent anyway (section 5.3). To measure what that costs,
``piggyback=0`` lets a free slot see, before each question, what the schedulers of the jobs in its queue would
say of them now, without a message. What refusals name stays what they said.

The paper leaves open, and this file decides: a slot whose queue runs out of schedulers to ask turns firm
at once (on a half-empty cluster everybody would idle otherwise); the reservation of a job that refused
goes to the end of its queue and can be asked for again in a later decision; an answer refreshes the
one reservation it is about; reservations of finished jobs are withdrawn (`cancel`); the random choice is
weighted by what messages carry, the one number a worker has of a job, also where that is V'; ties go to
the older job, then to the reservation that has been in the queue for longest.
"""

from __future__ import annotations

import math

from sim.engines.probes.protocol import PROBES_HELP, Protocol
from sim.engines.probes.queue import smallest_unasked, take, weighted
from sim.engines.probes.records import REFUSED, TAKEN
from sim.engines.probes.scheduler import recall_transfers
from sim.engines.probes.signatures import answer, ask, label, update_order
from sim.engines.slots.sharing.members import downstream, millionths, open_tasks
from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.model.policy import parameter


@kernel
def dag_weight(cluster, jobs, j):
    """DAG weight of a job with phases: transfers to come out of its running ones / their open tasks."""
    tasks = open_tasks(cluster, jobs, j)
    weight = millionths(downstream(cluster, jobs, j) / tasks) if tasks > 0.0 else 0.0
    return weight if weight > 0.0 else 1.0


@kernel
def virtual_size(cluster, jobs, j):
    """Virtual size V of a job, by the finishes its scheduler has heard of."""
    size = cluster[0].theta * open_tasks(cluster, jobs, j)
    if cluster[0].phased:
        size *= math.sqrt(dag_weight(cluster, jobs, j))
    return size


@kernel
def larger_size(cluster, jobs, j):
    """Virtual size of a job, or that of its transfers if it is larger: V' = alpha V."""
    size = virtual_size(cluster, jobs, j)
    if cluster[0].phased:
        size *= max(1.0, dag_weight(cluster, jobs, j))
    return size


@label
def say_size(world, j):
    """Say the larger virtual size of a job."""
    return larger_size(world.cluster, world.jobs, j)


@kernel
def see_sizes(world, w):
    """Let worker `w` see the sizes of the jobs in its queue as their schedulers know them now.

    A job that is over has none; its reservations are withdrawn.
    """
    worker = world.workers[w]
    for e in range(worker.segment, worker.segment + worker.queued):
        entry = world.entries[e]
        recall_transfers(world, entry.job)
        size = larger_size(world.cluster, world.jobs, entry.job)
        if size > 0.0:
            entry.value = size
            entry.as_of = world.cluster[0].now


@ask
def ask_next(world, values, s):
    """Ask for the smallest job of a scheduler not yet asked; firmly, if enough have refused."""
    seat = world.seats[s]
    w = seat.worker
    if values.piggyback == 0.0:
        see_sizes(world, w)
    if seat.refused < values.refusal_threshold:
        e = smallest_unasked(world.net, world.workers, world.entries, world.asked, w, s, seat.refused)
        if e >= 0:
            seat.firm = 0
            take(world.cluster, world.net, world.workers, world.entries, world.seats, s, e)
            return 1
    if seat.hint >= 0:
        seat.firm = 1
        seat.holds = 0
        seat.job = seat.hint
        seat.hint = -1
        return 1
    e = weighted(world.net, world.workers, world.entries, w)
    if e < 0:
        return 0
    seat.firm = 1
    take(world.cluster, world.net, world.workers, world.entries, world.seats, s, e)
    return 1


@answer
def accept(world, j, firm):
    """Accept a firm question, or one for a job below its virtual size."""
    if firm or world.jobs[j].held < virtual_size(world.cluster, world.jobs, j):
        return TAKEN
    return REFUSED


@update_order
def file_unsatisfied(world, j):
    """File the job with its scheduler while it is unsatisfied, smallest virtual size first."""
    cluster, jobs, job_heaps = world.cluster, world.jobs, world.job_heaps
    job = jobs[j]
    wants = (job.launched < job.released or job.candidates > 0) and job.held < virtual_size(cluster, jobs, j)
    size = larger_size(cluster, jobs, j) if wants else 0.0
    if job.heap >= 0:
        if wants and job.first == size:
            return
        remove(jobs, job_heaps, j)
    if wants:
        job.first = size
        push(jobs, job_heaps, j % world.net[0].schedulers, j)


RULE = Protocol(
    key="hopper",
    title="Hopper",
    summary="free slots ask by virtual size; schedulers refuse for jobs that have their share",
    label=say_size,
    ask=ask_next,
    answer=accept,
    update_order=file_unsatisfied,
    parameters=(
        parameter(
            "probes", 4, PROBES_HELP, whole=True, low=1, high=100_000, label="Probes per task, d", symbol="d"
        ),
        parameter(
            "refusal_threshold",
            3,
            "refusals after which a free slot may not be refused",
            whole=True,
            low=0,
            high=1000,
            label="Refusals before a job must accept",
            symbol="refusals",
        ),
        parameter(
            "learn_weight",
            0,
            "1: schedulers learn transfer times from outputs that have arrived; 0: they are known",
            whole=True,
            low=0,
            high=1,
        ),
        parameter("cancel", 1, "withdraw reservations when no task is left (1)", whole=True, low=0, high=1),
        parameter(
            "piggyback",
            1,
            "1: workers learn virtual sizes from messages sent anyway; 0: they know them at once",
            whole=True,
            low=0,
            high=1,
        ),
    ),
    asks="refusal_threshold",
    budgets=True,
    tells_sizes=True,
    default_speculation="budget",
    reference="Ren, Ananthanarayanan, Wierman and Yu (SIGCOMM 2015), sections 4.2 and 5, Pseudocodes 2 and 3",
)
