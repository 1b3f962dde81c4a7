"""The time series of a run: how many copies run, are extra, how many tasks wait and jobs are active."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.kernel.compile import inlined

#: Columns of the time series.
BUSY, EXTRA, WAITING, ACTIVE = range(4)


@inlined
def note(w, column, time, change):
    """Let a column of the time series change at `time`, which may be ahead."""
    step = w.cluster[0].edge_step
    if step < math.inf and time < step * w.jump.shape[0]:
        k = int(time / step)
        if k < w.jump.shape[0]:
            w.jump[k, column] += change
            w.rest[k, column] += change * (step * (k + 1) - time)


def means(world: Any) -> np.ndarray:
    """Return the mean of each column in each interval."""
    before = np.cumsum(world.jump, axis=0) - world.jump
    return np.asarray(before + world.rest / float(world.cluster[0].edge_step))
