"""The sorted queue is a sorted list, in either direction, whatever is appended and unlinked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.queue import append, last_of, unlink
from sim.kernel.records import SLOT, records

SIZE = 30
#: (node, queue, first key, second key): append the node if it is out, else unlink it.
steps = st.lists(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, 1), st.integers(0, 2), st.integers(0, 2)),
    max_size=120,
)


def walk(nodes: np.recarray, start: int, field: str) -> list[int]:
    """Nodes met from `start` along a field, until it is met again."""
    met: list[int] = []
    while start >= 0 and start not in met:
        met.append(int(start))
        start = nodes[start][field]
    return met


@pytest.mark.small
@given(steps=steps)
def test_both_directions_are_in_order(steps):
    nodes, roots = records(SIZE, SLOT), np.full(2, -1, np.int32)
    inside: dict[int, tuple] = {}
    for node, queue, first, second in steps:
        if node in inside:
            unlink(nodes, roots, node)
            del inside[node]
        else:
            nodes[node].first, nodes[node].second, nodes[node].rank = first, second, node
            append(nodes, roots, queue, node)
            inside[node] = (queue, first, second, node)
        for queue in (0, 1):
            expected = [keys[-1] for keys in sorted(inside.values()) if keys[0] == queue]
            assert walk(nodes, roots[queue], "next") == expected
            assert walk(nodes, last_of(nodes, roots, queue), "prev") == expected[::-1]
