"""A sharing rule of the reference implementation: which job gets the next slot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Cluster, Copy, Job, Phase, Task

#: Key of a sharing rule -> its reference implementation.
SHARING: dict[str, type[Sharing]] = {}


class Sharing:
    """Which job gets the next slot: the first in some order of those that can use it."""

    budgets = False  # it has a target for each job, which limits extra copies, too

    def __init_subclass__(cls, key: str = "") -> None:
        if key:
            SHARING[key] = cls

    def __init__(self, cluster: Cluster, **parameters: float) -> None:
        self.cluster = cluster
        self.parameters = parameters
        self.due = max(20, cluster.scenario.slots / 4)
        if parameters.get("learn_tail"):
            cluster.theta, cluster.tail = 1.0, 2.0

    def pick(self) -> Job | None:
        return min(filter(self.wants, self.cluster.system), key=self.order, default=None)

    def wants(self, job: Job) -> bool:
        if job.waiting:
            return True
        rule = self.cluster.rule
        return rule.when == "budget" and job.held < self.limit(job) and bool(rule.candidates(job))

    def limit(self, job: Job) -> float:
        """Slots up to which the job may add extra copies where those are part of its share."""
        return self.cluster.theta * job.remaining

    def order(self, job: Job) -> tuple:
        raise NotImplementedError

    def saw(self, phase: Phase) -> None:
        """Take note that an output of a phase has arrived."""

    def task_ended(self, task: Task) -> None:
        """Take note that a task has ended."""
        if self.parameters.get("learn_tail"):
            self.end_learning(task)

    def end_learning(self, task: Task) -> None:
        """Learn the tail index from the copies of a task that has ended, if it is time from all copies."""
        ended = [copy for job in self.cluster.jobs for copy in job.copies if copy.end < math.inf]
        finished = [copy for copy in ended if copy.fate == 0 and excess(copy, copy.end) > 0]
        if len(finished) < self.due:
            return
        logs = [excess(copy, copy.end) for copy in ended]
        logs += [excess(copy, self.cluster.now) for copy in self.cluster.running]
        tail = (10 + len(finished)) / (10 / 2 + math.fsum(logs))
        self.cluster.tail, self.cluster.theta = tail, max(1.0, millionths(2 / max(tail, 1.01)))
        self.due = len(finished) + max(20, 0.05 * len(finished), self.cluster.scenario.slots / 4)


def excess(copy: Copy, until: float) -> float:
    """Logarithm of the time a copy has run over the size of its job's tasks, as far as above 0."""
    return math.log(max(1.0, (until - copy.start) / copy.task.job.size))


def millionths(x: float) -> float:
    return math.floor(x * 2**20 + 0.5) / 2**20
