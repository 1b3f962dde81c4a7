"""Integrals over time of busy slots, waiting tasks and active jobs, for engines with one scheduler.

Their clusters bear the same names: `now`; `busy`, `busy_extra`, `waiting`, `active` and the `area` of each;
`edge_step`, `next_edge`, `edges` of the time series; `warm_time`, `last_time` and the areas then.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from typing import Any

import numpy as np

from sim.kernel.compile import inlined

# A reserved range of memory for very many rows, few of them in use at a time: the rest is given back.
#
# Addresses cost next to nothing, memory does. A span has an address for every row, so that a row keeps its
# place from the beginning of a run to its end, and what points to it may be its number. The system gives a
# row memory when it is first written, a page at a time, and takes it when it is told that its page is not
# wanted any more. Where a system cannot be told, rows keep their memory and nothing else is different.

#: What Linux calls MAP_NORESERVE: memory is promised when it is used, and not before.
_UNRESERVED = 0x4000 if sys.platform == "linux" else 0
_PRIVATE = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _UNRESERVED} if hasattr(mmap, "MAP_PRIVATE") else {}
)
_UNWANTED = getattr(mmap, "MADV_DONTNEED", None)
_SMALL_PAGES = getattr(mmap, "MADV_NOHUGEPAGE", None)


class Span:
    """Zeroed rows with an address each, and memory where they are in use.

    Parameters
    ----------
    count : int
        Rows, at least 1.
    dtype : dtype
        What a row is.

    Examples
    --------
    >>> span = Span(100_000, np.dtype("i8"))
    >>> span.rows[:] = 7
    >>> span.give_back(0, 99_000)  # whole pages only
    >>> int(span.rows[0]) in (0, 7), int(span.rows[99_999])
    (True, 7)
    """

    def __init__(self, count: int, dtype: Any) -> None:
        kind = np.dtype(dtype)
        self._room = mmap.mmap(-1, count * kind.itemsize, **_PRIVATE)
        if _SMALL_PAGES is not None:  # a row in use keeps its page, which is not to be a large one
            with contextlib.suppress(OSError):  # of a system that has no others
                self._room.madvise(_SMALL_PAGES)
        rows: Any = np.frombuffer(self._room, kind, count)
        self.rows = rows.view(np.recarray) if kind.names else rows

    def give_back(self, first: int, stop: int) -> None:
        """Give back the memory of the rows from `first` to before `stop`: of all pages that they fill."""
        each = self.rows.dtype.itemsize
        begin = -(-first * each // mmap.PAGESIZE) * mmap.PAGESIZE
        end = stop * each // mmap.PAGESIZE * mmap.PAGESIZE
        if _UNWANTED is not None and end > begin:
            self._room.madvise(_UNWANTED, begin, end - begin)


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
