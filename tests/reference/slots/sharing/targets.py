"""Targets that are computed afresh from the theory."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tests.reference.slots.sharing.rule import Sharing, millionths
from theory.allocation import hopper_allocation
from theory.dag_allocation import dag_allocation
from theory.fairness import projected_fair_allocation
from theory.weighted_optimum import weighted_optimum

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Job, Phase


class Targets(Sharing):
    """The job farthest below its target, all targets being computed afresh from the theory."""

    budgets = True

    def pick(self):
        assert not self.parameters["refresh"], "this twin knows fresh targets only"
        jobs = [job for job in self.cluster.system if self.open_tasks(job)]
        self.targets = dict.fromkeys(self.cluster.system, 0.0)
        if jobs:
            shares = self.shares(np.array([float(self.open_tasks(job)) for job in jobs]), jobs)
            self.targets |= zip(jobs, map(millionths, shares), strict=True)
        return super().pick()

    def running_phases(self, job: Job) -> list[Phase]:
        return [phase for phase in job.phases if phase.runs]

    def open_tasks(self, job: Job) -> int:
        return sum(not task.done for phase in self.running_phases(job) for task in phase.tasks)

    def shares(self, tasks: np.ndarray, jobs: list[Job]) -> np.ndarray:
        raise NotImplementedError

    def limit(self, job):
        return self.targets[job]

    def order(self, job):
        return -(self.targets[job] - job.held), self.open_tasks(job), job.number


class HopperFair(Targets, key="hopper-fair"):
    """Algorithm 1 projected on what is fair, again and again."""

    def shares(self, tasks, jobs):
        slots, epsilon = self.cluster.scenario.slots, self.parameters["epsilon"]
        self.floor = math.floor((1 - epsilon) * slots / len(jobs))
        return projected_fair_allocation(tasks, slots, 2 / self.cluster.theta, epsilon)

    def order(self, job):
        return job.held >= self.floor, *super().order(job)


class HopperDag(Targets, key="hopper-dag"):
    """Weights from transfers downstream."""

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.seen: list[Phase] = []

    def saw(self, phase):
        self.seen.append(phase)

    def transfers(self, job: Job) -> float:
        total = 0.0
        for phase in job.phases:
            if phase.released and phase.into >= 0:
                ratio = phase.ratio
                if self.parameters["learn_weight"] and phase not in self.seen:
                    ratio = np.mean([other.ratio for other in self.seen]) if self.seen else 1.0
                total += ratio * (len(phase.tasks) - phase.arrived)
        return millionths(total)

    def shares(self, tasks, jobs):
        transfers = np.array([self.transfers(job) for job in jobs])
        weights = np.array([millionths(left / held) for left, held in zip(transfers, tasks, strict=True)])
        weights[weights == 0] = self.parameters["final_weight"]
        slots, tail = self.cluster.scenario.slots, max(self.cluster.tail, 1.01)
        if self.parameters["optimum"]:
            return weighted_optimum(tasks, weights, slots, tail)
        return dag_allocation(tasks, weights, slots, tail, downstream=transfers)


class HopperLocal(Targets, key="hopper-local"):
    """Algorithm 1, but one of the smallest jobs with a task at home in the slot goes first."""

    def shares(self, tasks, jobs):
        return hopper_allocation(tasks, self.cluster.scenario.slots, 2 / self.cluster.theta)

    def pick(self):
        machine = self.cluster.machine(self.cluster.idle[-1])
        jobs = [job for job in self.cluster.system if job.waiting]
        window = math.ceil(Fraction(self.parameters["percent"]).limit_denominator(1000) * len(jobs) / 100)
        for job in sorted(jobs, key=lambda job: (self.open_tasks(job), job.number))[:window]:
            at_home = any(machine in task.blocks for task in job.waiting)
            if at_home and job.held < self.cluster.theta * self.open_tasks(job):
                return job
        return super().pick()
