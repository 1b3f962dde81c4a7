"""Small runs of one rule: they end, give the same bits in pieces, and nothing is lost or foreseen."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from sim.engines.gang.scenario import GangScenario, Redundancy
from sim.engines.probes.protocol import Protocol
from sim.engines.probes.run import ProbeRun
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.registry import engine_of
from sim.engines.run import Run
from sim.engines.slots.rule import Sharing
from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import BadInput
from sim.model.outcome import Outcome
from sim.model.policy import Policy
from sim.model.scenario import Scenario
from sim.model.workload import Workload, generate
from sim.running.contract import copies
from sim.running.contract.copies import FINISHED, KILLED, RUNNING


def about_gangs(outcome: Outcome, log: pd.DataFrame, scenario: GangScenario) -> Iterator[str]:
    """Say what is wrong with a run.

    Parameters
    ----------
    outcome : Outcome
    log : DataFrame
        `sim.running.contract.copies.copies_of` it; what it calls a slot is a node here.
    scenario : GangScenario
    """
    yield from about_ends(log, outcome, coded=scenario.redundancy == "mds")
    yield from about_starts(log, outcome, delayed=scenario.delay > 0)
    yield from about_places(log, scenario)
    yield from about_gang_jobs(log, outcome)
    yield from about_waiting(log, outcome, scenario)


# Invariants of the tasks of every run of the gang engine; a violation is described in words.


def held_at(log: pd.DataFrame, time: float) -> pd.DataFrame:
    """Return the tasks that hold a place just after an instant."""
    return log[(log.start <= time) & (time < log.end)]


def about_ends(log: pd.DataFrame, outcome: Outcome, *, coded: bool) -> Iterator[str]:
    """Say which jobs do not end once, with the k-th of their tasks to end, and everything of them then."""
    for j, tasks in log.groupby("job"):
        k, done = outcome.tasks[j], tasks[tasks.fate == FINISHED]
        if len(done) > k:
            yield f"job {j} needs {k} tasks, and {len(done)} finished"
        elif len(done) < k:
            if not math.isinf(outcome.finish[j]):
                yield f"job {j} ends with {len(done)} of its {k} tasks"
        elif not outcome.finish[j] == done.end.max() == tasks.end.max() or (tasks.fate == RUNNING).any():
            yield f"job {j} does not end with the last task it needs, and everything of it then"
        removed = tasks[tasks.fate == KILLED]
        if coded:
            if not (removed.end == outcome.finish[j]).all():
                yield f"tasks of job {j} are removed before it ends"
            if (tasks["copy"] != 0).any() or tasks.task.tolist() != list(range(len(tasks))):
                yield f"coded tasks of job {j} are not numbered one after the other"
            continue
        winners = done.set_index("task").end
        if not winners.index.is_unique or not (tasks.task < k).all():
            yield f"a task of job {j} finishes twice, or is none of its tasks"
        elif (
            not removed.task.isin(winners.index).all()
            or not (removed.end.to_numpy() == winners.loc[removed.task].to_numpy()).all()
        ):
            yield f"copies of job {j} are not removed when the first of their task ends"


def about_starts(log: pd.DataFrame, outcome: Outcome, *, delayed: bool) -> Iterator[str]:
    """Say which jobs do not start with all their tasks, or overtake others."""
    started = np.isfinite(outcome.start)
    if (np.diff(started.astype(int)) > 0).any() or (np.diff(outcome.start[started]) < 0).any():
        yield "a job starts before one that came earlier"
    if not (outcome.arrival <= outcome.start).all():
        yield "a job starts before it arrives"
    for j, tasks in log.groupby("job"):
        together = (tasks.start == outcome.start[j]).sum()
        if together < outcome.tasks[j] or (together < len(tasks) and not delayed):
            yield f"the tasks of job {j} do not start together"


def about_places(log: pd.DataFrame, scenario: GangScenario) -> Iterator[str]:
    """Say which nodes hold more than they can, or two tasks of one job."""
    pool = scenario.placement == "pool"
    if not ((log.slot == -1) if pool else log.slot.between(0, scenario.nodes - 1)).all():
        yield "a task runs on a node that the cluster does not have"
    for time in log.start.unique():
        held = held_at(log, time)
        if len(held) > scenario.slots:
            yield f"at {time:g} {len(held)} tasks run in {scenario.slots} places"
        elif not pool and (held.slot.value_counts() > scenario.capacity).any():
            yield f"at {time:g} a node runs more than {scenario.capacity} tasks"
        elif not pool and held.duplicated(["job", "slot"]).any():
            yield f"at {time:g} two tasks of one job run on one node"


def about_gang_jobs(log: pd.DataFrame, outcome: Outcome) -> Iterator[str]:
    """Say which columns of the jobs do not follow from their tasks."""
    jobs = range(outcome.arrival.size)
    redundant = (log["copy"] > 0) | (log.task >= outcome.tasks[log.job])
    held = log.end - log.start
    killed, none = log.fate == KILLED, {"fill_value": 0}
    counts = {
        "copies": log.groupby("job").size(),
        "extra": redundant.groupby(log.job).sum(),
        "killed": killed.groupby(log.job).sum(),
    }
    for name, found in counts.items():
        if not np.array_equal(getattr(outcome, name), found.reindex(jobs, **none)):
            yield f"the number of tasks of the jobs ({name}) is not that of their tasks"
    times = {"resource": held.groupby(log.job).sum()}
    times["extra_time"] = held[redundant].groupby(log.job[redundant]).sum()
    for name, found in times.items():
        if not np.allclose(getattr(outcome, name), found.reindex(jobs, **none), rtol=1e-12, atol=0):
            yield f"the time of the jobs ({name}) is not that of their tasks"
    if outcome.tasks_done != (log.fate == FINISHED).sum():
        yield "the number of tasks that are done is not that of the tasks"


def about_waiting(log: pd.DataFrame, outcome: Outcome, scenario: GangScenario) -> Iterator[str]:
    """Say when the job at the head of the queue waits though all its tasks have room.

    With redundancy at once it waits for more room than its own tasks need; how much is not known of a job
    that has not started, but that an empty cluster has it.
    """
    for time in np.unique(np.concatenate([outcome.arrival, log.start, log.end])):
        waiting = np.flatnonzero((outcome.arrival <= time) & (time < outcome.start))
        if not waiting.size or time >= outcome.end:
            continue
        held = held_at(log, time)
        full = (held.slot.value_counts() == scenario.capacity).sum()
        free = scenario.slots - len(held) if scenario.placement == "pool" else scenario.nodes - full
        j = waiting[0]
        alone = scenario.delay > 0 or (np.isfinite(outcome.start[j]) and outcome.extra[j] == 0)
        if held.empty or (alone and free >= outcome.tasks[j]):
            yield f"at {time:g} job {j} waits though its tasks have room"
            return


# Invariants of copies and messages in every run of the probe engine; a violation is described in words.

#: Tolerance for sums of times that are added in other orders.
NEAR = 1e-9


def about_probes(run: ProbeRun, outcome: Outcome, log: pd.DataFrame, workload: Workload) -> Iterator[str]:
    """Say what is wrong with a run.

    Parameters
    ----------
    run : ProbeRun
    outcome : Outcome
        Of it.
    log : DataFrame
        `sim.running.contract.copies.copies_of` the outcome.
    workload : Workload
    """
    yield from about_probed_jobs(outcome, log, workload, run.scenario.latency)
    yield from about_probed_tasks(log, run.scenario.latency)
    if math.isinf(run.scenario.drain):
        if outcome.tasks_done != workload.total_tasks:
            yield f"{outcome.tasks_done} of {workload.total_tasks} tasks are done at the end"
        yield from about_messages(run)


def about_probed_jobs(
    outcome: Outcome, log: pd.DataFrame, workload: Workload, latency: float
) -> Iterator[str]:
    """Say which columns of the jobs do not follow from their copies."""
    jobs = range(workload.n)
    by_job = log.assign(time=log.end - log.start, extra=log["copy"] > 0).groupby("job")
    for name, found in {"copies": by_job.size(), "extra": by_job.extra.sum()}.items():
        if not np.array_equal(getattr(outcome, name), found.reindex(jobs, fill_value=0)):
            yield f"the number of copies of the jobs ({name}) is not that of their copies"
    if not np.allclose(outcome.resource, by_job.time.sum().reindex(jobs, fill_value=0), rtol=NEAR, atol=NEAR):
        yield "the slot-time of the jobs is not that of their copies"
    ends = log[log.fate == FINISHED].groupby("job").end.agg(["max", "size"]).reindex(jobs)
    all_done = (ends["size"] == workload.tasks).to_numpy()
    if not np.array_equal(outcome.finish, np.where(all_done, ends["max"], math.inf)):
        yield "jobs do not end with their last tasks"
    if not (workload.arrival + 3 * latency <= outcome.start + NEAR).all():
        yield "a job starts before a probe, a question and a task can have been sent"


def about_probed_tasks(log: pd.DataFrame, latency: float) -> Iterator[str]:
    """Say which tasks finish twice or run on after that, and which slots hold two copies."""
    for (job, task), held in log.groupby(["job", "task"]):
        name = f"task {task} of job {job}"
        if held["copy"].tolist() != list(range(len(held))):
            yield f"copies of {name} are not numbered one after the other"
        winners = held[held.fate == FINISHED]
        if len(winners) > 1:
            yield f"{name} finishes {len(winners)} times"
        elif len(winners):  # the others end by themselves, or when the news has come back to them
            ended = winners.end.item()
            if not (held.end >= ended).all():
                yield f"a copy of {name} is killed before one finishes"
            if not (held.end <= np.maximum(ended + 2 * latency, held.start) + NEAR).all():
                yield f"a copy of {name} runs on though its end is known"
    for slot, held in log.sort_values(["start", "end"]).groupby("slot"):
        if not (held.end.to_numpy()[:-1] <= held.start.to_numpy()[1:]).all():
            yield f"slot {slot} holds two copies at a time"


def about_messages(run: ProbeRun) -> Iterator[str]:
    """Say which probes, questions and slots are not accounted for when nothing is left to happen."""
    n, world = run.world.net[0], run.world
    if n.head != n.tail or n.queued or world.workers.queued.sum():
        yield "messages or reservations are left when all jobs are done"
    if not n.sent_probes == n.placed == n.used + n.spent + n.cancelled == world.own.probed.sum():
        yield f"{n.sent_probes} probes were sent, {n.used + n.spent + n.cancelled} are accounted for"
    if n.sent_questions != n.sent_tasks + n.sent_nos or n.given != n.sent_tasks:
        yield f"{n.sent_questions} questions were asked, {n.sent_tasks + n.sent_nos} were answered"
    if world.seats.runs.any():
        yield "a slot runs something when all jobs are done"
    slots = run.scenario.slots_per_worker
    for worker in range(run.scenario.workers):  # every slot is idle, and known to be
        idle, s = set(), int(world.workers[worker].idle)
        while s >= 0:
            idle.add(s)
            s = int(world.seats[s].next)
        if idle != set(range(worker * slots, (worker + 1) * slots)):
            yield f"worker {worker} does not know all its idle slots"


#: Copies that are remembered, and events of a call when a run is cut.
LOG, FEW = 20_000, 7
#: Events for each task and slot: ten times the most that any of our own protocols takes in its trials, and
#: thirty times the most of our other rules, since theirs may be looked at more often.
MOST_EVENTS = {"slots": 100, "gang": 100, "probes": 420}
#: Probes of a task in a trial: every worker is asked, and some twice; more take minutes in plain Python.
MOST_PROBES = 16
#: Two laws that agree on three factors of five and on their mean: until a copy with another factor is
#: revealed or ends, nobody can tell them apart.
WORLDS = ((1, 1, 1, 3, 11), (1, 1, 1, 6, 8))
SEEDS = 12


@dataclass(frozen=True)
class Trial:
    """A run of a rule.

    Parameters
    ----------
    scenario : Scenario
    policy : str
    """

    scenario: Scenario
    policy: str

    @property
    def told(self) -> str:
        """What it is, in messages."""
        return f"{self.policy} at load {self.scenario.load:g}"


def trials(rule: Any) -> Iterator[Trial]:
    """Yield the runs in which a rule is tried, with its parameters at their defaults and at their bounds."""
    written = [rule.key]
    for parameter in rule.parameters:
        most = MOST_PROBES if isinstance(rule, Protocol) and parameter.name == "probes" else 1e6
        bounds = (parameter.about.low, max(parameter.about.low, min(parameter.about.high, most)))
        written += [f"{rule.key}:{parameter.name}={value!r}" for value in bounds]
    for text, scenario in product(written, _scenarios(rule)):
        for policy in _policies(rule, text):
            if _fits(scenario, policy):
                yield Trial(scenario, policy)


def _scenarios(rule: Any) -> list[Scenario]:
    if isinstance(rule, Redundancy):
        gang = GangScenario(jobs=30, load=0.3)
        ways: tuple[dict[str, Any], ...] = (
            {},
            {"load": 0.7},
            {"redundancy": "replicated", "placement": "pool"},
            {"delay": 2.0},
            {"decide": "arrival", "load": 1.5, "drain": 0.5},
        )
        return [gang.replace(**way) for way in ways]
    if isinstance(rule, Protocol):
        probes = ProbeScenario(workers=12, schedulers=2, jobs=20, tasks_max=6, drain=math.inf)
        return [probes.replace(load=load) for load in (0.4, 0.8)]
    small = SlotScenario(slots=12, jobs=20, tasks_max=6, load=0.8)
    laws: tuple[dict[str, Any], ...] = (
        {"observe": "fraction:0.2"},
        {"observe": "never", "load": 0.4},
        {"observe": "age:0.5", "straggle": "empirical", "samples": (1, 1, 1, 5)},
        {"observe": "fraction:0.2", "load": 1.5, "drain": 0.5},
    )
    return [small.replace(**law) for law in laws]


def _policies(rule: Any, text: str) -> list[str]:
    if isinstance(rule, (Redundancy, Protocol)):
        return [text]
    if isinstance(rule, Sharing):
        return [f"{text}+{other}" for other in ("none", "late")]
    return [f"{other}+{text}" for other in ("fifo", "fair", "hopper")]


def _fits(scenario: Scenario, policy: str) -> bool:
    implementation = engine_of(scenario).implementation
    try:
        if implementation.check:
            implementation.check(implementation.policy.read(policy), scenario)
    except BadInput:
        return False
    return True


def run(
    scenario: Scenario, policy: Policy | str, workload: Workload, *, replication: int = 0, events: int = 0
) -> Outcome:
    """Run one replication in engine calls of so many events.

    Raises
    ------
    BadInput
        If it takes more events than any rule needs.
    """
    running = run_to_end(scenario, policy, workload, replication=replication, events=events)
    found: Outcome = running.outcome()
    return found


def run_to_end(
    scenario: Scenario, policy: Policy | str, workload: Workload, *, replication: int = 0, events: int = 0
) -> Any:
    """As `run`; return the run itself."""
    implementation = engine_of(scenario).implementation
    policy = implementation.policy.read(policy) if isinstance(policy, str) else policy
    running: Any = implementation.start(scenario, policy, replication, workload, LOG)
    most = MOST_EVENTS[scenario.ENGINE] * (workload.total_tasks + scenario.slots)
    while not running.advance(events or 1_000):
        if getattr(running, "events", 0) > most:
            raise BadInput(f"it does not come to an end: more than {most:,} events")
    return running


def digest(outcome: Outcome) -> str:
    """Return a digest of everything an outcome holds but the seconds it took."""
    state = hashlib.sha256()
    held = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__ if name != "seconds"}
    columns, scalars = held.pop("columns"), held.pop("scalars")
    for value in (held | columns | scalars).values():
        state.update(np.asarray(np.nan if value is None else value).tobytes())
    return state.hexdigest()


def plainly(trial: Trial) -> tuple[str, list[str]]:
    """Run a trial once; return the digest of what it gave."""
    return digest(run(trial.scenario, trial.policy, generate(trial.scenario, 1))), []


def tried(trial: Trial, rule: Any) -> tuple[str, list[str]]:
    """Run a trial; return the digest of what it gave, and what is wrong with it."""
    workload = generate(trial.scenario, 1)
    running = run_to_end(trial.scenario, trial.policy, workload)
    outcome = running.outcome()
    found = []
    if digest(run(trial.scenario, trial.policy, workload, events=FEW)) != digest(outcome):
        found.append(
            "it gives other results when a run is cut into pieces: what hooks remember must be in `store` "
            "or in the records"
        )
    found += _about(running, outcome, workload, rule)
    return digest(outcome), found + list(_about_the_past(trial, workload))


def _about(running: Run, outcome: Outcome, workload: Workload, rule: Any) -> Iterator[str]:
    """Say what is wrong with the copies of a run, each engine by its own laws."""
    log, slots = copies.copies_of(outcome), running.scenario.slots
    if isinstance(running.scenario, GangScenario):
        yield from about_gangs(outcome, log, running.scenario)
        return
    if isinstance(running, ProbeRun):
        yield from about_probes(running, outcome, log, workload)
        return
    cloning = bool(getattr(rule, "clones_jobs", False))
    yield from copies.about_jobs(outcome, log, workload, clones_jobs=cloning)
    if not cloning:
        yield from copies.about_tasks(log)
    yield from copies.about_slots(log, slots)
    if not getattr(rule, "bars_machines", False):
        yield from copies.about_idling(log, outcome, slots)


def _about_the_past(trial: Trial, workload: Workload) -> Iterator[str]:
    """Say whether jobs that come later change what happened before."""
    last = workload.arrival[workload.n // 2]
    before = workload.arrival < last
    first = Workload(workload.arrival[before], workload.tasks[before], workload.size[before])
    if not before.any() or workload.task_size.size or workload.phases is not None:
        return
    scenario = trial.scenario.replace(drain=float("inf"))
    everything, some = (run(scenario, trial.policy, jobs) for jobs in (workload, first))
    for name in ("start", "finish"):
        alone, among = getattr(some, name), getattr(everything, name)[before]
        past = np.minimum(alone, among) < last
        if not np.array_equal(alone[past], among[past]):
            yield "jobs that come later change what happened before they came"
            return


def about_foresight(policy: str) -> Iterator[str]:
    """Say whether a rule acts on a duration before it is revealed: two worlds that nobody can tell apart."""
    for observe, seed in product(("age:0.1", "fraction:0.5", "never"), range(SEEDS)):
        scenario = SlotScenario(
            slots=40,
            load=0.4,
            jobs=12,
            tasks_max=12,
            straggle="empirical",
            samples=WORLDS[0],
            observe=observe,
            seed=seed,
        )
        if not _fits(scenario, policy):
            continue
        workload = generate(scenario, 0)
        worlds = (scenario, replace(scenario, samples=WORLDS[1]))
        logs = [copies.copies_of(run(one, policy, workload)) for one in worlds]
        told = min(first_told(log, observe) for log in logs)
        columns = ["job", "task", "copy", "slot", "start"]
        one, other = (log[log.start < told][columns].to_numpy() for log in logs)
        if not np.array_equal(one, other):
            yield (
                "it acts on what nobody can know yet: it decides otherwise when only a part of a duration "
                f"differs that is not revealed (observe={observe}); do not read finish before known_from"
            )
            return


def first_told(log: pd.DataFrame, observe: str) -> float:
    """Return when the first copy with a factor that differs between the worlds is revealed, or ends.

    A copy that is killed before is not revealed: the earliest time is what a copy of the smallest such factor
    would need, from the start of any copy that runs at least that long or is cut short.
    """
    smallest = min(WORLDS[0][3:] + WORLDS[1][3:])
    kind, _, at = observe.partition(":")
    waits = {"age": lambda: float(at) * float(np.mean(WORLDS[0])), "fraction": lambda: float(at) * smallest}
    wait = waits[kind]() if kind in waits else smallest
    altered = log[log.end - log.start > 1 + 1e-9]
    return float((altered.start + min(wait, smallest)).min()) if len(altered) else float("inf")
