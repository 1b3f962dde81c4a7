"""SCA, SDA and ESE of Xu and Lau."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sim.engines.slots.speculation.sda import best_threshold
from tests.reference.slots.speculation.rule import Speculation
from theory.cloned_job import job_cost, optimal_job_clones, waiting_jobs
from theory.detection import detection_optimum, sigma_star
from theory.optimal_cloning import optimal_cloning

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Job, Task


class Granted(Speculation):
    """Rules that grant a job's tasks their clones when the job begins."""

    when = "urgent"

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.granted: dict[Job, int] = {}

    def owed(self, task: Task) -> bool:
        return len(task.copies) < self.granted[task.job]

    def unstarted(self, job: Job) -> list[Job]:
        """Jobs that have not begun: the one that does now, then the others by age."""
        return [job, *(other for other in self.cluster.system if not other.copies and other is not job)]


class Sca(Granted, key="sca"):
    """P2 for all jobs that have not begun if they fit, whole copies by price of a machine."""

    at_launch = True

    def begin(self, job):
        if job in self.granted:
            return
        jobs, free = self.unstarted(job), len(self.cluster.idle)
        if sum(len(one.tasks) for one in jobs) >= free:
            self.granted[job] = 1
            return
        tasks, sizes = [len(one.tasks) for one in jobs], [one.size for one in jobs]
        limit, gamma = int(self.parameters["copies"]), self.parameters["gamma"]
        tail = self.cluster.scenario.straggle_tail
        copies = [int(c + 1e-6) for c in optimal_cloning(tasks, sizes, tail, free, limit, gamma).copies]
        priced = waiting_jobs(tasks, sizes, tail, gamma)
        while True:
            now = np.array(copies, dtype=float)
            gain = (job_cost(priced, now) - job_cost(priced, now + 1)) / tasks
            left = free - np.dot(copies, tasks)
            gain[(np.array(tasks) > left) | (now >= limit)] = 0
            if not gain.max() > 0:
                break
            copies[int(np.argmax(gain))] += 1
        self.granted |= dict(zip(jobs, copies, strict=True))

    def qualifies(self, task):
        return self.owed(task)

    def order(self, task):
        return task.original.start, task.address


class Sda(Speculation, key="sda"):
    """Stragglers, found when their remaining time is revealed, until they have their copies."""

    when = "urgent"

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.copies = int(parameters["copies"])
        best = self.best()
        self.sigma = parameters["sigma"] or best

    def best(self) -> float:
        law = self.cluster.law
        if law.kind != "pareto":
            self.copies = self.copies or 2
            return best_threshold(law, 2)[0]
        best = detection_optimum(law.tail)
        if self.copies == 0:
            self.copies = best.copies
            return best.sigma
        return float(sigma_star(law.tail, self.copies)) if self.copies > 1 else math.inf

    def next_look(self, copy):
        return math.inf if copy.number > 0 or copy.looked else copy.revealed

    def look(self, copy):
        copy.looked = True
        copy.task.slow = self.exceeds(copy.task)

    def exceeds(self, task: Task) -> bool:
        now = self.cluster.now
        left = task.original.known_finish(now) - now
        return left > self.sigma * self.cluster.mean_duration(task.job)

    def qualifies(self, task):
        task.slow = task.slow and self.exceeds(task)
        return task.slow and len(task.copies) < self.copies

    def order(self, task):
        return -task.original.known_finish(self.cluster.now), task.address


class Ese(Granted, Sda, key="ese"):
    """Stragglers that run once, longest remaining time first; then the clones of small new jobs."""

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.limit, self.copies = int(parameters["copies"]), 2
        self.sigma = parameters["sigma"] or self.best()

    def begin(self, job):
        free, parameters = len(self.cluster.idle), self.parameters
        self.granted[job] = 1
        few = len(job.tasks) < parameters["eta"] * free / len(self.unstarted(job))
        if few and self.cluster.mean_duration(job) < parameters["xi"]:
            most = max(1, min(self.limit, free // len(job.tasks)))
            tail = self.cluster.scenario.straggle_tail
            self.granted[job] = optimal_job_clones(len(job.tasks), job.size, tail, most, parameters["gamma"])

    def next_look(self, copy):
        return math.inf if self.granted[copy.task.job] > 1 else super().next_look(copy)

    def qualifies(self, task):
        return self.owed(task) if self.granted[task.job] > 1 else super().qualifies(task)

    def order(self, task):
        if self.granted[task.job] > 1:
            return 1, task.original.start, task.address
        return 0, *super().order(task)
