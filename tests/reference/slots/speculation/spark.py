"""Apache Spark."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.system import System

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Task


class Spark(System, key="spark"):
    """Tasks that have run for longer than a multiple of the upper median, seen at ticks of a clock."""

    def limit(self, task: Task) -> float:
        known, n, p = self.finished(task), len(self.siblings(task)), self.parameters
        machine = self.cluster.scenario.machine_slots
        if self.cluster.scenario.machines == 1 or (n == 1 and not p["threshold"]):
            return math.inf
        if known and len(known) >= int(p["quantile"] * n):
            return max(p["multiplier"] * known[len(known) // 2], p["min_runtime"])
        return p["threshold"] if p["threshold"] and n <= machine else math.inf

    def next_look(self, copy):
        task, limit = copy.task, self.limit(copy.task)
        if len(task.copies) > 1 or task in self.marked or limit == math.inf:
            return math.inf
        tick = self.parameters["interval"]
        number = int(max(self.cluster.now, copy.start + limit) / tick) - 1
        while not (number * tick - copy.start > limit and number * tick >= self.cluster.now):
            number += 1
        return number * tick

    def look(self, copy):
        self.marked[copy.task] = self.cluster.now

    def among_siblings(self, task):
        return -self.marked[task], task.address
