"""Luck, machine and work of runs whose truth is known, by laws that the fit does not assume."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sim.advice.several.layout import FALSE_ALARM, PARTS, measure
from sim.advice.several.matching import PairedTasks
from tests.sim.several.runs import LAWS, layout

#: Chance that a test below fails although intervals hold the truth in 95 % of the pairs.
CHANCE = 1e-6
PAIRS = 12


def within(kwargs, law, seeds):
    """Return in how many pairs each part's interval holds the truth."""
    held = np.zeros(len(PARTS), int)
    for seed in seeds:
        tasks, truth = layout(seed, law, **kwargs)
        shares = measure(tasks).shares
        held += [shares[part].low <= one <= shares[part].high for part, one in zip(PARTS, truth, strict=True)]
    return held


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kwargs", [{}, {"own": True, "runs": 3}], ids=["two runs", "three, hosts anew"])
def test_intervals_hold_the_true_shares(law, kwargs):
    least = stats.binom.ppf(CHANCE, PAIRS, 0.95)
    assert least >= 0.4 * PAIRS  # else nothing would be noticed
    assert (within(kwargs, law, range(PAIRS)) >= least).all()


def test_intervals_are_narrow_and_parts_add_up():
    shares = measure(layout(1, "lognormal", runs=5, stages=10)[0]).shares
    assert sum(share.value for share in shares.values()) == pytest.approx(1)
    assert max(share.high - share.low for share in shares.values()) < 0.25


def by_columns(tasks):
    """Fit the layout with one column for each level, task and host: slow, and shares no code with ours."""
    log, (count, runs) = tasks.log, tasks.log.shape
    cell = [(t, r) for t in range(count) for r in range(runs)]
    y = np.array([log[one] for one in cell])

    def dummies(codes):
        return (np.array(codes)[:, None] == sorted(set(codes))).astype(float)

    level = dummies([tasks.stage[t] * runs + r for t, r in cell])
    task = dummies([t for t, _ in cell])
    host = dummies([int(tasks.host[one][1:]) + 100 * one[1] for one in cell])
    whole = np.hstack([level, task, host])
    found = np.linalg.lstsq(whole, y, rcond=None)[0]
    free = y.size - np.linalg.matrix_rank(whole)
    luck = float(((y - whole @ found) ** 2).sum()) / free
    apart = np.eye(y.size) - level @ np.linalg.pinv(level)
    inverse = np.linalg.pinv(whole.T @ whole)
    parts = []
    for first, last in ((level.shape[1] + count, whole.shape[1]), (level.shape[1], level.shape[1] + count)):
        seen = apart @ whole[:, first:last]
        error = float(np.trace(seen.T @ seen @ inverse[first:last, first:last]))
        parts.append(
            (float(((seen @ found[first:last]) ** 2).sum()) - luck * error) / (y.size - level.shape[1])
        )
    return luck, *parts, free


def test_variances_are_those_of_a_fit_with_all_its_columns():
    tasks, _ = layout(2, "pareto", stages=2, tasks=15, hosts=3, runs=3)
    found = measure(tasks)
    luck, machine, work, free = by_columns(tasks)
    assert found.freedom.luck == free
    assert [found.variance[part] for part in PARTS] == pytest.approx([luck, machine, work])


def test_the_same_tasks_on_the_same_hosts_tell_no_machine_from_work():
    tasks, _ = layout(1, "lognormal")
    same = PairedTasks(
        tasks.log,
        np.repeat(tasks.host[:, :1], 2, axis=1),
        tasks.stage,
        tasks.task,
        tasks.names,
        "",
        tasks.rows,
        0,
        0,
    )
    found = measure(same)
    assert set(found.reasons) == {"machine", "work"}
    assert set(found.shares) == {"luck"}


@pytest.mark.parametrize(
    ("host", "reason"),
    [("", "name no hosts"), ("h0", "ran on one host"), (None, "too few of the paired tasks")],
)
def test_what_hosts_cannot_tell_is_said(host, reason):
    tasks, _ = layout(1, "lognormal", machine=0.0)
    names = np.full(tasks.host.shape, host or "")
    if host is None:
        names = np.arange(names.size).reshape(names.shape).astype(str)
    found = measure(PairedTasks(tasks.log, names, tasks.stage, tasks.task, tasks.names, "", tasks.rows, 0, 0))
    assert reason in found.reasons["machine"]
    assert "work" in found.shares


def test_tasks_without_work_of_their_own_are_seldom_named():
    """Where no task is slow, any is named with probability 5 % at most."""
    named = sum(
        len(measure(layout(seed, "pareto", work=0.0, machine=0.0, stages=1, tasks=100)[0]).slow) > 0
        for seed in range(20)
    )
    assert named <= stats.binom.ppf(1 - CHANCE, 20, FALSE_ALARM)


def test_a_task_with_much_more_work_is_named():
    tasks, _ = layout(3, "pareto", runs=4, work=0.0, stages=2)
    log = tasks.log.copy()
    log[[5, 50]] += np.log(8)
    found = measure(PairedTasks(log, tasks.host, tasks.stage, tasks.task, tasks.names, "", tasks.rows, 0, 0))
    assert set(zip(found.slow["stage"], found.slow["task"], strict=True)) == {("s0", 5), ("s1", 10)}
    assert found.slow["factor"].between(4, 16).all()


def test_a_handful_of_tasks_has_no_intervals():
    tasks, _ = layout(1, "lognormal", stages=1, tasks=6)
    found = measure(tasks)
    assert not found.shares
    assert "fewer than 10 tasks" in found.reasons["luck"]
