"""GRASS."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.rule import Speculation

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Job


class Grass(Speculation, key="grass"):
    """Tasks whose copy saves slot-time, and at last those whose copy ends sooner."""

    when = "urgent"

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.greedy: set[Job] = set()

    def next_look(self, copy):
        seen = copy.looked or copy.number > 0 or self.unobserved
        return math.inf if seen else copy.revealed

    def look(self, copy):
        super().look(copy)
        self.count(copy.task.job)

    def copy_ends(self, copy, won):
        if won:  # its task counts as done already, and its slot as held
            self.count(copy.task.job)

    def count(self, job: Job) -> None:
        if job.remaining <= self.parameters["waves"] * job.held:
            self.greedy.add(job)

    def qualifies(self, task):
        if len(task.copies) > 1 or not task.original.looked:
            return False
        left = task.original.known_finish(self.cluster.now) - self.cluster.now
        pays = 1 if task.job in self.greedy else 2
        return left > pays * self.cluster.mean_duration(task.job)

    def order(self, task):
        return -task.original.known_finish(self.cluster.now), task.address
