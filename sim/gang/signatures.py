"""The signature of the compiled function that makes up a policy of the gang engine.

The engine is compiled once against it, so a new rule costs only its own compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import from_dtype, types

from sim.gang.records import CLUSTER, JOB, NODE, TASK
from sim.kernel.handing import taking
from sim.kernel.hook import Hook
from sim.kernel.records import COPY
from sim.kernel.tournament import ENTRY


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


CLUSTERS, JOBS, NODES, TASKS, EVENTS, COPIES = map(_array, (CLUSTER, JOB, NODE, TASK, ENTRY, COPY))
FLOATS = types.float64[::1]
INTS = types.int32[::1]
WORDS = types.int64[::1]

#: What the engine calls: (cluster, jobs, nodes, numbers, job) -> how many tasks the job starts. The numbers
#: are those with names, then the rule's store.
DECIDE = types.int64(CLUSTERS, JOBS, NODES, FLOATS, types.int64)


class DecidingView(NamedTuple):
    """The part of the world that `decide` may see."""

    cluster: Any
    jobs: Any
    nodes: Any
    store: Any


class GangHook(Hook):
    """A function of a rule of the gang engine, which hands over its few arrays themselves."""

    counts_values = True  # the store begins behind them

    def _made(self, values: Any) -> Any:
        names = values._fields
        numbers = ", ".join(f"numbers[{place}]" for place in range(len(names)))
        words = [f"View(cluster, jobs, nodes, numbers[{len(names)}:])", *self._rest]
        if self._reads_values:
            words.insert(1, f"Values({numbers})")
        scope = {"View": self.view, "Values": values}
        arguments = ["cluster", "jobs", "nodes", "numbers", *self._rest]
        return taking(self.function, self.signature, arguments, words, scope, self._name(names))


def decide(function: Callable[..., Any]) -> GangHook:
    """Declare a rule's ``decide(world, [values,] j)``: how many tasks the job starts.

    Those it needs are the least, the places of the cluster the most.
    """
    return GangHook(function, DECIDE, DecidingView)
