"""The time series of a run: how many copies run, are extra, how many tasks wait and jobs are active."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.kernel.compile import inlined

#: Columns of the time series.
BUSY, EXTRA, WAITING, ACTIVE = range(4)


@inlined
def interval_of(w, time):
    """Interval of the time series that a time, which may be ahead, lies in; -1 if it is none."""
    step = w.cluster[0].edge_step
    if step < math.inf and time < step * w.jump.shape[0]:
        k = int(time / step)
        if k < w.jump.shape[0]:
            return k
    return -1


@inlined
def change_in(w, k, column, time, change):
    """Let a column of the time series change at a time in interval `k`."""
    w.jump[k, column] += change
    w.rest[k, column] += change * (w.cluster[0].edge_step * (k + 1) - time)


@inlined
def note(w, column, time, change):
    """Let a column of the time series change at `time`, which may be ahead."""
    k = interval_of(w, time)
    if k >= 0:
        change_in(w, k, column, time, change)


@inlined
def note_start(w, time):
    """Let a task that waits be one that runs at `time`."""
    k = interval_of(w, time)
    if k >= 0:
        change_in(w, k, WAITING, time, -1.0)
        change_in(w, k, BUSY, time, 1.0)


def means(world: Any) -> np.ndarray:
    """Return the mean of each column in each interval."""
    before = np.cumsum(world.jump, axis=0) - world.jump
    return np.asarray(before + world.rest / float(world.cluster[0].edge_step))
