"""Cloning: `copies` copies of every task, launched with it (XL section III; task-level redundancy).

Clones still owed to a running task take the next free slots, before any original, oldest task
first: so every task that lasts long enough gets all its copies, whatever the load.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import offer, retract, top

if TYPE_CHECKING:
    from sim.scenario import Scenario


@watch
def owe_clones(cluster, jobs, slots, roots, store, numbers, s):
    """Owe an original its clones; a clone settles one of them."""
    lead = slots[s].lead
    if slots[s].number == 0:
        if numbers[0] > 1.0:
            offer(cluster, jobs, slots, roots, s, slots[s].start, 0.0)
    elif slots[lead].copies >= numbers[0]:
        retract(cluster, jobs, slots, roots, lead)
    return math.inf


@watch
def look(cluster, jobs, slots, roots, store, numbers, s):
    """Never look at a copy again."""
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Forget the clones owed to a task that has ended."""
    retract(cluster, jobs, slots, roots, s)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Serve the task that has been owed a clone for longest."""
    return top(cluster, roots, j)


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the number of copies."""
    return np.array([values["copies"]])


RULE = Speculation(
    key="clone",
    title="Cloning",
    summary="a fixed number of copies of every task, launched with it",
    when="urgent",
    at_launch=True,
    watch=owe_clones,
    notice=look,
    lose=lose_copy,
    choose=choose_task,
    parameters=(
        parameter("copies", 2, "copies of every task, the original included", whole=True, low=1, high=8),
    ),
    prepare=prepare,
    reference="Xu and Lau, section III",
)
