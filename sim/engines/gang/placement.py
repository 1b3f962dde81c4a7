"""Chooses the nodes on which the tasks of a job start: different ones, least loaded first, then by number.

The nodes that hold h tasks are a set of bits, `BITS` to a word, in row h of `sets`; `sizes[h]` is how
many they are. A step up or down costs O(1), and finding n nodes little more than n steps.
"""

from __future__ import annotations

import numpy as np

from sim.kernel.bits import lowest_bit
from sim.kernel.compile import inlined, kernel

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
