"""Generated clusters whose truth is known: their histories, and the true model.

The history is made by a small simulator of its own, first come first served, stages behind barriers, without
copies. A copy of a task lasts the base of its stage x its bytes x the factor of its host x luck.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from sim.advice.whatif.doubt import STEPS, Law
from sim.advice.whatif.model import Model
from sim.logs.history import FINISHED, History
from sim.logs.records import Measured, Records


@dataclass(frozen=True)
class Truth:
    """A history, and what is true of it."""

    history: History
    law: Law
    factors: dict[str, float]
    work: dict[int, np.ndarray]  # of the tasks of each stage, by row

    def model(self, fitted: Model) -> Model:
        """Return the true model of the jobs of a fitted one."""
        factors = tuple(self.factors[host] for host in fitted.cluster.hosts)
        work = np.concatenate([self.work[row] for row in fitted.stages.tolist()])
        power = np.ones(work.size)  # of the law as it is
        cluster = replace(fitted.cluster, factors=factors, executors={})
        return replace(fitted, law=self.law, work=work, power=power, cluster=cluster)


def law_of_quantiles(quantile) -> Law:
    """Return the law that has these quantiles, with its median at 1."""
    table = quantile(np.linspace(0, 1, STEPS + 1))
    return Law(tuple((table / quantile(np.array(0.5))).tolist()))


def pareto(index, most=12.0):
    """Return the quantiles of a Pareto law with an end."""
    return lambda share: np.minimum((1 - np.minimum(share, 1 - 1e-12)) ** (-1 / index), most)


def lognormal(sigma):
    """Return the quantiles of a lognormal law, its outermost left out."""
    from scipy.stats import norm

    return lambda share: np.exp(sigma * norm.ppf(np.clip(share, 2e-4, 1 - 2e-4)))


def cluster(
    seed,
    luck,
    *,
    noisy=None,
    jobs=30,
    tasks=(6, 30),
    hosts=4,
    slots=3,
    load=0.6,
    factors=None,
    bytes_spread=0.0,
    two=0.6,
    unit=0.0,
) -> Truth:
    """Return a cluster that has run some jobs of one or two stages at a load.

    Second stages may have `noisy` luck of their own; the clock of the log may count in whole units.
    """
    random = np.random.default_rng([seed, 41])
    law = law_of_quantiles(luck)
    laws = (law, law_of_quantiles(noisy) if noisy else law)
    slow = dict(zip((f"h{host}" for host in range(hosts)), factors or [1.0] * hosts, strict=True))
    records = Records(per_second=1)
    stages, work = [], {}
    mean = float(np.mean(law.samples)) * float(np.mean(list(slow.values())))
    demands = []
    for job in range(jobs):
        records.job(job)
        count = 1 + (random.random() < two)
        sizes = random.integers(*tasks, endpoint=True, size=count)
        for size in sizes.tolist():
            row = records.stage_row(len(stages))
            parents = [row - 1] if stages and stages[-1][0] == job else []
            records.stages[row].job, records.stages[row].tasks = job, size
            records.stages[row].parents = parents
            records.stages[row].name = ("first", "second")[bool(parents)] if noisy else ""
            unequal = np.exp(random.normal(0, bytes_spread, size)) if bytes_spread else np.ones(size)
            work[row] = random.uniform(1, 5) * unequal
            stages.append((job, row, parents))
        demands.append(sum(work[row].sum() for of, row, _ in stages if of == job) * mean)
    gap = float(np.mean(demands)) / (load * hosts * slots)
    arrivals = np.cumsum(random.exponential(gap, jobs)).tolist()
    clock = (lambda time: time // unit * unit) if unit else (lambda time: time)
    _run(records, stages, work, arrivals, laws, slow, slots, random, clock)
    history = records.history("generated", ("generated",), origin=0.0)
    return Truth(history, law, slow, work)


def _run(records, stages, work, arrivals, laws, slow, slots, random, clock):
    """Run the jobs, first come first served."""
    free = random.permutation([(host, slot) for host in slow for slot in range(slots)]).tolist()
    for host in slow:
        records.host_slots[host] = slots
    records.slot_changes.append((0.0, len(free)))
    waiting = {row: deque(range(work[row].size)) for _, row, _ in stages}
    left = {row: work[row].size for _, row, _ in stages}
    law_of_stage = {row: laws[bool(parents)] for _, row, parents in stages}
    ready, events = [], []
    for job, row, parents in stages:
        records.jobs[job].submit = clock(arrivals[job])
        if not parents:
            heapq.heappush(events, (arrivals[job], row, -1, "", 0))
    while events:
        now, row, task, host, slot = heapq.heappop(events)
        if task < 0:
            records.stages[row].submit = clock(now)
            heapq.heappush(ready, row)
        else:
            free.append((host, slot))
            left[row] -= 1
            if not left[row]:
                job = records.stages[row].job
                records.stages[row].end = records.jobs[job].end = clock(now)
                records.jobs[job].fate = FINISHED
                for _, child, parents in stages[row + 1 : row + 2]:
                    if row in parents:
                        heapq.heappush(events, (now, child, -1, "", 0))
        while free and ready:
            first = ready[0]
            task = waiting[first].popleft()
            if not waiting[first]:
                heapq.heappop(ready)
            host, slot = free.pop(0)
            end = now + work[first][task] * slow[host] * float(law_of_stage[first].draw(random.random()))
            unequal = work[first].std() > 0
            records.copy(
                first,
                task,
                launch=clock(now),
                end=clock(end),
                fate=FINISHED,
                host=host,
                slot=f"{host}-{slot}",
                measured=Measured(1e8 * work[first][task] if unequal else np.nan),
            )
            heapq.heappush(events, (end, first, task, host, slot))
