"""Integrals over time of busy slots, waiting tasks and active jobs, for engines with one scheduler.

Their clusters bear the same names: `now`; `busy`, `busy_extra`, `waiting`, `active` and the `area` of each;
`edge_step`, `next_edge`, `edges` of the time series; `warm_time`, `last_time` and the areas then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.kernel.compile import inlined


@inlined
def edge_is_due(cluster, series, now):
    """Tell whether an interval of the time series ends by `now`."""
    c = cluster[0]
    return c.next_edge <= now and c.edges < series.shape[0]


@inlined
def note_edge(cluster, series):
    """Note the integrals as they are where an interval ends."""
    c = cluster[0]
    left = c.next_edge - c.now
    row = series[c.edges]
    row[0] = c.area_busy + left * float(c.busy)
    row[1] = c.area_extra + left * float(c.busy_extra)
    row[2] = c.area_waiting + left * float(c.waiting)
    row[3] = c.area_active + left * float(c.active)
    c.edges += 1
    c.next_edge = c.edge_step * (c.edges + 1)


@inlined
def move_clock(cluster, now):
    """Let time pass until `now`, when no interval ends on the way."""
    c = cluster[0]
    passed = now - c.now
    c.area_busy += passed * float(c.busy)
    c.area_extra += passed * float(c.busy_extra)
    c.area_waiting += passed * float(c.waiting)
    c.area_active += passed * float(c.active)
    c.now = now


def means(cluster: Any, series: np.ndarray) -> np.ndarray:
    """Return the mean of each quantity in each interval, from the integrals at their ends."""
    return np.diff(series, axis=0, prepend=0.0) / float(cluster.edge_step)


def utilisation(cluster: Any) -> float:
    """Busy slot-time / (slots x time) between the first counted arrival and the last arrival."""
    span = cluster.last_time - cluster.warm_time
    if span <= 0:
        return 0.0
    return float((cluster.last_area - cluster.warm_area) / (cluster.slots * span))


def with_running(
    cluster: Any, jobs: Any, log: Any, running: Any, extra: np.ndarray, places: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return what jobs used to the end of the run, all and by extra copies, and the copies remembered.

    Parameters
    ----------
    cluster, jobs : record, recarray
        Of an engine whose run is over.
    log : recarray
        Room for the copies to remember; the first `cluster.logged` have ended.
    running : recarray
        Copies that still run (`sim.kernel.records.COPY`): whose they are, and since when.
    extra : ndarray of bool
        Which of these are extra.
    places : ndarray of int, optional
        Where in `jobs` those are whose copies run, if not all jobs are there.
    """
    where = running.job if places is None else places
    resource, extra_time = jobs.resource.copy(), jobs.extra_time.copy()
    ran = cluster.now - running.start
    np.add.at(resource, where, ran)
    np.add.at(extra_time, where, np.where(extra, ran, 0.0))
    found: Any = log[: cluster.logged]
    if count := min(log.size - int(cluster.logged), running.size):
        still = running[:count].copy()
        still["end"], still["fate"] = cluster.now, 2
        found = np.concatenate([found, still]).view(np.recarray)
    return resource, extra_time, found
