"""Hedged requests."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.system import System

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Task


class Hedge(System, key="hedge"):
    """Another attempt when there is no answer; attempts queue in the order in which they are sent."""

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.base: dict[Task, float] = {}  # from when the delay to its next attempt counts

    def sent(self, task: Task) -> float:
        return task.original.start if self.cluster.scenario.phases > 1 else task.job.arrival

    def task_ended(self, task, winner):
        self.times.setdefault(task.job.phase(task), []).append(self.cluster.now - self.sent(task))

    def delay(self, task: Task) -> float:
        known = self.finished(task)
        if self.parameters["delay"] >= 0:
            return self.parameters["delay"]
        share = Fraction(self.parameters["quantile"]).limit_denominator(1000)
        return known[max(1, math.ceil(share * len(known))) - 1] if known else math.inf

    def started(self, copy):
        self.marked.pop(copy.task, None)
        self.base[copy.task] = self.sent(copy.task)
        if copy.number:
            self.base[copy.task] += copy.number * self.delay(copy.task)

    def next_look(self, copy):
        task = copy.task
        if (
            copy is not task.copies[-1]
            or task in self.marked
            or len(task.copies) >= self.parameters["copies"]
        ):
            return math.inf
        return max(self.base[task] + self.delay(task), self.cluster.now)

    def look(self, copy):
        self.marked[copy.task] = self.base[copy.task] + self.delay(copy.task)

    def qualifies(self, task):
        return task in self.marked

    def place(self, task):
        return -1

    def order(self, task):
        return self.marked[task], task.address

    def in_turn(self, following):
        first = next(iter(self.candidates()), None)
        late = first is not None and following is not None and following.arrival <= self.marked[first]
        return None if late else first
