"""No extra copies."""

from __future__ import annotations

import math

from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch


@watch
def look(cluster, jobs, slots, roots, store, numbers, s):
    """Never look at a copy."""
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Keep no account of copies."""


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Copy nothing."""
    return -1


RULE = Speculation(
    key="none",
    title="No speculation",
    summary="every task runs once",
    when="never",
    at_launch=True,
    watch=look,
    notice=look,
    lose=lose_copy,
    choose=choose_task,
)
