"""Causes of slow tasks, and the laws of luck; any two causes can meet in a world.

A cause changes the plan of a world at one of three moments: before its jobs are drawn, when the templates of
the jobs are there, or when all jobs are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tests.zoo.worlds import RECORDED, SIZES, Job, Luck, Plan, Stage, World, draft, fill, finish, stream

# Luck


def _exponential(random: np.random.Generator) -> Luck:
    return lambda draws, size: 0.4 + draws.exponential(0.6, size)


def _lognormal(random: np.random.Generator) -> Luck:
    sigma = random.uniform(0.2, 0.6)
    return lambda draws, size: np.exp(draws.normal(0, sigma, size))


def _bimodal(random: np.random.Generator) -> Luck:
    sigma = random.uniform(0.1, 0.4)

    def law(draws: np.random.Generator, size: int) -> np.ndarray:
        slow = np.where(draws.random(size) < 0.06, draws.uniform(3, 15, size), 1.0)
        return slow * np.exp(draws.normal(0, sigma, size))

    return law


def _pareto(random: np.random.Generator) -> Luck:
    index, most = random.uniform(1.3, 2.0), random.uniform(8, 15)
    return lambda draws, size: np.minimum((1 - draws.random(size)) ** (-1 / index), most)


def _light(random: np.random.Generator) -> Luck:
    sigma = random.uniform(0.03, 0.1)
    return lambda draws, size: np.exp(draws.normal(0, sigma, size))


#: Names of the laws of luck -> a law drawn of the kind.
LAWS: dict[str, Callable[[np.random.Generator], Luck]] = {
    "exponential": _exponential,
    "lognormal": _lognormal,
    "bimodal": _bimodal,
    "pareto": _pareto,
    "light": _light,
}

# Causes

#: Seconds for which a scheduler waits that is too patient.
PATIENCE = 6.0


@dataclass(frozen=True)
class Cause:
    """What it says in the table, and what it changes at which moment."""

    title: str
    before: Callable[[Plan], None] = lambda plan: None
    templates: Callable[[Plan], None] = lambda plan: None
    after: Callable[[Plan], None] = lambda plan: None


def _some(random: np.random.Generator, stage: Stage, factor: float) -> Stage:
    """Give one task in ten, and at least one, more work."""
    work = stage.work.copy()
    work[random.choice(stage.tasks, max(1, stage.tasks // 10), replace=False)] *= factor
    return replace(stage, work=work)


def shown(stage: Stage, sizes: np.ndarray, exponent: float = 1.0) -> Stage:
    """Give tasks unequal sizes that bytes and records show."""
    read, records = (np.rint(sizes * part).astype(int) for part in (stage.read, stage.records))
    return replace(stage, work=stage.work * sizes**exponent, read=read, records=records, grows=exponent)


def _in_half(plan: Plan, change: Callable[[Stage], Stage]) -> Callable[[Stage], Stage]:
    return lambda stage: change(stage) if plan.random.random() < 0.5 and not stage.noisy else stage


def _five(plan: Plan) -> None:
    def change(stage: Stage) -> Stage:
        sizes = np.ones(stage.tasks)
        sizes[plan.random.integers(stage.tasks)] = 5.0
        return shown(stage, sizes)

    plan.jobs = plan.change_stages(plan.jobs, _in_half(plan, change))


def _sizes(plan: Plan) -> None:
    sigma, exponent = plan.random.uniform(0.4, 0.9), plan.random.choice([1.0, 0.7])

    def change(stage: Stage) -> Stage:
        return shown(stage, np.exp(plan.random.normal(0, sigma, stage.tasks)), exponent)

    plan.jobs = plan.change_stages(plan.jobs, change)


def _records(plan: Plan) -> None:
    sigma = plan.random.uniform(0.4, 0.9)

    def change(stage: Stage) -> Stage:
        sizes = np.exp(plan.random.normal(0, sigma, stage.tasks))
        return replace(shown(stage, sizes), read=stage.read)

    plan.jobs = plan.change_stages(plan.jobs, change)


def _recurring(plan: Plan) -> None:
    factor = plan.random.uniform(3, 6)
    change = _in_half(plan, lambda stage: _some(plan.random, stage, factor))
    plan.templates = plan.change_stages(plan.templates, change)


def _fresh(plan: Plan) -> None:
    factor = plan.random.uniform(3, 6)
    change = _in_half(plan, lambda stage: _some(plan.random, stage, factor))
    plan.jobs = plan.change_stages(plan.jobs, change)


def _slow_hosts(plan: Plan) -> None:
    random, slow = plan.random, int(plan.random.integers(1, max(2, plan.hosts // 2)))
    factors = [float(random.uniform(1.4, 2.2)) for _ in range(slow)] + [1.0] * (plan.hosts - slow)
    plan.host_factors = random.permutation(factors).tolist()


def _slow_executors(plan: Plan) -> None:
    plan.executors, plan.slots = 2, max(1, plan.slots // 2)
    count = plan.hosts * 2
    slow = max(1, count // 4)
    factors = [float(plan.random.uniform(1.4, 2.2)) for _ in range(slow)] + [1.0] * (count - slow)
    plan.executor_factors = plan.random.permutation(factors).tolist()


def _spells(plan: Plan) -> None:
    random = plan.random
    spells = (random.uniform(0.08, 0.2), random.uniform(40, 150), random.uniform(2, 5))
    plan.nature = replace(plan.nature, spells=spells)


def _one_spell(plan: Plan) -> None:
    random = plan.random
    begin, share = random.uniform(0.2, 0.6), random.uniform(0.12, 0.3)
    once = (int(random.integers(plan.hosts)), begin, begin + share)
    plan.nature = replace(plan.nature, spells=(0.0, 60.0, random.uniform(2, 4)), one_spell=once)


def _shared(plan: Plan) -> None:
    plan.nature = replace(plan.nature, shared=plan.random.uniform(0.5, 1.0))


def _collector(plan: Plan) -> None:
    shares = plan.random.choice([0.03, 0.35], plan.hosts * plan.executors, p=[0.6, 0.4])
    plan.nature = replace(plan.nature, collector=tuple(shares.tolist()))


def _locality(plan: Plan) -> None:
    plan.nature = replace(plan.nature, far=plan.random.uniform(1.3, 2.0))

    def change(stage: Stage) -> Stage:
        if stage.parents:
            return stage
        picks = (plan.random.choice(plan.hosts, 2, replace=False) for _ in range(stage.tasks))
        return replace(stage, homes=tuple(tuple(pick.tolist()) for pick in picks))

    plan.jobs = plan.change_stages(plan.jobs, change)


def _patient(plan: Plan) -> None:
    """Wait for slots at home, where tasks are no faster."""
    _locality(plan)
    plan.nature = replace(plan.nature, far=1.0, patience=PATIENCE)


def _cold(plan: Plan) -> None:
    cold, frozen = plan.random.uniform(0.3, 1.5), plan.random.uniform(1.5, 3)
    plan.nature = replace(plan.nature, cold=cold, frozen=frozen)


def _crowd(plan: Plan) -> None:
    plan.nature = replace(plan.nature, crowd=plan.random.uniform(0.5, 1.0))


def _loop(plan: Plan) -> None:
    plan.clients = int(plan.random.integers(1, 5))


def _few(plan: Plan) -> None:
    plan.tasks = (2, 9)


def _short_noise(plan: Plan) -> None:
    """Short noisy stages beside long ones that are skewed and have next to no luck."""
    random, noise = plan.random, plan.nature.law
    sigma = random.uniform(0.4, 0.7)
    plan.nature = replace(plan.nature, law=_light(random), noise=noise)

    def change(job: Job) -> Job:
        spread = (np.exp(random.normal(0, sigma, stage.tasks)) for stage in job.stages)
        stages = [shown(stage, sizes) for stage, sizes in zip(job.stages, spread, strict=True)]
        tasks = int(random.integers(max(2, plan.tasks[1] // 2), plan.tasks[1] + 1))
        read = np.full(tasks, 50_000)
        base = float(random.uniform(0.1, 0.3))
        short = Stage("first at Short.scala:9", (), base, np.ones(tasks), read, read // 90, noisy=True)
        return replace(job, stages=(*stages, short))

    plan.jobs = [change(job) for job in plan.jobs]


def _no_bytes(plan: Plan) -> None:
    def change(stage: Stage) -> Stage:
        return replace(stage, read=stage.read * 0, records=stage.records * 0)

    plan.jobs = plan.change_stages(plan.jobs, change)


def _written(plan: Plan) -> None:
    sigma = plan.random.uniform(0.4, 0.9)

    def change(stage: Stage) -> Stage:
        sizes = np.exp(plan.random.normal(0, sigma, stage.tasks))
        written = np.rint(sizes * np.median(stage.read)).astype(int)
        return replace(stage, work=stage.work * sizes, written=written)

    plan.jobs = plan.change_stages(plan.jobs, change)


def _of_some(
    plan: Plan, share: float, seconds: Callable[[Stage], float], children: bool = False
) -> dict[tuple[int, int, int], float]:
    """Draw a figure for a share of the tasks; with `children`, only of stages that have parents."""
    return {
        (job, place, task): seconds(stage)
        for job, own in enumerate(plan.jobs)
        for place, stage in enumerate(own.stages)
        for task in np.flatnonzero(plan.random.random(stage.tasks) < share).tolist()
        if stage.parents or not children
    }


def _waits(plan: Plan) -> None:
    waits = _of_some(plan, 0.15, lambda stage: float(plan.random.uniform(0.5, 3)) * stage.base, True)
    plan.nature = replace(plan.nature, waits=waits)


def _starts(plan: Plan) -> None:
    starts = _of_some(plan, 0.08, lambda stage: float(plan.random.uniform(0.5, 3)) * stage.base)
    plan.nature = replace(plan.nature, starts=starts)


def _failed(plan: Plan) -> None:
    plan.nature = replace(plan.nature, again=_of_some(plan, 0.08, lambda _: plan.random.uniform(0.3, 0.95)))


def _lost(plan: Plan) -> None:
    plan.nature = replace(plan.nature, again=_of_some(plan, 0.08, lambda _: 1.0))


def _late(plan: Plan) -> None:
    plan.nature = replace(plan.nature, ready=float(plan.random.uniform(30, 120)))


def _pipeline_luck(plan: Plan) -> None:
    """Three clients; stragglers are 3 to 15 times as long in all stages, whatever their noise."""

    def law(draws: np.random.Generator, size: int) -> np.ndarray:
        return np.where(draws.random(size) < 0.05, draws.uniform(3, 15, size), 1.0)

    plan.clients, plan.nature = 3, replace(plan.nature, law=law)
    plan.jobs = plan.change_stages(
        _steps(plan.jobs), lambda stage: replace(stage, sigma=float(plan.random.uniform(0.03, 0.4)))
    )


def _pipeline_skew(plan: Plan) -> None:
    """Three clients, next to no luck, and work that records show in half of the stages."""
    sigma = plan.random.uniform(0.5, 0.9)
    plan.clients, plan.nature = 3, replace(plan.nature, law=_light(plan.random))

    def change(stage: Stage) -> Stage:
        sizes = np.exp(plan.random.normal(0, sigma, stage.tasks))
        told = plan.random.random() < 0.5
        return replace(shown(stage, sizes), read=stage.read, **({} if told else {"records": stage.records}))

    plan.jobs = plan.change_stages(_steps(plan.jobs), change)


def _steps(jobs: list[Job]) -> list[Job]:
    """Name jobs as the steps of one driver, none of which is another again."""
    return [replace(job, name=f"step {place}") for place, job in enumerate(jobs)]


#: In the order in which they change a plan.
CAUSES = {
    "small_stages": Cause("stages of 2 to 9 tasks", before=_few),
    "slow_executors": Cause("slow executors", before=_slow_executors),
    "slow_hosts": Cause("slow hosts", before=_slow_hosts),
    "spells": Cause("hosts slow for minutes", before=_spells),
    "shared_luck": Cause("luck that a copy shares", before=_shared),
    "gc": Cause("garbage collector (logged)", before=_collector),
    "cold": Cause("cold first waves", before=_cold),
    "load_luck": Cause("luck that grows with load", before=_crowd),
    "closed_loop": Cause("closed loop", before=_loop),
    "hidden_recurring": Cause("hidden skew, the same at each recurrence", templates=_recurring),
    "short_noise": Cause("short noisy stages beside long skewed ones", after=_short_noise),
    "hidden_fresh": Cause("hidden skew, new in each job", after=_fresh),
    "skew_five": Cause("one partition 5x (bytes and records)", after=_five),
    "skew_sizes": Cause("lognormal sizes (bytes and records)", after=_sizes),
    "skew_records": Cause("lognormal sizes (records only)", after=_records),
    "locality": Cause("slower off home (logged)", after=_locality),
    "no_bytes": Cause("no bytes in the log", after=_no_bytes),
}
#: Causes that `tests.zoo.name`, `tests.zoo.causes_judged` and tests take: one more above would draw other
#: worlds for each seed.
OTHERS = {
    "idle": Cause("slots idle while tasks wait for their home", after=_patient),
    "skew_written": Cause("lognormal sizes (bytes written only)", after=_written),
    "waits": Cause("waits for shuffle blocks (logged)", after=_waits),
    "starts": Cause("slow start-up (logged)", after=_starts),
    "failed": Cause("attempts that fail", after=_failed),
    "lost": Cause("lost outputs that run again", after=_lost),
    "late": Cause("no executor at first", after=_late),
    "one_spell": Cause("one host slow for a time, once", after=_one_spell),
    "pipeline_luck": Cause(
        "pipeline: stages of unequal noise, stragglers alike in all", after=_pipeline_luck
    ),
    "pipeline_skew": Cause("pipeline: skew that half of the stages show", after=_pipeline_skew),
}
#: What the worlds are made of: a law alone, a cause, or two, with a law that is drawn.
KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((law, ()) for law in LAWS),
    *(("", (cause,)) for cause in CAUSES),
    *(("", pair) for pair in combinations(CAUSES, 2)),
)


def kind_of(seed: int, number: int) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a world: a third each of laws alone, single causes and pairs, in random order."""
    singles = len(LAWS) + len(CAUSES)
    groups = (range(len(LAWS)), range(len(LAWS), singles), range(singles, len(KINDS)))
    turn, group = divmod(number, len(groups))
    among = groups[group]
    around, place = divmod(turn, len(among))
    order = stream(seed, around, f"kinds {group}").permutation(len(among))
    return KINDS[among[int(order[place])]]


def make(seed: int, number: int) -> World:
    """Return a world; the same for the same seed and number."""
    law, causes = kind_of(seed, number)
    random = stream(seed, number, "world")
    law = law or str(random.choice(list(LAWS), p=[0.15, 0.3, 0.3, 0.15, 0.1]))
    size = str(random.choice(list(SIZES), p=[0.6, 0.4]))
    setting = RECORDED[int(random.integers(len(RECORDED)))]
    return build(law, causes, random, number=number, seed=seed, size=size, setting=setting)


def build(law: str, causes: tuple[str, ...], random: np.random.Generator, **who) -> World:
    """Return a world of a law and some causes."""
    plan = draft(random, SIZES[who["size"]], LAWS[law](random))
    acting = [cause for name, cause in (CAUSES | OTHERS).items() if name in causes]
    for cause in acting:
        cause.before(plan)
    fill(plan, [cause.templates for cause in acting])
    for cause in acting:
        cause.after(plan)
    return finish(plan, law=law, causes=causes, **who)
