"""Sorted queue inside record arrays, for members that mostly arrive in order: O(1) then.

The members of queue `q` stand in a ring, in the order of `sim.kernel.heap.precedes`: ``roots[q]`` is the
first, -1 if there is none, and the last one stands before it. The fields are `next` and `prev` of their
records. A member that arrives out of order is moved forward from the end.
"""

from __future__ import annotations

from sim.kernel.compile import kernel
from sim.kernel.heap import precedes


@kernel
def append(nodes, roots, q, i):
    """Add node `i`, whose keys are set, to queue `q`."""
    nodes[i].heap = q
    first = roots[q]
    if first < 0:
        nodes[i].next = i
        nodes[i].prev = i
        roots[q] = i
        return
    last = nodes[first].prev
    before = last
    while before != first and precedes(nodes, i, before):
        before = nodes[before].prev
    if before == first and precedes(nodes, i, first):
        before = last
        roots[q] = i
    after = nodes[before].next
    nodes[i].prev = before
    nodes[i].next = after
    nodes[before].next = i
    nodes[after].prev = i


@kernel
def unlink(nodes, roots, i):
    """Take node `i` out of the queue that holds it."""
    q = nodes[i].heap
    after = nodes[i].next
    if after == i:
        roots[q] = -1
    else:
        before = nodes[i].prev
        nodes[before].next = after
        nodes[after].prev = before
        if roots[q] == i:
            roots[q] = after
    nodes[i].heap = -1


@kernel
def last_of(nodes, roots, q):
    """Return the last member of queue `q`, or -1."""
    first = roots[q]
    return nodes[first].prev if first >= 0 else -1
