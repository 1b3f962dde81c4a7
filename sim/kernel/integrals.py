"""A reserved range of memory for very many rows, few of them in use at a time: the rest is given back.

Addresses cost next to nothing, memory does. A span has an address for every row, so that a row keeps its
place from the beginning of a run to its end, and what points to it may be its number. The system gives a row
memory when it is first written, a page at a time, and takes it when it is told that its page is not wanted
any more. Where a system cannot be told, rows keep their memory and nothing else is different.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from sim.kernel.compile import inlined

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


# Sums of the numbers whose key passes a bound, four at a time.
#
# A sum of real numbers depends on the order of its terms, so that a compiler may not add several at a time
# by itself. Here each of four lanes adds every fourth number, and the lanes are added last, in pairs: the
# same result on every processor. Lists are read in whole steps of four: the numbers behind the last one are
# 0.
#
# What it buys: with a loop that adds one number at a time `hopper-dag` takes 1.05 (1,000 slots) to 1.07
# (3,000) of its time.

LANES = 4
NUMBERS = ir.VectorType(ir.DoubleType(), LANES)
WORD = ir.IntType(32)
NOTHING = ir.Constant(NUMBERS, [0.0] * LANES)


def _everywhere(builder: Any, number: Any) -> Any:
    """Emit a vector that has this number in all lanes."""
    one = builder.insert_element(ir.Constant(NUMBERS, ir.Undefined), number, WORD(0))
    lanes = ir.Constant(ir.VectorType(WORD, LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(NUMBERS, ir.Undefined), lanes)


def _added(builder: Any, numbers: Any) -> Any:
    """Emit the sum of the lanes, in pairs."""
    a, b, c, d = (builder.extract_element(numbers, WORD(lane)) for lane in range(LANES))
    return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))


def _sums(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the loop; each step adds four numbers to all three sums."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    numbers, keys, count = arguments[1:4]
    floor, ceiling = (_everywhere(builder, bound) for bound in arguments[4:])
    sums = [cgutils.alloca_once_value(builder, NOTHING) for _ in range(3)]

    def four(begin: Any) -> Any:
        load = builder.load(builder.bitcast(builder.gep(data, [begin]), NUMBERS.as_pointer()))
        load.align = 8
        return load

    with cgutils.for_range_slice(builder, count.type(0), count, count.type(LANES)) as (k, _):
        number, key = four(builder.add(numbers, k)), four(builder.add(keys, k))
        above = builder.select(builder.fcmp_ordered(">", key, ceiling), number, NOTHING)
        upto = builder.select(builder.fcmp_ordered(">=", key, floor), number, NOTHING)
        for total, more in zip(sums, (above, upto, number), strict=True):
            builder.store(builder.fadd(builder.load(total), more), total)
    added = [_added(builder, builder.load(total)) for total in sums]
    return context.make_tuple(builder, signature.return_type, added)


if numba.config.DISABLE_JIT:

    def bounded_sums(
        numbers: Any, begin: int, keys: int, count: int, floor: float, ceiling: float
    ) -> tuple[Any, ...]:
        """Return the sums: of keys above the ceiling, of keys from the floor on, and of all."""
        count += -count % LANES
        number, key = numbers[begin : begin + count], numbers[keys : keys + count]
        sums = []
        for kept in (key > ceiling, key >= floor, np.full(count, True)):
            lanes = np.zeros(LANES)
            for four in np.where(kept, number, 0.0).reshape(-1, LANES):
                lanes += four
            sums.append((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
        return tuple(sums)

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def bounded_sums(
        typing: Any, numbers: Any, begin: Any, keys: Any, count: Any, floor: Any, ceiling: Any
    ) -> Any:
        """Return the sums: of keys above the ceiling, of keys from the floor on, and of all."""
        sums = numba.typeof((0.0, 0.0, 0.0))
        return sums(numbers, types.intp, types.intp, types.intp, types.float64, types.float64), _sums


# Integrals over time of busy slots, waiting tasks and active jobs, for engines with one scheduler.
#
# Their clusters bear the same names: `now`; `busy`, `busy_extra`, `waiting`, `active` and the `area` of
# each; `edge_step`, `next_edge`, `edges` of the time series; `warm_time`, `last_time` and the areas then.


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
