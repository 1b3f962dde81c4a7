"""A world played: first in, first out, stages after their parents, and copies by Spark's rule.

Reference: TaskSetManager and TaskSchedulerImpl of Apache Spark 4 (``core/src/main/scala/org/apache/spark/
scheduler``). The jobs in the order of their submission, and within each its stages in their order, launch
what they can: first originals, then what was marked, the last first. A timer checks every 0.1 s: once
floor(quantile n), and at least one, of the n tasks of a stage have ended, attempts are marked that have run
longer than multiplier x median of those, and than 0.1 s or what is set. The median is the
upper one of two in the middle, of the times of the attempts that won. Before that, and in a stage of one
task, a threshold that is set is the limit where an executor has a slot for each task. A task is copied once,
on a host where it did not run. The first to end ends the other, whose slot is free at once.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tests.zoo.luck import Draw, draw
from tests.zoo.worlds import Setting, World

#: Seconds between two checks, and below which nothing is marked.
INTERVAL = 0.1
LEAST = 0.1
#: Seconds from a submission, or the end of the parents, until a stage may launch; and until a job ends.
DRIVER = 0.02
#: Seconds by which each attempt is longer than its work: it is sent, unpacked and its result fetched.
SENT = 0.01

_SUBMIT, _STAGE, _END, _CHECK, _PATIENT, _READY = range(6)


@dataclass(slots=True)
class Attempt:
    """An attempt of a task, as the log shows it.

    Parameters
    ----------
    job, stage, task, copy : int
        Place of the job in the world, of the stage in the job, the task, and 1 for a copy.
    executor, host : int
    local : bool
        Whether it is at the home of its task, or there is none.
    launch, end : float
    pause : float
        Seconds of the garbage collector, were it to end by itself.
    killed : bool
    fate : str
        "failed" or "lost" of an attempt whose task runs again.
    again : bool
        Whether its task had run before.
    """

    job: int
    stage: int
    task: int
    copy: int
    executor: int
    host: int
    local: bool
    launch: float
    end: float
    pause: float
    killed: bool = False
    over: bool = False
    fate: str = ""
    again: bool = False


@dataclass(slots=True)
class _Set:
    """The tasks of a stage that has been submitted."""

    job: int
    stage: int
    tasks: int
    homes: tuple[tuple[int, ...], ...]
    submit: float
    pending: deque[int]
    marked: list[int] = field(default_factory=list)
    #: Originals that run and are not marked, in order of launch.
    watched: deque[Attempt] = field(default_factory=deque)
    running: dict[int, list[Attempt]] = field(default_factory=dict)
    ended: list[float] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    check: float = math.inf
    warm: set[int] = field(default_factory=set)
    #: When a task may start away from its home.
    patient: float = -math.inf


@dataclass(frozen=True, eq=False)
class Play:
    """What happened.

    Parameters
    ----------
    submits, ends : list of float
        Of the jobs, by their place in the world.
    stages : dict of (int, int) to (float, float)
        Job and stage -> submission and end.
    attempts : list of Attempt
        In order of launch.
    """

    submits: list[float]
    ends: list[float]
    stages: dict[tuple[int, int], tuple[float, float]]
    attempts: list[Attempt]

    @property
    def job_times(self) -> list[float]:
        """From submission to end."""
        return [end - submit for submit, end in zip(self.submits, self.ends, strict=True)]

    @property
    def slot_time(self) -> float:
        """Seconds that all attempts held slots."""
        return sum(attempt.end - attempt.launch for attempt in self.attempts)


#: (attempt, busy slots, first of stage, first of all) -> seconds it lasts, and those of the collector.
Lasting = Callable[["Attempt", int, bool, bool], tuple[float, float]]


def lasting(world: World, luck: Draw) -> Lasting:
    """Return how long attempts last in a world under some luck."""
    nature, cluster = world.nature, world.cluster
    base = [[(stage.base * stage.work).tolist() for stage in job.stages] for job in world.jobs]
    speed = [
        cluster.host_factors[host] * factor
        for (host, _), factor in zip(cluster.executors, cluster.executor_factors, strict=True)
    ]
    starts = [[begin for begin, _ in spells] for spells in luck.spells]

    def lasts(attempt: Attempt, busy: int, first: bool, very_first: bool) -> tuple[float, float]:
        job, stage, task, copy = attempt.job, attempt.stage, attempt.task, attempt.copy
        own = luck.luck[job][stage][copy][task]
        if nature.crowd:
            own **= 1 - nature.crowd + 2 * nature.crowd * busy / cluster.slots
        seconds = base[job][stage][task] * speed[attempt.executor] * own
        if not attempt.local:
            seconds *= nature.far
        if very_first:
            seconds *= nature.frozen
        if first:
            seconds += nature.cold
        pause = 0.0
        if nature.collector:
            share = min(0.9, nature.collector[attempt.executor] * luck.collected[job][stage][copy][task])
            pause = seconds * share / (1 - share)
            seconds += pause
        seconds += (
            SENT + nature.waits.get((job, stage, task), 0.0) + nature.starts.get((job, stage, task), 0.0)
        )
        if spells := luck.spells[attempt.host]:
            place = max(0, bisect_left(starts[attempt.host], attempt.launch) - 1)
            seconds = slowed(attempt.launch, seconds, spells, place, nature.spells[2])
        return seconds, pause

    return lasts


def slowed(
    launch: float, seconds: float, spells: list[tuple[float, float]], place: int, factor: float
) -> float:
    """Return how long an attempt lasts if its host is slow now and then.

    Examples
    --------
    >>> slowed(0.0, 10.0, [(4.0, 8.0), (20.0, 30.0)], 0, 2.0)  # 4 s, then 4 s for 2, then 4 s
    12.0
    """
    now, left = launch, seconds
    for begin, end in spells[place:]:
        if end <= now:
            continue
        usual = max(0.0, begin - now)
        if left <= usual:
            break
        left, now = left - usual, now + usual
        if left * factor <= end - now:
            return now + left * factor - launch
        left, now = left - (end - now) / factor, end
    return now + left - launch


def play(
    world: World, setting: Setting, number: int, lasts: Lasting | None = None, luck: Draw | None = None
) -> Play:
    """Play a world under a setting with the luck of a number.

    `lasts` replaces how long attempts last, `luck` what is drawn.
    """
    luck = luck or draw(world, number)
    return Run(world, setting, luck, lasts or lasting(world, luck)).run()


class Run:
    """The state of a play; of `kept` stages, by job and place, no task is copied."""

    def __init__(
        self,
        world: World,
        setting: Setting,
        luck: Draw,
        lasts: Lasting,
        kept: Collection[tuple[int, int]] = (),
    ) -> None:
        self.world, self.setting, self.luck, self.lasts, self.kept = world, setting, luck, lasts, kept
        self.now = 0.0
        self.events: list[tuple[float, int, int, object]] = []
        self.serial = 0
        self.free = [0 if world.nature.ready else slots for _, slots in world.cluster.executors]
        self.host = [host for host, _ in world.cluster.executors]
        self.busy = 0
        self.sets: dict[tuple[int, int], _Set] = {}
        #: Those that may have something to launch, by the order of submission.
        self.queue: list[tuple[int, int, _Set]] = []
        self.rank = 0
        self.ranks: dict[int, int] = {}
        self.warm: set[int] = set()
        #: Tasks that have yet to fail, or to lose their output.
        self.doomed = dict(world.nature.again)
        self.waiting = [[len(stage.parents) for stage in job.stages] for job in world.jobs]
        self.left = [len(job.stages) for job in world.jobs]
        self.submits = [0.0] * len(world.jobs)
        self.ends = [0.0] * len(world.jobs)
        self.stages: dict[tuple[int, int], tuple[float, float]] = {}
        self.attempts: list[Attempt] = []

    def at(self, time: float, kind: int, what: object) -> None:
        """Let something happen at a time; of what happens at once, in the order of the calls."""
        self.serial += 1
        heapq.heappush(self.events, (time, self.serial, kind, what))

    def run(self) -> Play:
        """Play until nothing happens any more."""
        jobs, clients = self.world.jobs, self.world.clients
        for place, job in enumerate(jobs):
            if not clients:
                self.at(job.submit, _SUBMIT, place)
            elif place < clients:
                self.at(job.think, _SUBMIT, place)
        handlers = {
            _SUBMIT: self.submit,
            _STAGE: self.start,
            _END: self.end,
            _CHECK: self.check,
            _PATIENT: self.lose_patience,
            _READY: self.be_ready,
        }
        if self.world.nature.ready:
            self.at(self.world.nature.ready, _READY, None)
        while self.events:
            self.now, _, kind, what = heapq.heappop(self.events)
            handlers[kind](what)
        return Play(self.submits, self.ends, self.stages, self.attempts)

    def be_ready(self, _: None) -> None:
        """Let all executors exist."""
        self.free = [slots for _, slots in self.world.cluster.executors]
        self.offer(list(range(len(self.free))))

    def submit(self, job: int) -> None:
        """Take a job in."""
        self.submits[job] = self.now
        self.ranks[job], self.rank = self.rank, self.rank + 1
        for stage, parents in enumerate(self.waiting[job]):
            if not parents:
                self.at(self.now + DRIVER, _STAGE, (job, stage))

    def start(self, which: tuple[int, int]) -> None:
        """Submit the tasks of a stage."""
        job, place = which
        stage = self.world.jobs[job].stages[place]
        new = _Set(job, place, stage.tasks, stage.homes, self.now, deque(range(stage.tasks)))
        self.sets[which] = new
        self.be_patient(new)
        self._queue(new)
        self.offer([executor for executor, slots in enumerate(self.free) if slots])

    def _queue(self, tasks: _Set) -> None:
        entry = (self.ranks[tasks.job], tasks.stage, tasks)
        place = bisect_left(self.queue, entry[:2], key=lambda one: one[:2])
        if place == len(self.queue) or self.queue[place][2] is not tasks:
            self.queue.insert(place, entry)

    # Launching

    def offer(self, executors: list[int]) -> None:
        """Offer the free slots of executors, in random order, task by task."""
        if len(executors) > 1:
            executors = self.luck.order.permutation(executors).tolist()
        open_ = [executor for executor in executors if self.free[executor]]
        for entry in tuple(self.queue):
            if not open_:
                return
            tasks = entry[2]
            for local in (True, False) if tasks.homes else (True,):
                launched = True
                while launched and open_:
                    launched = False
                    for executor in open_:
                        launched |= self.launch_on(tasks, executor, local)
                    open_ = [executor for executor in open_ if self.free[executor]]
            if not tasks.pending and not tasks.marked:
                self.queue.remove(entry)

    def launch_on(self, tasks: _Set, executor: int, local: bool) -> bool:
        """Launch a task of a set on an executor, if there is one for it there."""
        if not self.free[executor] or (tasks.homes and not local and self.now < tasks.patient):
            return False
        host = self.host[executor]
        for place, task in enumerate(tasks.pending):
            if not tasks.homes or not local or host in tasks.homes[task]:
                del tasks.pending[place]
                self.launch(tasks, task, executor, 0)
                return True
        for place in range(len(tasks.marked) - 1, -1, -1):
            task = tasks.marked[place]
            at_home = not tasks.homes or not local or host in tasks.homes[task]
            if at_home and all(attempt.host != host for attempt in tasks.running[task]):
                del tasks.marked[place]
                self.launch(tasks, task, executor, 1)
                return True
        return False

    def launch(self, tasks: _Set, task: int, executor: int, copy: int) -> None:
        """Launch an attempt."""
        host = self.host[executor]
        local = not tasks.homes or host in tasks.homes[task]
        self.free[executor] -= 1
        self.busy += 1
        attempt = Attempt(tasks.job, tasks.stage, task, copy, executor, host, local, self.now, 0.0, 0.0)
        first, very_first = executor not in tasks.warm, executor not in self.warm
        seconds, attempt.pause = self.lasts(attempt, self.busy, first, very_first)
        key = (tasks.job, tasks.stage, task)
        attempt.again = key in self.world.nature.again and key not in self.doomed
        if share := self.doomed.pop(key, 0.0):
            seconds, attempt.pause = seconds * share, attempt.pause * share
            attempt.fate = "failed" if share < 1 else "lost"
        attempt.end = self.now + seconds
        self.attempts.append(attempt)
        tasks.running.setdefault(task, []).append(attempt)
        self.at(attempt.end, _END, attempt)
        self.be_patient(tasks)
        if not copy and self.setting:
            tasks.watched.append(attempt)
            self.plan_check(tasks)

    def be_patient(self, tasks: _Set) -> None:
        """Wait for slots at home from now on."""
        if self.world.nature.patience and tasks.homes:
            tasks.patient = self.now + self.world.nature.patience
            self.at(tasks.patient, _PATIENT, tasks)

    def lose_patience(self, tasks: _Set) -> None:
        """Offer what is free to a stage that has launched nothing meanwhile."""
        if self.now >= tasks.patient and (tasks.pending or tasks.marked):
            self.offer([executor for executor, slots in enumerate(self.free) if slots])

    # Ending

    def end(self, attempt: Attempt) -> None:
        """End an attempt that wins, and the other one of its task."""
        if attempt.over:
            return
        tasks = self.sets[attempt.job, attempt.stage]
        freed = [attempt.executor]
        if attempt.fate and len(tasks.running[attempt.task]) > 1:  # the other one goes on
            tasks.running[attempt.task].remove(attempt)
            attempt.over = True
            self.free[attempt.executor] += 1
            self.busy -= 1
            return self.offer(freed)
        for other in tasks.running.pop(attempt.task):
            other.over = True
            self.free[other.executor] += 1
            self.busy -= 1
            if other is not attempt:
                other.pause *= (self.now - other.launch) / (other.end - other.launch)
                other.killed, other.end = True, self.now
                freed.append(other.executor)
        tasks.warm.add(attempt.executor)
        self.warm.add(attempt.executor)
        if attempt.task in tasks.marked:
            tasks.marked.remove(attempt.task)
        if attempt.fate:
            tasks.pending.appendleft(attempt.task)
            self._queue(tasks)
            return self.offer(freed)
        tasks.done.add(attempt.task)
        insort(tasks.ended, attempt.end - attempt.launch)
        if len(tasks.done) == tasks.tasks:
            self.end_stage(tasks)
        elif self.setting:
            self.plan_check(tasks)
        return self.offer(freed)

    def end_stage(self, tasks: _Set) -> None:
        """End a stage; perhaps others may start, or its job ends."""
        job = self.world.jobs[tasks.job]
        self.stages[tasks.job, tasks.stage] = (tasks.submit, self.now)
        for place, stage in enumerate(job.stages):
            if tasks.stage in stage.parents:
                self.waiting[tasks.job][place] -= 1
                if not self.waiting[tasks.job][place]:
                    self.at(self.now + DRIVER, _STAGE, (tasks.job, place))
        self.left[tasks.job] -= 1
        if not self.left[tasks.job]:
            self.ends[tasks.job] = self.now + DRIVER
            following = tasks.job + self.world.clients
            if self.world.clients and following < len(self.world.jobs):
                think = self.world.jobs[following].think
                self.at(self.ends[tasks.job] + think, _SUBMIT, following)

    # Copies

    def limit(self, tasks: _Set) -> float:
        """Return how long an attempt may run before it is marked."""
        if self.setting is None or (tasks.job, tasks.stage) in self.kept:
            return math.inf
        multiplier, quantile, *more = self.setting
        least, threshold = (*more, *(LEAST, math.inf)[len(more) :])
        count = len(tasks.ended)
        if tasks.tasks > 1 and count >= max(math.floor(quantile * tasks.tasks), 1):
            return max(multiplier * tasks.ended[count // 2], least)
        return threshold if tasks.tasks <= self.world.cluster.executors[0][1] else math.inf

    def plan_check(self, tasks: _Set) -> None:
        """Find the tick of the timer at which the next attempt of a set will be marked."""
        while tasks.watched and tasks.watched[0].over:
            tasks.watched.popleft()
        limit = self.limit(tasks)
        if not tasks.watched or limit == math.inf:
            tasks.check = math.inf
            return
        due = max(tasks.watched[0].launch + limit, self.now)
        tick = (math.floor(due / INTERVAL - self.luck.phase) + 1 + self.luck.phase) * INTERVAL
        if tick != tasks.check:
            tasks.check = tick
            self.at(tick, _CHECK, tasks)

    def check(self, tasks: _Set) -> None:
        """Mark what has run for too long."""
        if self.now != tasks.check:
            return
        tasks.check = math.inf
        limit, marked = self.limit(tasks), False
        while tasks.watched and (tasks.watched[0].over or self.now - tasks.watched[0].launch > limit):
            attempt = tasks.watched.popleft()
            if not attempt.over:
                tasks.marked.append(attempt.task)
                marked = True
        self.plan_check(tasks)
        if marked:
            self._queue(tasks)
            self.offer([executor for executor, slots in enumerate(self.free) if slots])
