"""The reference cluster: its jobs, tasks and copies, and the events at each instant."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.kernel.streams import factor, job_key, run_key, stream, uniform
from sim.model.workload import Workload
from tests.reference.slots.sharing.rule import SHARING
from tests.reference.slots.speculation.rule import SPECULATION

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
    """What happens, in which order: see `sim.engines.slots.engine`."""

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
        self.jobs = list(jobs_of(workload))
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


def jobs_of(workload: Workload) -> Iterable[Job]:
    sizes = iter(workload.task_size)
    for number in range(workload.n):
        job = Job(number, float(workload.arrival[number]), float(workload.size[number]))
        for task in range(workload.tasks[number]):
            job.tasks.append(Task(job, task, float(next(sizes, job.size))))
        job.phases = list(phases_of(workload, job))
        for phase in job.phases:
            if phase.into >= 0:
                job.phases[phase.into].inputs.append(phase)
        yield job


def phases_of(workload: Workload, job: Job) -> Iterable[Phase]:
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
