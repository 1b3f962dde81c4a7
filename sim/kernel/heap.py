"""Pairing heap inside record arrays: O(1) push, amortised O(log n) removal of any member.

A node is an index into `nodes`, whose records carry the fields of `sim.kernel.records.NODE`. Smaller
keys come first: `first`, then `second`, then `rank`, which callers make unique. `roots[r]` is the
top of heap `r`, -1 when it is empty. (Fredman, Sedgewick, Sleator and Tarjan 1986.)
"""

from __future__ import annotations

from sim.kernel.bits import from_start
from sim.kernel.compile import kernel


@kernel
def precedes(nodes, a, b):
    """Tell whether node `a` comes before node `b`."""
    x = nodes[from_start(a)]
    y = nodes[from_start(b)]
    if x.first != y.first:
        return x.first < y.first
    if x.second != y.second:
        return x.second < y.second
    return x.rank < y.rank


@kernel
def meld(nodes, a, b):
    """Join two heaps given by their tops; return the top of both."""
    a, b = from_start(a), from_start(b)
    if precedes(nodes, b, a):
        a, b = b, a
    child = nodes[a].child
    nodes[b].next = child
    nodes[b].prev = a
    if child >= 0:
        nodes[child].prev = b
    nodes[a].child = b
    nodes[a].next = -1
    nodes[a].prev = -1
    return a


@kernel
def push(nodes, roots, r, i):
    """Add node `i`, whose keys are set, to heap `r`."""
    i, r = from_start(i), from_start(r)
    nodes[i].child = -1
    nodes[i].next = -1
    nodes[i].prev = -1
    nodes[i].heap = r
    roots[r] = i if roots[r] < 0 else meld(nodes, roots[r], i)


@kernel
def join_children(nodes, i):
    """Make one heap of the children of `i`, pairing them from the left; return its top or -1."""
    i = from_start(i)
    pairs = -1  # chain of melded pairs, last one first, linked by `next`
    a = nodes[i].child
    while a >= 0:
        a = from_start(a)
        b = nodes[a].next
        if b < 0:
            after = -1
            top = a
        else:
            after = nodes[b].next
            top = meld(nodes, a, b)
        nodes[top].next = pairs
        pairs = top
        a = after
    if pairs < 0:
        return pairs
    top = pairs
    pairs = nodes[top].next
    nodes[top].next = -1
    nodes[top].prev = -1
    while pairs >= 0:
        after = nodes[pairs].next
        top = meld(nodes, top, pairs)
        pairs = after
    return top


@kernel
def remove(nodes, roots, i):
    """Take node `i` out of the heap that holds it."""
    i = from_start(i)
    r = from_start(nodes[i].heap)
    rest = join_children(nodes, i)
    if roots[r] == i:
        roots[r] = rest
    else:
        before = from_start(nodes[i].prev)
        after = nodes[i].next
        if nodes[before].child == i:
            nodes[before].child = after
        else:
            nodes[before].next = after
        if after >= 0:
            nodes[after].prev = before
        if rest >= 0:
            roots[r] = meld(nodes, roots[r], rest)
    nodes[i].heap = -1
