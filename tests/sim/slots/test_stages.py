"""Stages that wait for one another on slots that come and go, against a simulation written another way."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tests.sim.slots.recorded import round_robin, run_of
from tests.strategies import search


def naive(hosts, stages, parents, submit, gap, changes):
    """Return (stage, task) -> (launch, end): every instant is looked at afresh."""
    idle = list(round_robin(hosts))[::-1]
    starts = [submit[one] if not parents[one] else math.inf for one in range(len(stages))]
    found, holder, leaving = {}, {}, set()
    changes = sorted((time, not comes, slot) for time, slot, comes in changes)
    instant = 0.0
    while True:
        for slot, (stage, task) in sorted(holder.items(), key=lambda item: item[1]):
            if found[stage, task][1] == instant:
                del holder[slot]
                idle.append(slot)
        for slot in [slot for slot in leaving if slot in idle]:
            idle.remove(slot)
            leaving.discard(slot)
        while changes and changes[0][0] == instant:
            _, goes, slot = changes.pop(0)
            if not goes:
                idle.append(slot)
            elif slot in idle:
                idle.remove(slot)
            else:
                leaving.add(slot)
        for one, listed in enumerate(parents):
            ends = [
                end
                for p in listed
                for t in range(len(stages[p]))
                for end in [found.get((p, t), (0, math.inf))[1]]
            ]
            if listed and starts[one] == math.inf and max(ends) <= instant:
                starts[one] = max(ends) + gap[one]
        for one, tasks in enumerate(stages):
            for task, copies in enumerate(tasks):
                if idle and starts[one] <= instant and (one, task) not in found:
                    slot = idle.pop()
                    holder[slot] = (one, task)
                    found[one, task] = (instant, instant + copies[0])
        later = [end for _, end in found.values()] + [time for time, *_ in changes] + starts
        later = [time for time in later if instant < time < math.inf]
        if not later:
            return found
        instant = min(later)


@st.composite
def graphs(draw):
    """A few stages, whom they wait for, and slots that come and go after the first."""
    numbers = st.integers(0, 4) if draw(st.booleans()) else st.floats(0, 4, allow_subnormal=False)
    count = draw(st.integers(1, 5))
    some = st.lists(st.integers(0, count - 1), max_size=2, unique=True)
    parents = tuple(tuple(one for one in draw(some) if one < stage) for stage in range(count))
    tasks = st.lists(numbers.map(lambda time: [0.5 + float(time)]), min_size=1, max_size=4)
    stages = [draw(tasks) for _ in range(count)]
    submit = sorted(float(draw(numbers)) for _ in range(count))
    gap = [float(draw(numbers)) for _ in range(count)]
    hosts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    moving = draw(st.lists(st.sampled_from(list(round_robin(hosts))[1:] or [-1]), unique=True, max_size=3))
    changes = []
    for slot in [slot for slot in moving if slot >= 0]:
        away = float(draw(numbers)) + 0.25
        changes += [(away, int(slot), False)]
        if draw(st.booleans()):  # long after whatever it holds has ended
            changes += [(away + 20.0, int(slot), True)]
    return hosts, stages, parents, submit, gap, tuple(changes)


@search(150)
@given(case=graphs())
def test_every_task_runs_when_the_twin_says(case):
    hosts, stages, parents, submit, gap, changes = case
    run = run_of(hosts, "fifo+none", stages, parents=parents, submit=submit, gap=gap, changes=changes)
    expected = naive(hosts, stages, parents, submit, gap, changes)
    assert {(line[0], line[1]): (line[4], line[5]) for line in run.log.tolist()} == expected


@search(60)
@given(
    case=graphs(), policy=st.sampled_from(["spark:multiplier=1.1,quantile=0.3", "hadoop", "hedge:delay=1"])
)
def test_barriers_hold_and_nothing_is_lost_under_every_rule(case, policy):
    hosts, stages, parents, submit, gap, changes = case
    run = run_of(hosts, f"fifo+{policy}", stages, parents=parents, submit=submit, gap=gap, changes=changes)
    lines = run.log.tolist()
    ends = [max(line[5] for line in lines if line[0] == one) for one in range(len(stages))]
    for stage, task, copy, _, start, end, fate in lines:
        del task, copy, end, fate
        assert all(start >= ends[parent] + gap[stage] for parent in parents[stage])
    winners = [(line[0], line[1]) for line in lines if line[6] == 0]
    assert sorted(winners) == [(s, t) for s, tasks in enumerate(stages) for t in range(len(tasks))]
