"""Worlds: a cluster, its jobs, and the law of task durations.

An attempt of a task lasts base of the stage x work of the task x machine x circumstances x luck. Base, work
and machine belong to the world; luck and circumstances are drawn anew in every play (`tests.zoo.luck`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np

Luck = Callable[[np.random.Generator, int], np.ndarray]
#: Multiplier and quantile of Spark's rule, the seconds below which nothing is copied where they are not those
#: of `tests.zoo.simulator.LEAST`, and the threshold of stages of few tasks if one is set; None: no copies.
Setting = tuple[float, ...] | None
#: Settings under which histories are recorded, the first as often as both others together.
RECORDED: tuple[Setting, ...] = (None, None, (3.0, 0.9), (1.5, 0.75))
#: How many jobs a world of each size has.
SIZES = {"small": 30, "medium": 120}


def stream(seed: int, number: int, name: str) -> np.random.Generator:
    """Return the random numbers of a purpose; those of one do not depend on those of another."""
    return np.random.default_rng([seed, number, crc32(name.encode())])


@dataclass(frozen=True, eq=False)
class Stage:
    """Tasks that may run side by side.

    Parameters
    ----------
    name : str
    parents : tuple of int
        Places, in the job, of the stages that must have ended.
    base : float
        Seconds of a task of usual work on a usual machine with luck 1.
    work : ndarray
        Of each task; usually 1.
    read : ndarray of int
        Bytes that each task reads, as the log shows them.
    records : ndarray of int
        Records that each task reads, as the log shows them.
    noisy : bool, optional
        Whether its luck is that of `Nature.noise` and not the world's.
    sigma : float, optional
        Of lognormal luck of its own, beside that.
    grows : float, optional
        Power of what a task reads by which its work grows.
    homes : tuple of tuple of int, optional
        Hosts of the input of each task; empty where there is no preference.
    written : ndarray of int, optional
        Bytes that each task writes, as the log shows them; none: 0.
    """

    name: str
    parents: tuple[int, ...]
    base: float
    work: np.ndarray
    read: np.ndarray
    records: np.ndarray
    noisy: bool = False
    sigma: float = 0.0
    grows: float = 1.0
    homes: tuple[tuple[int, ...], ...] = ()
    written: np.ndarray | None = None

    @property
    def tasks(self) -> int:
        """How many there are."""
        return int(self.work.size)


@dataclass(frozen=True, eq=False)
class Job:
    """Stages, submitted at a time or, in a closed loop, some time after the job before has ended."""

    name: str
    stages: tuple[Stage, ...]
    submit: float = 0.0
    think: float = 0.0


@dataclass(frozen=True)
class Cluster:
    """Executors on hosts.

    Parameters
    ----------
    executors : tuple of (int, int)
        Host and slots of each.
    host_factors, executor_factors : tuple of float
        By what a task lasts longer there.
    """

    executors: tuple[tuple[int, int], ...]
    host_factors: tuple[float, ...]
    executor_factors: tuple[float, ...]

    @property
    def hosts(self) -> int:
        """How many there are."""
        return len(self.host_factors)

    @property
    def slots(self) -> int:
        """Of all executors."""
        return sum(slots for _, slots in self.executors)


@dataclass(frozen=True)
class Nature:
    """How attempts last, beside work and machine; each field but the first is without effect at its default.

    Parameters
    ----------
    law : callable
        Luck, about 1: (random, size) -> values.
    noise : callable, optional
        Luck of stages that are noisy.
    shared : float, optional
        Chance that a copy has the luck of its original, as from the same input server.
    collector : tuple of float
        For each executor the usual share of time that the garbage collector takes; empty: none does.
    far : float
        By what a task lasts longer off its home.
    cold : float
        Seconds by which a task is longer that starts before any of its stage has ended on its executor.
    frozen : float
        By what a task is longer that starts before any task has ended on its executor.
    crowd : float
        How luck grows with load: its logarithm times 1 - crowd + 2 crowd x share of busy slots.
    spells : tuple (share, length, factor)
        Share of time in which a host is slow, mean seconds of a spell, and how slow.
    one_spell : tuple (host, begin, end), optional
        The one time, the same in every play, in which a host is slow, in place of those drawn; as shares of
        the time until the last job is submitted.
    patience : float
        Seconds that a stage waits for a slot at the home of a task since it has launched one.
    waits, starts : mapping of (int, int, int) to float
        Job, stage, task -> seconds of waiting for blocks, and of deserialising, at each attempt.
    again : mapping of (int, int, int) to float
        Tasks that run twice -> after which share of its time the first attempt fails; 1: it finishes, and its
        output is lost, which is not in worlds that are played with copies. One that fails beside another
        attempt of its task does not run again.
    ready : float
        Seconds after the first possible submission until there are executors.
    """

    law: Luck
    noise: Luck | None = None
    shared: float = 0.0
    collector: tuple[float, ...] = ()
    far: float = 1.0
    cold: float = 0.0
    frozen: float = 1.0
    crowd: float = 0.0
    spells: tuple[float, float, float] = (0.0, 60.0, 1.0)
    one_spell: tuple[int, float, float] | None = None
    patience: float = 0.0
    waits: Mapping[tuple[int, int, int], float] = field(default_factory=dict)
    starts: Mapping[tuple[int, int, int], float] = field(default_factory=dict)
    again: Mapping[tuple[int, int, int], float] = field(default_factory=dict)
    ready: float = 0.0


@dataclass(frozen=True, eq=False)
class World:
    """A cluster, its jobs, and how they last.

    Parameters
    ----------
    number, seed : int
        Who it is.
    size : str
        One of `SIZES`.
    law, causes : str, tuple of str
        Names of the luck and of the causes beside it.
    setting : Setting
        Under which its history is recorded.
    cluster : Cluster
    jobs : tuple of Job
        In order of submission.
    nature : Nature
    clients : int, optional
        Those of a closed loop, who submit a job when their last has ended; 0: jobs have times of submission.
    """

    number: int
    seed: int
    size: str
    law: str
    causes: tuple[str, ...]
    setting: Setting
    cluster: Cluster
    jobs: tuple[Job, ...]
    nature: Nature
    clients: int = 0

    @property
    def tasks(self) -> int:
        """Of all jobs."""
        return sum(stage.tasks for job in self.jobs for stage in job.stages)

    def stream(self, name: str, draw: int = 0) -> np.random.Generator:
        """Return random numbers of this world."""
        return stream(self.seed, self.number, f"{name} {draw}")


@dataclass
class Plan:
    """A world in the making, as causes change it.

    Parameters
    ----------
    random : Generator
    hosts, slots, executors : int
        Hosts, slots and executors of each.
    tasks : (int, int)
        Fewest and most tasks of a stage.
    load : float
        Share of slot-time that the jobs need.
    nature : Nature
    host_factors, executor_factors : list of float
    templates : list of Job
        What recurs.
    jobs : list of Job
        Templates as they recur, and jobs of their own.
    clients : int
    """

    random: np.random.Generator
    hosts: int
    slots: int
    executors: int
    tasks: tuple[int, int]
    load: float
    nature: Nature
    host_factors: list[float] = field(default_factory=list)
    executor_factors: list[float] = field(default_factory=list)
    templates: list[Job] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    clients: int = 0

    def change_stages(self, jobs: list[Job], change: Callable[[Stage], Stage]) -> list[Job]:
        """Return jobs with stages changed."""
        return [replace(job, stages=tuple(change(stage) for stage in job.stages)) for job in jobs]


_WORDS = ("sales", "clicks", "billing", "stock", "search", "fraud", "churn", "audit")
_CALLS = ("map", "mapPartitions", "reduceByKey", "join", "count", "collect")
#: Parents of the stages of a job, by its number of stages.
_SHAPES = {
    1: [((),)],
    2: [((), (0,)), ((), ())],
    3: [((), (0,), (1,)), ((), (), (0, 1))],
    4: [((), (0,), (1,), (2,)), ((), (0,), (0,), (1, 2)), ((), (), (0, 1), (2,))],
}


def draft(random: np.random.Generator, jobs: int, law: Luck) -> Plan:
    """Draw the sizes of a cluster."""
    plan = Plan(
        random,
        hosts=int(random.integers(3, 9)),
        slots=int(random.integers(2, 5)),
        executors=1,
        tasks=(4, int(random.integers(16, 33))),
        load=float(random.uniform(0.25, 0.7)),
        nature=Nature(law),
    )
    plan.jobs = [Job("", ())] * jobs
    return plan


def fill(plan: Plan, on_templates: list[Callable[[Plan], None]]) -> None:
    """Draw the jobs: some recur, some come once; what is hidden in a template recurs with it."""
    random, count = plan.random, len(plan.jobs)
    recurring = int(random.integers(3, 9))
    plan.templates = [_job(plan, f"daily {_WORDS[place]}", place) for place in range(recurring)]
    alone = float(random.uniform(0.1, 0.4))
    of = [int(random.integers(recurring)) if random.random() > alone else -1 for _ in range(count)]
    plan.templates += [_job(plan, f"query {place}", 10 + place) for place in range(of.count(-1))]
    for change in on_templates:
        change(plan)
    once = iter(plan.templates[recurring:])
    plan.jobs = [_recurrence(plan, plan.templates[place]) if place >= 0 else next(once) for place in of]


def _job(plan: Plan, name: str, file: int) -> Job:
    random = plan.random
    count = int(random.choice([1, 2, 3, 4], p=[0.25, 0.4, 0.2, 0.15]))
    shapes = _SHAPES[count]
    stages = []
    for place, parents in enumerate(shapes[int(random.integers(len(shapes)))]):
        tasks = int(random.integers(*plan.tasks, endpoint=True))
        read = np.full(tasks, round(np.exp(random.uniform(np.log(1e6), np.log(2e8)))))
        call = _CALLS[int(random.integers(len(_CALLS)))]
        base = float(np.exp(random.uniform(np.log(0.8), np.log(6.0))))
        stages.append(
            Stage(
                f"{call} at Job{file}.scala:{20 + 7 * place}", parents, base, np.ones(tasks), read, read // 90
            )
        )
    return Job(name, tuple(stages))


def _recurrence(plan: Plan, job: Job) -> Job:
    """Return a template as it recurs: with a bit more or less to read."""
    more = float(np.exp(plan.random.normal(0, 0.1)))

    def changed(stage: Stage) -> Stage:
        read, records = (np.rint(more * part).astype(int) for part in (stage.read, stage.records))
        return replace(stage, base=more * stage.base, read=read, records=records)

    return replace(job, stages=tuple(map(changed, job.stages)))


def finish(plan: Plan, **who) -> World:
    """Let the bytes differ a little, spread the submissions so that the load is that of the plan."""
    random = plan.random

    def uneven(stage: Stage) -> Stage:
        around = np.exp(random.normal(0, 0.02, stage.tasks))
        read, records = (np.rint(around * part).astype(int) for part in (stage.read, stage.records))
        return replace(stage, read=read, records=records)

    jobs = plan.change_stages(plan.jobs, uneven)
    hosts = tuple(plan.host_factors or [1.0] * plan.hosts)
    executors = tuple((host, plan.slots) for host in range(plan.hosts) for _ in range(plan.executors))
    factors = tuple(plan.executor_factors or [1.0] * len(executors))
    cluster = Cluster(executors, hosts, factors)
    machine = float(np.mean([hosts[host] * factors[place] for place, (host, _) in enumerate(executors)]))
    busy = machine * float(plan.nature.law(np.random.default_rng(1), 20_000).mean())
    needed = [busy * sum(stage.base * float(stage.work.sum()) for stage in job.stages) for job in jobs]
    gap = float(np.mean(needed)) / (plan.load * cluster.slots)
    submits = np.cumsum(random.exponential(gap, len(jobs)))
    thinks = random.exponential(1.0, len(jobs))
    timed = [
        replace(job, submit=float(submit), think=float(think))
        for job, submit, think in zip(jobs, submits, thinks, strict=True)
    ]
    return World(cluster=cluster, jobs=tuple(timed), nature=plan.nature, clients=plan.clients, **who)
