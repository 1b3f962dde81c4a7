r"""Problem P2 of Xu and Lau, compiled: copies for all jobs that begin together.

.. math:: \min_c \sum_i E[d_i](c_i) + \gamma \sum_i m_i c_i E[t_i](c_i) \quad \text{subject to} \quad
          \sum_i m_i c_i \le N, \; 1 \le c_i \le r

At a price :math:`\nu` of a machine every job takes its own best number :math:`c_i(\nu)`, which falls in
:math:`\nu`; the price at which the machines are just enough solves the problem. It is found by Newton's
steps inside a bracket, from the price of the last decision. `theory.optimal_cloning` solves the same by
another route.

Whole copies: the paper gives no rule. The real numbers are rounded down, then machines left over go, a copy
of every task of a job at a time, to where they take most off the objective for each machine. The best whole
numbers are a knapsack; in the paper's setting these are within a percent of them, with tails near 1 and few
machines they can be far off.

The jobs are those on the list of jobs that have not begun (`sim.engines.slots.arriving.join_new`).
"""

from __future__ import annotations

import math

from sim.engines.slots.speculation.clone_cost import best_copies, cost, cost_curvature
from sim.kernel.compile import kernel

#: What is kept of a job: its copies as a real number.
DUE = {"due": 0.0}
#: A real number of copies this little below a whole one is that whole one.
SLACK = 1e-6
#: The price is settled when the machines wanted differ from those there are by this share.
PRECISION = 1e-10


@kernel
def demand(jobs, real, first, price, limit, alpha, gamma):
    """Machines wanted at a price by the jobs from `first` on, and their derivative; sets `due`."""
    wanted = 0.0
    change = 0.0
    j = first
    while j >= 0:
        job = jobs[j]
        m = float(job.tasks)
        rate = m / job.task_size  # a factor is at least 1, so mu is the size; costs are in units of it
        due = best_copies(m, price * rate, real[j].due, limit, alpha, gamma)
        real[j].due = due
        wanted += m * due
        if 1.0 < due < limit:
            change -= m * rate / cost_curvature(m, due, alpha, gamma)
        j = job.behind
    return wanted, change


@kernel
def solve(jobs, real, first, machines, guess, limit, alpha, gamma):
    """Set `due` of the jobs from `first` on to the real solution; return the price of a machine."""
    j = first
    while j >= 0:
        real[j].due = 1.0
        j = jobs[j].behind
    wanted, change = demand(jobs, real, first, 0.0, limit, alpha, gamma)
    if wanted <= machines:
        return 0.0
    low = 0.0
    high = math.inf
    price = guess
    if not guess > 0.0:
        price = (machines - wanted) / change if change < 0.0 else 1e-3
    for _ in range(200):
        wanted, change = demand(jobs, real, first, price, limit, alpha, gamma)
        excess = wanted - machines
        if abs(excess) <= PRECISION * machines:
            break
        if excess > 0.0:
            low = price
        else:
            high = price
        if high < math.inf and high - low <= 1e-15 * high:
            break
        step = price - excess / change if change < 0.0 else -1.0
        if not low < step < high:
            step = 2.0 * low if high == math.inf else 0.5 * (low + high)
        price = step
    return price


@kernel
def round_copies(jobs, real, first, machines, limit, alpha, gamma):
    """Turn the real solution of the jobs from `first` on into whole copies, in `wanted`."""
    left = machines
    j = first
    while j >= 0:
        job = jobs[j]
        job.wanted = int(real[j].due + SLACK)
        left -= job.wanted * job.tasks
        j = job.behind
    while True:
        best = -1
        most = 0.0
        j = first
        while j >= 0:
            job = jobs[j]
            if job.tasks <= left and job.wanted < limit:
                m = float(job.tasks)
                less = cost(m, float(job.wanted), alpha, gamma) - cost(m, job.wanted + 1.0, alpha, gamma)
                gain = job.task_size * less / m
                if gain > most:
                    most = gain
                    best = j
            j = job.behind
        if best < 0:
            return left
        jobs[best].wanted += 1
        left -= jobs[best].tasks


@kernel
def unhindered(tasks, limit, alpha, gamma):
    """Real and whole copies of a job of so many tasks where nothing else asks for the machines."""
    m = float(tasks)
    due = best_copies(m, 0.0, 1.0, limit, alpha, gamma)
    wanted = int(due + SLACK)
    while wanted < limit and cost(m, float(wanted), alpha, gamma) - cost(m, wanted + 1.0, alpha, gamma) > 0.0:
        wanted += 1
    return due, wanted
