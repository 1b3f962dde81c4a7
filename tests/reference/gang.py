"""Reference implementation of the gang engine: the same rules, slow, and written another way on purpose.

Written from the docstring of `sim.engines.gang.engine`, with nothing shared but the
workload, the law and the addressed luck of a task. Nothing is planned ahead: a task is removed when the
one that makes it redundant has ended, and who that is is found by looking.
"""

from __future__ import annotations

import json
import math
import operator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sim.engines.gang.learning.network import SHIPPED
from sim.engines.gang.run import GangPolicy
from sim.engines.gang.scenario import GangScenario
from sim.kernel.streams import factor, job_key, run_key, uniform
from sim.model.workload import Workload

FINISHED, KILLED, RUNNING = range(3)
NETWORK = json.loads(SHIPPED.read_text())


def output(layers: list[dict[str, list]], signal: list[float]) -> list[float]:
    """Return what layers of a network say, rectified between them."""
    for depth, part in enumerate(layers):
        if depth:
            signal = [max(x, 0.0) for x in signal]
        columns = zip(part["bias"], zip(*part["weights"], strict=True), strict=True)
        signal = [b + math.fsum(map(operator.mul, signal, column)) for b, column in columns]
    return signal


@dataclass(eq=False)
class Copy:
    """A task that runs, or one copy of it."""

    job: Job
    task: int
    number: int
    redundant: bool
    node: int
    start: float
    due: float
    end: float = math.inf
    fate: int = RUNNING


@dataclass(eq=False)
class Job:
    """Tasks that start together."""

    index: int
    arrival: float
    tasks: int
    size: float
    wanted: int = 0  # tasks it is to start
    start: float = math.inf
    finish: float = math.inf
    owed: int = 0
    copies: list[Copy] = field(default_factory=list)

    @property
    def running(self) -> list[Copy]:
        return [copy for copy in self.copies if copy.fate == RUNNING]

    @property
    def finished(self) -> set[int]:
        return {copy.task for copy in self.copies if copy.fate == FINISHED}


class Gangs:
    """A cluster, looked at afresh at every event."""

    def __init__(
        self, scenario: GangScenario, policy: GangPolicy, replication: int, workload: Workload
    ) -> None:
        self.scenario = scenario
        self.key = np.uint64(run_key(scenario.seed, replication))
        self.law = scenario.straggle_law
        self.rule = REDUNDANCY[policy.redundancy.key](self, policy.redundancy.as_dict)
        columns = zip(workload.arrival.tolist(), workload.tasks.tolist(), workload.size.tolist(), strict=True)
        self.coming = [Job(i, *row) for i, row in enumerate(columns)]
        self.jobs = list(self.coming)
        self.queue: list[Job] = []
        self.now = 0.0

    @property
    def running(self) -> list[Copy]:
        return [copy for job in self.jobs for copy in job.running]

    def free_nodes(self, job: Job) -> list[int]:
        """Nodes for tasks of this job, best first; in a pool the one node there is, once for each slot."""
        held = [copy.node for copy in self.running]
        if self.scenario.placement == "pool":
            return [-1] * (self.scenario.slots - len(held))
        loads = [(held.count(node), node) for node in range(self.scenario.nodes)]
        taken = {copy.node for copy in job.running}
        return [node for load, node in sorted(loads) if load < self.scenario.capacity and node not in taken]

    def wants(self, job: Job) -> int:
        """Tasks the job starts, as far as there are places for them."""
        places = self.scenario.nodes if self.scenario.placement == "distinct" else self.scenario.slots
        return min(self.rule.wants(job), places)

    def launch(self, job: Job, task: int, number: int, redundant: bool, node: int) -> None:
        luck = uniform(np.uint64(job_key(self.key, job.index)), task, number)
        numbers = np.array(self.law.numbers or (0.0,))
        lasts = job.size * factor(self.law.code, numbers, self.scenario.outlier_share, luck)
        job.copies.append(Copy(job, task, number, redundant, node, self.now, self.now + lasts))

    def add_redundant(self, job: Job, count: int, nodes: list[int]) -> None:
        """Launch `count` redundant tasks, replicas in turn over the tasks that still run."""
        if self.scenario.redundancy == "mds":
            for i in range(count):
                self.launch(job, job.tasks + i, 0, True, nodes[i])
            return
        unfinished = [task for task in range(job.tasks) if task not in job.finished]
        for i in range(count):
            self.launch(job, unfinished[i % len(unfinished)], 1 + i // len(unfinished), True, nodes[i])

    def serve(self) -> None:
        """Start jobs from the head of the queue while they fit."""
        while self.queue:
            job = self.queue[0]
            job.wanted = job.wanted or self.wants(job)
            together = job.tasks if self.scenario.delay else job.wanted
            nodes = self.free_nodes(job)
            if len(nodes) < together:
                return
            self.queue.pop(0)
            job.start = self.now
            for task in range(job.tasks):
                self.launch(job, task, 0, False, nodes[task])
            if self.scenario.delay:
                job.owed = job.wanted - job.tasks
            else:
                self.add_redundant(job, job.wanted - job.tasks, nodes[job.tasks :])

    def finish(self, copy: Copy) -> None:
        """Let a copy finish, and remove what nobody waits for any more."""
        copy.fate, copy.end = FINISHED, self.now
        job = copy.job
        done = len(job.finished) == job.tasks
        for other in job.running:
            if done or (self.scenario.redundancy == "replicated" and other.task == copy.task):
                other.fate, other.end = KILLED, self.now
        if done:
            job.finish, job.owed = self.now, 0

    def due(self) -> list[tuple[float, Job]]:
        """When redundant tasks are to start, and whose."""
        return [(job.start + self.scenario.delay * job.size, job) for job in self.jobs if job.owed]

    def run(self) -> None:
        """Let time pass until nothing happens, or the horizon."""
        last = self.jobs[-1].arrival
        horizon = math.inf if math.isinf(self.scenario.drain) else last + self.scenario.drain * last
        while True:
            times = [copy.due for copy in self.running] + [time for time, _ in self.due()]
            instant = min(times + [job.arrival for job in self.coming[:1]], default=math.inf)
            if instant > horizon or instant == math.inf:
                self.now = min(horizon, self.now if instant == math.inf == horizon else horizon)
                return
            self.now = instant
            while ending := [copy for copy in self.running if copy.due == instant]:
                self.finish(min(ending, key=lambda copy: (copy.job.index, copy.task, copy.number)))
            for time, job in self.due():
                if time == instant:
                    nodes = self.free_nodes(job)
                    self.add_redundant(job, min(job.owed, len(nodes)), nodes)
                    job.owed = 0
            while self.coming and self.coming[0].arrival == instant:
                self.queue.append(self.coming.pop(0))
                if self.scenario.decide == "arrival":
                    self.queue[-1].wanted = self.wants(self.queue[-1])
            self.serve()


#: Key of a rule -> its reference implementation.
REDUNDANCY: dict[str, type[Redundancy]] = {}


class Redundancy:
    """How many tasks a job starts; a rule names its key and says it."""

    def __init_subclass__(cls, key: str) -> None:
        REDUNDANCY[key] = cls

    def __init__(self, gangs: Gangs, parameters: dict[str, float]) -> None:
        self.gangs, self.scenario, self.parameters = gangs, gangs.scenario, parameters

    def wants(self, job: Job) -> int:
        raise NotImplementedError

    def expanded(self, job: Job, rate: float) -> int:
        """Return rate times the tasks, rounded up, exactly for the rate as it is written in decimal."""
        return math.ceil(Fraction(str(rate)) * job.tasks)


class NoRedundancy(Redundancy, key="none"):
    def wants(self, job: Job) -> int:
        return job.tasks


class All(Redundancy, key="all"):
    def wants(self, job: Job) -> int:
        return self.expanded(job, self.parameters["r"])


class Small(Redundancy, key="redundant-small"):
    def wants(self, job: Job) -> int:
        small = job.tasks * job.size <= self.parameters["d"]
        return self.expanded(job, self.parameters["r"]) if small else job.tasks


class Learned(Redundancy, key="redundant-rl"):
    """The rate of the largest value for the demand, what is in the system and what is offered."""

    def wants(self, job: Job) -> int:
        demand = job.tasks * job.size / (self.parameters["unit"] or self.scenario.size_min)
        others = sum(other.tasks for other in self.gangs.queue if other is not job)
        load = (len(self.gangs.running) + others) / self.scenario.slots
        offered = self.parameters["load"] or self.scenario.load
        seen = [math.log(min(max(demand, 1), 300)) / 3, min(load, 3), min(offered, 3)]
        values = [
            sum(both)
            for both in zip(
                output(NETWORK["own"], seen[:1]),
                [min(max(demand, 1), 300) / 10 * cost for cost in output(NETWORK["others"], seen)],
                strict=True,
            )
        ]
        return self.expanded(job, NETWORK["rates"][values.index(max(values))])


def simulate_gangs(
    scenario: GangScenario, policy: GangPolicy, replication: int, workload: Workload
) -> tuple[dict[str, list[float]], list[tuple]]:
    """Return columns of the jobs, and the copies as (job, task, copy, node, start, end, fate), sorted."""
    gangs = Gangs(scenario, policy, replication, workload)
    gangs.run()
    copies = []
    columns: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for job in gangs.jobs:
        for copy in job.copies:
            copy.end = min(copy.end, gangs.now)
            copies.append((job.index, copy.task, copy.number, copy.node, copy.start, copy.end, copy.fate))
        row = (
            job.start,
            job.finish,
            len(job.copies),
            sum(copy.redundant for copy in job.copies),
            sum(copy.fate == KILLED for copy in job.copies),
            sum(copy.end - copy.start for copy in job.copies),
            sum(copy.end - copy.start for copy in job.copies if copy.redundant),
        )
        for name, value in zip(COLUMNS, row, strict=True):
            columns[name].append(value)
    return columns, sorted(copies)


COLUMNS = ("start", "finish", "copies", "extra", "killed", "resource", "extra_time")
