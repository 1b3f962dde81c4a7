"""Apache Flink."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.system import System

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Task


class Flink(System, key="flink"):
    """Attempts that take long against the fastest; on their machines nothing starts for a time."""

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.blocked: dict[int, float] = {}

    def limit(self, task: Task) -> float:
        known, n, p = self.finished(task), len(self.siblings(task)), self.parameters
        if not known or len(known) / n < p["ratio"]:
            return math.inf
        middle = math.floor(n * p["ratio"] + 0.5) // 2
        return max(p["lower_bound"], p["multiplier"] * known[min(middle, len(known) - 1)])

    def next_look(self, copy):
        tick, now = self.parameters["interval"], self.cluster.now
        if copy.looked:
            number = int(copy.judged / tick)
            while number * tick <= copy.judged:
                number += 1
            return number * tick
        if (limit := self.limit(copy.task)) == math.inf:
            return math.inf
        number = max(0, int(max(now, copy.start + limit) / tick) - 2)
        while number * tick < now or number * tick - copy.start < limit:
            number += 1
        return number * tick

    def look(self, copy):
        copy.looked, copy.judged = True, self.cluster.now
        if copy.number == 0:
            self.marked.setdefault(copy.task, self.cluster.now)
        self.blocked[self.cluster.machine(copy.slot)] = self.cluster.now + self.parameters["block"]

    def qualifies(self, task):
        return task in self.marked and len(task.copies) < self.parameters["copies"]

    def place(self, task):
        return -1

    def bars(self, slot):
        return self.blocked.get(self.cluster.machine(slot), 0) > self.cluster.now

    def next_opening(self):
        idle = {self.cluster.machine(slot) for slot in self.cluster.idle if self.bars(slot)}
        return min((self.blocked[machine] for machine in idle), default=math.inf)

    def among_siblings(self, task):
        return self.marked[task], task.address
