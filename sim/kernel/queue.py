"""Sorted queue inside record arrays, for members that mostly arrive in order: O(1) then.

The members of queue `q` run from ``roots[q]`` to ``roots[q + 1]`` through the fields `next` and
`prev` of their records, in the order of `sim.kernel.heap.precedes`. A member that arrives out of
order is moved forward from the end.
"""

from __future__ import annotations

from sim.kernel.compile import kernel
from sim.kernel.heap import precedes


@kernel
def append(nodes, roots, q, i):
    """Add node `i`, whose keys are set, to queue `q`."""
    before = roots[q + 1]
    after = -1
    while before >= 0 and precedes(nodes, i, before):
        after = before
        before = nodes[before].prev
    nodes[i].prev = before
    nodes[i].next = after
    nodes[i].heap = q
    if before >= 0:
        nodes[before].next = i
    else:
        roots[q] = i
    if after >= 0:
        nodes[after].prev = i
    else:
        roots[q + 1] = i


@kernel
def unlink(nodes, roots, i):
    """Take node `i` out of the queue that holds it."""
    q = nodes[i].heap
    before = nodes[i].prev
    after = nodes[i].next
    if before >= 0:
        nodes[before].next = after
    else:
        roots[q] = after
    if after >= 0:
        nodes[after].prev = before
    else:
        roots[q + 1] = before
    nodes[i].heap = -1
