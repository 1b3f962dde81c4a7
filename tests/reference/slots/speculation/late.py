"""LATE."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.rule import Speculation

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Job


class Late(Speculation, key="late"):
    """Tasks slower than most of their job, when no original waits."""

    when = "spare"

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.known = {job: [] for job in cluster.jobs}

    def quantile(self, job: Job) -> float:
        """Smallest known duration with at least the share of the fast at or below it."""
        known = sorted(self.known[job])
        share = 1 - Fraction(self.parameters["slow_percentile"]) / 100
        return known[max(1, math.ceil(share * len(known))) - 1] if known else math.inf

    def next_look(self, copy):
        if copy.number > 0 or len(copy.task.copies) > 1 or copy.task.slow:
            return math.inf
        if not copy.looked:
            old = copy.start + self.parameters["min_age"] * self.cluster.mean_duration(copy.task.job)
            return old if self.unobserved else max(old, copy.revealed)
        if not self.unobserved or not self.known[copy.task.job]:
            return math.inf
        return math.nextafter(max(copy.start + self.quantile(copy.task.job), copy.judged), math.inf)

    def look(self, copy):
        copy.looked = True
        if self.unobserved:
            self.judge_by_age(copy.task.job)
        else:
            self.known[copy.task.job].append(copy.known_duration(self.cluster.now))

    def task_ended(self, task, winner):
        if self.unobserved or not task.original.looked:
            self.known[task.job].append(winner.known_duration(self.cluster.now))
        if self.unobserved:
            self.judge_by_age(task.job)

    def judge_by_age(self, job: Job) -> None:
        limit = self.quantile(job)
        for task in self.cluster.running_tasks(job):
            if task.original.looked and not task.done:
                task.original.judged = self.cluster.now
                task.slow = task.slow or self.cluster.now - task.original.start > limit

    def candidates(self, job=None):
        cap = self.parameters["speculative_cap"] * self.cluster.scenario.slots
        if self.when != "budget" and self.cluster.running_extra + 1 > cap:
            return []
        return super().candidates(job)

    def qualifies(self, task):
        if len(task.copies) > 1 or not task.original.looked:
            return False
        if self.unobserved:
            return task.slow
        return task.original.known_duration(self.cluster.now) > self.quantile(task.job)

    def order(self, task):
        if self.unobserved:
            return task.original.start, task.address
        return -task.original.known_finish(self.cluster.now), task.address
