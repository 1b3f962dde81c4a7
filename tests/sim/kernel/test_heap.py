"""The pairing heap gives what sorting gives, whatever is pushed and removed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.heap import push, remove
from sim.kernel.records import SLOT, records

SIZE, HEAPS = 40, 3
#: (node, heap, first key, second key): push the node if it is out, else remove it. Few keys, many ties.
steps = st.lists(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, HEAPS - 1), st.integers(0, 3), st.integers(0, 3)),
    max_size=150,
)


def foremost(inside: dict[int, tuple], heap: int) -> int:
    """Index of the first node of a heap by its keys, -1 if it is empty."""
    return min((keys[1:] for keys in inside.values() if keys[0] == heap), default=(-1,))[-1]


@pytest.mark.small
@given(steps=steps)
def test_the_top_is_always_the_smallest(steps):
    nodes, roots = records(SIZE, SLOT), np.full(HEAPS, -1, np.int32)
    nodes.heap = -1
    inside: dict[int, tuple] = {}
    for node, heap, first, second in steps:
        if node in inside:
            remove(nodes, roots, node)
            del inside[node]
        else:
            nodes[node].first, nodes[node].second, nodes[node].rank = first, second, node
            push(nodes, roots, heap, node)
            inside[node] = (heap, first, second, node)
        assert roots.tolist() == [foremost(inside, heap) for heap in range(HEAPS)]
        assert (nodes.heap >= 0).sum() == len(inside)


@pytest.mark.small
@given(keys=st.lists(st.floats(allow_nan=False), max_size=60))
def test_removing_the_top_again_and_again_sorts(keys):
    nodes, roots = records(max(len(keys), 1), SLOT), np.full(1, -1, np.int32)
    for node, key in enumerate(keys):
        nodes[node].first, nodes[node].rank = key, node
        push(nodes, roots, 0, node)
    order = []
    while roots[0] >= 0:
        order.append(int(roots[0]))
        remove(nodes, roots, roots[0])
    assert order == sorted(range(len(keys)), key=lambda node: (keys[node], node))


@pytest.mark.small
@given(keys=st.lists(st.integers(0, 9), min_size=8, max_size=30), random=st.randoms(use_true_random=False))
def test_members_with_others_below_them_can_be_removed_in_any_order(keys, random):
    nodes, roots = records(len(keys), SLOT), np.full(1, -1, np.int32)
    for node, key in enumerate(keys):
        nodes[node].first, nodes[node].rank = key, node
        push(nodes, roots, 0, node)
    inside = {node: (0, key, 0.0, node) for node, key in enumerate(keys)}
    top = int(roots[0])
    others = random.sample(sorted(inside.keys() - {top}), len(keys) - 1)
    for node in (top, *others):  # without the top its children stand below one another
        remove(nodes, roots, node)
        del inside[node]
        assert roots[0] == foremost(inside, 0)
