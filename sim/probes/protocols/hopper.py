r"""Decentralised Hopper: refusable and firm questions, virtual sizes carried by messages (Hopper, section 5).

A job's virtual size is :math:`V = \theta T`. A free slot asks for the job with the smallest virtual
size in its worker's queue, as far as the worker knows. The scheduler accepts while the job occupies
fewer slots than its virtual size (Guideline 2); else it refuses, tells the job's virtual size anew, and
names its smallest unsatisfied job: one that occupies fewer slots than its virtual size and has something
to run. The slot goes on with the next smallest job, never asking one scheduler twice. After
`refusal_threshold` refusals, or when nobody is left to ask, its question is firm: for the smallest
unsatisfied job it has heard of, else for a job drawn with weight = virtual size (Guideline 3). A firm
question is declined only by a job that has nothing to run.

The paper leaves open, and this file decides: a slot whose queue runs out of schedulers to ask turns firm
at once (on a half-empty cluster everybody would idle otherwise); the reservation of a job that refused
goes to the end of its queue and can be asked for again in a later decision; an answer refreshes the
one reservation it is about; reservations of finished jobs are withdrawn (`cancel`); ties go to the older
job, then to the reservation that has been in the queue for longest.
"""

from __future__ import annotations

from sim.policy import parameter
from sim.probes.protocol import PROBES_HELP, Protocol
from sim.probes.queue import smallest_unasked, take, weighted
from sim.probes.records import REFUSED, TAKEN
from sim.probes.signatures import answer, ask, label, touch
from sim.slots.heap import push, remove


@label
def virtual_size(cluster, jobs, j):
    """Say the job's virtual size, by the finishes its scheduler has heard of."""
    return cluster[0].theta * (jobs[j].tasks - jobs[j].finished)


@ask
def ask_next(cluster, net, workers, entries, bins, seats, asked, numbers, s):
    """Ask for the smallest job of a scheduler not yet asked; firmly, if enough have refused."""
    seat = seats[s]
    w = s // net[0].per_worker
    if seat.refused < numbers[0]:
        e = smallest_unasked(net, workers, entries, asked, w, s, seat.refused)
        if e >= 0:
            seat.firm = 0
            take(cluster, net, workers, entries, seats, s, e)
            return 1
    if seat.hint >= 0:
        seat.firm = 1
        seat.holds = 0
        seat.job = seat.hint
        seat.hint = -1
        return 1
    e = weighted(net, workers, entries, w)
    if e < 0:
        return 0
    seat.firm = 1
    take(cluster, net, workers, entries, seats, s, e)
    return 1


@answer
def accept(cluster, net, jobs, schedulers, numbers, j, firm):
    """Accept a firm question, or one for a job below its virtual size."""
    job = jobs[j]
    if firm or job.held < cluster[0].theta * (job.tasks - job.finished):
        return TAKEN
    return REFUSED


@touch
def file_unsatisfied(cluster, net, jobs, roots, numbers, j):
    """File the job with its scheduler while it is unsatisfied, smallest virtual size first."""
    job = jobs[j]
    size = cluster[0].theta * (job.tasks - job.finished)
    wants = job.held < size and (job.launched < job.tasks or job.candidates > 0)
    if job.heap >= 0:
        if wants and job.first == size:
            return
        remove(jobs, roots, j)
    if wants:
        job.first = size
        push(jobs, roots, j % net[0].schedulers, j)


RULE = Protocol(
    key="hopper",
    title="Hopper, decentralised",
    summary="free slots ask by virtual size; schedulers refuse for jobs that have their share",
    label=virtual_size,
    ask=ask_next,
    answer=accept,
    touch=file_unsatisfied,
    parameters=(
        parameter("probes", 4, PROBES_HELP, whole=True, low=1, high=100_000),
        parameter(
            "refusal_threshold",
            3,
            "refusals after which a free slot may not be refused",
            whole=True,
            low=0,
            high=1000,
        ),
        parameter("cancel", 1, "withdraw reservations when no task is left (1)", whole=True, low=0, high=1),
    ),
    asks="refusal_threshold",
    budgets=True,
    tells_sizes=True,
    default_speculation="budget",
    reference="Ren, Ananthanarayanan, Wierman and Yu (SIGCOMM 2015), section 5, Pseudocodes 2 and 3",
)
