"""The jobs of a model played again under a policy, with luck drawn anew in each replication.

Replication r has the same luck under every policy: that of copy c of a task is a function of who they are.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from sim.advice.whatif.cluster import Cluster
from sim.advice.whatif.doubt import Drawn
from sim.advice.whatif.model import Model
from sim.advice.whatif.setting_effect import Conditions
from sim.engines.slots.recorded import Recorded, RecordedRun
from sim.engines.slots.scenario import SlotPolicy, SlotScenario, check_fit, read_policy
from sim.logs.history import History
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.model.workload import Workload
from sim.running.parallel import Player
from sim.telling.words import counted


@dataclass(frozen=True, eq=False)
class Replication:
    """What happened to the jobs in one replication.

    Parameters
    ----------
    job_times, stage_times : ndarray
        Of the jobs in the figures, and of all stages.
    makespan : float
        From the first submission to the last end, of the jobs in the figures.
    slot_time : float
        Slot-time of all copies.
    copies, won : int
        Extra copies, and how many of them ended their task.
    killed_time : float
        Slot-time of copies that were killed.
    small : ndarray of bool
        Which of the jobs in the figures count as small.
    """

    job_times: np.ndarray
    stage_times: np.ndarray
    makespan: float
    slot_time: float
    copies: int
    won: int
    killed_time: float
    small: np.ndarray

    @cached_property
    def figures(self) -> dict[str, float]:
        """The figures that are compared; mean times of small and large jobs where there are both."""
        halves = {"small_jobs": self.job_times[self.small], "large_jobs": self.job_times[~self.small]}
        return {
            "mean": float(self.job_times.mean()),
            "p50": quantile(self.job_times, 0.5),
            "p95": quantile(self.job_times, 0.95),
            "makespan": self.makespan,
            "slot_time": self.slot_time,
            "copies": float(self.copies),
            "won": float(self.won),
            "killed_time": self.killed_time,
            **({name: float(times.mean()) for name, times in halves.items()} if self.small.any() else {}),
        }


@dataclass(frozen=True)
class ReplicationFigures:
    """What is kept of a replication."""

    figures: Mapping[str, float]


# The jobs of one replication and their figures, which are compared.


def quantile(values: np.ndarray, share: float) -> float:
    """Smallest value that at least this share of the values does not exceed."""
    return float(np.sort(values)[max(0, math.ceil(share * values.size - 1e-9) - 1)])


# How the slots were shared among jobs when a history was recorded.
#
# Spark shares by `spark.scheduler.mode`. FAIR gives the same number of slots to every pool; inside a pool
# jobs are served first come, first served, unless an allocation file says otherwise, which no log holds. A
# log with FAIR and a single pool is therefore asked what ran: of the launches that tasks of several jobs
# waited for, how many went to the oldest of these jobs.
#
# Reference: ``FairSchedulableBuilder`` of Apache Spark,
# ``core/src/main/scala/org/apache/spark/scheduler/``.

FIFO, FAIR = "fifo", "fair"
#: Launches that are looked at, at most, and that are needed for a judgement; the share of them that tells.
MOST, FEWEST, TELLING = 1000, 10, 0.9


@dataclass(frozen=True)
class Sharing:
    """How slots were shared.

    Parameters
    ----------
    key : str
        The sharing rule of the slot engine.
    sentence : str
        What was read of it and what is left out; empty where the log names nothing.
    """

    key: str
    sentence: str = ""


def sharing_of(history: History) -> Sharing:
    """Return how slots were shared among the jobs of a history.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import spark
    >>> sharing_of(read_history(spark(speculation=True))).key
    'fifo'
    """
    if history.settings.get("spark.scheduler.mode", "").strip().upper() != "FAIR":
        return Sharing(FIFO)
    pools = sorted({pool or "default" for pool in history.jobs["pool"].to_pylist()})
    if len(pools) == 1:
        oldest, wanted = launches_of_oldest(history)
        if wanted >= FEWEST and oldest >= TELLING * wanted:
            return Sharing(
                FIFO,
                f"The log sets FAIR, but all jobs are in one pool, and {oldest:,} of {wanted:,} launches "
                "for which several jobs waited went to the oldest: they were served first come, first "
                "served, as Spark does inside a pool without an allocation file.",
            )
    return Sharing(
        FAIR,
        f"The log sets FAIR, with {counted(len(pools), 'pool')}: played as equal shares of all running "
        "stages. Weights and least shares of pools, and the order of jobs inside a pool, are not in the log.",
    )


def launches_of_oldest(history: History) -> tuple[int, int]:
    """Count launches for which several jobs waited, and how many of them went to the oldest of these jobs.

    A stage waits from its submission to the last launch of a first copy. At most `MOST` launches are looked
    at, in equal steps.

    Returns
    -------
    int
        Launches that went to the oldest job.
    int
        Launches that several jobs waited for.
    """
    stages, copies = history.frame("stages"), history.frame("copies")
    first = copies[(copies["copy"] == 0) & copies["launch"].notna()].sort_values("launch")
    last = first.groupby("stage")["launch"].max()
    waits = stages.loc[last.index].assign(last=last).query("job >= 0 and submit <= last")
    first = first[first["stage"].isin(waits.index)]
    step = -(-len(first) // MOST) or 1
    submit, until, job = (waits[name].to_numpy() for name in ("submit", "last", "job"))
    order = history.frame("jobs")["submit"].rank(method="first").to_numpy()[job]
    place = dict(zip(waits.index, order, strict=True))
    oldest = wanted = 0
    for launch, stage in zip(first["launch"][::step], first["stage"][::step], strict=True):
        waiting = order[(submit < launch) & (launch < until)]
        own = place[stage]
        if np.any(waiting != own):
            wanted += 1
            oldest += bool(np.all(waiting >= own))
    return oldest, wanted


Found = TypeVar("Found")

#: Copies of tasks that one question may take, over all policies and replications.
MOST_COPIES = 10**8
#: When rules that look at progress know how long a running copy will take: a part of its mean duration.
OBSERVE = "age:0.1"


@dataclass(frozen=True, eq=False)
class Replay:
    """What is played: a model, perhaps at another rate or on other slots.

    Parameters
    ----------
    model : Model
    rate : float, optional
        Arrival rate of the jobs, in units of the recorded one: at 2 the gaps between them are halved.
    slots : int, optional
        A fixed number of slots; the recorded ones over time if 0.
    leave_out : str, optional
        Jobs whose group or name contains it are played and are not in the figures.
    seed : int, optional
        Of all luck.
    doubted : bool, optional
        Whether replications also draw the model, from what the history leaves open
        (`sim.advice.whatif.doubt`).
    """

    model: Model
    rate: float = 1.0
    slots: int = 0
    leave_out: str = ""
    seed: int = 1
    doubted: bool = True

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process is sent: not what was worked out from it."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def cluster(self) -> Cluster:
        """The slots that are there."""
        cluster = self.model.cluster
        return cluster.with_slots(self.slots) if self.slots else cluster

    @cached_property
    def scenario(self) -> SlotScenario:
        """The scenario of the engine."""
        cluster = self.cluster
        return SlotScenario(
            slots=cluster.numbers,
            machine_slots=cluster.machine_slots,
            observe=OBSERVE,
            seed=self.seed,
            straggle="table",
            samples=self.model.law.usual,
        )

    @cached_property
    def workload(self) -> Workload:
        """The stages, as jobs of the engine."""
        model = self.model
        arrival = self._submit[model.stage_job] + model.gap
        size = np.add.reduceat(model.work, self._first) / model.tasks
        return Workload(arrival, model.tasks, size, model.work)

    @cached_property
    def _first(self) -> np.ndarray:
        """Number of the first task of each stage."""
        return np.cumsum(self.model.tasks) - self.model.tasks

    @cached_property
    def recorded(self) -> Recorded:
        """Slots over time and the dependencies between stages."""
        cluster, order = self.cluster, self.cluster.order
        changes, now = [], cluster.changes[0][1]
        for time, slots in cluster.changes[1:]:
            low, high = sorted((now, slots))
            changes += [(time / self.rate, int(slot), slots > now) for slot in order[low:high]]
            now = slots
        there = order[: cluster.changes[0][1]]
        return Recorded(
            *self._waits,
            there,
            tuple(changes),
            first=np.searchsorted(self.model.stage_job, self.model.stage_job),
            linger=cluster.linger,
            executor_slots=cluster.executor_slots,
            middle_pair=cluster.middle_pair,
        )

    @cached_property
    def _waits(self) -> tuple[tuple[tuple[int, ...], ...], np.ndarray]:
        """Which stages each stage waits for, and how long after them it starts, closed loops included.

        The first stages of a job that was submitted after another wait for all stages of that. At a higher
        rate people and drivers think for a shorter time.
        """
        model = self.model
        if not (model.after >= 0).any():
            return model.parents, model.gap
        tail = self.tails
        stages = [tuple(np.flatnonzero(model.stage_job == job).tolist()) for job in range(len(model.jobs))]
        parents, gap = list(model.parents), model.gap.copy()
        for stage, job in enumerate(model.stage_job):
            if (before := model.after[job]) >= 0 and not parents[stage]:
                parents[stage] = stages[before]
                gap[stage] += tail[before] + model.think[job] / self.rate
        return tuple(parents), gap

    def submitted(self, ends: np.ndarray) -> np.ndarray:
        """Return when jobs are submitted that end at some times: after others in closed loops."""
        model = self.model
        return np.where(model.after >= 0, ends[model.after] + model.think / self.rate, self._submit)

    @cached_property
    def _submit(self) -> np.ndarray:
        """When jobs are submitted where none waits for another."""
        return self.model.jobs["submit"].to_numpy(float) / self.rate

    @cached_property
    def tails(self) -> np.ndarray:
        """Time of each job after its last stage."""
        return self.model.jobs["tail"].to_numpy(float)

    @cached_property
    def kept(self) -> np.ndarray:
        """Which jobs are in the figures."""
        return self.model.counted(self.leave_out)

    @cached_property
    def small(self) -> np.ndarray:
        """Which of the jobs in the figures are the half with least work."""
        model = self.model
        job = np.repeat(model.stage_job, model.tasks)
        work = np.bincount(job, model.work, len(model.jobs))[self.kept]
        small = np.zeros(work.size, bool)
        small[np.argsort(work, kind="stable")[: work.size // 2]] = True
        return small

    @cached_property
    def load(self) -> float:
        """Offered load until the last job arrives: work over slot-time; inf if all arrive at once."""
        cluster, model = self.cluster, self.model
        span = float(model.jobs["submit"].max())
        factor = float(np.average(cluster.factors, weights=cluster.sizes)) * model.law.mean
        return (
            float(model.work.sum()) * factor * self.rate / slots
            if (slots := cluster.slot_time(span))
            else math.inf
        )

    def slots_of(self, replication: int) -> Recorded:
        """Return the slots of a replication: which machines are taken first is chance, as in schedulers."""
        there = self.recorded.order
        chance = np.random.default_rng([self.seed, replication, 31]).random(there.size)
        return replace(self.recorded, order=there[np.lexsort((chance, there % self.cluster.machine_slots))])

    def drawn(self, replication: int) -> Drawn:
        """Return the model of a replication: the fitted one, or another that the history allows."""
        return self.model.draw(replication) if self.doubted else self.model.drawn

    def conditions(self, replication: int, copies: int) -> Conditions:
        """Return what a replication is played with: tasks, work and luck, the slowness of the slots."""
        drawn = self.drawn(replication)
        random = np.random.default_rng([self.seed, replication, 43])
        # copy by copy, so that policies with more copies meet the same luck in those that all have
        luck = drawn.law.luck(random.random((copies, drawn.work.size)), drawn.power)
        slowness = self.cluster.slowness(drawn)
        times = tuple(
            (begin / self.rate, end / self.rate, slots, factor)
            for begin, end, slots, factor in self.cluster.slow_times(drawn)
        )
        model, beside = self.model, np.tile(self.model.waits, (copies, 1))
        beside[0] += model.failed
        return Conditions(model.tasks, drawn.work, luck, drawn.power, slowness, drawn.law, times, beside)

    def run(self, policy: SlotPolicy, replication: int) -> Replication:
        """Play the jobs once; return their figures."""
        return played(self, self.ran(policy, replication))

    def ran(self, policy: SlotPolicy, replication: int) -> RecordedRun:
        """Play the jobs once."""
        most = int(policy.speculation.as_dict.get("copies", 0)) or 2
        given = self.conditions(replication, most)
        scenario = self.scenario.replace(samples=given.law.usual)
        size = np.add.reduceat(given.work, given.first) / given.tasks
        workload = replace(self.workload, tasks=given.tasks, size=size, task_size=given.work)
        recorded = replace(
            self.slots_of(replication),
            durations=given.durations,
            slowness=given.slowness,
            slow_times=given.slow_times,
        )
        log = int(given.tasks.sum()) * max(2, most) + 64
        run = RecordedRun(scenario, policy, replication, workload, recorded, log=log)
        while not run.advance():
            pass
        return run


def at_load(question: Replay, load: float) -> Replay:
    """Return the question at the rate at which its jobs offer a load.

    Raises
    ------
    BadInput
        If all jobs arrive at once.
    """
    if not math.isfinite(question.load):
        raise BadInput("load: all jobs of this history arrive at once, at no rate; give --slots to change it")
    return replace(question, rate=question.rate * load / question.load)


def played(question: Replay, run: RecordedRun) -> Replication:
    """Read a run."""
    model, jobs = question.model, run.world.jobs
    if not np.isfinite(jobs.finish).all():
        raise BadInput("history: its slots are gone before the jobs can end; give --slots")
    ends = np.full(len(model.jobs), -np.inf)
    np.maximum.at(ends, model.stage_job, jobs.finish)
    ends += question.tails
    submit = question.submitted(ends)
    log, kept = run.log, question.kept
    counted = kept[model.stage_job[log["job"]]]
    log = log[counted]
    ran, extra, killed = log["end"] - log["start"], log["copy"] > 0, log["fate"] != 0
    return Replication(
        job_times=(ends - submit)[kept],
        stage_times=jobs.finish - jobs.arrival,
        makespan=float(ends[kept].max() - submit[kept].min()),
        slot_time=float(ran.sum()),
        copies=int(extra.sum()),
        won=int((extra & ~killed).sum()),
        killed_time=float(ran[killed].sum()),
        small=question.small,
    )


def read_policies(texts: Iterable[str], scenario: SlotScenario) -> dict[str, SlotPolicy]:
    """Read policies; keys are the texts as they were given."""
    found: dict[str, SlotPolicy] = {}
    for text in texts:
        policy = read_policy(text.strip())
        check_fit(policy, scenario)
        found[text.strip()] = policy
    return found


def within_bounds(model: Model, policies: int, replications: int) -> None:
    """Refuse what would take more than `MOST_COPIES` copies of tasks.

    Each policy is played twice, judged and searched, and the check plays today's once more.
    """
    once = int(model.tasks.sum()) * (2 * policies + 1)
    if once * replications > MOST_COPIES:
        raise BadInput(
            f"replications: {replications:,} of {policies} policies would run {once * replications:,} tasks, "
            f"more than {MOST_COPIES:,}; give at most {max(1, MOST_COPIES // once):,}, or fewer policies"
        )


def in_parts(
    player: Player,
    function: Callable[..., Sequence[Found]],
    question: Replay,
    policy: SlotPolicy,
    numbers: range,
    *more: Any,
) -> list[Found]:
    """Return what a function finds in replications of a policy, which a player plays part by part.

    Parameters
    ----------
    player : Player
    function : callable
        Called with the question, the policy, the numbers of some replications, and `more`.
    question : Replay
    policy : SlotPolicy
    numbers : range
    *more
    """
    tasks = int(question.model.tasks.sum())
    return [
        one
        for part in player.parts(numbers.start, numbers.stop, tasks)
        for one in player(function, question, policy, part, *more, tasks=tasks * len(part))
    ]


def plays(question: Replay, policy: SlotPolicy, numbers: Sequence[int], **options: Any) -> list[Replication]:
    """Play a policy in some replications, for any process; options as of `replicate`."""
    (found,) = replicate(question, [policy], numbers, **options)
    return found


def tallies(
    question: Replay, policy: SlotPolicy, numbers: Sequence[int], **options: Any
) -> list[ReplicationFigures]:
    """Return what is kept of some replications, for any process; options as of `replicate`."""
    return [ReplicationFigures(dict(one.figures)) for one in plays(question, policy, numbers, **options)]


def replicate(
    question: Replay,
    policies: Sequence[SlotPolicy],
    replications: Sequence[int],
    *,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda tasks: None,
) -> list[list[Replication]]:
    """Play every policy in every replication; the outer list has the policies, in their order."""
    for policy in policies:
        check_fit(policy, question.scenario)
    _ = question.workload, question.recorded, question.kept, question.small  # before threads ask for them
    tasks = int(question.model.tasks.sum())

    def one(policy: SlotPolicy, replication: int) -> Replication:
        found = question.run(policy, replication)
        progress(tasks)
        return found

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        return [list(pool.map(partial(one, policy), replications)) for policy in policies]
