"""Reference implementation of the probe engine: the same rules, slow, and written another way.

Lists, everything looked at afresh at every event. Written from the docstrings of `sim.engines.probes`, with
nothing shared but the workload, the law and the addressed luck of copies and probes. Schedulers here know
only what messages told them: their view (`Task.done`, `Task.copies`) and what goes on at the workers
(`Told.stopped`) are kept apart. The speculation rules are those of the slot engine's twin.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from sim.engines.probes.policy import ProbePolicy
from sim.engines.probes.run import PROBE_LUCK
from sim.engines.probes.scenario import ProbeScenario
from sim.kernel.streams import factor, job_key, mix, run_key, stream, uniform
from sim.model.workload import Workload
from tests.reference.slots.cluster import Copy, Job, Phase, Task, jobs_of
from tests.reference.slots.sharing.rule import millionths
from tests.reference.slots.speculation.rule import SPECULATION


@dataclass(eq=False)
class Told(Copy):
    """A copy of whose remaining time its scheduler is told a latency after it is revealed."""

    latency: float = 0.0
    stopped: float = math.inf  # when it ended, whoever knows: `end` is for rules, who learn of it by reports
    first: bool = False  # it finished its task

    def is_known(self, now: float) -> bool:
        return self.looked and self.revealed < math.inf

    def known_finish(self, now: float) -> float:
        assert now >= self.revealed + self.latency, "a rule looked at the future"
        return self.finish

    def known_duration(self, now: float) -> float:
        assert now >= min(self.revealed, self.finish) + self.latency, "a rule looked at the future"
        return self.duration


@dataclass(eq=False)
class Reservation:
    """What a worker knows of a probe."""

    job: Job
    value: float
    told: float

    @property
    def order(self) -> tuple[float, int]:
        return self.value, self.job.number


@dataclass(eq=False)
class Slot:
    """A slot, and the decision it is in."""

    number: int
    worker: Worker
    copy: Told | None = None
    since: float = 0.0
    asked: set[int] = field(default_factory=set)
    refused: int = 0
    tries: int = 0
    heard: list[tuple[float, int]] = field(default_factory=list)


@dataclass(eq=False)
class Worker:
    """Slots and reservations in order of arrival."""

    number: int
    queue: list[Reservation] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    idle: list[Slot] = field(default_factory=list)


class Network:
    """What happens, in which order: see `sim.engines.probes.run`."""

    def __init__(
        self, scenario: ProbeScenario, policy: ProbePolicy, replication: int, workload: Workload
    ) -> None:
        self.scenario = scenario
        self.law = scenario.straggle_law
        self.numbers = np.array(self.law.numbers or (0.0,))
        self.mean_factor = self.law.mean
        self.theta = max(1.0, 2 / self.law.tail)
        self.key = np.uint64(run_key(scenario.seed, replication))
        self.luck = np.uint64(mix(self.key ^ PROBE_LUCK))
        self.draws = 0
        self.now = 0.0
        self.jobs = list(jobs_of(workload))
        self.arrivals = list(self.jobs)
        self.arrived: list[Job] = []
        self.workers = [Worker(number) for number in range(scenario.workers)]
        for worker in self.workers:
            first = worker.number * scenario.slots_per_worker
            worker.slots = [Slot(first + i, worker) for i in range(scenario.slots_per_worker)]
            worker.idle = worker.slots[::-1]
        luck = stream(scenario.seed, 0, "slots").uniform(-1, 1, scenario.slots)
        self.outliers = np.clip(scenario.outlier_share * (1 + scenario.outlier_spread * luck), 0, 1)
        self.parameters = policy.protocol.as_dict
        self.protocol = PROTOCOLS[policy.protocol.key](self, self.parameters)
        self.d = int(self.parameters["probes"])
        self.rule = SPECULATION[policy.speculation.key](self, **policy.speculation.as_dict)
        self.rule.when = "budget"
        self.speculates = policy.speculation.key != "none"
        self.files_at_launch = policy.speculation.key == "budget" and not self.rule.parameters["benefit"]
        cap = policy.speculation.as_dict.get("speculative_cap", math.inf)
        self.cap = max(1.0, cap * scenario.slots / scenario.schedulers) if cap > 0 else 0.0
        self.mail: list[tuple[float, Callable[[], None]]] = []
        self.outputs: list[tuple[float, int, int]] = []  # on their way: when there, of which job, which task
        self.seen: list[list[float]] = [[] for _ in range(scenario.schedulers)]  # ratios of their outputs
        self.filed: dict[Job, list[Task]] = {job: [] for job in self.jobs}
        # numbers of probes: those for tasks come first, in the order in which they may start, then copies'
        self.probed = {job: self.d * len(job.tasks) for job in self.jobs}
        self.targets: dict[Job, list[Worker]] = {job: [] for job in self.jobs}
        self.counts: Counter[str] = Counter()
        self.sums: Counter[str] = Counter()

    # Time.

    def run(self) -> None:
        last, drain = self.jobs[-1].arrival, self.scenario.drain
        horizon = last + drain * last if math.isfinite(drain) else math.inf
        while (instant := self.next_instant()) <= horizon and instant < math.inf:
            self.now = instant
            finishing = [copy for copy in self.on_slots() if copy.finish == instant]
            looking = [copy for copy in self.originals() if self.next_look(copy) == instant]
            if finishing:
                self.finish(min(finishing, key=lambda copy: copy.address))
            elif looking:
                self.look(min(looking, key=lambda copy: copy.address))
            elif min(self.outputs, default=(math.inf,))[0] == instant:
                self.receive(*min(self.outputs))
            elif self.mail and self.mail[0][0] == instant:
                self.mail.pop(0)[1]()
            else:
                self.arrive(self.arrivals.pop(0))
        self.end = horizon if math.isfinite(horizon) else self.now

    def next_instant(self) -> float:
        times = [copy.finish for copy in self.on_slots()]
        times += [self.next_look(copy) for copy in self.originals()]
        times += [time for time, _, _ in self.outputs]
        times += [time for time, _ in self.mail[:1]] + [job.arrival for job in self.arrivals[:1]]
        return min(times, default=math.inf)

    def on_slots(self) -> list[Told]:
        return [slot.copy for worker in self.workers for slot in worker.slots if slot.copy]

    def originals(self) -> list[Told]:
        """Originals of tasks that their schedulers believe to run."""
        return [task.original for job in self.arrived for task in job.tasks if task.runs]

    def next_look(self, copy: Told) -> float:
        look = self.rule.next_look(copy)
        if copy.looked:
            return look
        return look + self.scenario.latency if look < copy.finish else math.inf

    def send(self, kind: str, deliver: Callable[[], None], count: int = 1) -> None:
        self.counts[kind] += count
        self.mail.append((self.now + self.scenario.latency, deliver))

    # Schedulers.

    def scheduler(self, job: Job) -> int:
        return job.number % self.scenario.schedulers

    def virtual_sizes(self, job: Job) -> tuple[float, float]:
        """V of the tasks open in the job's running phases, V' of the transfers to come out of them."""
        if self.scenario.phases == 1:
            return self.theta * job.remaining, 0.0
        tasks = sum(not task.done for phase in job.phases if phase.runs for task in phase.tasks)
        left = millionths(sum(self.to_come(phase) for phase in job.phases))
        weight = millionths(left / tasks) if tasks else 0.0
        size = self.theta * tasks * math.sqrt(weight or 1.0)
        return size, size * weight

    def to_come(self, phase: Phase) -> float:
        started = phase.released > 0 and phase.into >= 0
        ratio = phase.ratio
        if self.parameters.get("learn_weight") and not phase.arrived:
            ratio = float(np.mean(self.seen[self.scheduler(phase.job)] or [1.0]))
        return ratio * (len(phase.tasks) - phase.arrived) if started else 0.0

    def held(self, job: Job) -> int:
        return sum(len(task.copies) for task in job.tasks if task.runs)

    def runnable(self, job: Job) -> bool:
        return bool(job.waiting or self.filed[job])

    def satisfied(self, job: Job) -> bool:
        return not (self.held(job) < self.virtual_sizes(job)[0] and self.runnable(job))

    def running_tasks(self, job: Job | None) -> list[Task]:
        return [copy.task for copy in self.originals() if job is None or copy.task.job is job]

    def mean_duration(self, job: Job) -> float:
        return job.size * self.mean_factor

    def arrive(self, job: Job) -> None:
        self.arrived.append(job)
        self.release(job)

    def receive(self, time: float, number: int, task: int) -> None:
        """Let an output reach the next phase."""
        self.outputs.remove((time, number, task))
        job = self.jobs[number]
        phase = job.phase(job.tasks[task])
        phase.arrived += 1
        self.seen[self.scheduler(job)].append(phase.ratio)
        self.release(job)

    def release(self, job: Job) -> None:
        """Let tasks start whose inputs are there, and probe for them in one batch."""
        before = len(job.ready)
        job.release(self.scenario.barrier)
        if len(job.ready) > before:
            self.probe(job, [self.d * (len(job.ready) - before)], self.d * before)

    def probe(self, job: Job, batches: list[int], number: int | None = None) -> None:
        """Send batches of probes, each to different workers as far as they go; for copies if unnumbered."""
        targets, value, sent = [], self.protocol.value(job), self.now
        if number is None:
            number = self.probed[job]
            self.probed[job] += sum(batches)
        key = np.uint64(job_key(self.key, job.number)) ^ self.luck
        for batch in batches:
            everybody: list[int] = []
            for place in range(batch):
                at = place % len(self.workers)
                if at == 0:
                    everybody = list(range(len(self.workers)))
                other = at + int(uniform(key, number, 0) * (len(self.workers) - at))
                everybody[at], everybody[other] = everybody[other], everybody[at]
                targets.append(self.workers[everybody[at]])
                number += 1
        self.targets[job] += targets
        self.counts["probes"] += len(targets)
        for worker in targets:
            deliver = lambda worker=worker: self.reserve(worker, Reservation(job, value, sent))  # noqa: E731
            self.mail.append((self.now + self.scenario.latency, deliver))

    def find(self, job: Job) -> None:
        """File the tasks the rule now finds slow, and probe for them."""
        found = [task for task in self.rule.candidates(job) if task not in self.filed[job]]
        self.filed[job] += found
        if found:
            self.probe(job, [self.d] * len(found))

    def look(self, copy: Told) -> None:
        job = copy.task.job
        self.rule.look(copy)
        told = self.scenario.observation.kind != "never"
        if self.rule.parameters.get("benefit"):  # judged by what was told, when it was true
            at = self.now if self.rule.unobserved else copy.revealed
            worth = self.rule.unobserved or copy.finish - at > self.rule.worth(job)
            told = told and worth  # the worker, which knows the limit, keeps silent otherwise
            if worth and self.rule.parameters["copies"] > 1:
                self.filed[job].append(copy.task)
                self.probe(job, [self.d])
        else:
            self.find(job)
        self.counts["reports"] += told

    def choose(self, job: Job) -> Task | None:
        """Take the first filed task that still qualifies; forget those before it."""
        for task in sorted(self.filed[job], key=self.rule.order):
            if self.rule.qualifies(task):
                return task
            self.filed[job].remove(task)
        return None

    def extra(self, scheduler: int) -> int:
        jobs = [job for job in self.arrived if self.scheduler(job) == scheduler]
        return sum(len(task.copies) - 1 for job in jobs for task in job.tasks if task.runs)

    def reply(self, slot: Slot, job: Job, reservation: Reservation | None, firm: bool) -> None:
        value = self.protocol.value(job)
        if reservation and self.protocol.tells_sizes:
            self.sums["overstated"] += 1 - value / reservation.value
        verdict, task = "spent", None
        if self.runnable(job):
            verdict = self.protocol.verdict(job, firm)
            if verdict == "taken":
                task = job.waiting[0] if job.waiting else self.choose(job)
                verdict = "taken" if task else "spent"
        if task:
            self.counts["used"] += reservation is not None
            self.give(slot, task)
            return
        unsatisfied = [
            (self.protocol.value(other), other.number)
            for other in self.arrived
            if self.scheduler(other) == self.scheduler(job) and not self.satisfied(other)
        ]
        hint = min(unsatisfied, default=None) if self.protocol.budgets else None
        news = (verdict, value, self.now, hint)
        self.send("nos", lambda: self.hear_no(slot, job, reservation, firm, *news))

    def give(self, slot: Slot, task: Task) -> None:
        number, start = len(task.copies), self.now + self.scenario.latency
        key = np.uint64(job_key(self.key, task.job.number))
        luck = uniform(key, task.number, number)
        duration = task.size * factor(self.law.code, self.numbers, self.outliers[slot.number], luck)
        observation = self.scenario.observation
        wait = {
            "age": observation.at * self.mean_duration(task.job),
            "fraction": observation.at * duration,
            "never": math.inf,
        }
        copy = Told(
            task,
            number,
            slot.number,
            start,
            duration,
            start + wait[observation.kind],
            latency=self.scenario.latency,
        )
        task.copies.append(copy)
        slot.copy = copy
        self.counts["tasks"] += 1
        self.counts["decisions"] += 1
        self.sums["handover"] += start - slot.since
        filed = self.filed[task.job]
        if number == 0:
            if self.files_at_launch and self.rule.qualifies(task):
                filed.append(task)
        elif task in filed and not (self.rule.parameters.get("copies", 2) > len(task.copies)):
            filed.remove(task)
        if not self.speculates and self.parameters["cancel"] and all(t.copies for t in task.job.tasks):
            self.mail.append((self.now + self.scenario.latency, lambda: self.cancel(task.job)))

    def hear_report(self, copy: Told) -> None:
        task, job = copy.task, copy.task.job
        if task.done:
            return
        task.done = True
        if task in self.filed[job]:
            self.filed[job].remove(task)
        self.rule.task_ended(task, copy)
        phase = job.phase(task)
        if phase.into >= 0:
            self.outputs.append((self.now + phase.ratio * job.size, job.number, task.number))
        for other in [task.original, *task.copies[:0:-1]]:
            if other is not copy:
                slot = self.workers[other.slot // self.scenario.slots_per_worker].slots[
                    other.slot % self.scenario.slots_per_worker
                ]
                self.send("kills", lambda slot=slot, other=other: self.kill(slot, other))
        if not self.rule.parameters.get("benefit"):
            self.find(job)
        if self.speculates and self.parameters["cancel"] and job.remaining == 0:
            self.mail.append((self.now + self.scenario.latency, lambda: self.cancel(job)))

    # Workers.

    def queued(self) -> int:
        return sum(len(worker.queue) for worker in self.workers)

    def reserve(self, worker: Worker, reservation: Reservation) -> None:
        worker.queue.append(reservation)
        if worker.idle:
            self.decide(worker.idle.pop())

    def decide(self, slot: Slot) -> None:
        slot.since, slot.refused, slot.tries = self.now, 0, 0
        slot.asked, slot.heard = set(), []
        self.inquire(slot)

    def inquire(self, slot: Slot) -> None:
        job, reservation, firm = self.protocol.question(slot)
        if job is None:
            self.counts["decisions"] += slot.tries > 0
            slot.worker.idle.append(slot)
            return
        slot.tries += 1
        if reservation:
            slot.worker.queue.remove(reservation)
            if self.protocol.tells_sizes:
                self.counts["sizes_used"] += 1
                self.sums["staleness"] += self.now - reservation.told
        self.send("questions", lambda: self.reply(slot, job, reservation, firm))

    def hear_no(self, slot, job, reservation, firm, verdict, value, told, hint) -> None:
        if reservation and verdict == "refused":
            slot.worker.queue.append(Reservation(job, value, told))
        elif reservation:
            self.counts["spent"] += 1
        if not firm:
            self.counts["refusals"] += 1
            slot.refused += 1
            slot.asked.add(self.scheduler(job))
        if hint:
            slot.heard.append(hint)
        self.inquire(slot)

    def finish(self, copy: Told) -> None:
        task = copy.task
        first = not any(other.first for other in task.copies)
        copy.first = first
        self.stop(copy, 0 if first else 1)
        if first and sum(any(c.first for c in t.copies) for t in task.job.tasks) == len(task.job.tasks):
            task.job.finish = self.now
        self.send("reports", lambda: self.hear_report(copy))
        self.decide(self.slot_of(copy))

    def slot_of(self, copy: Told) -> Slot:
        per = self.scenario.slots_per_worker
        return self.workers[copy.slot // per].slots[copy.slot % per]

    def stop(self, copy: Told, fate: int) -> None:
        copy.stopped, copy.fate = self.now, fate
        self.slot_of(copy).copy = None

    def kill(self, slot: Slot, copy: Told) -> None:
        if slot.copy is copy:
            self.stop(copy, 1)
            self.decide(slot)

    def cancel(self, job: Job) -> None:
        for worker in self.targets[job]:
            for reservation in [r for r in worker.queue if r.job is job][:1]:
                worker.queue.remove(reservation)
                self.counts["cancels"] += 1


#: Key of a protocol -> its reference implementation.
PROTOCOLS: dict[str, type[Protocol]] = {}
Question = tuple[Job | None, Reservation | None, bool]


class Protocol:
    """What messages say, whom free slots ask and what schedulers answer; a rule names its key."""

    tells_sizes = True
    budgets = False

    def __init_subclass__(cls, key: str) -> None:
        PROTOCOLS[key] = cls

    def __init__(self, network: Network, parameters: dict[str, float]) -> None:
        self.network, self.parameters = network, parameters

    def value(self, job: Job) -> float:
        """What a message says of a job."""
        raise NotImplementedError

    def question(self, slot: Slot) -> Question:
        """Whom the free slot asks: job, by which reservation, firmly or not; here the first in order."""
        chosen = min(slot.worker.queue, key=lambda r: r.order, default=None)
        return (chosen.job if chosen else None), chosen, False

    def verdict(self, job: Job, firm: bool) -> str:
        """What a scheduler says of a job that has something to run; here it copies within its cap."""
        network = self.network
        free = job.waiting or network.extra(network.scheduler(job)) + 1 <= network.cap
        return "taken" if free else "spent"


class Sparrow(Protocol, key="sparrow"):
    tells_sizes = False

    def value(self, job: Job) -> float:
        return 0.0

    def question(self, slot: Slot) -> Question:
        queue = slot.worker.queue
        return (queue[0].job, queue[0], False) if queue else (None, None, False)


class SparrowSrpt(Protocol, key="sparrow-srpt"):
    def value(self, job: Job) -> float:
        return float(job.remaining)


class Hopper(Protocol, key="hopper"):
    budgets = True

    def value(self, job: Job) -> float:
        return max(self.network.virtual_sizes(job))

    def question(self, slot: Slot) -> Question:
        network, queue = self.network, slot.worker.queue
        if not self.parameters["piggyback"]:
            for known in queue:
                if size := self.value(known.job):
                    known.value, known.told = size, network.now
        if slot.refused < self.parameters["refusal_threshold"]:
            others = [r for r in queue if network.scheduler(r.job) not in slot.asked]
            if others:
                chosen = min(others, key=lambda r: r.order)
                return chosen.job, chosen, False
        if slot.heard:
            _, number = min(slot.heard)
            slot.heard = []
            return network.jobs[number], None, True
        if not queue:
            return None, None, False
        network.draws += 1
        sums = list(accumulate(r.value for r in queue))
        chosen = queue[bisect_right(sums, uniform(network.luck, network.draws, 0) * sums[-1])]
        return chosen.job, chosen, True

    def verdict(self, job: Job, firm: bool) -> str:
        free = firm or self.network.held(job) < self.network.virtual_sizes(job)[0]
        return "taken" if free else "refused"


def simulate(
    scenario: ProbeScenario, policy: ProbePolicy, replication: int, workload: Workload
) -> tuple[dict[str, np.ndarray], list[tuple], dict[str, float]]:
    """Run one replication; return what happened to each job, all copies by address, and the counts."""
    network = Network(scenario, policy, replication, workload)
    network.run()
    end = network.end
    copies = [[copy for copy in job.copies if copy.start <= end] for job in network.jobs]
    ran = [[min(copy.stopped, end) - copy.start for copy in held] for held in copies]
    columns = {
        "start": [min((copy.start for copy in held), default=math.inf) for held in copies],
        "finish": [job.finish for job in network.jobs],
        "resource": [math.fsum(times) for times in ran],
        "extra_time": [
            math.fsum(time for time, copy in zip(times, held, strict=True) if copy.number)
            for times, held in zip(ran, copies, strict=True)
        ],
        "copies": [len(held) for held in copies],
        "extra": [sum(copy.number > 0 for copy in held) for held in copies],
        "killed": [sum(copy.fate == 1 for copy in held) for held in copies],
    }
    log = [
        (*copy.address, copy.slot, copy.start, min(copy.stopped, end), copy.fate)
        for held in copies
        for copy in sorted(held, key=lambda copy: copy.address)
    ]
    counts = {**network.counts, **network.sums, "queued": network.queued()}
    return {name: np.array(values) for name, values in columns.items()}, log, counts
