"""The tasks of a job are in order of ends, then task, then copy: few by counting, many by sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.gang.engine import FEW, put_in_order
from sim.engines.gang.signatures import TASK
from sim.kernel.records import records

ends = st.sampled_from([0.5, 1.0, 2.0]) | st.floats(0, 3)
ended = st.lists(ends, min_size=1, max_size=FEW + 3)


@pytest.mark.small
@given(data=st.data(), ends=ended | st.lists(ends, min_size=1, max_size=FEW + 3, unique=True))
def test_tasks_are_in_order_of_their_ends_then_task_then_copy(data, ends):
    tasks, count = records(FEW + 3, TASK), len(ends)
    names = data.draw(st.permutations([(i // 2, i % 2) for i in range(count)]))
    started = np.array(data.draw(st.permutations(range(count))), np.int32)
    for t, (end, (task, number)) in enumerate(zip(ends, names, strict=True)):
        tasks[t].end, tasks[t].task, tasks[t].number = end, task, number
    chosen = np.zeros(FEW + 3, np.int32)
    put_in_order(tasks, started, chosen, count, np.zeros(FEW + 3))
    assert chosen[:count].tolist() == sorted(range(count), key=lambda t: (ends[t], *names[t]))
