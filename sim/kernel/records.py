"""The records that all engines use: one NumPy record array for each kind of thing.

`np.recarray`, so that the same code runs with compilation switched off. Indices are -1 where there
is nothing to point at. No field has the name of an attribute of NumPy's records (`size`, `copy`),
which would hide it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

#: Bytes of a cache line.
LINE = 64

#: When extra copies are launched: never, before originals, within a job's share, in slots left over, or
#: where the rule says so itself, told whose original is next.
NEVER, URGENT, BUDGET, SPARE, IN_TURN = range(5)
#: When the remaining time of a copy becomes known: at an age, at a share of its duration, never.
AGE, FRACTION, UNOBSERVED = range(3)

#: Fields by which a record takes part in a pairing heap (`sim.kernel.heap`).
NODE = [
    ("first", "f8"),  # sort keys, smaller first: `first`, then `second`, then `rank`
    ("second", "f8"),
    ("rank", "i8"),
    ("child", "i4"),
    ("next", "i4"),
    ("prev", "i4"),
    ("heap", "i4"),  # which heap holds it, -1 for none
]


def _also_called(dtype: np.dtype, **renamed: str) -> np.dtype:
    """Return a record with a second name for some fields: that of release 0.2, for rules of one's own."""
    known = dict[str, Any](dtype.fields or {})
    names = [*known, *renamed]
    formats, offsets = zip(*(known[renamed.get(name, name)][:2] for name in names), strict=True)
    shape = {"names": names, "formats": [*formats], "offsets": [*offsets], "itemsize": dtype.itemsize}
    return np.dtype(cast(Any, shape))


#: The cluster as a whole; one record.
CLUSTER = np.dtype(
    [
        ("now", "f8"),
        ("horizon", "f8"),  # nothing happens after this time
        (
            "slots",
            "i8",
        ),  # that there are now; slots of a record may come later (`sim.engines.slots.arriving`)
        ("free", "i8"),
        ("jobs", "i8"),  # jobs of the workload
        ("arrived", "i8"),
        ("oldest", "i8"),  # every job before it is done
        ("present", "i8"),  # jobs on the list of those in the system, and the first not yet put on it
        ("listed_to", "i8"),
        ("active", "i8"),  # jobs in the system, N
        ("remaining", "i8"),  # unfinished tasks of the jobs in the system, sum of T
        ("waiting", "i8"),  # tasks that have arrived and have no copy yet
        ("busy", "i8"),
        ("busy_extra", "i8"),  # slots that hold extra copies
        ("candidates", "i8"),  # tasks a speculation rule would copy
        ("events", "i8"),
        ("done_tasks", "i8"),
        # what is fixed for a run
        ("mean_factor", "f8"),
        ("law", "i8"),
        ("observe_kind", "i8"),  # `AGE`, `FRACTION` or `UNOBSERVED`
        ("observe_at", "f8"),
        ("reported", "i8"),  # a remaining time is known only when the rule looks, by a report
        ("mode", "i8"),  # when extra copies are launched: `NEVER`, `URGENT`, ...
        ("keeps_serving", "i8"),  # the sharing rule stays with a job it has picked while it has originals
        ("first_until", "f8"),  # slots a job just picked may hold before another may be first (mode BUDGET)
        ("files_all", "i8"),  # the sharing rule files jobs that want no slot, too
        ("checking", "i8"),  # the speculation rule looks at running copies
        ("hears_every_copy_end", "i8"),  # the speculation rule wants to know of every copy that ends
        ("lucky", "i8"),  # job whose straggle factors are drawn ahead, from which task on, and to which
        ("luck_first", "i8"),
        ("luck_end", "i8"),
        ("wake", "i8"),  # slot a speculation rule wants to look at again, at `wake_time`; -1 for none
        ("wake_time", "f8"),
        ("theta", "f8"),
        ("sizes_per_task", "i8"),
        # phases (sim.kernel.phases), and blocks on machines (sim.engines.slots.places)
        ("listed", "i8"),  # originals start in the order of a list, not of their index
        ("phased", "i8"),
        ("barrier", "f8"),
        ("linked", "i8"),  # jobs are stages that wait for one another (`sim.engines.slots.arriving`)
        ("given", "i8"),  # durations given for each task, copy by copy; 0: they are drawn
        ("linger", "f8"),  # for how long a copy still holds its slot after another has ended its task
        ("executor_slots", "i8"),  # Spark: slots of an executor
        ("middle_pair", "i8"),  # Spark: of an even number of times the median is between the middle two
        ("deliveries", "i8"),  # outputs on their way
        ("queued", "i8"),  # of which in a queue, and the place of its last one (`sim.kernel.deliveries`)
        ("queue_last", "i8"),
        ("queue_capacity", "i8"),  # and how long the queue may be
        ("learns_weight", "i8"),  # transfer times are known only once one of the phase has been seen
        ("seen_ratio", "f8"),  # sum of the transfer ratios seen
        ("seen", "i8"),
        ("replicas", "i8"),
        ("machine_slots", "i8"),
        ("remote_factor", "f8"),
        ("offered", "i8"),  # machine of the slot that is given out next, where blocks count
        ("reading", "i8"),  # copies launched of tasks that read a block
        ("local", "i8"),  # of which on a machine that holds it
        ("run", "u8"),  # key of the replication: the luck of copies
        # the tail index (sim.engines.slots.ending)
        ("tail", "f8"),  # as far as the rules know
        ("learns_tail", "i8"),
        ("tail_finished", "f8"),  # finished copies it has been learned from
        ("tail_logs", "f8"),
        ("tail_due", "f8"),  # finished copies at which it is looked at again
        ("interval", "f8"),  # slots are given out at its multiples only; 0: at every event
        ("decide_at", "f8"),  # the next such time at which there is something to decide
        ("lists_new", "i8"),  # the speculation rule wants the list of jobs that have not begun
        ("unstarted", "i8"),  # their number, and both ends of the list, oldest first
        ("first_new", "i8"),
        ("last_new", "i8"),
        ("restart", "i8"),  # slot whose copy the speculation rule has given up, -1 for none
        ("evicting", "i8"),  # the speculation rule may evict copies for others
        ("clones_jobs", "i8"),  # it clones whole jobs: copies of a task do not end each other
        ("judges_task_sets", "i8"),  # the speculation rule judges task sets: slots know the set of their task
        (
            "skips_dominated_copies",
            "i8",
        ),  # how long dominated copies run need not be known
        ("copies_on_other_machines", "i8"),  # a copy never runs on the machine of another copy of its task
        ("barring", "i8"),  # it bars machines until times at the end of its `store`
        ("unbar_at", "f8"),  # the next of those times at which there may be something to launch
        ("placing", "i8"),  # slots may be chosen: free ones know their place in `idle`
        ("placed", "i8"),  # slot it has chosen for the next copy, -1 for the one freed last
        # integrals over time, for utilisation and the time series
        ("area_busy", "f8"),
        ("area_extra", "f8"),
        ("area_waiting", "f8"),
        ("area_active", "f8"),
        ("next_edge", "f8"),
        ("edge_step", "f8"),
        ("edges", "i8"),
        ("first_counted", "i8"),
        ("warm_time", "f8"),
        ("warm_area", "f8"),
        ("last_time", "f8"),
        ("last_area", "f8"),
        # the calendar (sim.kernel.calendar)
        ("days_per_time", "f8"),
        ("day", "i8"),
        ("year", "i8"),  # in days: what is further away is far, and waits apart
        ("ahead", "i8"),  # bit k: the day of number k in the group of the next day may have events
        ("mask", "i8"),
        ("front", "i8"),
        ("filed", "i8"),
        ("visits", "i8"),
        ("pops", "i8"),
        ("logged", "i8"),
    ]
)

#: A job. The first of its three cache lines has all that is read and written when a copy starts or ends.
JOB = np.dtype(
    [
        ("task_size", "f8"),  # mean size of its tasks
        ("key", "u8"),  # address of its luck
        ("resource", "f8"),  # slot-time of its ended copies
        ("first", "f8"),  # heap node, see NODE (also `second`, `rank`, `child`, `next`, `prev`)
        ("tasks", "i4"),
        ("launched", "i4"),  # originals launched; they start in order of their index
        ("finished", "i4"),
        ("released", "i4"),  # tasks that may start; all of them unless the job has phases
        ("held", "i4"),  # slots held now
        ("copies", "i4"),  # copies launched so far, originals included
        ("candidates", "i4"),  # running tasks to copy within its share (mode BUDGET only)
        ("heap", "i4"),
        # the second line
        ("extra_time", "f8"),  # slot-time of its ended extra copies
        ("second", "f8"),
        ("rank", "i4"),
        ("child", "i4"),
        ("next", "i4"),
        ("prev", "i4"),
        ("killed", "i4"),
        ("extra", "i4"),  # copies launched so far that are extra
        ("open", "i4"),  # unfinished tasks of its running phases (phased workloads only)
        ("unknown", "i4"),  # outputs to come whose transfer time is not known yet
        ("first_phase", "i4"),
        ("wanted", "i4"),  # clones: copies that it or each of its tasks is to get, 0 if not decided
        ("ahead", "i4"),  # neighbours in the list of jobs that have not begun
        ("behind", "i4"),
        # the third line
        ("arrival", "f8"),
        ("start", "f8"),
        ("finish", "f8"),
        ("transfer", "f8"),  # transfers to come out of its running phases, as far as known, in sizes
        ("first_task", "i8"),
        ("unused", "f8", 3),
    ]
)

#: A slot and the copy it holds. A task is known by its *task slot*: the slot of its first copy. Two cache
#: lines: the first has all that is read when a copy ends, is killed or is queued beside others, which is
#: what large clusters wait for.
_SLOT = np.dtype(
    [
        ("start", "f8"),
        ("second_last", "i4"),  # of a task slot: the slots of its last copies but one and but two
        ("third_last", "i4"),
        ("first", "f8"),  # heap node, see NODE (also `second`, `rank`, `child`, `next`, `prev`)
        ("second", "f8"),
        ("job", "i4"),
        ("number", "i4"),  # of the copy: 0 is the original
        ("task_slot", "i4"),
        ("next_copy", "i4"),  # another copy of the same task (of a cloned job: of the job), in a circle
        ("copies", "i4"),  # of a task slot: copies launched of its task
        ("next", "i4"),
        ("prev", "i4"),
        ("heap", "i4"),
        # the second line
        ("best", "f8"),  # of a task slot: earliest finish among its copies
        ("finish", "f8"),  # known to the engine at launch; a rule may use it once observed
        ("duration", "f8"),  # exact, where finish - start is rounded: equal durations compare equal
        ("rank", "i8"),
        ("task", "i4"),
        ("child", "i4"),
        ("checked", "i4"),  # the rule has looked at this copy (Mantri: and found it slow)
        ("spot", "i4"),  # of a free slot: its place in `idle`, where slots are chosen
        (
            "back",
            "i4",
        ),  # of a cloned job: the copy whose `next_copy` this one is (`sim.engines.slots.launching`)
        ("set", "i4"),  # the task set (phase, or whole job): its first task, counted over all jobs
        ("set_tasks", "i4"),  # and how many it has
        ("free_slots", "i4"),  # of the first slot of a machine: free slots on it, where that counts
    ]
)
SLOT = _also_called(_SLOT, lead="task_slot", twin="next_copy", noticed="checked")

#: Something that will happen to a slot (`sim.kernel.calendar`).
ITEM = np.dtype([("time", "f8"), ("next", "i4"), ("prev", "i4")])

#: A slot: its outlier probability; times the duration of its copies; whether it is to go when its copy ends.
SITE = np.dtype([("share", "f8"), ("slowness", "f8"), ("leaving", "i8")])

#: A phase of a job; those of one job follow each other, the last one has `into` -1.
PHASE = np.dtype(
    [
        ("ratio", "f8"),  # transfer time of an output, in sizes
        ("first", "i4"),  # its first task, counted within the job
        ("tasks", "i4"),
        ("into", "i4"),  # number of the phase that reads its outputs
        ("fed", "i4"),  # another phase feeds it
        ("released", "i4"),  # tasks that may start
        ("delivered", "i4"),  # outputs that have arrived
        ("known", "i4"),  # the ratio has been seen
        ("unused", "i4"),
    ]
)

#: Something that happens at `time`; events of one time in order of `first`, then `second`
#: (`sim.kernel.deliveries`). An output on its way to the next phase: its job, and which of its
#: phases sent it.
EVENT = np.dtype([("time", "f8"), ("first", "i4"), ("second", "i4")])
#: One ended copy, for the Gantt chart.
COPY = np.dtype(
    [
        ("job", "i4"),
        ("task", "i4"),
        ("copy", "i4"),
        ("slot", "i4"),
        ("start", "f8"),
        ("end", "f8"),
        ("fate", "i4"),
    ]
)
FATES = ("finished", "killed", "running", "dropped")


def records(count: int, dtype: np.dtype) -> np.recarray:
    """Return `count` zeroed records that begin with a cache line."""
    raw = np.zeros(count * dtype.itemsize + LINE, np.uint8)
    begin = -raw.ctypes.data % LINE
    return raw[begin : begin + count * dtype.itemsize].view(dtype).view(np.recarray)


# One block of memory for the arrays of a run, so that few entries of the processor's page table cover them.
#
# Where the operating system offers large pages (of 2 MB on most), NumPy asks for them for arrays from 4 MB
# on. Most arrays of a run are smaller, and its events go back and forth between all of them.
#
# What it buys: without it `hopper` on 100,000 slots takes 1.04 ± 0.03 of its time and `srpt+none` 1.08 ±
# 0.08 (eleven rounds); up to 10,000 slots nothing.

#: Bytes from which NumPy asks for large pages, and bytes of one.
LARGE, PAGE = 4 << 20, 2 << 20


def together(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays of which the smaller ones lie side by side, in large pages where there are any.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        Contiguous arrays. Those that are large enough by themselves stay where they are, and so do all
        where they are few.

    Returns
    -------
    dict of str to ndarray

    Examples
    --------
    >>> moved = together({"times": np.zeros(400_000), "places": np.arange(3)})
    >>> moved["places"]
    array([0, 1, 2])
    >>> moved["places"].ctypes.data - moved["times"].ctypes.data
    3200000
    """
    sizes = [0 if array.nbytes >= LARGE else -(-array.nbytes // LINE) * LINE for array in arrays.values()]
    if sum(sizes) + PAGE < LARGE:
        return dict(arrays)
    block = np.zeros(sum(sizes) + PAGE, np.uint8)
    starts = -block.ctypes.data % PAGE + np.cumsum([0, *sizes[:-1]])
    return {
        name: array if array.nbytes >= LARGE else _moved(array, block[start : start + array.nbytes])
        for (name, array), start in zip(arrays.items(), starts, strict=True)
    }


def _moved(array: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return an array in the place given, which is not written where there is nothing but zeros."""
    content = array.reshape(-1).view(np.uint8)
    if content.any():
        place[:] = content
    return place.view(array.dtype).reshape(array.shape).view(type(array))
