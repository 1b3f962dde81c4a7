"""Slots idle while tasks wait: delay scheduling, limits, and a scheduler that is slow to launch.

A task waits from the submission of its stage to its launch. Of all that wait, in the order of their launches,
as many as there are free slots could have been launched already: their waiting in that time is idle.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.logs.history import History


def idle_waits(history: History, tasks: pd.DataFrame) -> np.ndarray:
    """Return for how many seconds each task waited while a slot was free for it.

    Parameters
    ----------
    history : History
    tasks : DataFrame
        stage, launch (s) of each task.
    """
    launch = tasks["launch"].to_numpy(float)
    submit = history.stages["submit"].to_numpy()[tasks["stage"].to_numpy(int)].astype(float)
    waits = np.zeros(launch.size)
    order = np.argsort(launch, kind="stable")
    waiting = order[np.isfinite(submit[order]) & (submit[order] < launch[order])]
    if not waiting.size:
        return waits
    rank = np.empty(launch.size, int)
    rank[order] = np.arange(launch.size)
    times, free = free_slots(history)
    submits = np.unique(submit[waiting])
    groups = pd.Series(waiting).groupby(submit[waiting]).indices
    every = np.unique(np.concatenate([times, submits, launch[waiting]]))
    open_ = free[np.clip(np.searchsorted(times, every, side="right") - 1, 0, None)]
    open_ = np.where(every < times[0], 0, open_)
    queue, head, entering = np.empty(0, int), 0, iter(submits)
    coming = next(entering)
    by_launch = launch[order]
    for place in range(every.size - 1):
        now = every[place]
        if now == coming:
            queue = np.sort(np.concatenate([queue[head:], rank[waiting[groups[coming]]]]))
            head, coming = 0, next(entering, np.inf)
        while head < queue.size and by_launch[queue[head]] <= now:
            head += 1
        if open_[place] > 0 and head < queue.size:
            could = queue[head : head + int(open_[place])]
            waits[order[could]] += every[place + 1] - now
    return waits


def free_slots(history: History) -> tuple[np.ndarray, np.ndarray]:
    """Return when the number of free slots changed, and the number from then on."""
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    copies = copies[copies["end"] > copies["launch"]]
    slots = history.frame("slots")
    times = [slots["time"], copies["launch"], copies["end"]]
    change = [np.diff(slots["slots"], prepend=0), -np.ones(len(copies)), np.ones(len(copies))]
    moments, code = np.unique(np.concatenate(times), return_inverse=True)
    return moments, np.cumsum(np.bincount(code.reshape(-1), np.concatenate(change)))
