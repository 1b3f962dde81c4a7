"""Generated histories whose truth is known, and an independent reader of raw Spark events."""

import json

import numpy as np

from sim.logs.history import FINISHED
from sim.logs.records import Measured, Records


def generated(
    seed, luck, *, stages=20, tasks=30, hosts=6, slots=2, host_factor=None, bytes_spread=0.0, cold=1.0
):
    """Return a history of stages that run one after the other, first come first served.

    A task lasts the base of its stage times its work (bytes, lognormal) times the factor of its host
    times `cold` for the first task on each slot of the stage times `luck(generator)`.
    """
    random = np.random.default_rng(seed)
    factor = np.ones(hosts) if host_factor is None else np.asarray(host_factor)
    records = Records(per_second=1)
    now = 0.0
    for stage in range(stages):
        row = records.stage_row(stage)
        job = records.job(stage)
        base = random.uniform(2, 20)
        free = [(now, slot) for slot in random.permutation(hosts * slots).tolist()]
        used = set()
        records.stages[row].job, records.stages[row].tasks = job, tasks
        records.stages[row].submit = records.jobs[job].submit = now
        last = now
        for task in range(tasks):
            place = min(range(len(free)), key=lambda one: free[one][0])
            launch, slot = free[place]
            work = np.exp(random.normal(0, bytes_spread)) if bytes_spread else 1.0
            duration = (
                base * work * factor[slot // slots] * luck(random) * (cold if slot not in used else 1.0)
            )
            used.add(slot)
            free[place] = (launch + duration, slot)
            last = max(last, launch + duration)
            records.copy(
                row,
                task,
                launch=launch,
                end=launch + duration,
                fate=FINISHED,
                host=f"h{slot // slots}",
                slot=f"s{slot}",
                measured=Measured(1e6 * work if bytes_spread else np.nan),
            )
        records.stages[row].end = records.jobs[job].end = last
        records.jobs[job].fate = FINISHED
        now = last + 1.0
    return records.history("generated", ("generated",), origin=0.0)


def pareto(index):
    return lambda random: (1 - random.random()) ** (-1 / index)


def lognormal(sigma):
    return lambda random: np.exp(random.normal(0, sigma))


def exponential(random):
    return random.exponential()


def stages_of_luck(random, law, sizes):
    """Return stage, ratio and completeness of copies whose luck alone differs."""
    drawn = [law(random, size) for size in sizes]
    ratio = np.concatenate([one / np.median(one) for one in drawn])
    return np.repeat(np.arange(len(sizes)), sizes), ratio, np.ones(ratio.size, bool)


def speculated(random, law, sizes, *, multiplier=1.5, quantile=0.75, slots=12):
    """Return the same where second copies are launched as Spark does, and the slower of two is killed.

    Tasks wait for one of some slots; copies take none. Once a share of the tasks of a stage is done, a task
    that runs longer than so many times their median gets one copy, whose luck is drawn anew.
    """
    found = []
    for stage, size in enumerate(sizes):
        first, second = law(random, size), law(random, size)
        free, start = np.zeros(slots), np.empty(size)
        for task in range(size):
            start[task] = free.min()
            free[free.argmin()] += first[task]
        end = start + first
        done = np.sort(end)[int(np.ceil(quantile * size)) - 1]
        launch = np.maximum(done, start + multiplier * np.median(first[end <= done]))
        copied = launch < end
        over = np.where(copied, np.minimum(end, launch + second), end)
        held = np.concatenate([over - start, (over - launch)[copied]])
        complete = np.concatenate([over == end, (launch + second < end)[copied]])
        found.append((np.full(held.size, stage), held / np.median(held[complete]), complete))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def raw(data):
    """Count and add up a Spark log straight from its events, with no code of the product."""
    events = [json.loads(line) for line in data.decode().splitlines()]

    def of(kind):
        return [event for event in events if event["Event"] == f"SparkListener{kind}"]

    starts = {event["Task Info"]["Task ID"]: event for event in of("TaskStart")}
    ends = {
        event["Task Info"]["Task ID"]: event
        for event in of("TaskEnd")
        if event["Task End Reason"]["Reason"] != "Resubmitted"
    }
    every = {**starts, **ends}
    reason = {key: event["Task End Reason"]["Reason"] for key, event in ends.items()}
    held = {
        key: (e["Task Info"]["Finish Time"] - e["Task Info"]["Launch Time"]) / 1e3 for key, e in ends.items()
    }
    killed = [key for key in ends if reason[key] == "TaskKilled"]
    second = [key for key, event in every.items() if event["Task Info"]["Speculative"]]
    finished = [key for key in ends if reason[key] == "Success"]
    return {
        "jobs": len(of("JobStart")),
        "stages": len({_attempt(event["Stage Info"]) for event in of("StageSubmitted")}),
        "tasks": len({(_attempt(event), event["Task Info"]["Index"]) for event in every.values()}),
        "copies": len(every),
        "speculative": len(second),
        "finished": len(finished),
        "killed": len(killed),
        "failed": len(ends) - len(finished) - len(killed),
        "unfinished": len(every) - len(ends),
        "hosts": len({event["Task Info"]["Host"] for event in every.values()}),
        "won": len(set(second) & set(finished)),
        "killed_time": sum(held[key] for key in killed),
        "killed_share": sum(held[key] for key in killed) / sum(held.values()),
        "recorded": sum(event["Completion Time"] for event in of("JobEnd") if "Completion Time" in event)
        / 1e3
        - sum(event["Submission Time"] for event in of("JobStart") if "Submission Time" in event) / 1e3,
    }


def _attempt(event):
    return event["Stage ID"], event["Stage Attempt ID"]
