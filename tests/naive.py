"""Slow twins of the engines: the same rules, written another way on purpose.

Slot engine (`simulate`): lists and sorting, everything looked at afresh at every event. Written from the
papers and the docstrings of `sim.slots`, with nothing shared but the workload, the law and the addressed
luck of a copy. The twin of a rule is a class that names the rule's key: ``class Fair(Sharing, key="fair")``.
(The two ages from which Mantri judges by elapsed time alone are
numbers found before a run; `test_mantri` checks them.)

Rules here are honest by construction: what they may know of a running copy they must ask it for, and it
refuses until the scenario reveals it. So an engine that plans ahead, because it knows when every copy
will finish, and still agrees with this twin has used nothing early.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sim.kernel.streams import factor, job_key, run_key, stream, uniform
from sim.slots.policy import SlotPolicy
from sim.slots.scenario import SlotScenario
from sim.slots.speculation.mantri import qualifying_ages
from sim.slots.speculation.sda import best_threshold
from sim.workload import Workload
from theory.allocation import hopper_allocation
from theory.cloned_job import job_cost, optimal_job_clones, waiting_jobs
from theory.dag_allocation import dag_allocation
from theory.detection import detection_optimum, sigma_star
from theory.fairness import projected_fair_allocation
from theory.optimal_cloning import optimal_cloning
from theory.weighted_optimum import weighted_optimum

#: Events after which a run is taken to go on for ever.
MOST_EVENTS = 1_000_000


@dataclass(eq=False)
class Copy:
    """One execution attempt of a task."""

    task: Task
    number: int
    slot: int
    start: float
    duration: float
    revealed: float  # from when its remaining time may be known
    looked: bool = False  # a rule has looked at it
    judged: float = -math.inf  # when a rule last judged it by its age
    end: float = math.inf
    fate: int = 2  # finished, killed, running, dropped

    @property
    def address(self) -> tuple[int, int, int]:
        return *self.task.address, self.number

    @property
    def finish(self) -> float:
        """When it would finish: for the event loop only."""
        return self.start + self.duration

    def is_known(self, now: float) -> bool:
        """Whether a rule may know when it will finish."""
        return now >= self.revealed

    def known_finish(self, now: float) -> float:
        """When it will finish, as a rule may know it."""
        assert now >= self.revealed, "a rule looked at the future"
        return self.finish

    def known_duration(self, now: float) -> float:
        """How long it takes, as a rule may know it."""
        assert now >= min(self.revealed, self.finish), "a rule looked at the future"
        return self.duration


@dataclass(eq=False)
class Task:
    """A unit that must finish once."""

    job: Job
    number: int
    size: float
    copies: list[Copy] = field(default_factory=list)
    done: bool = False
    slow: bool = False  # LATE without observation: found slow once; Dolly: owed a clone
    chance: float = 1.0  # Dolly: that all its copies are outliers
    blocks: list[int] = field(default_factory=list)  # machines that hold what it reads

    @property
    def address(self) -> tuple[int, int]:
        return self.job.number, self.number

    @property
    def live(self) -> list[Copy]:
        """Copies that run."""
        return [copy for copy in self.copies if copy.end == math.inf]

    @property
    def runs(self) -> bool:
        return bool(self.copies) and not self.done

    @property
    def original(self) -> Copy:
        return self.copies[0]


@dataclass(eq=False)
class Phase:
    """Tasks of a job that have the same inputs; a job without phases has one."""

    job: Job
    tasks: list[Task]
    into: int = -1
    ratio: float = 0.0
    inputs: list[Phase] = field(default_factory=list)
    released: int = 0
    arrived: int = 0  # outputs that have reached the next phase

    def may_start(self, barrier: float) -> int:
        """Tasks that may start by what has arrived."""
        counts = [len(self.tasks)]
        for phase in self.inputs:
            share = Fraction(phase.arrived, len(phase.tasks))
            complete = phase.arrived >= math.ceil(Fraction(barrier).limit_denominator() * len(phase.tasks))
            counts.append(math.floor(share * len(self.tasks)) if complete else 0)
        return min(counts)

    @property
    def runs(self) -> bool:
        return self.released > 0 and not all(task.done for task in self.tasks)


@dataclass(eq=False)
class Job:
    """Tasks that arrive together."""

    number: int
    arrival: float
    size: float
    tasks: list[Task] = field(default_factory=list)
    finish: float = math.inf
    phases: list[Phase] = field(default_factory=list)
    ready: list[Task] = field(default_factory=list)  # tasks that may start, in order
    cloned: bool = False  # as a whole: the first complete clone ends it

    def release(self, barrier: float) -> None:
        """Let tasks start whose inputs have arrived."""
        for phase in self.phases:
            count = phase.may_start(barrier)
            self.ready += phase.tasks[phase.released : count]
            phase.released = max(phase.released, count)

    def phase(self, task: Task) -> Phase:
        return next(phase for phase in self.phases if task in phase.tasks)

    @property
    def copies(self) -> list[Copy]:
        return [copy for task in self.tasks for copy in task.copies]

    @property
    def waiting(self) -> list[Task]:
        return [task for task in self.ready if not task.copies]

    @property
    def remaining(self) -> int:
        return sum(not task.done for task in self.tasks)

    @property
    def held(self) -> int:
        return sum(len(task.live) for task in self.tasks)


class Cluster:
    """What happens, in which order: see `sim.slots.engine`."""

    def __init__(
        self, scenario: SlotScenario, policy: SlotPolicy, replication: int, workload: Workload
    ) -> None:
        self.scenario = scenario
        self.key = np.uint64(run_key(scenario.seed, replication))
        self.law = scenario.straggle_law
        self.numbers = np.array(self.law.numbers or (0.0,))
        self.mean_factor = self.law.mean
        self.tail = min(self.law.tail, 1e6)
        self.theta = max(1.0, 2 / self.law.tail)
        self.jobs = list(_jobs(workload))
        self.now = 0.0
        self.events = 0
        self.idle = list(range(scenario.slots))[::-1]  # the slot freed last is at the end
        luck = stream(scenario.seed, 0, "slots").uniform(-1, 1, scenario.slots)
        self.outliers = np.clip(scenario.outlier_share * (1 + scenario.outlier_spread * luck), 0, 1)
        machines = stream(scenario.seed, 0, "machines").permutation(scenario.machines)
        self.slow_machines = set(machines[: scenario.slow_machines].tolist())
        self.deliveries: list[tuple[float, int, int]] = []
        self.blocks_read: list[bool] = []  # of each copy that read a block: whether it was at hand
        self.arrivals = list(self.jobs)
        self.system: list[Job] = []
        self.running: list[Copy] = []
        self.decided = True
        self.sharing = SHARING[policy.sharing.key](self, **policy.sharing.as_dict)
        self.rule = SPECULATION[policy.speculation.key](self, **policy.speculation.as_dict)
        if self.sharing.budgets and not self.rule.at_launch and self.rule.when != "in turn":
            self.rule.when = "budget"

    def run(self) -> None:
        """Let time pass until nothing happens, or the horizon."""
        last, drain = self.jobs[-1].arrival, self.scenario.drain
        horizon = last + drain * last if math.isfinite(drain) else math.inf
        while (instant := self.next_instant()) <= horizon and instant < math.inf:
            self.now = instant
            while due := [copy for copy in self.running if copy.finish == instant]:
                self.count_event()
                winner = min(due, key=lambda copy: copy.address)
                self.end_in_clone(winner) if winner.task.job.cloned else self.end_task(winner)
            while due := [copy for copy in self.running if self.rule.next_look(copy) == instant]:
                self.count_event()
                self.rule.look(min(due, key=lambda copy: copy.address))
            while due := [delivery for delivery in self.deliveries if delivery[0] == instant]:
                self.deliver(*min(due))
            while self.arrivals and self.arrivals[0].arrival == instant:
                self.arrivals[0].release(self.scenario.barrier)
                self.system.append(self.arrivals.pop(0))
            if self.decides():
                self.give_slots()
        for copy in self.running:
            copy.end = horizon

    def count_event(self) -> None:
        """Fail loudly in a run that would never end, because a rule looks or launches for ever."""
        self.events += 1
        assert self.events < MOST_EVENTS, f"the twin goes on after {MOST_EVENTS} events, at time {self.now}"

    def next_instant(self) -> float:
        self.count_event()
        times = [copy.finish for copy in self.running] + [self.rule.next_look(copy) for copy in self.running]
        times += [time for time, _, _ in self.deliveries]
        times += [self.rule.next_opening()] if self.undecided() else []
        due = self.next_decision() if self.undecided() and not self.decided else math.inf
        return min([*times, *(job.arrival for job in self.arrivals[:1]), due], default=math.inf)

    def undecided(self) -> bool:
        """Whether a slot is free and something might be launched in it."""
        return bool(self.idle or self.rule.drops) and (
            any(job.waiting for job in self.system) or bool(self.rule.candidates())
        )

    def next_decision(self) -> float:
        """First multiple of the decision interval that is not in the past."""
        interval = self.scenario.decision_interval
        if not interval:
            return math.inf
        passed = round(self.now / interval)
        return next(t for t in (passed * interval, (passed + 1) * interval) if t >= self.now)

    def decides(self) -> bool:
        self.decided = not self.scenario.decision_interval or self.next_decision() == self.now
        return self.decided

    def deliver(self, time: float, number: int, task: int) -> None:
        self.deliveries.remove((time, number, task))
        job = self.jobs[number]
        phase = job.phase(job.tasks[task])
        phase.arrived += 1
        self.sharing.saw(phase)
        job.release(self.scenario.barrier)

    def give_slots(self) -> None:
        while self.make_room():
            if self.rule.when == "urgent" and (candidates := self.rule.candidates()):
                self.launch(candidates[0])
            elif self.rule.when == "in turn" and (task := self.rule.in_turn(self.sharing.pick())):
                self.launch(task)
            elif job := self.sharing.pick():
                self.launch(job.waiting[0] if job.waiting else self.rule.candidates(job)[0])
            elif self.rule.when == "spare" and (candidates := self.rule.candidates()):
                self.launch(candidates[0])
            else:
                break

    def machine(self, slot: int) -> int:
        return slot // self.scenario.machine_slots

    def to_a_good_place(self, task: Task) -> Task:
        """Put the best slot for a task on top; a nearer task of its job may go first instead."""
        if not task.blocks or self.machine(self.idle[-1]) in task.blocks:
            return task
        for machine in task.blocks:
            for slot in sorted(self.idle):
                if self.machine(slot) == machine and not self.rule.bars(slot):
                    place = self.idle.index(slot)
                    self.idle[place], self.idle[-1] = self.idle[-1], slot
                    return task
        if not task.copies:
            for other in sorted(task.job.waiting, key=lambda task: task.number):
                if self.machine(self.idle[-1]) in other.blocks:
                    ready = task.job.ready
                    a, b = ready.index(task), ready.index(other)
                    ready[a], ready[b] = other, task
                    return other
        return task

    def make_room(self) -> bool:
        """Drop the copies that others need the slots of; tell whether a slot is free."""
        while self.rule.drops:
            waiting = not self.idle and any(job.waiting for job in self.system)
            copy = self.rule.dropped(self.sharing.pick() if waiting else None)
            if copy is None:
                break
            self.rule.copy_ends(copy, won=False)
            self.end(copy, 3)
            self.idle.append(copy.slot)
        return any(not self.rule.bars(slot) for slot in self.idle)

    def end(self, copy: Copy, fate: int) -> None:
        copy.end, copy.fate = self.now, fate
        self.running.remove(copy)

    def launch(self, task: Task) -> None:
        self.count_event()
        if not task.job.copies:
            self.rule.begin(task.job)
        if (place := self.rule.place(task)) == -1:
            top = max(i for i, slot in enumerate(self.idle) if not self.rule.bars(slot))
            self.idle[top], self.idle[-1] = self.idle[-1], self.idle[top]
            task = self.to_a_good_place(task)
        slot, self.idle[place] = self.idle[place], self.idle[-1]
        self.idle.pop()
        self.rule.started(self.run_copy(task, slot))

    def restart(self, copy: Copy) -> None:
        """Kill a copy and start its task anew in the same slot."""
        self.end(copy, 3)
        self.run_copy(copy.task, copy.slot)

    def run_copy(self, task: Task, slot: int) -> Copy:
        number = len(task.copies)
        key = np.uint64(job_key(self.key, task.job.number))
        luck = uniform(key, task.number, number)
        duration = task.size * factor(self.law.code, self.numbers, self.outliers[slot], luck)
        if self.machine(slot) in self.slow_machines:
            duration *= self.scenario.slow_factor
        if task.blocks:
            self.blocks_read.append(self.machine(slot) in task.blocks)
            duration *= 1.0 if self.blocks_read[-1] else self.scenario.remote_factor
        observation = self.scenario.observation
        wait = {
            "age": observation.at * self.mean_duration(task.job),
            "fraction": observation.at * duration,
            "never": math.inf,
        }
        copy = Copy(task, number, slot, self.now, duration, self.now + wait[observation.kind])
        task.copies.append(copy)
        self.running.append(copy)
        return copy

    def end_task(self, winner: Copy) -> None:
        task = winner.task
        task.done = True
        self.rule.task_ended(task, winner)
        for copy in task.live:
            self.rule.copy_ends(copy, won=copy is winner)
        first, *extra = task.live
        losers = [copy for copy in (first, *reversed(extra)) if copy is not winner]
        for copy in (winner, *losers):
            self.end(copy, int(copy is not winner))
            self.idle.append(copy.slot)
        phase = task.job.phase(task)
        if phase.into >= 0:
            arrival = self.now + phase.ratio * task.job.size
            self.deliveries.append((arrival, task.job.number, task.number))
        self.sharing.task_ended(task)
        if task.job.remaining == 0:
            task.job.finish = self.now
            self.system.remove(task.job)

    def end_in_clone(self, winner: Copy) -> None:
        """End a copy of a job that is cloned as a whole, and the job with the first complete clone."""
        task, job = winner.task, winner.task.job
        self.rule.copy_ends(winner, won=True)
        self.end(winner, 0)
        self.idle.append(winner.slot)
        task.done = task.done or winner.number == 0
        running = sorted(
            (copy for copy in job.copies if copy.end == math.inf),
            key=lambda copy: (copy.number, copy.task.number),
        )
        if all(copy.number != winner.number for copy in running):
            later = [copy for copy in running if copy.number > winner.number]
            for copy in later + [copy for copy in running if copy not in later]:
                self.rule.copy_ends(copy, won=False)
                self.end(copy, 1)
                self.idle.append(copy.slot)
            for other in job.tasks:
                other.done = True
            job.finish = self.now
            self.system.remove(job)
        self.sharing.task_ended(task)

    def mean_duration(self, job: Job) -> float:
        return job.size * self.mean_factor

    @property
    def running_extra(self) -> int:
        return sum(copy.number > 0 for copy in self.running)

    def running_tasks(self, job: Job | None) -> list[Task]:
        """Running tasks of a job, or of all jobs."""
        tasks = dict.fromkeys(copy.task for copy in self.running)
        return [task for task in tasks if job is None or task.job is job]


def _jobs(workload: Workload) -> Iterable[Job]:
    sizes = iter(workload.task_size)
    for number in range(workload.n):
        job = Job(number, float(workload.arrival[number]), float(workload.size[number]))
        for task in range(workload.tasks[number]):
            job.tasks.append(Task(job, task, float(next(sizes, job.size))))
        job.phases = list(_phases(workload, job))
        for phase in job.phases:
            if phase.into >= 0:
                job.phases[phase.into].inputs.append(phase)
        yield job


def _phases(workload: Workload, job: Job) -> Iterable[Phase]:
    """Phases of a job; its tasks learn where their blocks are."""
    for task, machines in zip(
        job.tasks, workload.blocks[int(workload.tasks[: job.number].sum()) :].tolist(), strict=False
    ):
        task.blocks = [machine for machine in machines if machine >= 0]
    if workload.phases is None:
        yield Phase(job, job.tasks)
        return
    table, first = workload.phases, int(workload.phases.count[: job.number].sum())
    begin = 0
    for number in range(first, first + int(table.count[job.number])):
        tasks = job.tasks[begin : begin + int(table.tasks[number])]
        begin += len(tasks)
        yield Phase(job, tasks, int(table.into[number]), float(table.ratio[number]))


# How slots are shared across jobs.

#: Key of a sharing rule -> its twin.
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


class Fifo(Sharing, key="fifo"):
    """The oldest job."""

    def order(self, job):
        return (job.number,)


class Fair(Sharing, key="fair"):
    """The job that holds fewest slots."""

    def limit(self, job):
        return self.cluster.scenario.slots / len(self.cluster.system)

    def order(self, job):
        return job.held, job.number


class Srpt(Sharing, key="srpt"):
    """The job with the fewest remaining tasks, or the least remaining work."""

    def order(self, job):
        return job.remaining * (job.size if self.parameters["work"] else 1), job.number


class Levels(Sharing, key="levels"):
    """Jobs that have begun, then the others; the least remaining work."""

    def order(self, job):
        return not job.copies, job.remaining * job.size, job.number


class Hopper(Sharing, key="hopper"):
    """The job that is farthest below its target."""

    budgets = True

    def pick(self):
        jobs = self.cluster.system
        unstarted = [not job.copies for job in jobs]
        targets = hopper_targets(
            [job.remaining for job in jobs],
            unstarted,
            self.cluster.scenario.slots,
            self.cluster.theta,
            self.parameters["epsilon"],
        )
        self.targets = dict(zip(jobs, targets, strict=True))
        return super().pick()

    def limit(self, job):
        return self.targets[job]

    def order(self, job):
        return -(self.targets[job] - job.held), job.remaining, job.number


def hopper_targets(
    tasks: list[int], unstarted: list[bool], slots: float, theta: float, epsilon: float
) -> list[float]:
    """Targets of jobs in order of arrival: Algorithms 1 and 2 as `sim.slots.sharing.hopper` states them."""
    if not tasks:
        return []
    floor = (1 - epsilon) * slots / len(tasks)
    above = [t for t in tasks if theta * t > floor]
    if slots <= theta * sum(above) + (len(tasks) - len(above)) * floor:
        return _raised(tasks, unstarted, slots, theta, floor)
    levels = sorted(set(tasks))
    for level in levels:
        others = [t for t in tasks if t >= level]
        slope = (slots - (len(tasks) - len(others)) * floor) / sum(others)
        if slope * level >= floor:
            break
    return [max(floor, slope * t) for t in tasks]


def _raised(tasks: list[int], unstarted: list[bool], slots: float, theta: float, floor: float) -> list[float]:
    """Everyone at the floor, then jobs raised to their virtual size in order of remaining tasks."""
    targets = [floor] * len(tasks)
    raised: list[int] = []
    for level in sorted({t for t in tasks if theta * t > floor}):
        need = theta * level - floor
        left = slots - len(tasks) * floor - (theta * sum(raised) - floor * len(raised))
        equal = [i for i, t in enumerate(tasks) if t == level]
        started = [i for i in equal if not unstarted[i]]
        for i in started:
            targets[i] += max(0.0, need if need * len(started) <= left else left / len(started))
        left -= need * len(started)
        for i in (i for i in equal if unstarted[i]):
            targets[i] += min(need, max(left, 0.0))
            left -= need
        raised += [level] * len(equal)
    return targets


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


# When a job runs extra copies.

#: Key of a speculation rule -> its twin.
SPECULATION: dict[str, type[Speculation]] = {}


class Speculation:
    """No copies: what a rule does not say otherwise."""

    when = "never"
    at_launch = False  # copies come with the originals, so that no sharing rule's target limits them
    drops = False

    def __init_subclass__(cls, key: str = "") -> None:
        if key:
            SPECULATION[key] = cls

    def __init__(self, cluster: Cluster, **parameters: float) -> None:
        self.cluster = cluster
        self.parameters = parameters
        self.unobserved = cluster.scenario.observation.kind == "never"

    def next_look(self, copy: Copy) -> float:
        """When the rule will look at a running copy, ``inf`` if it will not."""
        return math.inf

    def look(self, copy: Copy) -> None:
        copy.looked = True

    def begin(self, job: Job) -> None:
        """Take note that the first original of a job is about to be launched."""

    def started(self, copy: Copy) -> None:
        """Take note that a copy has been launched."""

    def copy_ends(self, copy: Copy, won: bool) -> None:
        """Take note that a copy is about to end."""

    def place(self, task: Task) -> int:
        """Index among the idle slots of the one that the next copy takes: the one freed last."""
        return -1

    def bars(self, slot: int) -> bool:
        """Whether nothing starts on the machine of a slot."""
        return False

    def next_opening(self) -> float:
        """When something may start again on a machine with an idle slot."""
        return math.inf

    def dropped(self, owed: Job | None) -> Copy | None:
        """Return the copy that makes room, if any; `owed` is the job that would get a free slot."""

    def task_ended(self, task: Task, winner: Copy) -> None:
        """Take note that a copy has ended its task."""

    def in_turn(self, following: Job | None) -> Task | None:
        """Return the task to copy before the originals of the job whose turn it is, if there is one."""

    def candidates(self, job: Job | None = None) -> list[Task]:
        """Tasks that would get a copy now, first to last."""
        return sorted(filter(self.qualifies, self.cluster.running_tasks(job)), key=self.order)

    def qualifies(self, task: Task) -> bool:
        return False

    def order(self, task: Task) -> tuple:
        raise NotImplementedError


class NoCopies(Speculation, key="none"):
    """Every task runs once."""

    at_launch = True


class Clone(Speculation, key="clone"):
    """A fixed number of copies of every task; the task owed one for longest comes first."""

    at_launch = True
    when = "urgent"

    def qualifies(self, task):
        return len(task.copies) < self.parameters["copies"]

    def order(self, task):
        return task.original.start, task.address


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


class Budget(Speculation, key="budget"):
    """Any running task of a job below its share: fewest copies first, then what seems to take longest."""

    when = "budget"

    def worth(self, job: Job) -> float:
        return self.parameters["benefit"] * self.cluster.mean_duration(job)

    def next_look(self, copy):
        if copy.number > 0 or copy.looked or self.parameters["copies"] == 1:
            return math.inf
        if self.parameters["benefit"] and self.unobserved:
            return copy.start + self.worth(copy.task.job)
        return copy.revealed

    def qualifies(self, task):
        if len(task.copies) >= self.parameters["copies"]:
            return False
        if not self.parameters["benefit"]:
            return True
        if not task.original.looked or self.unobserved:
            return task.original.looked
        return task.original.known_finish(self.cluster.now) - self.cluster.now > self.worth(task.job)

    def order(self, task):
        now, original = self.cluster.now, task.original
        seen = original.is_known(now)
        late = original.known_finish(now) if seen else -original.start
        return len(task.copies), not seen, -late, task.address


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


class System(Speculation):
    """What real systems do alike: they judge the tasks of a phase together, at the times of a clock."""

    when = "in turn"

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.times: dict[Phase, list[float]] = {}  # of the winners of each set
        self.marked: dict[Task, float] = {}

    def siblings(self, task: Task) -> list[Task]:
        return task.job.phase(task).tasks

    def finished(self, task: Task) -> list[float]:
        return sorted(self.times.get(task.job.phase(task), []))

    def task_ended(self, task, winner):
        self.times.setdefault(task.job.phase(task), []).append(winner.known_duration(self.cluster.now))

    def qualifies(self, task):
        return task in self.marked and len(task.copies) == 1 and self.fits(task) is not None

    def fits(self, task: Task) -> int | None:
        """Place of the idle slot freed last that is on no machine of a copy, if there is one."""
        taken = {self.cluster.machine(copy.slot) for copy in task.copies}
        apart = [i for i, slot in enumerate(self.cluster.idle) if self.cluster.machine(slot) not in taken]
        return max(apart, default=None)

    def place(self, task):
        return -1 if not task.copies else self.fits(task)

    def in_turn(self, following):
        first = next(iter(self.candidates()), None)
        if first is None or (following is not None and following.number <= first.job.number):
            return None
        return first

    def order(self, task):
        return task.job.number, min(other.number for other in self.siblings(task)), *self.among_siblings(task)


class Spark(System, key="spark"):
    """Tasks that have run for longer than a multiple of the upper median, seen at ticks of a clock."""

    def limit(self, task: Task) -> float:
        known, n, p = self.finished(task), len(self.siblings(task)), self.parameters
        machine = self.cluster.scenario.machine_slots
        if self.cluster.scenario.machines == 1 or (n == 1 and not p["threshold"]):
            return math.inf
        if known and len(known) >= int(p["quantile"] * n):
            return max(p["multiplier"] * known[len(known) // 2], p["min_runtime"])
        return p["threshold"] if p["threshold"] and n <= machine else math.inf

    def next_look(self, copy):
        task, limit = copy.task, self.limit(copy.task)
        if len(task.copies) > 1 or task in self.marked or limit == math.inf:
            return math.inf
        tick = self.parameters["interval"]
        number = int(max(self.cluster.now, copy.start + limit) / tick) - 1
        while not (number * tick - copy.start > limit and number * tick >= self.cluster.now):
            number += 1
        return number * tick

    def look(self, copy):
        self.marked[copy.task] = self.cluster.now

    def among_siblings(self, task):
        return -self.marked[task], task.address


class Hadoop(System, key="hadoop"):
    """One copy at a time, of the task that ends last, at the scans of a clock that starts with the set."""

    waits_for_originals = True

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.origin: dict[Phase | Job, float] = {}
        self.scanned: dict[Phase, float] = {}
        self.ticked: dict[Phase | Job, float] = {}

    def qualifies(self, task):
        return task in self.marked and len(task.copies) == 1

    def place(self, task):
        return -1

    def among_siblings(self, task):
        return self.marked[task], task.address

    def by_age(self, task: Task) -> bool:
        return self.parameters.get("single_timeout", -1) >= 0 and len(self.siblings(task)) == 1

    def watched(self, task: Task) -> list[Task]:
        """Running siblings whose end is known and that have no copy, the last to end first."""
        known = [one for one in self.siblings(task) if one.runs and one.original.looked]
        alone = [one for one in known if len(one.copies) == 1 and one not in self.marked]
        return sorted(alone, key=lambda one: (-one.original.finish, one.address))

    def clock(self, task: Task) -> Phase | Job:
        """What shares a clock: the job in Hadoop, in which nothing waits, and in Tez the vertex."""
        return task.job if self.waits_for_originals else task.job.phase(task)

    def next_scan(self, task: Task) -> float:
        phase, now = task.job.phase(task), self.cluster.now
        if not self.times.get(phase) and not self.by_age(task):
            return math.inf
        origin = self.origin.setdefault(self.clock(task), task.job.arrival)
        wait = self.parameters["wait"]
        number = max(0, int((now - origin) / wait) - 1)
        while origin + number * wait < now or origin + number * wait <= self.scanned.get(phase, -1):
            number += 1
        return origin + number * wait

    def next_look(self, copy):
        if copy.number > 0:
            return math.inf
        if not copy.looked:
            known = max(copy.revealed, copy.start + self.parameters.get("report", 0))
            return copy.start if self.by_age(copy.task) else known
        first = next(iter(self.watched(copy.task)), None)
        return self.next_scan(copy.task) if first is copy.task else math.inf

    def look(self, copy):
        if not copy.looked and not self.by_age(copy.task):
            copy.known_finish(self.cluster.now)
        copy.looked = True
        task, phase, now = copy.task, copy.task.job.phase(copy.task), self.cluster.now
        first = next(iter(self.watched(task)), None)
        if first is None or self.next_scan(task) == math.inf or self.scanned.get(phase) == now:
            return
        if self.next_scan(task) != now and self.ticked.get(self.clock(task)) != now:
            return
        self.scanned[phase] = self.ticked[self.clock(task)] = now
        if self.may_copy(task) and self.worth_it(first):
            self.marked[first] = now
            self.origin[self.clock(task)] = now + self.parameters["pause"]

    def may_copy(self, task: Task) -> bool:
        siblings, p = self.siblings(task), self.parameters
        started = [one for one in siblings if one.copies]
        running = [one for one in started if not one.done]
        queued = [one for one in running if one in self.marked and len(one.copies) == 1]
        copied = [one for one in running if len(one.copies) > 1 and not self.too_late(one)]
        if self.waits_for_originals and (queued or len(started) < len(siblings)):
            return False
        done = len(siblings) - len(running) - (len(siblings) - len(started))
        if not self.by_age(task) and (done < 1 or done < 0.05 * len(siblings)):
            return False
        most = max(int(p["total_share"] * len(siblings)), int(p["running_share"] * len(running)))
        return len(queued) + len(copied) < max(p["least_copies"], most)

    def too_late(self, task: Task) -> bool:
        now, times = self.cluster.now, self.times.get(task.job.phase(task))
        return bool(times) and task.original.known_finish(now) <= now + sum(times) / len(times)

    def worth_it(self, task: Task) -> bool:
        now, times = self.cluster.now, self.times.get(task.job.phase(task), [])
        if self.by_age(task):
            return now - task.original.start > self.parameters["single_timeout"]
        return task.original.known_finish(now) > now + sum(times) / len(times)


class Tez(Hadoop, key="tez"):
    """The same, off the original's machine, also while originals wait, and by age for a task alone."""

    waits_for_originals = False
    qualifies = System.qualifies
    place = System.place


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


def simulate(
    scenario: SlotScenario, policy: SlotPolicy, replication: int, workload: Workload
) -> tuple[dict[str, np.ndarray], list[tuple]]:
    """Run one replication; return what happened to each job, and all copies in order of address.

    A copy is (job, task, copy, slot, start, end, fate), as in `sim.kernel.records.COPY`.
    """
    cluster = Cluster(scenario, policy, replication, workload)
    cluster.run()
    copies = [job.copies for job in cluster.jobs]
    columns = {
        "start": [min((copy.start for copy in held), default=math.inf) for held in copies],
        "finish": [job.finish for job in cluster.jobs],
        "resource": [math.fsum(copy.end - copy.start for copy in held) for held in copies],
        "extra_time": [math.fsum(copy.end - copy.start for copy in held if copy.number) for held in copies],
        "copies": [len(held) for held in copies],
        "extra": [sum(copy.number > 0 for copy in held) for held in copies],
        "killed": [sum(copy.fate in (1, 3) for copy in held) for held in copies],
    }
    log = [
        (*copy.address, copy.slot, copy.start, copy.end, copy.fate)
        for held in copies
        for copy in sorted(held, key=lambda copy: copy.address)
    ]
    return {name: np.array(values) for name, values in columns.items()}, log
