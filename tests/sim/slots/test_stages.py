"""Stages that wait for one another on slots that come and go, against a simulation written another way."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.engines.slots.scenario import sharing_rules, speculation_rules
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
            if not goes and slot in leaving:
                leaving.discard(slot)
            elif not goes:
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
        if draw(st.booleans()):  # long after whatever it holds has ended, or soon
            changes += [(away + draw(st.sampled_from([0.5, 20.0])), int(slot), True)]
    return hosts, stages, parents, submit, gap, tuple(changes)


@search(150)
@given(case=graphs())
def test_every_task_runs_when_the_twin_says(case):
    hosts, stages, parents, submit, gap, changes = case
    run = run_of(hosts, "fifo+none", stages, parents=parents, submit=submit, gap=gap, changes=changes)
    expected = naive(hosts, stages, parents, submit, gap, changes)
    assert {(line[0], line[1]): (line[4], line[5]) for line in run.log.tolist()} == expected


def under(key: str) -> str:
    return f"{'hopper' if key == 'budget' else 'fifo'}+{key}"


#: Rules that copy often only if they are set so.
OFTEN = {
    "spark": "spark:multiplier=1.1,quantile=0.3",
    "hedge": "hedge:delay=1",
    "dolly": "dolly:p=0.5,epsilon=0.001,tau=1",
    "dolly-job": "dolly-job:p=0.5,epsilon=0.001,tau=1",
}
#: Every rule of the registry.
RULES = [OFTEN.get(key, key) for key in speculation_rules()]


STAGES = [[[0.5]], [[0.5]], [[0.5], [0.5]], [[0.5]]]
#: When the third stage starts, two slots are free, and a third is held by a copy that has been killed.
LINGERING = ([1, 1, 2], STAGES, ((), (), (0,), ()), 4 * [0.0], 4 * [0.0], ())


@pytest.mark.parametrize("policy", RULES)
@search(30)
@given(case=graphs(), linger=st.sampled_from([0.0, 0.25]))
@example(case=([1, 2], [[[0.5]]], ((),), [0.0], [0.0], ()), linger=0.0)  # of four numbers three are slots
@example(case=LINGERING, linger=0.25)
def test_barriers_hold_and_copies_are_in_slots_that_are_there_under_every_rule(policy, case, linger):
    hosts, stages, parents, submit, gap, changes = case
    run = run_of(
        hosts,
        under(policy),
        stages,
        parents=parents,
        submit=submit,
        gap=gap,
        changes=changes,
        linger=linger,
        straggle="pareto",
    )
    lines = run.log.tolist()
    ends = [max(line[5] for line in lines if line[0] == one and line[6] == 0) for one in range(len(stages))]
    for stage, task, copy, slot, start, end, fate in lines:
        del task, copy, end, fate
        assert all(start >= ends[parent] + gap[stage] for parent in parents[stage])
        assert slot in round_robin(hosts)
    for slot in round_robin(hosts):
        held = sorted((line[4], line[5]) for line in lines if line[3] == slot)
        assert all(end <= start for (_, end), (start, _) in pairwise(held))
    winners = [(line[0], line[1]) for line in lines if line[6] == 0]
    if policy.startswith("dolly-job"):
        winners = [*set(winners)]  # a task may end in several runs of its job
    assert sorted(winners) == [(s, t) for s, tasks in enumerate(stages) for t in range(len(tasks))]


def test_a_share_of_the_slots_is_one_of_those_that_are_there():
    """Five hosts are numbered as if each had four slots, and 8 of these 20 are there at first."""
    changes = ((10.0, 5, True), (10.0, 6, True), (20.0, 1, False), (20.0, 2, False), (20.0, 3, False))
    run = run_of(
        [4, 1, 1, 1, 1],
        "fifo+dolly:p=0.5,epsilon=0.001,tau=0.5",
        3 * [[[5.0], [5.0]]],
        submit=(0.0, 12.0, 24.0),
        changes=changes,
    )
    copied = [sum(1 for line in run.log.tolist() if line[0] == stage and line[2] > 0) for stage in range(3)]
    assert copied == [1, 2, 1]  # with fewer than 4 of 8, 5 of 10 and 3.5 of 7 slots busy


@pytest.mark.filterwarnings("error:.* encountered in scalar divide")  # NumPy tells without compilation
@pytest.mark.parametrize("sharing", sharing_rules())
def test_a_time_without_any_slot_is_waited_for(sharing):
    there = [int(slot) for slot in round_robin([2, 2])]
    changes = tuple((time, slot, comes) for time, comes in ((1.0, False), (30.0, True)) for slot in there)
    stages = [[[3.0], [5.0], [2.0]], 4 * [[1.0]], 3 * [[2.0]], 5 * [[4.0]]]
    submit = (0.0, 7.0, 8.0, 31.0)
    # Dolly asks whose turn it is, even then
    run = run_of([2, 2], f"{sharing}+dolly", stages, submit=submit, changes=changes, straggle="pareto")
    starts = [(line[0], line[4]) for line in run.log.tolist() if line[6] == 0]
    assert len(starts) == 15
    assert all(start >= 30.0 for stage, start in starts if stage > 0)
    assert not np.isnan(run.world.order).any()


@search(100)
@given(data=st.data())
def test_a_slot_holds_one_copy_at_a_time_however_it_comes_and_goes(data: st.DataObject) -> None:
    """A slot that comes again while it still holds the copy at whose end it was to go stays.

    Copies that lost linger, slots come and go at times of the jobs, and all tasks end: the first slot stays.
    """
    slots = data.draw(st.integers(2, 4))
    times = st.floats(0.1, 12.0).map(lambda time: round(time, 1))
    changes = []
    for slot in range(1, slots):
        there = True
        for at in sorted(data.draw(st.lists(times, max_size=6, unique=True))):
            there = not there
            changes.append((at, slot, there))
    seconds = st.floats(0.3, 6.0)
    stages = data.draw(
        st.lists(st.lists(st.tuples(seconds, seconds), min_size=1, max_size=5), min_size=1, max_size=3)
    )
    policy = data.draw(st.sampled_from(["fifo+none", "fifo+spark:multiplier=1.5,quantile=0.5", "fair+late"]))
    run = run_of(
        (slots,),
        policy,
        stages,
        submit=[2.0 * number for number in range(len(stages))],
        changes=tuple(sorted(changes)),
        linger=data.draw(st.sampled_from([0.0, 0.5])),
    )
    assert np.isfinite(run.world.jobs.finish).all()
    copies = sorted((slot, start, end) for _, _, _, slot, start, end, _ in run.log.tolist())
    for (slot, _, end), (other, start, _) in pairwise(copies):
        assert slot != other or start >= end
    for slot, start, _ in copies:  # none begins in a slot that has gone, and has not come again
        known = [comes for at, one, comes in sorted(changes) if one == slot and at <= start]
        assert not known or known[-1]
    c = run.world.cluster[0]
    there = sum(
        next((comes for at, one, comes in sorted(changes, reverse=True) if one == slot and at <= c.now), True)
        for slot in range(slots)
    )
    assert (c.busy, c.front, c.filed) == (0, 0, 0)
    assert c.free <= c.slots == there
