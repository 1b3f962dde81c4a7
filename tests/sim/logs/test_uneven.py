"""Slow copies that come together on a host are told, and luck alone is not called so."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.clusters_of_slowness import uneven
from sim.advice.diagnosis.costs import ratios
from sim.advice.diagnosis.shares import shares
from tests.depth import some
from tests.sim.logs.test_hierarchy import slot_of, stages

COUNT, TASKS = 60, 10
NAMES = ("map", "reduce", "sort")


def where(history):
    data, table = ratios(history), history.frame("stages")
    return uneven(data, shares(data, table), table["name"])


def on_host(stage, task, number):
    return slot_of(stage, task, TASKS) % 5 == number


def in_reduce(stage):
    return stage % len(NAMES) == 1


def test_a_host_that_is_slow_in_one_kind_of_stage_is_found():
    def duration(random, stage, task):
        return np.exp(random.normal(0, 0.1)) * (4.0 if on_host(stage, task, 2) and in_reduce(stage) else 1.0)

    history = stages(1, COUNT, TASKS, duration, names=NAMES)
    found = where(history)
    assert (found.host, found.stage) == ("h2", "reduce")
    assert found.factor == pytest.approx(4.0, rel=0.1)
    assert found.share > 0.6
    assert "Slow tasks come together: on one host" in diagnose(history).sentence


@pytest.mark.parametrize(
    "duration",
    some(
        [
            lambda random, stage, task: 1 + random.pareto(1.5),
            lambda random, stage, task: np.exp(random.normal(0, 0.1)),
            lambda random, stage, task: (
                np.exp(random.normal(0, 0.1)) * (3.0 if on_host(stage, task, 2) else 1.0)
            ),
            lambda random, stage, task: np.exp(random.normal(0, 0.1)) * (3.0 if task == 4 else 1.0),
        ],
        0,
        2,
    ),
    ids=["heavy luck", "light luck", "a slow host", "a slow task"],
)
def test_what_the_fit_knows_and_luck_alone_do_not_come_together(duration):
    """By chance one log of a hundred has such a group; three of twenty have in one test of a thousand."""
    found = [where(stages(seed, COUNT, TASKS, duration, names=NAMES)) for seed in range(20)]
    assert sum(one is not None for one in found) < 3


def test_a_host_slow_for_a_time_is_found_where_the_fit_has_no_such_part(monkeypatch):
    """A scan of its own takes longer times first (`spells`); what it leaves is told here."""

    def duration(random, stage, task):
        slow = 20 <= stage < 35 and on_host(stage, task, 2)
        return np.exp(random.normal(0, 0.1)) * (4.0 if slow else 1.0)

    fitted = importlib.import_module("sim.advice.diagnosis.shares")
    monkeypatch.setattr(fitted, "spells", lambda copies, luck: ())
    history = stages(1, COUNT, TASKS, duration, names=NAMES)
    found = where(history)
    assert (found.host, found.stage) == ("h2", None)
    assert found.factor == pytest.approx(4.0, rel=0.1)
    assert found.share > 0.6
    assert "Slow tasks come together: on one host" in diagnose(history).sentence


def test_on_one_host_nothing_comes_together():
    history = stages(1, 6, 1, lambda random, stage, task: 1.0)
    assert where(history) is None
