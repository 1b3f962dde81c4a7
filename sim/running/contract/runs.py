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
from sim.running.contract import copies, gangs, messages

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
    """Whether a policy accepts a scenario."""
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
        yield from gangs.about(outcome, log, running.scenario)
        return
    if isinstance(running, ProbeRun):
        yield from messages.about(running, outcome, log, workload)
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
