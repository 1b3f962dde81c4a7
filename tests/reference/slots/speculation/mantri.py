"""Mantri."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.engines.slots.speculation.mantri import qualifying_ages
from tests.reference.slots.speculation.rule import Speculation

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Task


class Mantri(Speculation, key="mantri"):
    """Tasks all of whose running copies have more left than twice a new copy would probably take."""

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.when = "urgent" if parameters["waiting"] else "spare"
        self.limit = 2 * float(cluster.law.quantile(parameters["delta"]))
        if self.unobserved:
            self.first, self.last = qualifying_ages(cluster.law, parameters["delta"])

    def next_look(self, copy):
        if copy.looked:
            return math.inf
        return copy.start + self.first * copy.task.job.size if self.unobserved else copy.revealed

    def look(self, copy):
        copy.looked = True
        if self.unobserved or not self.parameters["restart"]:
            return
        left = copy.known_finish(self.cluster.now) - self.cluster.now
        hopeless = left > self.parameters["restart"] * self.cluster.mean_factor * copy.task.job.size
        waiting = any(job.waiting for job in self.cluster.system)
        few = len(copy.task.copies) <= self.parameters["restarts"]
        if hopeless and waiting and few and copy.task.live == [copy]:
            self.cluster.restart(copy)

    def qualifies(self, task):
        if len(task.copies) >= self.parameters["copies"] or not all(copy.looked for copy in task.live):
            return False
        if self.unobserved:
            ages = [self.cluster.now - copy.start for copy in task.live]
            return max(ages) <= self.last * task.job.size
        return self.finish(task) - self.cluster.now > self.limit * task.job.size

    def finish(self, task: Task) -> float:
        return min(copy.known_finish(self.cluster.now) for copy in task.live)

    def order(self, task):
        return task.original.start if self.unobserved else -self.finish(task), task.address
