"""The state at the end of a run: copies that end later are counted up to then."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.engines.probes.world import World
from sim.kernel.records import COPY, records


def job_totals(world: World) -> dict[str, np.ndarray]:
    """Return what jobs have used up to the end, by the names of `sim.model.outcome.Outcome`."""
    jobs, slots, end = world.jobs, world.slots, world.cluster[0].now
    held = np.flatnonzero(world.seats.runs)
    under_way, running = held[slots.start[held] > end], running_copies(world)
    ran, extra = end - slots.start[running], slots.number > 0
    resource, extra_time = jobs.resource.copy(), jobs.extra_time.copy()
    np.add.at(resource, slots.job[running], ran)
    np.add.at(extra_time, slots.job[running], np.where(extra[running], ran, 0.0))
    copies, extras = jobs.copies.copy(), jobs.extra.copy()
    np.subtract.at(copies, slots.job[under_way], 1)  # sent, but not there at the end
    np.subtract.at(extras, slots.job[under_way], extra[under_way])
    return {
        "start": np.where(jobs.start > end, math.inf, jobs.start),
        "copies": copies,
        "extra": extras,
        "resource": resource,
        "extra_time": extra_time,
    }


def running_copies(world: World) -> np.ndarray:
    """Return the slots whose copies run at the end."""
    held = np.flatnonzero(world.seats.runs)
    return held[world.slots.start[held] <= world.cluster[0].now]


def copies_remembered(world: World) -> Any:
    """Return the log of the copies, with those that run at the end."""
    logged = int(world.cluster[0].logged)
    running = running_copies(world)[: max(0, world.log.size - logged)]
    still = records(running.size, COPY)
    for name, source in (("job", "job"), ("task", "task"), ("copy", "number"), ("start", "start")):
        still[name] = world.slots[source][running]
    still["slot"], still["end"], still["fate"] = running, world.cluster[0].now, 2
    return np.concatenate([world.log[:logged], still]).view(np.recarray)


def utilisation(world: World) -> float:
    """Busy slot-time / (slots x time) between the first counted arrival and the last arrival."""
    n = world.net[0]
    if n.closes <= n.opens:
        return 0.0
    start = np.maximum(world.slots.start[running_copies(world)], n.opens)
    rest = np.maximum(min(world.cluster[0].now, n.closes) - start, 0).sum()
    return float((n.area_busy + rest) / (world.slots.size * (n.closes - n.opens)))
