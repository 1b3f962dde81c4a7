"""Repeated runs, and runs before and after a change, whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.advice.several.matching import PairedJobs, PairedTasks
from sim.logs.formats import read_history
from sim.logs.history import FINISHED
from sim.logs.records import Records
from sim.logs.source import Upload
from tests.zoo.causes import build
from tests.zoo.eventlog import event_log
from tests.zoo.simulator import play
from tests.zoo.worlds import stream

#: Law of luck: how to draw its logarithm, and the variance of that.
LAWS = {
    "lognormal": (lambda random, size: random.normal(0, 0.4, size), 0.16),
    "pareto": (lambda random, size: random.exponential(1 / 1.5, size), 1 / 1.5**2),
    "bimodal": (
        lambda random, size: np.log(5) * (random.random(size) < 0.1) + random.normal(0, 0.1, size),
        0.09 * np.log(5) ** 2 + 0.01,
    ),
}


def layout(seed, law, *, runs=2, stages=4, tasks=40, hosts=6, work=0.4, machine=0.3, own=False):
    """Return paired tasks and the true shares of luck, machine and work.

    Tasks run on hosts at random; `own` draws the speed of each host anew in every run. Shares are those of
    the variance within stages of the effects that were drawn, and of the law of luck.
    """
    random = np.random.default_rng([seed, 3])
    draw, luck = LAWS[law]
    stage = np.repeat(np.arange(stages), tasks)
    of_task = random.normal(0, work, stage.size)
    host = random.integers(0, hosts, (stage.size, runs))
    speed = random.normal(0, machine, (runs if own else 1, hosts))
    of_host = np.column_stack([speed[run % len(speed)][host[:, run]] for run in range(runs)])
    level = random.normal(0, 1, (stages, runs))
    log = level[stage] + of_task[:, None] + of_host + draw(random, (stage.size, runs))

    def within(values):
        mean = values.reshape(stages, tasks, -1).mean(axis=1)
        return float(((values.reshape(stages, tasks, -1) - mean[:, None]) ** 2).mean() * tasks / (tasks - 1))

    parts = np.array([luck, within(of_host), within(of_task[:, None])])
    names = np.array([f"h{number}" for number in range(hosts)])
    paired = PairedTasks(
        log,
        names[host],
        stage,
        np.tile(np.arange(tasks), stages),
        tuple(f"s{one}" for one in range(stages)),
        "",
        np.arange(stages),
        0,
        0,
    )
    return paired, parts / parts.sum()


def job_times(seed, *, jobs=60, change=1.0, slots=3, load=0.8, index=2.5, day=0.0, runs=2):
    """Return paired jobs that queue for slots, first come first served, with heavy-tailed luck of their own.

    The work of jobs differs (lognormal), and is the same in all runs; in the later half of the runs each
    takes `change` times as long, waiting included. `day` is the spread of the logarithm by which a whole run
    is slower.
    """
    random = np.random.default_rng([seed, 5])
    base = np.exp(random.normal(0, 0.5, jobs))
    gap = random.exponential(float(base.mean()) / 0.6 / (slots * load), jobs)
    submits, ends = [], []
    for run in range(runs):
        factor = (change if run >= runs // 2 else 1.0) * np.exp(day * random.normal())
        service = base * (1 - random.random(jobs)) ** (-1 / index) * factor
        submit = np.cumsum(gap) * factor  # queues are alike in units of the factor
        free, end = np.zeros(slots), np.empty(jobs)
        for job in range(jobs):
            slot = int(free.argmin())
            free[slot] = end[job] = max(submit[job], free[slot]) + service[job]
        submits.append(submit)
        ends.append(end)
    submit, end = np.column_stack(submits), np.column_stack(ends)
    rows = np.column_stack([np.arange(jobs)] * runs)
    names = tuple(f"job {number}" for number in range(jobs))
    return PairedJobs(end - submit, end - submit, submit, end, names, rows, "names", (0,) * runs)


def history(seed, *, stages=3, tasks=30, slow=(), named="nightly", hosts=4, luck=0.2, factor=1.0):
    """Return a history of jobs of one stage; some of the tasks always take three times as long."""
    random = np.random.default_rng([seed, 7])
    records, now = Records(per_second=1), 0.0
    for number in range(stages):
        row, job = records.stage_row(number), records.job(number)
        records.jobs[job].name = f"{named}-{number}"
        records.stages[row].name, records.stages[row].job = "map", job
        records.stages[row].tasks = tasks
        records.stages[row].submit = records.jobs[job].submit = now
        last = now
        for task in range(tasks):
            duration = factor * 10 * np.exp(luck * random.normal()) * (3.0 if task in slow else 1.0)
            last = max(last, now + duration)
            records.copy(
                row,
                task,
                launch=now,
                end=now + duration,
                fate=FINISHED,
                host=f"h{random.integers(hosts)}",
                slot=f"s{task}",
            )
        records.stages[row].end = records.jobs[job].end = last
        records.jobs[job].fate = FINISHED
        now = last + 1.0
    return records.history("generated", (f"run-{seed}",), origin=0.0)


def queued(seed, *, jobs=30, tasks=12, slots=12, load=0.7, law="lognormal", change=1.0):
    """Return a history of jobs that wait for each other's slots, first come first served.

    The work of jobs differs and is the same for every seed; the luck of tasks is that of the seed.
    """
    same, random = np.random.default_rng(11), np.random.default_rng([seed, 9])
    base = 10 * np.exp(same.normal(0, 0.5, jobs))
    gap = same.exponential(tasks * float(base.mean()) * 1.1 / slots / load, jobs)
    records, submit, free = Records(per_second=1), 0.0, np.zeros(slots)
    for number in range(jobs):
        row, job = records.stage_row(number), records.job(number)
        submit += gap[number]
        records.jobs[job].name, records.stages[row].name = f"job-{number}", "map"
        records.stages[row].job, records.stages[row].tasks = job, tasks
        records.stages[row].submit = records.jobs[job].submit = submit
        last = submit
        for task, luck in enumerate(np.exp(LAWS[law][0](random, tasks))):
            slot = int(free.argmin())
            launch = max(submit, float(free[slot]))
            free[slot] = end = launch + change * base[number] * luck
            last = max(last, end)
            records.copy(
                row, task, launch=launch, end=end, fate=FINISHED, host=f"h{slot // 3}", slot=f"s{slot}"
            )
        records.stages[row].end = records.jobs[job].end = last
        records.jobs[job].fate = FINISHED
    records.host_slots |= {f"h{number}": 3 for number in range(slots // 3)}
    return records.history("generated", (f"run-{seed}",), origin=0.0)


#: The settings of the sample of `sim.logs.samples.before_after`: without copies, and with them.
SAMPLE = (None, (1.5, 0.75))


def sample_world():
    """Return the world of that sample: luck and nothing else, which a Pareto factor draws for every copy."""
    return build("pareto", (), stream(0, 0, "before and after"), number=0, seed=0, size="small", setting=None)


def sample_run(number):
    """Return one of its four runs: two before, two after, each with luck of its own."""
    setting = SAMPLE[number > 2]
    world = replace(sample_world(), setting=setting)
    log = event_log(world, play(world, setting, number)).encode()
    return read_history(Upload(f"run_{number}.json", log))
