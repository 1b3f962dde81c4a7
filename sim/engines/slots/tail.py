r"""The tail index of the straggle factor, learned online from finished and censored copies.

A Pareto factor z > 1 has :math:`\Pr(Z > z) = z^{-\beta}`. With n copies seen to their end and any number
seen up to some factor only (killed when another copy of their task had finished, or still running), the
maximum likelihood estimate (Hill's, censored) is n over the sum of all their logarithms. Here

.. math:: \hat\beta = \frac{n_0 + n}{n_0 / \beta_0 + \sum_i \ln z_i}, \qquad n_0 = 10,\ \beta_0 = 2,

the mean of the posterior under a gamma prior worth ten copies of index 2, at which nobody is
copied yet. Only factors above 1 count, so that for another law this is the tail beyond a task's size.
Relative standard error: 1 / sqrt(n). `z` is the time a copy has run over the mean size of its job's tasks,
since that is what a scheduler can know.

A copy is killed when another one finishes, whose luck is independent. So censoring tells nothing as long
as who gets a rival does not depend on what is to come (`budget` under ``observe=never``); a rule that sees
remaining times gives rivals to the copies that would last longest, and the index is found about 1 % too
large.

It is looked at again when finished copies have grown by 5 %, and by as many as a quarter of the slots, so
that reading the running copies costs a few visits a task.
"""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel

PRIOR_COPIES, PRIOR_TAIL = 10.0, 2.0
#: No index below this is acted upon: at 1 a copy would take for ever.
LEAST = 1.01


@inlined
def note_duration(world, s, ran, fate):
    """Learn from the copy in slot `s`, which has ended after `ran`."""
    c = world.cluster[0]
    slot = world.slots[s]
    z = ran / world.jobs[slot.job].task_size
    if z > 1.0:
        c.tail_logs += math.log(z)
        if fate == 0:
            c.tail_finished += 1.0
    slot.start = math.inf  # no copy runs here


@kernel
def learn_tail(world):
    """Estimate the tail index anew, and with it the threshold theta."""
    c = world.cluster[0]
    logs = c.tail_logs
    for s in range(world.slots.size):
        slot = world.slots[s]
        if slot.start < c.now:
            z = (c.now - slot.start) / world.jobs[slot.job].task_size
            if z > 1.0:
                logs += math.log(z)
    c.tail = (PRIOR_COPIES + c.tail_finished) / (PRIOR_COPIES / PRIOR_TAIL + logs)
    # in millionths, so that rounding in another order of addition moves no decision
    c.theta = max(1.0, math.floor(2.0 / max(c.tail, LEAST) * 2.0**20 + 0.5) / 2.0**20)
    c.tail_due = c.tail_finished + max(20.0, 0.05 * c.tail_finished, 0.25 * c.slots)
