"""Dolly's clones, of tasks and of jobs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.rule import Speculation

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Copy, Job, Task


class Dolly(Speculation, key="dolly"):
    """Clones on the best free slots until an outlier is unlikely enough; they give way to others."""

    at_launch = True
    when = "spare"
    drops = True

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        median = float(cluster.law.quantile(0.5))
        self.slow = 2 * median
        slots = cluster.scenario.slots
        self.believed = [parameters["p"] or float(cluster.law.survival(2 * median))] * slots
        self.seen: list[list[bool]] = [[] for _ in range(slots)]  # outlier or not, in this window
        self.window: float | None = None
        self.clones: list[Copy] = []  # running, oldest first

    def learn(self) -> None:
        length = self.parameters["window"]
        if not length:
            return
        window = math.floor(self.cluster.now / length)
        if self.window is not None and window > self.window:
            for slot, seen in enumerate(self.seen):
                if seen:
                    self.believed[slot] = 0.5 * (self.believed[slot] + sum(seen) / len(seen))
                    seen.clear()
        self.window = window

    def best(self) -> int:
        """The free slot that gets the next clone."""
        sign = -1 if self.parameters["printed"] else 1
        return min(self.cluster.idle, key=lambda slot: (sign * self.believed[slot], slot))

    def more(self, task: Task) -> bool:
        cluster, parameters = self.cluster, self.parameters
        full = not len(cluster.running) + 1 < parameters["tau"] * cluster.scenario.slots
        n = len(task.job.tasks)
        if full or not cluster.idle or len(task.copies) >= parameters["copies"]:
            return False
        if task.original.start < cluster.now or 0 < parameters["small"] < n:
            return False
        chance = task.chance
        if parameters["printed"]:
            chance *= self.believed[self.best()]
        return chance > (1 + 1e-9) * -math.expm1(math.log1p(-parameters["epsilon"]) / n)

    def started(self, copy):
        self.learn()
        task = copy.task
        if copy.number:
            self.clones.append(copy)
        task.chance = (task.chance if copy.number else 1.0) * self.believed[copy.slot]
        task.slow = self.more(task)

    def copy_ends(self, copy, won):
        outlier = self.cluster.now - copy.start > self.slow * copy.task.job.size
        if won or outlier:
            self.seen[copy.slot].append(outlier)
        if copy.number:
            self.clones.remove(copy)

    def candidates(self, job=None):
        while owed := sorted((t for t in self.cluster.running_tasks(job) if t.slow), key=self.order):
            if self.more(owed[0]):
                return owed
            owed[0].slow = False
        return []

    def order(self, task):
        return task.original.start, task.address

    def place(self, task):
        return self.cluster.idle.index(self.best()) if task.copies else -1

    def dropped(self, owed):
        cluster = self.cluster
        if not self.clones:
            return None
        busy = len(cluster.running) > self.parameters["tau"] * cluster.scenario.slots
        claimed = owed is not None and owed.held * len(cluster.system) < cluster.scenario.slots
        return self.clones[-1] if busy or claimed else None


class DollyJob(Speculation, key="dolly-job"):
    """Clones of whole jobs that start in one instant, until an outlier in all of them is unlikely enough."""

    at_launch = True
    when = "spare"
    drops = True

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        median = float(cluster.law.quantile(0.5))
        self.p = parameters["p"] or float(cluster.law.survival(2 * median))
        self.granted: dict[Job, int] = {}

    def copies_of(self, job: Job) -> int:
        """Copies by the formulas of the theory, as far as there is room."""
        cluster, parameters = self.cluster, self.parameters
        n, slots = len(job.tasks), cluster.scenario.slots
        if 0 < parameters["small"] < n:
            return 1
        outlier = 1 - (1 - self.p) ** n
        others = len(cluster.running) - job.held
        fitting = [1] + [
            c
            for c in range(2, int(parameters["copies"]) + 1)
            if outlier ** (c - 1) > (1 + 1e-9) * parameters["epsilon"]
            and others + c * n <= parameters["tau"] * slots
        ]
        return max(fitting)

    def candidates(self, job=None):
        for job in sorted(self.cluster.system, key=lambda job: job.number):
            if not all(task.copies and task.original.start == self.cluster.now for task in job.tasks):
                continue
            if job not in self.granted:
                self.granted[job] = self.copies_of(job)
                job.cloned = self.granted[job] > 1
            owed = [task for task in job.tasks if len(task.copies) < self.granted[job]]
            if owed:
                return [min(owed, key=lambda task: (len(task.copies), task.number))]
        return []

    def dropped(self, owed):
        cluster = self.cluster
        clones = [copy for copy in cluster.running if copy.number]
        if not clones:
            return None
        newest = clones[-1]
        begun = any(
            copy.fate == 3 for copy in newest.task.job.copies if copy.number == newest.number
        )  # its clone is being dropped
        busy = len(cluster.running) > self.parameters["tau"] * cluster.scenario.slots
        claimed = owed is not None and owed.held * len(cluster.system) < cluster.scenario.slots
        return newest if begun or busy or claimed else None
